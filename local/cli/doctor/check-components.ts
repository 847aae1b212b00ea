import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { mcoNamespace } from '../../../functions/core/openshift/machine-config-operator.ts';
import { type Finding, ok, unchecked, wrong } from './finding.ts';

/** The components of the Machine Config Operator, by label, with what stops without them. */
const components = {
  'machine-config-controller': 'no pause is observed, nothing is rendered and no node is updated',
  'machine-config-daemon': 'the nodes without it are not updated',
  'machine-config-server': 'no new machine joins',
} as const;

const Pods = z.array(
  z.object({
    metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
    spec: z.object({ nodeName: z.string().optional() }).default({}),
    status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
  }),
);
type Pod = z.infer<typeof Pods>[number];

/** Whether the Machine Config Operator's own components are ready. Throws Transient. */
export async function checkComponents(about: string, client: KubeClient): Promise<readonly Finding[]> {
  const pods = Pods.parse(await client.list(`/api/v1/namespaces/${mcoNamespace}/pods`, { pageSize: 250 }));
  return Object.entries(components).map(([component, loss]) => {
    const own = pods.filter(({ metadata }) => metadata.labels['k8s-app'] === component);
    if (own.length === 0) return unchecked(about, `${component}: no pod found`);
    const sick = own.filter((pod) => !isReady(pod));
    if (sick.length === 0) return ok(about, `${component}: ${own.length} of ${own.length} ready`);
    const names = sick.slice(0, 5).map(({ metadata, spec }) => `${metadata.name} on ${spec.nodeName ?? 'no node'}`);
    return wrong(
      about,
      `${component}: ${sick.length} of ${own.length} not ready (${names.join(', ')}): ${loss}`,
      `oc -n ${mcoNamespace} describe pod ${sick[0]?.metadata.name}`,
    );
  });
}

function isReady({ status }: Pod): boolean {
  return status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}
