import type { NodeTurns, TurnRule, TurnRun } from '../configuration/node-turns.ts';
import { partMeant, placeOfPart } from '../configuration/turn-parts.ts';

/** A rule as a run means it. */
export interface PlannedRule {
  /** `namespace/name`: how the record and its Jobs call it. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly rule: TurnRule;
}

/** A run with its rules and pools, each in order. */
export interface RunPlan {
  readonly name: string;
  readonly run: TurnRun;
  readonly rules: readonly PlannedRule[];
  /** Of all its targets, each once. */
  readonly pools: readonly string[];
  /** The namespace of its record, in which only Poolkeeper and administrators write. */
  readonly recordNamespace: string;
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
    pools: [...new Set(pools)],
    recordNamespace,
  };
}

function namespacesOf(
  parts: Readonly<Record<string, { readonly namespace?: string | undefined }>>,
): ReadonlyMap<string, string | undefined> {
  return new Map(Object.entries(parts).map(([key, { namespace }]) => [key, namespace]));
}
