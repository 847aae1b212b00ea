import { byName } from '../text/by-name.ts';
import { unique } from '../text/unique.ts';
import type { FoundCanary } from './canary-state.ts';
import type { RunPlan } from './run-plan.ts';
import { isOver, type RunRecord } from './run-record.ts';

/** A pool by which nodes of a run go now. */
export interface CanaryInUse {
  readonly run: string;
  /** How many nodes the run lets go at once; 1 where it is configured no longer. */
  readonly atOnce: number;
  /** By node that was let go: the config, as its own pool names it, that its turn takes it to; `unseen`: the record of
   *  the run, which says so, was not read. */
  readonly goals: Readonly<Record<string, string>> | 'unseen';
  /** Own pools of these nodes, as far as they are known. */
  readonly pools: readonly string[];
}

export interface NotedRuns {
  readonly plans: readonly RunPlan[];
  readonly canaries: readonly FoundCanary[] | 'unseen';
  /** Absent: that of a run that is configured no longer, and holds nothing. */
  readonly records: ReadonlyMap<string, RunRecord | 'unseen'>;
}

/** By the name of the canary. Where notes cannot be read, each canary that a run names may be in use. */
export function canariesInUse({ plans, canaries, records }: NotedRuns): ReadonlyMap<string, CanaryInUse> {
  const states = canaries === 'unseen' ? [] : canaries.map(({ state }) => state);
  const isKnown = canaries !== 'unseen' && states.every((state) => state !== 'unreadable');
  const named = plans.flatMap(({ name, run }) =>
    run.mode === 'canary' && run.canary !== undefined ? [{ run: name, canary: run.canary.name }] : [],
  );
  const noted = states.flatMap((state) => (state === 'unreadable' ? [] : [{ run: state.run, canary: state.canary }]));
  return new Map(
    [...(isKnown ? [] : named), ...noted].map(({ run, canary }) => {
      const plan = byName(plans, run);
      return [canary, { run, atOnce: plan?.run.atOnce ?? 1, ...ofTurns(records.get(run)) }];
    }),
  );
}

function ofTurns(record: RunRecord | 'unseen' | undefined): Pick<CanaryInUse, 'goals' | 'pools'> {
  if (record === 'unseen') return { goals: record, pools: [] };
  const begun = Object.entries(record?.turns ?? {}).filter(([, turn]) => !isOver(turn) && turn.step !== 'before');
  return {
    goals: Object.fromEntries(begun.map(([node, { target }]) => [node, target])),
    pools: unique(begun.map(([, { pool }]) => pool)),
  };
}
