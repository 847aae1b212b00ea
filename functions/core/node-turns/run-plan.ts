import type { NodeTurns, TurnRule, TurnRun } from '../configuration/node-turns.ts';
import { partMeant, placeOfPart } from '../configuration/turn-parts.ts';
import { unique } from '../text/unique.ts';
import type { Turn } from './run-record.ts';

/** A rule as a run means it. */
export interface PlannedRule {
  /** `namespace/name`: how the record and its Jobs call it. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly rule: TurnRule;
}

/** A rule that a node's turn has begun, and that was taken out of the run since: no further node has it, and what it
 *  began is cleaned up. */
export interface FormerRule extends PlannedRule {
  /** Why its clean-up is not allowed any more; undefined: it is. */
  readonly refused: string | undefined;
}

/** A run with its rules and pools, each in order. */
export interface RunPlan {
  readonly name: string;
  readonly run: TurnRun;
  readonly rules: readonly PlannedRule[];
  /** Absent: there are none. */
  readonly former?: readonly FormerRule[] | undefined;
  /** Of all its targets, each once. */
  readonly pools: readonly string[];
  /** The namespace of its record, in which only Poolkeeper and administrators write. */
  readonly recordNamespace: string;
}

/** A rule that turns of the run may have begun. */
export function ruleNamed({ rules, former }: RunPlan, id: string | undefined): PlannedRule | undefined {
  return rules.find((rule) => rule.id === id) ?? formerRule({ former }, id);
}

export function formerRule({ former }: Pick<RunPlan, 'former'>, id: string | undefined): FormerRule | undefined {
  return former?.find((rule) => rule.id === id);
}

/** Where the Jobs of a rule are made, and how their names begin. */
export function jobPlaceOf({ rule, name, namespace }: PlannedRule): {
  readonly jobName: string;
  readonly jobNamespace: string;
} {
  return { jobName: rule.jobName ?? name, jobNamespace: rule.jobNamespace ?? namespace };
}

/** The rule that a turn works on. What its Job was made by stays so while it runs, whatever is written meanwhile; only
 *  a time limit that is longer by now counts for it, too: its own may not have begun, as of one that is suspended. */
export function ruleWorkedOn(
  plan: RunPlan,
  { step, ran, cleaned, job }: Pick<Turn, 'step' | 'ran' | 'cleaned' | 'job'>,
): PlannedRule | undefined {
  const planned = ruleNamed(plan, (step === 'after' ? cleaned : ran).at(-1));
  if (planned === undefined || job === undefined) return planned;
  const timeoutSeconds = Math.max(job.timeoutSeconds, planned.rule.timeoutSeconds);
  return { ...planned, rule: { ...planned.rule, ...job, type: 'kubernetes', timeoutSeconds } };
}

/** The rules for a node with these labels. */
export function rulesFor(
  { rules }: Pick<RunPlan, 'rules'>,
  node: { readonly labels: Readonly<Record<string, string>> } | undefined,
): readonly PlannedRule[] {
  return rules.filter(({ rule }) =>
    Object.entries(rule.nodeSelector).every(([key, value]) => node?.labels[key] === value),
  );
}

/** Whether a turn that has begun these rules may find its node cordoned by one of them. */
export function cordonsNode(plan: RunPlan, { ran }: { readonly ran: readonly string[] }): boolean {
  return ran.some((id) => ruleNamed(plan, id)?.rule.cordonsNode === true);
}

type Section = NonNullable<NodeTurns>;

/** The runs of a cluster that are not left out, in the order of the configuration. */
export function runsOf(turns: NodeTurns, cluster: string): readonly RunPlan[] {
  if (turns === undefined) return [];
  return Object.entries(turns.runs)
    .filter(([, run]) => run.cluster === cluster && !run.disabled)
    .map(([name, run]) => planRun(name, run, turns));
}

/** Whether any rule is answered by callbacks. */
export function waitsForCallbacks(turns: NodeTurns): boolean {
  return Object.values(turns?.rules ?? {}).some(({ http }) => http?.callbackUrl !== undefined);
}

/** What it names and is not there is left out: the configuration was checked. */
function planRun(
  name: string,
  run: TurnRun,
  { rules, targets, recordNamespace }: Omit<Section, 'runs' | 'files'>,
): RunPlan {
  const inRules = namespacesOf(rules);
  const inTargets = namespacesOf(targets);
  const pools = run.mutexTargets.flatMap((reference) => {
    const key = partMeant(inTargets, reference, run.namespace);
    return key === undefined ? [] : (targets[key]?.machineConfigPools ?? []);
  });
  return {
    name,
    run,
    rules: run.mutexRules.flatMap((reference) => {
      const key = partMeant(inRules, reference, run.namespace);
      const rule = key === undefined ? undefined : rules[key];
      if (key === undefined || rule === undefined) return [];
      const place = placeOfPart(key, rule.namespace, run.namespace);
      return [{ id: `${place.namespace}/${place.name}`, ...place, rule }];
    }),
    pools: unique(pools),
    recordNamespace,
  };
}

function namespacesOf(
  parts: Readonly<Record<string, { readonly namespace?: string | undefined }>>,
): ReadonlyMap<string, string | undefined> {
  return new Map(Object.entries(parts).map(([key, { namespace }]) => [key, namespace]));
}
