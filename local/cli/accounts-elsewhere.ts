import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { ourLabels } from '../manifests/kube-object.ts';
import { accountName } from '../manifests/manifests.ts';

const Accounts = z.array(z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) }));

/** Accounts of Poolkeeper beside the one that is to be removed. */
export interface AccountsElsewhere {
  /** Their namespaces; undefined: whether there are any cannot be read. */
  readonly homes: readonly string[] | undefined;
  /** Lines about them, which stay. */
  readonly stays: readonly string[];
}

/** Looks for Poolkeeper's account in other namespaces than the one that is to be removed. Throws Misconfigured if it is
 *  in these alone: whoever goes on would take the holds away and leave the account its rights, Transient if the API
 *  server cannot say. */
export async function accountsElsewhere(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
): Promise<AccountsElsewhere> {
  const labelSelector = Object.entries(ourLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  let found: unknown;
  try {
    found = await client.list('/api/v1/serviceaccounts', { query: { labelSelector }, pageSize: 100 });
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    const stays = [`whether Poolkeeper has an account in another namespace cannot be read: ${cause.message}`];
    return { homes: undefined, stays };
  }
  const homes = Accounts.parse(found)
    .filter(({ metadata }) => metadata.name === accountName)
    .map(({ metadata }) => metadata.namespace);
  const others = homes.filter((home) => home !== namespace).toSorted();
  const [first] = others;
  if (first !== undefined && others.length === homes.length)
    throw new Misconfigured([
      `Poolkeeper's account is in namespace ${listed(others)}, and not in ${namespace}; if that is the installation to be removed, say --namespace ${first}`,
    ]);
  return {
    homes: others,
    stays: others.map(
      (home) => `Poolkeeper has another account, in namespace ${home}, which stays: --namespace ${home}`,
    ),
  };
}
