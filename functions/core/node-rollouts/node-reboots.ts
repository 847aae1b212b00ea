import type { NodeRollout } from '../openshift/node-rollout.ts';
import { plusSeconds } from '../text/instant.ts';

/** A node that was away for an update. */
export interface NodeReboot {
  readonly node: string;
  /** Rendered config that it was updated to. */
  readonly to: string;
  /** ISO instants: not before it was targeted, or seen at its old config for the last time, and done. `until` is
   *  undefined while it is being updated. */
  readonly from: string;
  readonly until: string | undefined;
  /** False: it was updated, and whether it rebooted was not observed. */
  readonly isObserved: boolean;
}

/** Seconds for which they are kept, and how many at most: what a sync of some hours may have met. */
const keptSeconds = 24 * 3600;
const keptAtMost = 50;

/** The reboots known after these rollouts have ended. */
export function rebootsAfter(
  known: readonly NodeReboot[],
  ended: readonly NodeRollout[],
  readAt: string,
): readonly NodeReboot[] {
  const oldest = plusSeconds(new Date(readAt), -keptSeconds);
  const added = ended.filter((rollout) => rollout.ended?.how === 'done' && rollout.rebooted !== false).map(rebootOf);
  return [...known, ...added]
    .filter(({ until = readAt }) => Date.parse(until) >= Date.parse(oldest))
    .slice(-keptAtMost);
}

/** Of an update in progress too, once the node is being drained. */
export function rebootOf({ node, to, begun, ended, unseen, rebooted, step }: NodeRollout): NodeReboot {
  return {
    node,
    to,
    from: unseen?.after ?? begun.at,
    until: ended?.at.at,
    isObserved: rebooted === true || (ended === undefined && step === 'reboot'),
  };
}
