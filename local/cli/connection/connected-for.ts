import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isWithoutRights, Misconfigured } from '../../../functions/core/text/errors.ts';
import { asWord, listed } from '../../../functions/core/text/phrases.ts';
import { command } from '../../../functions/core/text/shell-words.ts';
import type { Account, KubeObject } from '../../manifests/kube-object.ts';
import { objectName, objectPath } from './object-path.ts';

/** The annotation of an account that names the installation that it is connected for: two stages on one cluster may
 *  have been given one namespace, and so one account. */
const connectedFor = 'poolkeeper.dev/connected-for';

/** An account on a cluster. `unnoted`: it does not say for which installation, as one of printed manifests, or it may
 *  not be read. */
export type FoundAccount = 'absent' | 'unnoted' | { readonly installation: string };

const Stored = z.object({
  metadata: z.object({ annotations: z.object({ [connectedFor]: z.string().optional() }).nullish() }),
});

/** Throws Transient. */
export async function findAccount(client: Pick<KubeClient, 'get'>, account: Account): Promise<FoundAccount> {
  try {
    const stored = await client.get(objectPath(objectOf(account)));
    if (stored === undefined) return 'absent';
    const installation = Stored.safeParse(stored).data?.metadata.annotations?.[connectedFor];
    return installation === undefined ? 'unnoted' : { installation };
  } catch (cause) {
    if (!isWithoutRights(cause)) throw cause;
    return 'unnoted';
  }
}

function objectOf({ name, namespace }: Account): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

interface Claim {
  readonly account: Account;
  readonly found: FoundAccount;
  /** That asks. */
  readonly installation: string;
  /** Namespaces of other accounts that are connected for it. */
  readonly others: readonly string[];
}

/** Throws Misconfigured where the account is connected for another installation, which would lose rights to pools that
 *  it holds with the first that is disconnected, or may be, because it is not noted, and the one that asks has an
 *  account already. */
export function requireOwnOrNew({ account, found, installation, others }: Claim): void {
  requireLikelyOwn({ account, found, installation, others });
  if (typeof found === 'string' || found.installation === installation) return;
  throw new Misconfigured([
    `${objectName(objectOf(account))} is connected for another installation, ${asWord(found.installation)}, and this is ${asWord(installation)}: a second installation on a cluster needs its own --namespace, or whichever is disconnected takes the other's account and pools with it. If this is that one, say --stage, --secret or --token-dir as before; if its token is to be elsewhere from now on: ${forgetting(account)}`,
  ]);
}

/** The same, for whoever would take it away. */
export function requireOwn({ account, found, installation, others }: Claim): void {
  requireLikelyOwn({ account, found, installation, others });
  if (typeof found === 'string' || found.installation === installation) return;
  throw new Misconfigured([
    `${objectName(objectOf(account))} is connected for another installation, ${asWord(found.installation)}, and this is ${asWord(installation)}: nothing is disconnected. Say --stage, --secret or --token-dir of the one that is to go, or its own --namespace; if that one is to lose its account, too: ${forgetting(account)}`,
  ]);
}

/** Folders of one name are one installation here, also where two teams have them: which account is whose is asked. */
function requireLikelyOwn({ account, found, installation, others }: Claim): void {
  const [other] = others;
  if (found !== 'unnoted' || other === undefined) return;
  throw new Misconfigured([
    `${objectName(objectOf(account))} does not say for which installation it is connected, and the account in namespace ${listed(others.map(asWord))} is that of ${asWord(installation)}, as this one is called: if that one is yours, say --namespace ${asWord(other)}; if this one is: ${annotating(account, `${connectedFor}=${installation}`)}`,
  ]);
}

/** The command by which the account is of no installation any more. */
function forgetting(account: Account): string {
  return annotating(account, `${connectedFor}-`);
}

function annotating({ name, namespace }: Account, note: string): string {
  return command('oc', 'annotate', 'serviceaccount', name, '-n', namespace, note);
}

/** The objects that connecting applies, of which the account says for whom it is. */
export function notedFor(objects: readonly KubeObject[], installation: string): readonly KubeObject[] {
  return objects.map((object) =>
    object.kind === 'ServiceAccount'
      ? { ...object, metadata: { ...object.metadata, annotations: { [connectedFor]: installation } } }
      : object,
  );
}
