import { type CanaryPlan, prepareWrites, restoreWrites } from './canary-plan.ts';
import { type CanaryWrite, type LabelledCluster, refusedWrite, withWrite } from './canary-write.ts';

/** Why a write of a whole run would be refused, if one node went after another; undefined: none would be. */
export function rehearseCanary(plan: CanaryPlan, start: LabelledCluster): string | undefined {
  const nodes = plan.members.map(({ node }) => node);
  const writes = [
    ...prepareWrites(plan),
    ...nodes.map((node): CanaryWrite => ({ kind: 'label-node', node, labels: plan.way.entry })),
    ...restoreWrites(plan.way, nodes),
  ];
  let cluster = start;
  for (const write of writes) {
    const why = refusedWrite(write, cluster, new Set(write.kind === 'label-node' ? [write.node] : []));
    if (why !== undefined) return why;
    cluster = withWrite(cluster, write);
  }
  return undefined;
}
