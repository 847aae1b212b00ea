import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { asWord, listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { accountName } from '../../manifests/manifests.ts';
import { hasOurLabels } from './apply-objects.ts';
import { findAccount } from './connected-for.ts';
import { type GrantedRights, homesOf, rightsOf } from './granted-rights.ts';

const Account = z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) });

/** Accounts of Poolkeeper beside the one that is to be removed. */
export interface AccountsElsewhere {
  /** Their namespaces; undefined: whether there are any cannot be read. */
  readonly homes: readonly string[] | undefined;
  /** Lines about them, which stay. */
  readonly stays: readonly string[];
}

interface Looking {
  /** Of the account that is to be removed. */
  readonly namespace: string;
  readonly rights: GrantedRights;
}

/** Looks for Poolkeeper's account in other namespaces than the one that is to be removed. Throws Misconfigured if that
 *  one has no role or binding of the whole cluster, and there is something of another: whoever goes on would take the
 *  holds away and leave the account its rights. Its account may be gone, as where disconnect is repeated. Throws
 *  Transient if the API server cannot say. */
export async function accountsElsewhere(
  client: Pick<KubeClient, 'list'>,
  { namespace, rights }: Looking,
): Promise<AccountsElsewhere> {
  const elsewhere = await otherAccounts(client, { namespace, rights });
  const named = unique([...(elsewhere.homes ?? []), ...homesOf(rights)])
    .filter((home) => home !== namespace)
    .toSorted();
  // Whoever administers a namespace can make an account there, and a binding, by any name, and with our label.
  const isHere = rightsOf(rights, namespace).some(({ kind }) => kind.startsWith('Cluster'));
  const [unread] = rights.unread;
  if (named.length > 0 && !isHere && unread !== undefined) throw new Misconfigured([unreadText(named, unread)]);
  if (named.length > 0 && !isHere)
    throw new Misconfigured([
      `Poolkeeper's account is in namespace ${listed(named.map(asWord))}, and no right of one in ${namespace} to the cluster is here: say by --namespace which namespace the cluster was connected with. If that was ${namespace}, it is gone already, and what may be left is to be taken away by hand, as its token, its entry and pools that stay paused: another --namespace removes another installation`,
    ]);
  return elsewhere;
}

/** The same, whatever is here. Throws Transient. */
export async function otherAccounts(
  client: Pick<KubeClient, 'list'>,
  { namespace, rights }: Looking,
): Promise<AccountsElsewhere> {
  const { accounts, refused } = await accountsOf(client);
  if (refused !== undefined)
    return {
      homes: undefined,
      stays: [`whether Poolkeeper has an account in another namespace cannot be read: ${refused}`],
    };
  const others = ofPoolkeeper(accounts, rights).filter((home) => home !== namespace);
  const isKnown = (home: string) => rights.unread.length > 0 || homesOf(rights).includes(home);
  return {
    homes: others,
    stays: others.map((home) =>
      isKnown(home)
        ? `Poolkeeper has another account, in namespace ${home}, which stays: --namespace ${home}`
        : `an account with Poolkeeper's label, and without its rights to the cluster, is in namespace ${home}, and stays: whoever made it knows what it is`,
    ),
  };
}

/** Namespaces of other accounts that are connected for an installation: its token and its entry may be theirs. Only of
 *  those with rights to the cluster, because whoever administers a namespace can note an account there for anyone.
 *  Throws Transient. */
export async function otherHomesFor(
  client: Pick<KubeClient, 'get'>,
  { namespace, rights, installation }: Looking & { readonly installation: string },
): Promise<readonly string[]> {
  const homes = homesOf(rights).filter((home) => home !== namespace);
  const found = await Promise.all(homes.map((home) => findAccount(client, { namespace: home, name: accountName })));
  return homes.filter((_, index) => {
    const account = found[index];
    return typeof account === 'object' && account.installation === installation;
  });
}

/** What whoever may not list roles and bindings is told where another account is. */
export function unreadText(homes: readonly string[], refused: string): string {
  return `there is another Poolkeeper, in namespace ${listed(homes.map(asWord))}, and what is whose cannot be read: ${refused}; run it as somebody who may list roles and bindings`;
}

interface FoundAccount {
  readonly namespace: string;
  readonly hasOurLabels: boolean;
}

interface FoundAccounts {
  readonly accounts: readonly FoundAccount[];
  /** Who asks may not list them, in the API server's words. */
  readonly refused: string | undefined;
}

/** Whatever has the name of ours. */
async function accountsOf(client: Pick<KubeClient, 'list'>): Promise<FoundAccounts> {
  const query = { fieldSelector: `metadata.name=${accountName}` };
  try {
    const found = z.array(z.unknown()).parse(await client.list('/api/v1/serviceaccounts', { query, pageSize: 100 }));
    const all = found.map((each) => ({ ...Account.parse(each).metadata, hasOurLabels: hasOurLabels(each) }));
    return { accounts: all.filter(({ name }) => name === accountName), refused: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    return { accounts: [], refused: cause.message };
  }
}

/** By our label, which others may have changed, or by bindings of ours that name it. */
function ofPoolkeeper(accounts: readonly FoundAccount[], rights: GrantedRights): readonly string[] {
  const bound = homesOf(rights);
  return accounts
    .filter((each) => each.hasOurLabels || bound.includes(each.namespace))
    .map(({ namespace }) => namespace)
    .toSorted();
}
