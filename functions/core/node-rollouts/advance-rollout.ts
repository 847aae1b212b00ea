import { configOfChange } from '../openshift/change-name.ts';
import type { Node } from '../openshift/node.ts';
import {
  isBeforeReboot,
  type Moment,
  type NodeRollout,
  type RolloutEnd,
  runningChange,
  type StepName,
  type StepTimes,
  stepNames,
  stepOf,
  wantedChange,
} from '../openshift/node-rollout.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { ifGiven } from '../text/if-given.ts';
import { earliest, isEarlierSecond } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { completeSteps } from './complete-steps.ts';
import { inOrder } from './in-order.ts';
import type { Before } from './known-nodes.ts';
import type { NodeReading } from './node-reading.ts';

/** Boots kept after the first one: more of them in one update tell nothing new. */
const bootsKept = 4;

/** One pass's observation of a node that is updating, or was in the pass before. */
export interface ObservedNode {
  readonly cluster: string;
  readonly pool: string;
  readonly node: Node;
  /** ISO instant at which the node was read. */
  readonly readAt: string;
  /** What was read besides its metadata; undefined: nothing. */
  readonly look: NodeReading | undefined;
  /** Why the pool got the rendered config that the node is updating to. */
  readonly causes: readonly Cause[];
}

/** The rollout of a node that is to run another config or image than it does; undefined at rest.
 *  @param boot boot id before it was targeted, if it was read */
export function beginRollout(observed: ObservedNode, boot?: string): NodeRollout | undefined {
  const { node, readAt } = observed;
  const step = stepOf(node);
  if (step === undefined) return undefined;
  const written = firstTold([node.targetedAt], readAt, undefined);
  const begun = { at: written.at, told: written.told && isTargeting(node, step) };
  const rollout: NodeRollout = {
    ...blankRollout(observed, { from: runningChange(node), to: wantedChange(node) }, begun),
    boots: ifGiven(boot),
    steps: { pickup: { begun } },
  };
  return advanceRollout(rollout, observed);
}

/** Whether the controller's last write gave the node its target: it also cordons and drains, once the daemon has asked
 *  for it. */
function isTargeting({ targetedAt, reportedAt }: Node, step: StepName): boolean {
  if (step === 'pickup') return true;
  if (step !== 'prepare' && step !== 'drain') return false;
  return targetedAt !== undefined && reportedAt !== undefined && Date.parse(targetedAt) <= Date.parse(reportedAt);
}

/** The update of a node that runs another config or image than at the look before, and was not seen being updated. */
export function unseenRollout(observed: ObservedNode, before: Before): NodeRollout {
  const { node, readAt, look } = observed;
  const to = runningChange(node);
  const isAtTarget = wantedChange(node) === to;
  const machine = look?.machine === 'absent' ? undefined : look?.machine;
  const written = isAtTarget ? [machine?.updatedAt, node.reportedAt] : [];
  const at = firstTold(written, readAt, undefined);
  const boots = unique([before.boot, look?.bootId]).filter((boot) => boot !== undefined);
  const isSameBoot = before.boot !== undefined && before.boot === look?.bootId;
  const isAfter = before.at !== undefined && !isEarlierSecond(at.at, before.at);
  const rollout: NodeRollout = {
    ...blankRollout(observed, { from: before.config, to }, { at: at.at, told: false }),
    boots,
    unseen: { after: isAfter ? before.at : undefined },
    rebooted: boots.length > 1 ? true : isSameBoot ? false : undefined,
    ended: { how: 'done', at },
  };
  return inOrder(completeSteps(rollout, node));
}

function blankRollout(
  { cluster, pool, node, causes }: ObservedNode,
  { from, to }: Pick<NodeRollout, 'from' | 'to'>,
  begun: Moment,
): NodeRollout {
  return {
    cluster,
    pool,
    node: node.name,
    uid: node.uid,
    from,
    to,
    begun,
    step: 'pickup',
    steps: {},
    progressedAt: begun.at,
    boots: [],
    ready: undefined,
    machine: undefined,
    causes,
    rebooted: undefined,
    ended: undefined,
  };
}

/** Applies an observation. A known time stays, unless the cluster reports a better one. Idempotent. */
export function advanceRollout(rollout: NodeRollout, observed: ObservedNode): NodeRollout {
  return inOrder(advanced(rollout, observed));
}

function advanced(rollout: NodeRollout, observed: ObservedNode): NodeRollout {
  const { node, readAt, look } = observed;
  if (node.uid !== rollout.uid) return endRollout(rollout, 'gone', { at: readAt, told: false });
  const isSameTarget = wantedChange(node) === rollout.to;
  const machine = isSameTarget ? look?.machine : undefined;
  const looked = withLook(rollout, observed, isSameTarget);
  // It may have been given its next target already.
  const runs = runningChange(node);
  if (runs === rollout.to) return finished(rollout, looked, observed, isSameTarget);
  // At a third config it was taken to that in between, and has been given this target a second time.
  const isElsewhere = runs !== '' && rollout.from !== '' && runs !== rollout.from;
  if (!isSameTarget || isElsewhere) return endRollout(looked, 'redirected', { at: readAt, told: false });

  const step = stepOf(node) ?? rollout.step;
  const moved = step === rollout.step ? looked : stepTo(rollout, looked, step, observed);
  const steps =
    machine === undefined || machine === 'absent' ? moved.steps : withTold(moved.steps, machine.steps, readAt);
  return { ...moved, steps, causes: rollout.causes.length === 0 ? observed.causes : rollout.causes };
}

export function endRollout(rollout: NodeRollout, how: RolloutEnd, at: Moment): NodeRollout {
  const rebooted = rollout.steps.reboot !== undefined || rollout.boots.length > 1 ? true : undefined;
  return { ...rollout, rebooted, ended: { how, at } };
}

function finished(
  before: NodeRollout,
  rollout: NodeRollout,
  { node, look, readAt }: ObservedNode,
  isAtTarget: boolean,
): NodeRollout {
  const machine = look?.machine;
  const told = machine === undefined || machine === 'absent' ? undefined : machine.updatedAt;
  const at = firstTold(isAtTarget ? [told, node.reportedAt] : [], readAt, before);
  // The controller writes last when it uncordons. When an earlier step ended was not observed.
  const uncordoned = firstTold(isAtTarget ? [node.targetedAt] : [], readAt, before);
  const passed = stepNames.filter((name) => isOpen(rollout.steps[name]));
  const steps = passed.reduce(
    (all, name) => withEnd(all, name, name === 'uncordon' ? uncordoned : { ...at, told: false }),
    rollout.steps,
  );
  const ended = endRollout({ ...rollout, steps, progressedAt: at.at }, 'done', at);
  return completeSteps({ ...ended, rebooted: hasRebooted(before, rollout, look) }, node);
}

/** It went down, or has another boot id than before. Undefined: not observed.
 *  @param before the rollout before this reading */
function hasRebooted(before: NodeRollout, after: NodeRollout, look: NodeReading | undefined): boolean | undefined {
  if (after.steps.reboot !== undefined || after.boots.length > 1) return true;
  return before.boots.length > 0 && look?.bootId !== undefined ? false : undefined;
}

/** The next step when none is skipped. `prepare` takes no noticeable time. */
const after: Readonly<Partial<Record<StepName, StepName>>> = {
  pickup: 'drain',
  prepare: 'drain',
  drain: 'stage',
  stage: 'reboot',
  reboot: 'uncordon',
};

/** The daemon writes when it begins a step, the controller when it has drained or uncordoned: the last write of the one
 *  that moved the node on is the time of the step. */
function stepTo(
  before: NodeRollout,
  rollout: NodeRollout,
  step: StepName,
  { node, readAt }: ObservedNode,
): NodeRollout {
  const isFailing = node.reason !== '';
  const writtenAt = step === 'stage' ? node.targetedAt : isFailing ? undefined : node.reportedAt;
  const at = firstTold([writtenAt], readAt, before);
  const isNext = after[before.step] === step;
  const left = stepNames.filter((name) => name !== step && isOpen(rollout.steps[name]));
  // If a step was skipped between two passes, the end of the one before it is unknown.
  const end = isNext ? at : { ...at, told: false };
  const ended = left.reduce((all, name) => withEnd(all, name, end), rollout.steps);
  // The drain was not observed.
  const wasDrained = ended.drain === undefined && node.lastAppliedDrain === `drain-${configOfChange(rollout.to)}`;
  const drained = wasDrained ? withEnd(ended, 'drain', { ...at, told: step === 'stage' && at.told }) : ended;
  // Back at an earlier step: the daemon tries again, or is back from the reboot. When it was there first is unknown.
  const isBack = stepNames.slice(stepNames.indexOf(step) + 1).some((name) => drained[name]?.begun !== undefined);
  return {
    ...rollout,
    step,
    steps: isBack ? drained : { ...drained, [step]: { begun: at, ...drained[step] } },
    progressedAt: later(rollout.progressedAt, [at.at]),
  };
}

/** Boots, readiness and the times of the MachineConfigNode. */
function withLook(rollout: NodeRollout, { node, look }: ObservedNode, isSameTarget: boolean): NodeRollout {
  if (look === undefined) return rollout;
  const { bootId, ready, machine, readAt } = look;
  // Where the first one is of is known only before the reboot.
  const isTelling = rollout.boots.length > 0 || isBeforeReboot(rollout, stepOf(node));
  const isNew = isTelling && bootId !== undefined && bootId !== '' && bootId !== rollout.boots.at(-1);
  const boots = isNew
    ? [...rollout.boots.slice(0, 1), ...[...rollout.boots.slice(1), bootId].slice(-bootsKept)]
    : rollout.boots;
  const newest = machine === undefined || machine === 'absent' || !isSameTarget ? undefined : machine.movedAt;
  const hasMoved = newest !== undefined && newest !== rollout.machine;
  // The second boot is the expected one. Further boots are no progress.
  const hasBooted = isNew && rollout.boots.length === 1;
  // Written by another clock: a time in the future there counts as now.
  const signs = [hasMoved ? [newest, readAt] : [], hasBooted ? [ready?.since, readAt] : []].map(earliest);
  return {
    ...rollout,
    boots,
    ready: ready ?? rollout.ready,
    machine: machine === 'absent' ? 'absent' : (newest ?? rollout.machine),
    progressedAt: later(rollout.progressedAt, signs),
  };
}

/** Times reported by the MachineConfigNode replace observed ones, unless they are in the future. */
function withTold(
  steps: NodeRollout['steps'],
  told: Readonly<Partial<Record<StepName, StepTimes>>>,
  readAt: string,
): NodeRollout['steps'] {
  const all = { ...steps };
  const past = (at: Moment | undefined) =>
    at !== undefined && Date.parse(at.at) <= Date.parse(readAt) ? at : undefined;
  for (const name of stepNames) {
    const news = told[name];
    if (news === undefined) continue;
    const ended = better(all[name]?.ended, past(news.ended));
    const begun = notAfter(better(all[name]?.begun, past(news.begun)), ended);
    all[name] = { ...(begun && { begun }), ...(ended && { ended }) };
  }
  return all;
}

/** An observed beginning after the reported end was observed too late to count. */
function notAfter(begun: Moment | undefined, ended: Moment | undefined): Moment | undefined {
  const isLate = begun?.told === false && ended !== undefined && Date.parse(ended.at) < Date.parse(begun.at);
  return isLate ? undefined : begun;
}

function better(known: Moment | undefined, news: Moment | undefined): Moment | undefined {
  return known?.told === true ? known : (news ?? known);
}

function isOpen(times: StepTimes | undefined): boolean {
  return times !== undefined && times.ended === undefined;
}

function withEnd(steps: NodeRollout['steps'], name: StepName, at: Moment): NodeRollout['steps'] {
  return { ...steps, [name]: { ...steps[name], ended: at } };
}

/** The first time that fits: not before what is already known, and not after the reading itself. */
function firstTold(times: readonly (string | undefined)[], readAt: string, rollout: NodeRollout | undefined): Moment {
  const after = rollout === undefined ? 0 : Math.floor(Date.parse(rollout.progressedAt) / 1000) * 1000;
  const fits = (at: string) => Date.parse(at) >= after && Date.parse(at) <= Date.parse(readAt);
  const told = times.find((at) => at !== undefined && fits(at));
  return told === undefined ? { at: readAt, told: false } : { at: told, told: true };
}

function later(known: string, news: readonly (string | undefined)[]): string {
  return news.reduce<string>((last, at) => (at !== undefined && Date.parse(at) > Date.parse(last) ? at : last), known);
}
