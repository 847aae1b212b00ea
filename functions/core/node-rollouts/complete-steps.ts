import { configOfChange } from '../openshift/change-name.ts';
import type { Node } from '../openshift/node.ts';
import { type NodeRollout, type StepName, stepNames } from '../openshift/node-rollout.ts';

/** A finished rollout with the steps that no pass observed but that it must have taken: they had ended by the time the
 *  rollout ended. */
export function completeSteps(rollout: NodeRollout, node: Node): NodeRollout {
  const { ended } = rollout;
  if (ended === undefined) return rollout;
  const at = { at: ended.at.at, told: false };
  const missed = taken(rollout, node).filter((name) => rollout.steps[name] === undefined);
  if (missed.length === 0) return rollout;
  const steps = { ...rollout.steps, ...Object.fromEntries(missed.map((name) => [name, { ended: at }])) };
  return { ...rollout, steps };
}

/** A drain ends with an uncordon, and what is between them is the stage. The last request that was fulfilled stays on
 *  the node until its next update. The daemon has every node uncordoned, also one that it never had drained; what is
 *  rebooted was drained before, but for nodes that never are. Source: MCO pkg/daemon/daemon.go `completeUpdate`. */
function taken({ to, steps, rebooted }: NodeRollout, node: Node): readonly StepName[] {
  if (node.isNeverDrained === true) return rebooted === true ? ['reboot'] : [];
  const begun = stepNames.slice(stepNames.indexOf('cordon'), stepNames.indexOf('uncordon'));
  const isRebootOver = rebooted === true && node.lastAppliedDrain === `uncordon-${configOfChange(to)}`;
  const wasDrained = isRebootOver || begun.some((name) => steps[name] !== undefined);
  return [
    ...(wasDrained ? (['drain', 'stage', 'uncordon'] as const) : []),
    ...(rebooted === true ? (['stage', 'reboot'] as const) : []),
  ];
}
