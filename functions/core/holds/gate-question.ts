import { isRunning } from '../argocd/application.ts';
import { askGates, isOverdue } from '../gates/ask-gates.ts';
import { noEvidence } from '../gates/evidence.ts';
import type { GateQuestion } from '../gates/gate.ts';
import type { GateView } from '../gates/gate-view.ts';
import { gates } from '../gates/index.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord, recordIn, resumeNoted } from '../openshift/pool-record.ts';
import { laterSteps } from '../sequences/pool-steps.ts';
import { withKeptCalendars } from '../windows/kept-calendars.ts';
import { poolsGoingBy, settingsInTurn } from './canary-wave.ts';
import { holdsThatCount, openEmergency } from './emergency.ts';
import { gatedConfig, type RunningOn } from './gate-clocks.ts';
import { isHeldBriefly } from './held-briefly.ts';
import type { PoolPlan } from './plan.ts';
import { yieldsToCertificates } from './resting.ts';
import { rolledOutLast } from './rolled-out.ts';
import type { Snapshot } from './snapshot.ts';
import { unclearSyncs } from './unclear-syncs.ts';
import { withNodesLetGo } from './unended-resume.ts';

/** What the gates of one pool are asked. */
export function gateQuestion(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): GateQuestion {
  const yields = yieldsToCertificates(pool, snapshot, now);
  const evidence = snapshot.evidence.get(pool.name) ?? noEvidence;
  return {
    cluster: snapshot.settings.name,
    pool: withNodesLetGo(pool, snapshot),
    pools: snapshot.pools.map((each) => withNodesLetGo(each, snapshot)),
    unreadablePools: snapshot.unreadablePools?.map((name) => ({
      name,
      isResumed: mayStillRoll(name, snapshot),
    })),
    settings: settingsInTurn(pool.name, snapshot),
    settingsOf: (name) => settingsInTurn(name, snapshot),
    release: record.release,
    rolledOut: rolledOutLast(pool, snapshot, now),
    overruledSyncs: overruledSyncs(record, snapshot),
    unclearSyncs: unclearSyncs(record, pool, snapshot),
    machineConfigs: snapshot.machineConfigs,
    unreadMachineConfigs: snapshot.unreadMachineConfigs,
    evidence,
    closedSince: snapshot.gatesClosedSince[pool.name] ?? {},
    readSince: snapshot.gatesReadSince && (snapshot.gatesReadSince[pool.name] ?? {}),
    renderedSince: snapshot.configsGatedSince?.[pool.name] && gatedConfig(pool, snapshot, now).since,
    policy: snapshot.settings.policy,
    windows: withKeptCalendars(snapshot.settings.windows ?? [], evidence.calendars, now),
    emergency: openEmergency(record, now) ?? (yields === undefined ? undefined : { who: 'Poolkeeper', why: yields }),
    yields,
    budget: snapshot.settings.budget,
    canaryOf: snapshot.canaries?.get(pool.name)?.run,
    goingByIt: poolsGoingBy(pool.name, snapshot.pools),
    laterSteps: laterSteps(pool.name, snapshot.sequenceSteps),
    applicationSteps: snapshot.applicationSteps,
    step: snapshot.sequenceSteps?.get(pool.name),
    now,
  };
}

/** Poolkeeper has resumed a pool that cannot be parsed, and no pass has seen it at rest since: its rollout may not
 *  have ended. */
function mayStillRoll(pool: string, { published, marks = {} }: Snapshot): boolean {
  const since = resumeNoted(published[pool] ?? emptyRecord);
  const mark = marks[pool];
  return since !== undefined && !(mark?.isAtRest === true && Date.parse(mark.at) > Date.parse(since));
}

/** The gates that would keep a pool paused if its holds ended now, as far as that is known without a read. They are not
 *  closed yet, so no clock of theirs runs. None without a hold that counts: what keeps such a pool paused is closed. */
export function gatesAhead(pool: Pool, snapshot: Snapshot, now: Date): readonly GateView[] {
  const record = recordIn(pool);
  if (holdsThatCount(record, now).length === 0) return [];
  const { closed } = askGates(gates, { ...gateQuestion(record, pool, snapshot, now), closedSince: {} });
  return closed
    .filter(({ unread }) => unread !== true)
    .map(({ timeout: _timeout, ...view }) => ({ ...view, since: undefined }));
}

/** Gates that answer by their own clock: it begins with what they wait for. */
const answersByClock: ReadonlySet<string> = new Set(['image', 'quiet']);

/** Gates whose clocks run on although nobody has read whether they are closed: while something holds the pool, when no
 *  gate is asked, and while they settle after that. Otherwise whoever syncs for a minute every hour would put off for
 *  ever what is to happen after two. What is known to be open starts over. That an approval is missing is known without
 *  a read: nothing but people gives it, and `resume` does not wait for them for longer. */
export function gatesRunningOn(
  { gates: asked }: Pick<PoolPlan, 'gates'>,
  pool: Pool,
  snapshot: Snapshot,
  now: Date,
): readonly RunningOn[] {
  const record = recordIn(pool);
  const isOurs = pool.paused && record.pause === 'ours';
  if (!isOurs || !isHeldBriefly(pool, snapshot.settings.policy.pausedAtMostSeconds, now)) return [];
  const unread = asked.filter((view) => view.unread === true);
  const running = holdsThatCount(record, now).length === 0 ? unread : notOpen(record, pool, snapshot, now);
  return running
    .filter((view) => view.unread !== true || !answersByClock.has(view.gate))
    .map(({ gate, unread: isUnread }) => ({ gate, isKnown: isUnread !== true || gate === 'approval' }));
}

/** Whether one of these is told as closed for too long: it stays so while something holds the pool for a moment. */
export function isOverdueBehindHold(plan: Pick<PoolPlan, 'gates'>, pool: Pool, snapshot: Snapshot, now: Date): boolean {
  const record = recordIn(pool);
  const names = new Set(gatesRunningOn(plan, pool, snapshot, now).map(({ gate }) => gate));
  const question = gateQuestion(record, pool, snapshot, now);
  return gates.some((gate) => names.has(gate.name) && isOverdue(gate, question));
}

function notOpen(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly GateView[] {
  const { closed, skipped } = askGates(gates, gateQuestion(record, pool, snapshot, now));
  return [...closed, ...skipped];
}

/** A decision is about the sync that ran then: once that has ended, its guard has to be closed like any other, and
 *  where it was not seen, that may be so. */
function overruledSyncs({ holds }: PoolRecord, { applications }: Snapshot): ReadonlySet<string> {
  const running = new Set(
    applications.flatMap((observed) =>
      observed.kind === 'seen' && isRunning(observed.application.operation) ? [syncHoldId(observed.application)] : [],
    ),
  );
  const overruled = holds.filter((hold) => hold.overruled !== undefined && hold.phase === 'syncing');
  return new Set(overruled.flatMap(({ id }) => (running.has(id) ? [id] : [])));
}
