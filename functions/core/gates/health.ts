import { isUnfinishedSince, takesBackSince } from '../openshift/going-back.ts';
import { hasPendingChange, isDegraded, type Pool } from '../openshift/pool.ts';
import { resumeNoted, standingHoldsOf } from '../openshift/pool-record.ts';
import { listed } from '../text/phrases.ts';
import { command, poolkeeperCommand } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';

/** Stops a bad rollout from spreading: while a pool that Poolkeeper resumed, or of which a run let a node go, is
 *  degraded, no other pool resumes, but for one that the degraded pool itself waits for. */
export const health: Gate = { name: 'health', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { unreadablePools = [], goingByIt = [] } = question;
  const unparsed = unreadablePools.find(({ isResumed }) => isResumed);
  if (unparsed !== undefined)
    return unseen({
      why: `pool ${unparsed.name} was resumed by Poolkeeper and cannot be parsed: it may be degraded`,
      value: `pool ${unparsed.name} cannot be parsed`,
      threshold: noneDegraded,
      opens: `pool ${unparsed.name} can be parsed and is not degraded`,
      who: `whoever can mend pool ${unparsed.name}`,
      how: command('oc', 'get', 'mcp', unparsed.name, '-o', 'yaml'),
    });
  // Of a pool whose nodes go by this one they are the mend: they go when that pool itself may.
  const sick = sickOthers(question).filter(({ name }) => !goingByIt.includes(name));
  const degraded = sick.find((other) => !waitsFor(other, question));
  if (degraded === undefined) return sick.length === 0 ? open : { open: true, because: whyFirst(sick) };
  // Whether that one waits may depend on how their sequence stands.
  const isBySequence = isOurs(degraded) && (isLater(degraded, question) || isEarlier(degraded, question));
  if (isBySequence && question.evidence.turn.kind === 'not-asked')
    return unread(`the turn of pool ${degraded.name} in its sequence`, noneDegraded, 'turn');
  return closed({
    why: `pool ${degraded.name} is degraded ${sinceWhat(degraded)}`,
    value: `pool ${degraded.name} is degraded`,
    threshold: noneDegraded,
    opens: `pool ${degraded.name} is no longer degraded`,
    who: `whoever can mend pool ${degraded.name}`,
    how: poolkeeperCommand('explain', '--pool', degraded.name),
  });
}

/** The nodes of a pool that a run holds go while it is paused. */
function sinceWhat(degraded: Pool): string {
  const isOfRun = degraded.paused && standingHoldsOf(degraded).some(({ kind }) => kind === 'rollout');
  return isOfRun ? 'by a rollout that Poolkeeper started' : 'since Poolkeeper resumed it';
}

/** Whether the degraded pool waits for this one: it is paused, by us, without a hold, and its gates say so. It cannot
 *  get well by that, and its change may be the mend. The earlier step of a sequence goes first while it keeps the later
 *  one, then the pool of the lower wave, for which the gates `sequence` and `wave` keep the other; of two degraded ones
 *  of one wave the first by name. */
function waitsFor(degraded: Pool, question: Waiting): boolean {
  const { pool, settings, settingsOf, evidence } = question;
  if (!isOurs(degraded)) return false;
  const turn = evidence.turn.kind === 'seen' ? evidence.turn.value : undefined;
  const [isEarlierStep, isLaterStep] = [isEarlier(degraded, question), isLater(degraded, question)];
  if (isLaterStep && turn?.poolsWaiting?.includes(degraded.name) === true) return true;
  if (isEarlierStep && turn?.mayGo !== true) return false;
  const waves = settingsOf(degraded.name).wave - settings.wave;
  // Gate `wave` keeps no earlier step for a later one, whatever becomes of their sequence.
  const later = (isEarlierStep && waves > 0) || (isLaterStep && waves < 0) ? 0 : waves;
  return later > 0 || (later === 0 && pool.name < degraded.name && isDegradedSinceResume(pool));
}

/** It is paused by us, and has no hold. */
function isOurs(pool: Pool): boolean {
  const { paused, record } = pool;
  return paused && record.kind === 'record' && record.record.pause === 'ours' && standingHoldsOf(pool).length === 0;
}

function isEarlier({ name }: Pool, { step }: Waiting): boolean {
  return step?.after?.includes(name) === true;
}

function isLater({ name }: Pool, { laterSteps }: Waiting): boolean {
  return laterSteps?.includes(name) === true;
}

type Waiting = Pick<GateQuestion, 'pool' | 'settings' | 'settingsOf' | 'laterSteps' | 'step' | 'evidence'>;

type Beside = Pick<GateQuestion, 'pool' | 'pools'>;

function sickOthers({ pool, pools }: Beside): readonly Pool[] {
  return pools.filter((other) => other.name !== pool.name && isDegradedSinceResume(other));
}

/** Names of the degraded pools that wait for this one. */
export function degradedBehind(question: Waiting & Beside): readonly string[] {
  return sickOthers(question)
    .filter((other) => waitsFor(other, question))
    .map(({ name }) => name);
}

function whyFirst(sick: readonly Pool[]): string {
  const names = listed(sick.map(({ name }) => name));
  return sick.length === 1
    ? `pool ${names} is degraded and waits for this one`
    : `pools ${names} are degraded and wait for this one`;
}

const noneDegraded = 'no pool degraded by a rollout that Poolkeeper started';

/** Degraded, and the rollout that began with Poolkeeper's resume has not ended, even if the pool was paused again for
 *  another sync in the meantime. A node that drifts weeks after its rollout is no reason to hold other pools. */
export function isDegradedSinceResume(pool: Pool): boolean {
  return isDegraded(pool) && unendedResume(pool) !== undefined;
}

/** When Poolkeeper resumed the pool, or a run let the first node of it go, for as long as the rollout that began then
 *  has not ended. Undefined: it has, or Poolkeeper did not. */
export function unendedResume(pool: Pool): string | undefined {
  if (pool.record.kind !== 'record') return undefined;
  const { resumedAt } = pool.record.record;
  if (hasPendingChange(pool)) return resumeNoted(pool.record.record);
  return resumedAt !== undefined && isUnfinishedSince(pool, resumedAt) ? resumedAt : takesBackSince(pool);
}
