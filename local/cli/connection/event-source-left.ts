import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { asWord } from '../../../functions/core/text/phrases.ts';
import { eventSourceName } from '../../manifests/event-source.ts';
import type { GrantedRights } from './granted-rights.ts';
import { objectName, objectPath } from './object-path.ts';

const Binding = z.object({ subjects: z.array(z.object({ namespace: z.string().optional() })).nullish() });

/** Lines about the event source that part `event-source` of `manifests` prints. It stays: its names are the same
 *  whichever Poolkeeper it reports to, and the address that says which has a token in it. Known by its rights to the
 *  whole cluster, which no tenant can make. Throws Transient. */
export async function eventSourceLeft(
  client: Pick<KubeClient, 'get'>,
  { roles, bindings }: GrantedRights,
): Promise<readonly string[]> {
  const all = [...bindings, ...roles]
    .filter(({ object: { metadata }, hasOurLabels }) => hasOurLabels && metadata.name === eventSourceName)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.namespace === undefined);
  if (all.length === 0) return [];
  const binding = all.find(({ kind }) => kind === 'ClusterRoleBinding');
  const stored = binding === undefined ? undefined : await client.get(objectPath(binding), { mayBeUnserved: true });
  const [subject] = Binding.safeParse(stored).data?.subjects ?? [];
  const place = subject?.namespace === undefined ? '' : ` in namespace ${asWord(subject.namespace)}`;
  return [
    `${all.map(objectName).join(' and ')}, and ServiceAccount and ApiServerSource of that name${place}: stay, and go on reporting changes of pools to the address in that source: oc delete -f what you have applied`,
  ];
}
