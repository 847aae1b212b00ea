import type { MachineConfigNode, Node } from '../api-server/cluster-objects.ts';
import type { Condition } from '../api-server/kubernetes-object.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigNodes, machineConfigPools } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import { annotationOf } from './node-annotations.ts';
import { poolsOfNode } from './pool-membership.ts';

/** A phase or step of an update, as a condition of the MachineConfigNode. */
export interface Step {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** Reports on the node's MachineConfigNode how far its update is: the phase and, within it, the step. */
export type ReportProgress = (node: Node, phase: Step, step?: Step) => void;

const notYetSet = 'not-yet-set';

/** All conditions that a MachineConfigNode has, whether they have happened or not. Source: api
 *  machineconfiguration/v1 types_machineconfignode.go. */
const conditionTypes = [
  'UpdatePrepared',
  'UpdateExecuted',
  'UpdatePostActionComplete',
  'UpdateComplete',
  'Resumed',
  'Drained',
  'AppliedFilesAndOS',
  'Cordoned',
  'RebootedNode',
  'Updated',
  'Uncordoned',
  'NodeDegraded',
  'PinnedImageSetsDegraded',
  'PinnedImageSetsProgressing',
];

export function createProgressReport({
  registry,
  pace,
}: {
  readonly registry: Registry;
  readonly pace: Pace;
}): ReportProgress {
  return (node, phase, step) => {
    const write = { manager: 'machine-config-operator' };
    const current =
      registry.get(machineConfigNodes, node.metadata.name) ??
      registry.create(machineConfigNodes, blank(node, registry), write);
    const desired = annotationOf(node, 'desiredConfig') || notYetSet;
    const pool = poolNameOf(node, registry) ?? current.spec.pool.name;
    if (current.spec.configVersion.desired !== desired || current.spec.pool.name !== pool)
      registry.modify(
        machineConfigNodes,
        keyOf(current),
        ({ spec }) => Object.assign(spec, { pool: { name: pool }, configVersion: { ...spec.configVersion, desired } }),
        write,
      );
    const update = (draft: MachineConfigNode) => {
      const conditions = (draft.status?.conditions ?? notYet(pace.timestamp())).map((condition) =>
        advanced(condition, { phase, step, desired, time: pace.timestamp() }),
      );
      draft.status = {
        observedGeneration: (draft.metadata.generation ?? 0) + 1,
        conditions,
        configVersion: { current: annotationOf(node, 'currentConfig'), desired: prepared(phase) ? desired : notYetSet },
      };
    };
    registry.modify(machineConfigNodes, keyOf(current), update, { ...write, subresource: 'status' });
  };
}

function blank(node: Node, registry: Registry): Pick<MachineConfigNode, 'spec'> & { metadata: { name: string } } {
  const { name } = node.metadata;
  const pool = poolNameOf(node, registry) ?? 'worker';
  const desired = annotationOf(node, 'desiredConfig') || notYetSet;
  return { metadata: { name }, spec: { node: { name }, pool: { name: pool }, configVersion: { desired } } };
}

function poolNameOf(node: Node, registry: Registry): string | undefined {
  return poolsOfNode(registry.list(machineConfigPools), node)[0]?.metadata.name;
}

function notYet(time: string): Condition[] {
  return conditionTypes.map((type) => ({
    type,
    status: 'False',
    reason: 'NotYetOccurred',
    message: `This node has not yet entered the ${type} phase`,
    lastTransitionTime: time,
  }));
}

/** The desired version is only set once the update is known to be possible. */
function prepared({ type, status }: Step): boolean {
  return type !== 'UpdatePrepared' || status === 'True';
}

interface Advance {
  readonly phase: Step;
  readonly step: Step | undefined;
  readonly desired: string;
  readonly time: string;
}

/** `Updated` resets the conditions of the finished update and keeps their messages. */
function advanced(condition: Condition, { phase, step, desired, time }: Advance): Condition {
  const news = [step, phase].find((each) => each?.type === condition.type);
  if (news)
    return {
      ...news,
      lastTransitionTime: condition.status === news.status ? (condition.lastTransitionTime ?? time) : time,
    };
  if (condition.type === 'Updated' && condition.status === 'True')
    return {
      ...condition,
      status: 'False',
      reason: 'Updated',
      message: 'This node is not updated, sensed disruption via a manual update.',
      lastTransitionTime: time,
    };
  if (phase.type === 'Updated' && condition.status !== 'False')
    return {
      ...condition,
      status: 'False',
      message: `Action during update to ${desired}: ${condition.message ?? ''}`,
      lastTransitionTime: time,
    };
  return condition;
}
