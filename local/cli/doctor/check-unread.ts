import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { unlessUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { roleName } from '../../manifests/access.ts';
import { accountName } from '../../manifests/manifests.ts';
import { type Finding, unchecked, warning } from './finding.ts';
import type { ConnectedIn } from './remedy-commands.ts';

const Binding = z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) });

/** Of the Argo CDs of a cluster in the file. */
interface ReadNamespaces {
  readonly read: readonly string[];
  /** Those that they run in, which may have no Applications. */
  readonly homes: readonly string[];
}

/** Namespaces whose Applications the account may read, as connecting grants it wherever some are, and that the file
 *  does not have: nothing is paused for syncs there. Needs the permissions of a person. */
export async function checkUnread(
  { cluster, home, file }: ConnectedIn,
  client: Pick<KubeClient, 'list'>,
  { read, homes }: ReadNamespaces,
): Promise<readonly Finding[]> {
  const name = roleName({ namespace: home, name: accountName }, 'applications');
  try {
    const path = '/apis/rbac.authorization.k8s.io/v1/rolebindings';
    const query = { fieldSelector: `metadata.name=${name}` };
    const bindings = await unlessUnserved(client.list(path, { pageSize: 250, form: 'metadata', query }), []);
    const granted = bindings.map((each) => Binding.parse(each).metadata).filter((each) => each.name === name);
    const left = granted.map(({ namespace }) => namespace).filter((each) => !read.includes(each));
    const isUsed = await Promise.all(left.map((each) => !homes.includes(each) || hasApplications(client, each)));
    const unread = left.filter((_, index) => isUsed[index]);
    if (unread.length === 0) return [];
    return [
      warning(
        cluster,
        `Applications: those in ${listed(unread.toSorted(), 20)} may be read, and are not, so that nothing is paused for their syncs`,
        `add the namespace to argocd[].namespaces of ${file}, a second Argo CD as an entry of its own; or oc delete rolebindings.rbac.authorization.k8s.io ${name} -n NAMESPACE`,
      ),
    ];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [unchecked(cluster, `Applications that are not read: ${cause.message}`)];
  }
}

async function hasApplications(client: Pick<KubeClient, 'list'>, namespace: string): Promise<boolean> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
  const found = await unlessUnserved(client.list(path, { pageSize: 250, form: 'metadata' }), []);
  return found.length > 0;
}
