import { type Subject, subjectKey } from '../diagnose/subject.ts';
import type { Trouble, TroubleKind } from '../findings/trouble.ts';
import { approvalEndings, approvalsNeeded, approvalsUnseen } from './approval-needed.ts';
import type { BlindSpot } from './blind-spot.ts';
import { breakGlassTroubles } from './break-glass-troubles.ts';
import { sayingWhatIsCommon } from './common-cause.ts';
import { emergencyTroubles } from './emergency-troubles.ts';
import { waitingEndings } from './ended-pauses.ts';
import { failureEndings } from './failed-syncs.ts';
import { findSubjects } from './find-subjects.ts';
import { type GuardClocks, guardClocks } from './guard-clocks.ts';
import { guardTroubles } from './guard-troubles.ts';
import { drainsUnseen, sayingWhoWaits } from './held-back.ts';
import type { JudgeInput } from './input.ts';
import { lockTroubles } from './lock-troubles.ts';
import { lostWindowsClocks } from './lost-windows.ts';
import { mentioningPushers } from './mention-pushers.ts';
import { nodeTroubles } from './node-troubles.ts';
import { overLimitTroubles } from './over-limit.ts';
import { type PoolState, poolStates } from './pool-state.ts';
import { poolTroubles } from './pool-troubles.ts';
import { refusedPauses } from './refused-pauses.ts';
import { runTroubles } from './run-troubles.ts';
import { progressEndings, progressUnseen, runsUnderWay } from './run-under-way.ts';
import { sequenceTroubles } from './sequence-troubles.ts';
import { type SuspectClocks, suspectClocks } from './settled-suspects.ts';
import { syncClocks } from './sync-clocks.ts';
import { syncTroubles, unreadApplications } from './sync-troubles.ts';
import { undonePauses } from './undone-pauses.ts';
import { unparsedBlindSpots, watcherTroubles } from './watcher-troubles.ts';

export interface Judgement {
  /** What is wrong now, at most one per pool and kind. */
  readonly troubles: readonly Trouble[];
  /** Where the absence of trouble was not observed. A trouble that is given counts all the same. */
  readonly unseen: readonly BlindSpot[];
  /** What ended a trouble that is gone, by its key, as far as this pass saw it. */
  readonly ended?: ReadonlyMap<string, string> | undefined;
  /** To be stored until the next pass, replacing what was given. */
  readonly firstSeen: Readonly<Record<string, string>>;
}

/** Judges what is wrong with a cluster, after its subjects (`findSubjects`) were diagnosed. */
export function judge(input: JudgeInput): Judgement {
  const { states, firstSeen } = poolStates(input);
  const clocks = syncClocks(input);
  const guards = guardClocks(input);
  const windows = lostWindowsClocks(input);
  const suspects = suspectClocks(input);
  const refused = refusedPauses(input);
  const undone = undonePauses(states, input);
  const subjects = findSubjects(input);
  const found = [
    ...watcherTroubles(input),
    ...breakGlassTroubles(input),
    ...sequenceTroubles(input, windows.told),
    ...lockTroubles(input),
    ...guardTroubles(input, guards),
    ...runTroubles(input),
    ...runsUnderWay(input),
    ...overLimitTroubles(input),
    ...refused.troubles,
    ...approvalsNeeded(input),
    ...states.flatMap((state) => [
      ...nodeTroubles(state, input),
      ...poolTroubles(state, input, suspects),
      ...emergencyTroubles(state, input),
      ...syncTroubles(state, input, clocks, undone),
    ]),
  ];
  return {
    troubles: mentioningPushers(sayingWhoWaits(sayingWhatIsCommon(found), states), input.pools),
    unseen: [
      ...unreadableCluster(input),
      ...unparsedBlindSpots(input),
      ...unseenBetweenTicks(input),
      ...unseenGlass(input),
      ...unseenRaces(input),
      ...unseenSequences(input),
      ...unseenLocks(input),
      ...unseenGuards(input, guards),
      ...unseenRuns(input),
      ...progressUnseen(input),
      ...(input.pools.kind === 'seen' ? input.pools.value.flatMap((pool) => approvalsUnseen(pool, input.cluster)) : []),
      ...states.flatMap((state) => unseenOf(state, input)),
      ...unseenRenders(input, suspects),
      ...subjects.flatMap((subject) => unexplained(subject, input)),
    ],
    ended: new Map([
      ...approvalEndings(input),
      ...failureEndings(input),
      ...progressEndings(input),
      ...waitingEndings(states, input),
    ]),
    firstSeen: Object.assign(
      {},
      firstSeen,
      ...[clocks, guards, windows, suspects, refused, undone].map((each) => each.firstSeen),
    ),
  };
}

function unreadableCluster({ cluster, pools }: JudgeInput): readonly BlindSpot[] {
  return pools.kind === 'unreadable' ? [{ cluster, pool: '*', kinds: 'all', why: pools.why }] : [];
}

/** Of these, a pass that began before a tick has ended may not know. */
const kindsOfTicks: readonly TroubleKind[] = ['sweep-overdue', 'objects-unreadable'];

function unseenBetweenTicks({ cluster, sweep }: JudgeInput): readonly BlindSpot[] {
  if (sweep !== undefined) return [];
  return [{ cluster, pool: '*', kinds: kindsOfTicks, why: 'not looked for in this pass' }];
}

/** What the MCO says of its render may be of before the last change. */
function unseenRenders({ cluster, pools }: JudgeInput, { unsettled }: SuspectClocks): readonly BlindSpot[] {
  const why = 'what the Machine Config Operator says may be of before the last change of a MachineConfig';
  const unread = pools.kind === 'seen' ? pools.value : [];
  return [
    ...[...unsettled].map((pool) => ({ cluster, pool, kinds: ofRender, why })),
    ...unread.flatMap(({ pool, unreadRender }) =>
      unreadRender === undefined ? [] : [{ cluster, pool: pool.name, kinds: ofUnreadRender, why: unreadRender }],
    ),
  ];
}

const ofRender: readonly TroubleKind[] = ['render-failed'];
/** Nobody is asked to approve what may not be rendered yet. */
const ofUnreadRender: readonly TroubleKind[] = [...ofRender, 'approval-needed'];

const breakGlassKinds: readonly TroubleKind[] = ['break-glass'];

function unseenGlass({ cluster, breakGlass }: JudgeInput): readonly BlindSpot[] {
  if (breakGlass.kind === 'seen') return [];
  const why = breakGlass.kind === 'unreadable' ? breakGlass.why : 'not read in this pass';
  return [{ cluster, pool: '*', kinds: breakGlassKinds, why }];
}

function unseenRaces({ cluster, unreadRaces: why }: JudgeInput): readonly BlindSpot[] {
  return why === undefined ? [] : [{ cluster, pool: '*', kinds: ['late-pause'], why }];
}

/** Sequences are looked at by ticks only. */
function unseenSequences({ cluster, sequences }: JudgeInput): readonly BlindSpot[] {
  if (sequences === undefined || sequences.kind === 'seen') return [];
  const why = sequences.kind === 'unreadable' ? sequences.why : 'not looked at in this pass';
  return [{ cluster, pool: '*', kinds: ['sequence-stuck'], why }];
}

/** Ticks alone read every guarded Application. */
function unseenGuards({ cluster }: JudgeInput, { unseen: why }: GuardClocks): readonly BlindSpot[] {
  return why === undefined ? [] : [{ cluster, pool: '*', kinds: ['guard-stuck'], why }];
}

/** Slots are looked at by ticks only. */
function unseenLocks({ cluster, overdueLocks }: JudgeInput): readonly BlindSpot[] {
  if (overdueLocks === undefined || overdueLocks.kind === 'seen') return [];
  const why = overdueLocks.kind === 'unreadable' ? overdueLocks.why : 'not looked at in this pass';
  return [{ cluster, pool: '*', kinds: ['lock-overdue'], why }];
}

/** Runs are looked at by ticks only. */
function unseenRuns({ cluster, runs }: JudgeInput): readonly BlindSpot[] {
  if (runs === undefined || runs.kind === 'seen') return [];
  const why = runs.kind === 'unreadable' ? runs.why : 'not looked at in this pass';
  return [{ cluster, pool: '*', kinds: ['run-blocked'], why }];
}

const nodeKinds: readonly TroubleKind[] = ['drain-blocked', 'node-degraded', 'node-lost', 'no-progress', 'late-pause'];

function unseenOf(state: PoolState, input: JudgeInput): readonly BlindSpot[] {
  const scope = { cluster: input.cluster, pool: state.pool.name };
  const unread = unreadApplications(state, input);
  return [
    ...drainsUnseen(state, input.cluster),
    ...(state.misplaced === undefined && state.misplacedSince !== undefined
      ? [{ ...scope, kinds: ['no-progress' as const], why: 'not all nodes were read in this pass' }]
      : []),
    ...(state.unseen === undefined ? [] : [{ ...scope, kinds: nodeKinds, why: state.unseen }]),
    ...(state.heldOver.length === 0
      ? []
      : [{ ...scope, kinds: state.heldOver, why: 'not judged while something holds the pool' }]),
    ...(state.pausedAgainSince === undefined || state.pool.paused
      ? []
      : [{ ...scope, kinds: ['paused-too-long' as const], why: 'it was resumed a moment ago, as before' }]),
    ...(state.behind?.isUnasked === true
      ? [{ ...scope, kinds: ['paused-too-long' as const], why: 'not judged while something holds the pool' }]
      : []),
    ...(unread.length === 0
      ? []
      : [{ ...scope, kinds: ['sync-stuck' as const], why: `not read: ${unread.join(', ')}` }]),
  ];
}

/** A diagnosis that is missing reads, or was not made, may miss what was found before. */
function unexplained(subject: Subject, { cluster, diagnoses }: JudgeInput): readonly BlindSpot[] {
  const diagnosis = diagnoses.get(subjectKey(subject));
  if (diagnosis !== undefined && diagnosis.unanswered.length === 0) return [];
  const why = diagnosis === undefined ? 'not diagnosed' : diagnosis.unanswered.join('; ');
  return [{ cluster, pool: subject.pool.name, kinds: kindsOf(subject), why }];
}

function kindsOf(subject: Subject): readonly TroubleKind[] {
  if (subject.kind === 'pool') {
    if (subject.symptom === 'unrendered') return ['render-failed'];
    if (subject.symptom === 'stalled') return ['no-progress', 'node-lost'];
    return subject.symptom === 'unavailable' ? ['node-lost'] : [];
  }
  if (subject.symptom === 'draining') return ['drain-blocked'];
  return subject.symptom === 'failing' ? ['node-degraded', 'drain-blocked'] : ['no-progress', 'node-lost'];
}
