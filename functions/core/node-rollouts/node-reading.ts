import type { MachineConfigNode } from '../diagnose/objects.ts';
import { type Condition, conditionOf, isNodeReady } from '../diagnose/objects.ts';
import { machineConfigNode, nodeNamed } from '../diagnose/questions.ts';
import type { Inquiry } from '../findings/inquiry.ts';
import { type Reading, read, readTogether } from '../findings/unread.ts';
import type { Node } from '../openshift/node.ts';
import type { Moment, NodeRollout, StepName, StepTimes } from '../openshift/node-rollout.ts';
import { earliest, latest } from '../text/instant.ts';

/** What is read of a node besides its metadata. */
export interface NodeReading {
  readonly readAt: string;
  /** Undefined: not read. */
  readonly bootId: string | undefined;
  readonly ready: NodeRollout['ready'];
  /** What the node's MachineConfigNode says. `absent`: the cluster has none for it, as before OpenShift 4.19.
   *  Undefined: not read, or still about an earlier update. */
  readonly machine: MachineTimes | 'absent' | undefined;
}

/** Times of the update in progress, from the conditions of the MachineConfigNode. */
export interface MachineTimes {
  readonly steps: Readonly<Partial<Record<StepName, StepTimes>>>;
  /** When the node was reported updated; undefined while it is not. */
  readonly updatedAt: string | undefined;
  /** Newest transition of all its conditions. */
  readonly movedAt: string | undefined;
}

/** One or two GETs of one object each: the node, and its MachineConfigNode if the cluster has them (`hasMachine`). A
 *  failed read leaves its part unknown. */
export function* lookAtNode(
  node: Pick<Node, 'name' | 'desiredConfig'>,
  { hasMachine }: { readonly hasMachine: boolean },
): Inquiry<NodeReading> {
  const live = nodeNamed(node.name);
  const [seen, machine] = hasMachine
    ? yield* readTogether(live, machineConfigNode(node.name))
    : ([yield* read(live), undefined] as const);
  const readAt = seen.readAt;
  const times = machine === undefined ? 'absent' : timesOf(machine, node.desiredConfig);
  if (seen.kind !== 'read') return { readAt, bootId: undefined, ready: undefined, machine: times };
  const is = isNodeReady(seen.value);
  const since = conditionOf(seen.value.status.conditions, 'Ready')?.lastTransitionTime;
  const bootId = seen.value.status.nodeInfo.bootID;
  return {
    readAt,
    bootId: bootId === '' ? undefined : bootId,
    ready: is === undefined ? undefined : { is, since },
    machine: times,
  };
}

function timesOf(machine: Reading<MachineConfigNode>, desired: string): NodeReading['machine'] {
  if (machine.kind === 'absent') return 'absent';
  if (machine.kind === 'unread' || machine.value.spec.configVersion.desired !== desired) return undefined;
  const { conditions } = machine.value.status;
  const updated = conditionOf(conditions, 'Updated');
  return {
    steps: updated?.status === 'True' ? {} : stepsOf(conditions),
    updatedAt: updated?.status === 'True' ? updated.lastTransitionTime : undefined,
    movedAt: latest(conditions.map(({ lastTransitionTime }) => lastTransitionTime)),
  };
}

/** `Unknown`: in progress or failed; `True`: finished; `False`: not begun, or left from the update before. Source:
 *  machine-config-operator pkg/upgrademonitor/upgrade_monitor.go. */
function stepsOf(conditions: readonly Condition[]): MachineTimes['steps'] {
  const of = (type: string) => timesOfCondition(conditionOf(conditions, type));
  const cordon = of('Cordoned');
  const drain = of('Drained');
  const stage = stageOf(conditions);
  const reboot = of('RebootedNode');
  const uncordon = of('Uncordoned');
  return {
    ...(cordon && { cordon }),
    ...(drain && { drain }),
    ...(stage && { stage }),
    ...(reboot && { reboot }),
    ...(uncordon && { uncordon }),
  };
}

function timesOfCondition(condition: Condition | undefined): StepTimes | undefined {
  if (condition?.lastTransitionTime === undefined) return undefined;
  const at: Moment = { at: condition.lastTransitionTime, told: true };
  if (condition.status === 'Unknown') return { begun: at };
  return condition.status === 'True' ? { ended: at } : undefined;
}

/** One condition for everything, or one each for the image pull, the image and the files (image mode). */
function stageOf(conditions: readonly Condition[]): StepTimes | undefined {
  const whole = timesOfCondition(conditionOf(conditions, 'AppliedFilesAndOS'));
  if (whole !== undefined) return whole;
  const parts = ['ImagePulledFromRegistry', 'AppliedOSImage', 'AppliedFiles'].flatMap(
    (type) => timesOfCondition(conditionOf(conditions, type)) ?? [],
  );
  if (parts.length === 0) return undefined;
  const begun = earliest(parts.map((part) => (part.begun ?? part.ended)?.at));
  const ended = parts.every((part) => part.ended !== undefined)
    ? latest(parts.map((part) => part.ended?.at))
    : undefined;
  return {
    ...(begun === undefined ? {} : { begun: { at: begun, told: true } }),
    // The files come last; before them the stage is not done.
    ...(ended === undefined || timesOfCondition(conditionOf(conditions, 'AppliedFiles')) === undefined
      ? {}
      : { ended: { at: ended, told: true } }),
  };
}
