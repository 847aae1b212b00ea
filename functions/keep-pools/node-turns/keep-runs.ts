import { judgeCanaryRun } from '../../core/node-turns/canary-run.ts';
import { judgeRun } from '../../core/node-turns/judge-run.ts';
import type { TurnAction } from '../../core/node-turns/judge-turn.ts';
import { withPlanKept } from '../../core/node-turns/kept-plan.ts';
import { abortProblems, poolsOfOthers } from '../../core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import { progressOf } from '../../core/node-turns/run-progress.ts';
import type { ProblemOfRun, RunJudgement, RunProblem } from '../../core/node-turns/run-question.ts';
import {
  isOver,
  poolsOnTheirWay,
  type RunRecord,
  runRecordText,
  unseenSeconds,
} from '../../core/node-turns/run-record.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { given } from '../../core/text/given.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import { notAsked, seen, unreadable } from '../../core/text/observed.ts';
import { counted } from '../../core/text/phrases.ts';
import { stable } from '../../core/text/stable.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { WrittenPass } from '../pass-state.ts';
import { entriesToNote, noteEntries } from '../tell/note-entries.ts';
import { keepAtRest } from './keep-at-rest.ts';
import { keepOrphans } from './keep-orphans.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { LoadedRun } from './loaded-run.ts';
import { nothingAsked } from './node-gates.ts';
import { noteJobs } from './note-jobs.ts';
import { isLeftOpen, type ObservedRuns } from './observe-runs.ts';
import { performCanary } from './perform-canary.ts';
import { performTurn } from './perform-turn.ts';
import { lostAfterSeconds, type ReadRun, readRun } from './read-run.ts';
import { type KeptRun, type Looking, mayPass } from './run-look.ts';
import { nodesOfRun, takeRunPlaces } from './run-places.ts';
import { showRun } from './show-run.ts';
import { showStopped } from './show-stopped.ts';

/** Takes each run of the cluster that is at work as far as it may go now. Ticks do, also those in between; what fails
 *  is tried by the next one. */
export async function keepRunsOf(written: WrittenPass): Promise<KeptRuns> {
  const { scope, observation } = written;
  const { runs } = observation;
  // What other passes do not look at stays as ticks have found it.
  const before = observation.checkpoint.runsUnseen ?? {};
  const unlooked = { isMoving: false, unseen: scope.maySweep ? {} : before, gates: new Map(), places: new Map() };
  if (runs === undefined || (runs.plans.length === 0 && runs.canaries.length === 0))
    return { problems: undefined, ...unlooked };
  if (!scope.maySweep) return { problems: notAsked, ...unlooked };
  const kept: KeptRun[] = [];
  for (const plan of runs.plans) {
    const loaded = runs.records.get(plan.name);
    const isAtWork = [...runs.rollouts.values()].some(({ run, wants }) => run === plan.name && wants === 'hold');
    if (loaded !== undefined && (isAtWork || isQueued(plan, loaded, runs) || isLeftOpen(loaded)))
      kept.push(await keepOrTell(plan, loaded, { observed: runs, written }));
    else kept.push(...(await keepAtRest(plan, runs, written)));
  }
  kept.push(...(await keepOrphans({ observed: runs, written })));
  const now = written.ports.clock();
  const since = unseenSince(kept, before, now);
  const problems = kept.flatMap(({ progress = '', ...each }) =>
    [...each.problems, ...unseenProblems(each, since, now)].map((problem) => ({ ...problem, run: each.run, progress })),
  );
  const unseen = kept.find(({ unseen: why }) => why !== undefined)?.unseen ?? runs.refusedUnseen;
  return {
    // What is told ends only where every run was looked at.
    problems:
      problems.length === 0 && unseen !== undefined ? unreadable(unseen) : seen<readonly ProblemOfRun[]>(problems),
    isMoving: kept.some(({ isMoving }) => isMoving),
    unseen: since,
    progress: { runs: kept.flatMap(({ message }) => message ?? []), unseen },
    gates: new Map(kept.flatMap(({ gates = [] }) => [...gates])),
    places: new Map(kept.flatMap(({ places = [] }) => [...places])),
  };
}

/** Since when each run could not be looked at, or a step of it not be done, at every look. */
function unseenSince(
  kept: readonly KeptRun[],
  before: Readonly<Record<string, string>>,
  now: Date,
): Readonly<Record<string, string>> {
  const stuck = kept.filter(({ run, unseen, undone }) => run !== '' && (unseen ?? undone) !== undefined);
  return Object.fromEntries(stuck.map(({ run }) => [run, before[run] ?? now.toISOString()]));
}

/** What may pass is told once it has lasted. */
function unseenProblems(
  { run, unseen, undone }: KeptRun,
  unseenSinceOf: Readonly<Record<string, string>>,
  now: Date,
): readonly RunProblem[] {
  const since = unseenSinceOf[run];
  if (since === undefined || !isPast(plusSeconds(new Date(since), unseenSeconds), now)) return [];
  if (unseen !== undefined) return [{ kind: 'unseen', node: '', since, why: `it cannot be looked at: ${unseen}` }];
  if (undone === undefined) return [];
  const { node, maySkip } = undone;
  const why = `a step cannot be done, and is tried again: ${undone.why}`;
  return [{ kind: 'unseen', node, since, why, ...given({ maySkip }) }];
}

/** It waits for another run, which has its pools: its record says for which. */
function isQueued(plan: RunPlan, loaded: LoadedRun, { rollouts, refused }: ObservedRuns): boolean {
  const mayBegin = loaded.kind === 'record' && loaded.record.aborted === undefined && !refused.has(plan.name);
  return mayBegin && poolsOfOthers(plan, rollouts).length > 0;
}

/** A run that cannot be kept stops no other. */
async function keepOrTell(plan: RunPlan, loaded: LoadedRun, looking: Looking): Promise<KeptRun> {
  const { ports } = looking.written;
  const told = async (why: string, isPassing: boolean): Promise<KeptRun> => {
    ports.logger.warn('run could not be kept', { run: plan.name, why });
    if (isPassing) return { run: plan.name, problems: [], isMoving: false, unseen: why };
    const problem: RunProblem = { kind: 'unseen', node: '', since: ports.clock().toISOString(), why };
    await showStopped(plan, problem, looking.written);
    return { run: plan.name, problems: [problem], isMoving: false };
  };
  if (loaded.kind === 'unseen' && loaded.begun !== undefined) await storeBegun(plan, loaded.begun, looking);
  if (loaded.kind === 'unseen' && loaded.toldAfterSeconds !== undefined)
    return await toldIfLong(plan, { why: loaded.why, seconds: loaded.toldAfterSeconds }, looking);
  if (loaded.kind === 'unseen') return await told(loaded.why, !loaded.isLasting);
  try {
    return await keepRun(plan, loaded, looking);
  } catch (cause) {
    if (!(cause instanceof Misconfigured || cause instanceof Transient)) throw cause;
    const { record, missedSince: heldSince } = loaded;
    if (heldSince !== undefined) await storeBegun(plan, { record, heldSince }, looking);
    return await told(cause.message, cause instanceof Transient && mayPass.includes(cause.kind));
  }
}

/** Without a record its hold would soon look as if one had been lost. */
async function storeBegun(
  plan: RunPlan,
  { record, heldSince }: { readonly record: RunRecord; readonly heldSince: string },
  { written: { cluster, ports } }: Looking,
): Promise<void> {
  if (isPast(plusSeconds(new Date(heldSince), lostAfterSeconds), ports.clock())) return;
  try {
    const text = runRecordText(record);
    await cluster.nodeTurns?.records.save(plan.recordNamespace, plan.name, { text, resourceVersion: undefined });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('record of a run could not be stored', { run: plan.name, why: cause.message });
  }
}

/** The page remembers since when it is so. */
async function toldIfLong(
  plan: RunPlan,
  { why, seconds }: { readonly why: string; readonly seconds: number },
  { written }: Looking,
): Promise<KeptRun> {
  const { ports } = written;
  const now = ports.clock();
  ports.logger.warn('run could not be kept', { run: plan.name, why });
  const problem: RunProblem = { kind: 'unseen', node: '', since: now.toISOString(), why };
  const since = await showStopped(plan, problem, written);
  if (!isPast(plusSeconds(new Date(since), seconds), now))
    return { run: plan.name, problems: [], isMoving: false, unseen: why };
  return { run: plan.name, problems: [{ ...problem, since }], isMoving: false };
}

async function keepRun(
  plan: RunPlan,
  loaded: Extract<LoadedRun, { readonly kind: 'record' }>,
  looking: Looking,
): Promise<KeptRun> {
  const { stored, before = loaded.record, isElsewhere = false } = loaded;
  const { cluster, ports } = looking.written;
  const turns = cluster.nodeTurns;
  if (turns === undefined) throw new Transient('its cluster keeps no records');
  const { question, judged, steps, canary, gates } = await judgedWithPlaces(
    await readRun(plan, loaded, looking),
    looking,
  );
  const next = withPlanKept(judged.record, plan);
  if (isElsewhere || stable(next) !== stable(before)) {
    // Before anything that it announces: whoever was faster goes on from what he has found.
    const text = runRecordText(next);
    await turns.records.save(plan.recordNamespace, plan.name, { text, resourceVersion: stored?.resourceVersion });
  }
  await noteEntries(newEntries(plan, before, next, looking.written), ports);
  const problems = [...judged.problems];
  const { lookedAt } = looking.written.observation;
  const pools = looking.written.performed.map(({ pool }) => pool);
  const made: TurnAction[] = [];
  const refused: TurnAction[] = [];
  for (const action of judged.actions) {
    const performed = await performTurn(action, { plan, lookedAt, pools, cluster, turns, ports });
    problems.push(...performed.problems);
    if (performed.isMade) made.push(action);
    if (performed.isRefused === true) refused.push(action);
  }
  await noteJobs(plan, { made, refused }, { records: turns.records, now: question.now, logger: ports.logger });
  if (canary !== undefined)
    problems.push(
      ...(await performCanary(steps, {
        run: plan.name,
        plan,
        lookedAt,
        nodes: question.nodes,
        pools: canary.pools,
        cluster,
        turns,
        ports,
      })),
    );
  const told = problems.filter(({ mayPass }) => mayPass !== true);
  await showRun({ question, judged, problems: told, pools }, ports);
  const progress = `${judged.done} of ${counted(judged.total, 'node')} ${judged.done === 1 ? 'is' : 'are'} done`;
  return {
    run: plan.name,
    problems: [...told, ...abortProblems(plan, judged.record, { pools, now: question.now })],
    undone: problems.find(({ mayPass }) => mayPass === true),
    progress,
    message: progressOf(question, judged, pools),
    isMoving: steps.length > 0 || Object.values(judged.record.turns).some((turn) => !isOver(turn)),
    gates:
      judged.record.aborted === undefined
        ? gates
        : new Map([...gates.keys()].map((pool) => [pool, nothingAsked(plan.name)])),
    places: placesOf(plan, judged.record),
  };
}

interface JudgedRun extends ReadRun {
  readonly judged: RunJudgement;
  readonly steps: ReturnType<typeof judgeCanaryRun>['steps'];
}

/** No node goes without a place of the budget, which only its going takes, unless its pool goes past the budget. */
async function judgedWithPlaces(read: ReadRun, { written }: Looking): Promise<JudgedRun> {
  const first = judgedOnce(read);
  const { plan, record: before } = read.question;
  const refused = await takeRunPlaces(plan, { before, after: first.judged.record, gates: read.gates }, written);
  if (refused.size === 0) return first;
  const pools = read.question.pools.map((pool) => ({ ...pool, closed: pool.closed ?? refused.get(pool.name) }));
  return judgedOnce({ ...read, question: { ...read.question, pools } });
}

function judgedOnce(read: ReadRun): JudgedRun {
  const { question, canary } = read;
  const { judged, steps } =
    canary === undefined ? { judged: judgeRun(question), steps: [] } : judgeCanaryRun(question, canary);
  return { ...read, judged, steps };
}

function placesOf({ pools, run }: RunPlan, record: RunRecord): ReadonlyMap<string, number> {
  const away = poolsOnTheirWay(record);
  return new Map([...pools, ...away.keys()].map((pool) => [pool, nodesOfRun(run, away.get(pool) ?? 0)]));
}

function newEntries(
  plan: RunPlan,
  before: RunRecord,
  { log }: RunRecord,
  { observation: { swept: isSweep }, ports }: Looking['written'],
): readonly TimelineEntry[] {
  return entriesToNote(before.log, log, { isSweep, now: ports.clock() }).map(({ at, node, what }) => ({
    id: `run/${plan.name}/${node}/${at}/${fingerprint(what)}`,
    at,
    cluster: plan.run.cluster,
    pool: '',
    type: 'poolkeeper.run',
    text: `run ${plan.name}${node === '' ? '' : `, node ${node}`}: ${what}`,
    correlation: plan.name,
  }));
}
