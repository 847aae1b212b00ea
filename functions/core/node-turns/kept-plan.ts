import * as z from 'zod';
import { TurnRule, TurnRun } from '../configuration/node-turns.ts';
import { TurnJobs } from '../configuration/turn-jobs.ts';
import { jobSpecProblems } from './job-spec-problems.ts';
import type { PlannedRule, RunPlan } from './run-plan.ts';
import { isOver, type RunRecord } from './run-record.ts';

const Kept = z.object({
  run: TurnRun,
  rules: z.array(z.object({ id: z.string(), name: z.string(), namespace: z.string(), rule: TurnRule })),
  pools: z.array(z.string()),
});

/** The record with what the clean-ups of its open turns, and the Jobs that still run, need: the run may be taken out of
 *  the configuration before they are over. Nothing is kept while there is none. */
export function withPlanKept({ plan: _, ...record }: RunRecord, plan: RunPlan): RunRecord {
  const begun = begunIn(record);
  if (begun.size === 0) return record;
  const { run, rules, former = [], pools } = plan;
  const needed = [...rules, ...former]
    .filter(({ id }) => begun.has(id))
    .map(({ id, name, namespace, rule }) => ({ id, name, namespace, rule: withoutNews(rule) }));
  return { ...record, plan: { run: { ...run, gates: [] }, rules: needed, pools } };
}

/** The run with the rules that its open turns have begun and that it has no longer: what these began is cleaned up.
 *  @param allowed what Jobs may do by the configuration as it is now */
export function withFormerRules(plan: RunPlan, record: RunRecord, allowed: TurnJobs = TurnJobs.parse({})): RunPlan {
  const begun = begunIn(record);
  const isGone = (id: string) => begun.has(id) && !plan.rules.some((rule) => rule.id === id);
  const gone = rulesKept(record).filter(({ id }) => isGone(id));
  if (gone.length === 0) return plan;
  return { ...plan, former: gone.map((rule) => ({ ...rule, refused: cleanUpProblem(rule, allowed) })) };
}

/** Undefined: it may be made. */
function cleanUpProblem({ id, namespace, rule }: PlannedRule, allowed: TurnJobs): string | undefined {
  if (rule.cleanUpJobSpec === undefined) return undefined;
  const [problem] = jobSpecProblems(rule.cleanUpJobSpec, rule.jobNamespace ?? namespace, allowed);
  return problem && `${problem.field} of the clean-up of ${id} ${problem.what}`;
}

/** Rules that open turns have begun. */
function begunIn(record: Pick<RunRecord, 'turns'>): ReadonlySet<string> {
  return new Set(openTurns(record).flatMap(({ ran }) => ran));
}

/** A version before this key refuses a plan that has it. */
function withoutNews({ fromCluster, ...rule }: TurnRule): Partial<TurnRule> {
  return fromCluster ? { ...rule, fromCluster } : rule;
}

/** The rules of which the record keeps clean-ups; none where it keeps no plan. */
export function rulesKept({ plan }: Pick<RunRecord, 'plan'>): RunPlan['rules'] {
  const kept = Kept.safeParse(plan);
  return kept.success ? kept.data.rules : [];
}

export type KeptPlan =
  | { readonly kind: 'plan'; readonly plan: RunPlan }
  /** It cannot be ended: clean-ups are not known, or not allowed. */
  | { readonly kind: 'refused'; readonly why: string };

export interface Removed {
  readonly name: string;
  readonly cluster: string;
  readonly recordNamespace: string;
  /** The pools that it holds: no other is taken. */
  readonly pools: readonly string[];
  /** What Jobs may do by the configuration as it is now. */
  readonly allowed: TurnJobs | undefined;
}

/** A run that is configured no longer, as far as ending it needs. */
export function planKept(record: RunRecord, removed: Removed): KeptPlan {
  const { name, cluster, recordNamespace, pools, allowed = TurnJobs.parse({}) } = removed;
  if (openTurns(record).every(({ ran }) => ran.length === 0)) return { kind: 'plan', plan: planOfPools(removed) };
  const kept = Kept.safeParse(record.plan);
  if (!kept.success || kept.data.run.cluster !== cluster)
    return { kind: 'refused', why: 'its record does not say how its clean-ups are made' };
  const [problem] = kept.data.rules.flatMap((rule) => cleanUpProblem(rule, allowed) ?? []);
  if (problem !== undefined) return { kind: 'refused', why: problem };
  return { kind: 'plan', plan: { name, run: kept.data.run, rules: kept.data.rules, pools, recordNamespace } };
}

/** A removed run of which nothing but its pools is known. */
export function planOfPools({ name, cluster, recordNamespace, pools }: Removed): RunPlan {
  const run = TurnRun.parse({ cluster, mode: 'turns', mutexTargets: [{ name: 'removed' }] });
  return { name, run, rules: [], pools, recordNamespace };
}

function openTurns({ turns }: Pick<RunRecord, 'turns'>) {
  return Object.values(turns).filter((turn) => !isOver(turn));
}
