import type { Pool } from '../openshift/pool.ts';
import { holdOfRun } from '../openshift/pool-record.ts';
import { counted, listed, quoted } from '../text/phrases.ts';
import type { RunJudgement, RunQuestion } from './run-question.ts';
import { isOver, type RunRecord, type Turn } from './run-record.ts';

/** How far a run is, for the one message that is sent of it. */
export interface RunProgress {
  readonly run: string;
  /** Its first pool: a pool has one run, so that no other run has this message. */
  readonly pool: string;
  readonly pools: readonly string[];
  /** ISO instant. */
  readonly since: string;
  readonly done: number;
  readonly total: number;
  readonly state: 'running' | 'paused' | 'blocked' | 'aborting';
  /** `worker-3: jobs before`. */
  readonly underWay: readonly string[];
  /** Who has its turn next; undefined: nobody. */
  readonly next: string | undefined;
  /** How it ended, in a sentence; undefined: it has not. */
  readonly end: string | undefined;
}

/** Undefined: nobody is told, or it has not begun. */
export function progressOf(
  { plan, pools: own, now }: Pick<RunQuestion, 'plan' | 'pools' | 'now'>,
  { record, done, total, next, problems }: Pick<RunJudgement, 'record' | 'done' | 'total' | 'next' | 'problems'>,
  pools: readonly Pool[],
): RunProgress | undefined {
  const [pool] = plan.pools;
  const turns = Object.entries(record.turns);
  const isOfNow = (turn: Turn) =>
    !isOver(turn) || own.some(({ name, target }) => name === turn.pool && target === turn.target);
  // The turn of a canary node that is gone is, too.
  const isBegun = turns.some(([, turn]) => isOfNow(turn)) || problems.some(({ kind }) => kind === 'canary');
  if (pool === undefined || !plan.run.tellProgress || !isBegun) return undefined;
  const open = turns.filter(([, turn]) => !isOver(turn));
  const isNotOpen = ({ node }: (typeof next.waiting)[number]) => !open.some(([name]) => name === node.name);
  const held = pools.flatMap((each) => holdOfRun(each, plan.name) ?? [])[0];
  return {
    run: plan.name,
    pool,
    pools: plan.pools,
    since: held?.since ?? now.toISOString(),
    done,
    total,
    state: stateOf(record),
    underWay: open.map(([node, turn]) => `${node}: ${stepWords(turn)}`),
    next: record.aborted === undefined ? next.waiting.find(isNotOpen)?.node.name : undefined,
    end: open.length > 0 ? undefined : endOf(record, { done, total }),
  };
}

function stateOf({ aborted, paused, blockedSince }: RunRecord): RunProgress['state'] {
  if (aborted !== undefined) return 'aborting';
  if (paused !== undefined) return 'paused';
  return blockedSince === undefined ? 'running' : 'blocked';
}

function stepWords({ step, failed }: Turn): string {
  if (failed !== undefined) return 'waits for a person';
  if (step === 'before') return 'jobs before';
  return step === 'after' ? 'clean-up' : 'updating';
}

function endOf(
  { aborted, endedAt }: RunRecord,
  { done, total }: { readonly done: number; readonly total: number },
): string | undefined {
  if (aborted !== undefined)
    return endedAt === undefined
      ? undefined
      : `${aborted.who} aborted it after ${done} of ${counted(total, 'node')}: ${quoted(aborted.why)}.`;
  return done === total ? `All ${counted(total, 'node')} are at the target of their pool.` : undefined;
}

export function poolsText({ pools }: Pick<RunProgress, 'pools'>): string {
  return `${pools.length === 1 ? 'pool' : 'pools'} ${listed(pools, 3)}`;
}
