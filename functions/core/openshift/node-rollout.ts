import { isDraining, isInFlight, type Node } from './node.ts';
import type { Cause } from './render-cause.ts';

/** The steps that the MCO takes a node through, in their order. Source: facts of the MCO, node-side vocabulary.
 *  `pickup`: the config daemon has not begun. `prepare`: it checks the change; one that needs no drain is also applied
 *  here.
 *  `stage`: files, units and operating system are written. */
export const stepNames = ['pickup', 'prepare', 'cordon', 'drain', 'stage', 'reboot', 'uncordon'] as const;
export type StepName = (typeof stepNames)[number];

/** `told`: the cluster kept this time. Otherwise it was seen then for the first time and lies between that look and
 *  the one before. */
export interface Moment {
  readonly at: string;
  readonly told: boolean;
}

export interface StepTimes {
  readonly begun?: Moment | undefined;
  readonly ended?: Moment | undefined;
}

/** One update of one node, from the moment it was targeted. */
export interface NodeRollout {
  readonly cluster: string;
  readonly pool: string;
  readonly node: string;
  readonly uid: string;
  /** Rendered configs. */
  readonly from: string;
  readonly to: string;
  readonly begun: Moment;
  /** Where it is, or was when it ended. */
  readonly step: StepName;
  readonly steps: Readonly<Partial<Record<StepName, StepTimes>>>;
  /** ISO instant of the last sign of progress: a new step, a condition of the MachineConfigNode that moved, the
   *  first new boot. */
  readonly progressedAt: string;
  /** Boot ids in the order in which they were seen, the oldest first, at most five. More than two are a node that
   *  boots again and again. */
  readonly boots: readonly string[];
  /** Condition Ready of the node as it was read last. */
  readonly ready: { readonly is: boolean; readonly since: string | undefined } | undefined;
  /** Newest transition of its MachineConfigNode that was seen; `absent`: the cluster has none. */
  readonly machine: string | undefined;
  /** Why the pool got the rendered config that the node goes to. Empty: not known. */
  readonly causes: readonly Cause[];
  /** Of an ended story; undefined: it could not be told. */
  readonly rebooted: boolean | undefined;
  readonly ended: { readonly at: Moment; readonly how: RolloutEnd } | undefined;
}

/** `done`: it has what was asked. `redirected`: it was given another target before. `gone`: the node does not exist
 *  any more, or is of another pool. */
export type RolloutEnd = 'done' | 'redirected' | 'gone';

/** The step a node is at, by its annotations alone, whether it fails or not; undefined when it has what it was
 *  given. */
export function stepOf(node: Node): StepName | undefined {
  if (!isInFlight(node)) return undefined;
  const { desiredConfig: to, desiredDrain, lastAppliedDrain } = node;
  if (node.postConfigAction === 'Rebooting') return 'reboot';
  if (isDraining(node)) return 'drain';
  if (desiredDrain === `uncordon-${to}`) return 'uncordon';
  if (desiredDrain === `drain-${to}` && lastAppliedDrain === desiredDrain) return 'stage';
  return node.state === 'Done' || node.state === '' ? 'pickup' : 'prepare';
}

/** Seconds a step took; undefined when one of its ends is not known well enough to tell. */
export function secondsOf({ begun, ended }: StepTimes): number | undefined {
  if (begun === undefined || ended === undefined) return undefined;
  // Both seen in one look: it is over, and nobody knows since when.
  if (!begun.told && !ended.told && begun.at === ended.at) return undefined;
  return Math.max(0, (Date.parse(ended.at) - Date.parse(begun.at)) / 1000);
}
