import { changeName, imageDigestOf } from './change-name.ts';
import { isChangingConfig, isDraining, type Node } from './node.ts';
import type { Cause } from './render-cause.ts';

/** The steps of a node update by the MCO, in order. Source: machine-config-operator pkg/daemon/constants and
 *  pkg/upgrademonitor. `pickup`: the config daemon has not begun. `prepare`: it checks the change; one that needs no
 *  drain is also applied here. `stage`: files, units and operating system are written. */
export const stepNames = ['pickup', 'prepare', 'cordon', 'drain', 'stage', 'reboot', 'uncordon'] as const;
export type StepName = (typeof stepNames)[number];

/** `told`: recorded by the cluster. Otherwise first observed at this time: it happened between that pass and the one
 *  before. */
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
  /** Rendered configs, in image mode with the image (`runningChange`, `wantedChange`). */
  readonly from: string;
  readonly to: string;
  readonly begun: Moment;
  /** Its current step, or the last one if it ended. */
  readonly step: StepName;
  readonly steps: Readonly<Partial<Record<StepName, StepTimes>>>;
  /** ISO instant of the last sign of progress: a new step, a changed condition of the MachineConfigNode, the first new
   *  boot. */
  readonly progressedAt: string;
  /** Boot ids in the order observed, oldest first, at most five. The first is that of before its reboot; empty: it was
   *  not read before that was asked for. More than two: the node reboots repeatedly. */
  readonly boots: readonly string[];
  /** Condition Ready of the node at the last read. */
  readonly ready: { readonly is: boolean; readonly since: string | undefined } | undefined;
  /** Newest transition of its MachineConfigNode; `absent`: the cluster has none. */
  readonly machine: string | undefined;
  /** Why the pool got the rendered config that the node is updating to. Empty: unknown. */
  readonly causes: readonly Cause[];
  /** Absent unless it began and ended between two looks at the node. `after`: ISO instant of the earlier look, which
   *  found it at `from`; undefined: unknown. */
  readonly unseen?: { readonly after: string | undefined } | undefined;
  /** For an ended rollout; undefined: unknown. */
  readonly rebooted: boolean | undefined;
  readonly ended: { readonly at: Moment; readonly how: RolloutEnd } | undefined;
}

/** `done`: it reached its target. `redirected`: it got another target before. `gone`: the node no longer exists, or is
 *  in another pool. */
export type RolloutEnd = 'done' | 'redirected' | 'gone';

/** What the node runs, as one word: its rendered config, in image mode with the image that it boots (`changeName`).
 *  Empty: it has not reported it yet. */
export function runningChange({ currentConfig, currentImage }: Pick<Node, 'currentConfig' | 'currentImage'>): string {
  return changeOf(currentConfig, currentImage);
}

/** The same, of what it is to run. Empty: it has been given nothing. */
export function wantedChange({ desiredConfig, desiredImage }: Pick<Node, 'desiredConfig' | 'desiredImage'>): string {
  return changeOf(desiredConfig, desiredImage);
}

function changeOf(config: string, image: string | undefined): string {
  if (config === '' || image === undefined) return config;
  return changeName(config, imageDigestOf(image) ?? image);
}

/** The step of a node, by its annotations alone, whether it fails or not; undefined if it is at its desired config and
 *  image. */
export function stepOf(node: Node): StepName | undefined {
  if (wantedChange(node) === '' || wantedChange(node) === runningChange(node)) return undefined;
  const { desiredConfig: to, desiredDrain, lastAppliedDrain } = node;
  if (node.postConfigAction === 'Rebooting') return 'reboot';
  if (isDraining(node)) return 'drain';
  // Of another image alone, the node has been uncordoned for the same config since its last update.
  const isUncordoned = desiredDrain === lastAppliedDrain && !isChangingConfig(node);
  if (desiredDrain === `uncordon-${to}` && !isUncordoned) return 'uncordon';
  if (desiredDrain === `drain-${to}` && lastAppliedDrain === desiredDrain) return 'stage';
  return node.state === 'Done' || node.state === '' ? 'pickup' : 'prepare';
}

/** A boot id that is read at this step is that of before the reboot: none was asked for yet. */
export function isBeforeReboot({ steps }: Pick<NodeRollout, 'steps'>, step: StepName | undefined): boolean {
  if (step === undefined || steps.reboot !== undefined) return false;
  return stepNames.indexOf(step) < stepNames.indexOf('reboot');
}

/** Seconds of a step; undefined if its beginning or end is not known well enough. */
export function secondsOf({ begun, ended }: StepTimes): number | undefined {
  if (begun === undefined || ended === undefined) return undefined;
  // Both observed in one pass: it is over, but the duration is unknown.
  if (!begun.told && !ended.told && begun.at === ended.at) return undefined;
  const seconds = (Date.parse(ended.at) - Date.parse(begun.at)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
