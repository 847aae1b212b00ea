import { isRolledOut, lacksNodesOnly } from '../openshift/canary-turns.ts';
import type { Hold } from '../openshift/hold.ts';
import { isDegraded, isRequiredForUpgrade, type Pool } from '../openshift/pool.ts';
import { isAboutToResume, standingHoldsOf } from '../openshift/pool-record.ts';
import { isOfStep } from '../sequences/is-of-step.ts';
import { clipped, counted } from '../text/phrases.ts';
import { command, poolkeeperCommand } from '../text/shell-words.ts';
import { windowsFor } from '../windows/openings.ts';
import {
  type ClosedGate,
  closed,
  type Gate,
  type GateAnswer,
  type GateQuestion,
  type GateTimeout,
  open,
  pausedAtMost,
  unseen,
} from './gate.ts';
import { window } from './window.ts';

/** Pools of lower waves are updated and not degraded, and wait for no sync that goes on or is awaited: what it brings
 *  comes before this pool. Pools of the same wave resume together. A sequence counts before waves: whoever goes after
 *  this pool there waits for it. */
export const wave: Gate = { name: 'wave', inEmergency: 'asked', ask, timeout };

/** Where windows keep it, or what it waits for, it has their patience. */
function timeout(question: GateQuestion): GateTimeout {
  return waitsInWindows(question) ? window.timeout(question) : pausedAtMost(question);
}

/** Pools of lower waves for which it waits, where one of them, or itself, rolls out in windows alone, or may not now;
 *  none: it waits for none, or no window has to do with it. */
export function waitedForInWindows(question: GateQuestion): readonly Pool[] {
  return waitsInWindows(question) ? poolsWaitedFor(question) : [];
}

function waitsInWindows(question: GateQuestion): boolean {
  return [question.pool, ...poolsWaitedFor(question)].some((pool) => {
    const own = windowsFor(question.windows, pool);
    return own.some(({ kind }) => kind === 'allow') || !window.ask({ ...question, pool }).open;
  });
}

function poolsWaitedFor(question: GateQuestion): readonly Pool[] {
  const { before, notDone } = poolsBefore(question);
  return notDone.length > 0 ? notDone : before.filter((other) => syncAwaited(other, question) !== undefined);
}

/** Those of lower waves, and which of them are not updated, or degraded. */
function poolsBefore(question: GateQuestion): { readonly before: readonly Pool[]; readonly notDone: readonly Pool[] } {
  const before = question.pools.filter((other) => isBefore(other, question));
  return { before, notDone: before.filter((other) => !isDone(other)) };
}

function isBefore(
  { name }: Pick<Pool, 'name'>,
  { pool, settings, settingsOf, goingByIt = [], laterSteps = [] }: GateQuestion,
): boolean {
  const isLater = goingByIt.includes(name) || laterSteps.includes(name);
  return name !== pool.name && !isLater && settingsOf(name).wave < settings.wave;
}

function ask(question: GateQuestion): GateAnswer {
  const { unreadablePools = [], settings, settingsOf } = question;
  const unread = unreadablePools.find((other) => isBefore(other, question));
  if (unread !== undefined)
    return unseen({
      why: `pool ${unread.name} of wave ${settingsOf(unread.name).wave} cannot be parsed`,
      value: `pool ${unread.name} cannot be parsed`,
      threshold: thresholdOf(settings.wave),
      opens: `pool ${unread.name} can be parsed, is updated and healthy`,
      who: `whoever can mend pool ${unread.name}`,
      how: command('oc', 'get', 'mcp', unread.name, '-o', 'yaml'),
    });
  const { before, notDone } = poolsBefore(question);
  const [first] = notDone;
  if (first === undefined) return afterSyncs(before, question);
  const others = notDone.find((other) => !mayWaitForUpdate(other, question));
  return others === undefined ? unlessUpdateWaits(first, question) : waitingFor(others, question);
}

/** Whether what keeps that pool paused may be the update of the cluster's version, which waits for this one. */
function mayWaitForUpdate(other: Pool, { pool, policy }: GateQuestion): boolean {
  if (policy.duringUpgrade === 'go' || !isRequiredForUpgrade(pool) || isRequiredForUpgrade(other)) return false;
  // A run waits for the update as well.
  const isAtRest = standingHoldsOf(other).every(({ kind }) => kind === 'rollout');
  return other.paused && !isDegraded(other) && isAtRest;
}

/** The update waits for this pool, and lower waves for the update: this pool goes first, or each would wait for the
 *  other. */
function unlessUpdateWaits(lower: Pool, question: GateQuestion): GateAnswer {
  const { versionUpdate } = question.evidence;
  const answer = waitingFor(lower, question);
  if (versionUpdate.kind === 'not-asked') return { ...answer, lacks: 'versionUpdate' };
  const isUnderWay = versionUpdate.kind === 'seen' && versionUpdate.value.kind === 'under way';
  if (!isUnderWay) return answer;
  const because = `the update of the cluster waits for it, and pool ${lower.name} of wave ${question.settingsOf(lower.name).wave} for that update`;
  return { open: true, because };
}

function waitingFor(waitedFor: Pool, { settings, settingsOf }: GateQuestion): ClosedGate {
  const number = settingsOf(waitedFor.name).wave;
  return {
    open: false,
    why: `pool ${waitedFor.name} of wave ${number} ${whyNotDone(waitedFor)}`,
    value: `pool ${waitedFor.name} ${whyNotDone(waitedFor)}`,
    threshold: thresholdOf(settings.wave),
    opens: `pool ${waitedFor.name} is updated and healthy`,
    who: isRollout(waitedFor) ? `the rollout of pool ${waitedFor.name}` : `whoever can mend pool ${waitedFor.name}`,
    how: poolkeeperCommand(...(isDegraded(waitedFor) ? ['explain', '--pool'] : ['why']), waitedFor.name),
  };
}

function afterSyncs(before: readonly Pool[], question: GateQuestion): GateAnswer {
  const { settings, settingsOf } = question;
  const [found] = before.flatMap((other) => {
    const hold = syncAwaited(other, question);
    return hold === undefined ? [] : [{ other, hold }];
  });
  if (found === undefined) return open;
  const { name } = found.other;
  const who = clipped(found.hold.who, 120);
  return closed({
    why: `pool ${name} of wave ${settingsOf(name).wave} is held for the sync of ${who}`,
    value: `pool ${name} is held for the sync of ${who}`,
    threshold: thresholdOf(settings.wave),
    opens: `that sync has ended and pool ${name} is updated and healthy`,
    who: `the sync of ${who}`,
    how: poolkeeperCommand('why', name),
  });
}

/** For which that pool is paused. A pool that is a step of a sequence does not wait for syncs of Applications that are
 *  steps: sequences keep their order, and one of them may wait for this pool. A failed sync brings nothing by itself; a
 *  guard opens when its pools are paused. */
function syncAwaited(other: Pool, { step, overruledSyncs, applicationSteps = new Set() }: GateQuestion) {
  const isAwaited = ({ id, kind, phase, behindGuard }: Hold) =>
    kind === 'sync' && phase !== 'failed' && behindGuard !== true && overruledSyncs?.has(id) !== true;
  const comes = (hold: Hold) => isAwaited(hold) && (step === undefined || !isOfStep(hold, applicationSteps));
  return other.paused ? standingHoldsOf(other).find(comes) : undefined;
}

function thresholdOf(number: number): string {
  return `every pool below wave ${number} updated and healthy`;
}

function isDone(pool: Pool): boolean {
  return isRolledOut(pool) && !isDegraded(pool) && !isAboutToResume(pool);
}

function isRollout(pool: Pool): boolean {
  return !isDegraded(pool) && !lacksNodesOnly(pool);
}

function whyNotDone(pool: Pool): string {
  if (isDegraded(pool)) return 'is degraded';
  if (isAboutToResume(pool) && isRolledOut(pool)) return 'is about to resume';
  if (lacksNodesOnly(pool)) return `has ${counted(pool.counts.unavailable, 'node')} cordoned or not ready`;
  return pool.paused ? 'is still paused with a change waiting' : 'is not updated yet';
}
