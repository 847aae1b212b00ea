import { turnPartsAtMost } from '../../core/configuration/node-turns.ts';
import { partMeant } from '../../core/configuration/turn-parts.ts';
import { addressProblems } from './check-sequences.ts';
import { nearest } from './nearest.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** What runs, rules and targets have against each other, and against the clusters of the file. Looks at the data as
 *  written, as `checkReferences`. */
export function checkNodeTurns(data: unknown): readonly Problem[] {
  const rules = keysAt(data, ['nodeTurns', 'rules']);
  const targets = keysAt(data, ['nodeTurns', 'targets']);
  const total = rules.length + targets.length;
  if (total > turnPartsAtMost)
    return [problem(['nodeTurns'], `has ${total} rules and targets; at most ${turnPartsAtMost} are possible`)];
  return [
    ...rules.flatMap((rule) => ruleGateProblems(data, ['nodeTurns', 'rules', rule, 'gate'])),
    ...targets.flatMap((target) => poolProblems(data, ['nodeTurns', 'targets', target, 'machineConfigPools'])),
    ...keysAt(data, ['nodeTurns', 'runs']).flatMap((run) => runProblems(data, ['nodeTurns', 'runs', run])),
  ];
}

/** Keys of `waitFor` that say nothing in the gate of a rule, and what says it there. */
const saidByRule: Readonly<Record<string, string>> = {
  timeout: 'must stand in the rule, beside gate: its timeout counts',
  onTimeout: 'must be onFailure of the rule, beside gate: that counts after its timeout',
  interval: 'means nothing here: a rule is looked at by every look of its run',
  syncWave: 'means nothing here: rules have the order of mutexRules of the run',
  hookType: 'means nothing here: a rule of type gate is waited for before its node goes',
  disabled: 'means nothing here: take the rule out of mutexRules of the run',
};

/** What somebody writes of the waiting, and would rely on, must count. */
function ruleGateProblems(data: unknown, path: Path): readonly Problem[] {
  const said = keysAt(data, path).flatMap((key) => {
    const what = Object.hasOwn(saidByRule, key) ? saidByRule[key] : undefined;
    return what === undefined ? [] : [problem([...path, key], what)];
  });
  return [...said, ...addressProblems(data, path)];
}

function runProblems(data: unknown, path: Path): readonly Problem[] {
  const gates = valueAt(data, [...path, 'gates']);
  return [
    ...clusterProblems(data, [...path, 'cluster']),
    ...referenceProblems(data, path, 'mutexRules'),
    ...referenceProblems(data, path, 'mutexTargets'),
    ...canaryProblems(data, path),
    ...cordonProblems(data, path),
    ...(Array.isArray(gates) ? gates : []).flatMap((_, index) => addressProblems(data, [...path, 'gates', index])),
  ];
}

function clusterProblems(data: unknown, path: Path): readonly Problem[] {
  const cluster = valueAt(data, path);
  const list = valueAt(data, ['clusters']);
  const names = (Array.isArray(list) ? list : []).flatMap((each) =>
    isMapping(each) && typeof each['name'] === 'string' ? [each['name']] : [],
  );
  if (typeof cluster !== 'string' || names.includes(cluster)) return [];
  return [problem(path, 'names no cluster of this file', meant(cluster, names))];
}

const partsOf = { mutexRules: 'rules', mutexTargets: 'targets' } as const;

function referenceProblems(data: unknown, run: Path, list: keyof typeof partsOf): readonly Problem[] {
  const references = valueAt(data, [...run, list]);
  const told = new Set<string>();
  return (Array.isArray(references) ? references : []).flatMap((reference: unknown, index) => {
    if (!isMapping(reference) || typeof reference['name'] !== 'string') return [];
    const path = [...run, list, index];
    const key = keyMeant(data, run, partsOf[list], reference);
    const kind = partsOf[list].slice(0, -1);
    if (key === undefined)
      return [
        problem(
          [...path, 'name'],
          `names no ${kind} of this file in that namespace`,
          meant(reference['name'], keysAt(data, ['nodeTurns', partsOf[list]])),
        ),
      ];
    if (told.has(key)) return [problem(path, `names a ${kind} that this run has already`)];
    told.add(key);
    return [];
  });
}

/** The MCO takes no cordoned node into another pool. */
function cordonProblems(data: unknown, run: Path): readonly Problem[] {
  const references = valueAt(data, [...run, 'mutexRules']);
  if (textAt(data, [...run, 'mode']) !== 'canary' || !Array.isArray(references)) return [];
  return references.flatMap((reference: unknown, index) => {
    const key = isMapping(reference) ? keyMeant(data, run, 'rules', reference) : undefined;
    if (key === undefined || valueAt(data, ['nodeTurns', 'rules', key, 'cordonsNode']) !== true) return [];
    return [problem([...run, 'mutexRules', index], 'cordons its node, which the MCO then takes into no canary')];
  });
}

function keyMeant(
  data: unknown,
  run: Path,
  kind: 'rules' | 'targets',
  reference: Readonly<Record<string, unknown>>,
): string | undefined {
  const parts = new Map(
    keysAt(data, ['nodeTurns', kind]).map((key) => [key, textAt(data, ['nodeTurns', kind, key, 'namespace'])]),
  );
  const { name, namespace } = reference;
  if (typeof name !== 'string') return undefined;
  const wanted = { name, namespace: typeof namespace === 'string' ? namespace : undefined };
  return partMeant(parts, wanted, textAt(data, [...run, 'namespace']) ?? 'poolkeeper');
}

/** Pools whose nodes the control plane runs on: the MCO's own controller decides there when it may go itself. */
const refusedPools: readonly string[] = ['master', 'arbiter'];

function poolProblems(data: unknown, path: Path): readonly Problem[] {
  const pools = textsAt(data, path);
  return pools.flatMap((pool, index) => {
    if (refusedPools.includes(pool))
      return [problem([...path, index], 'is a pool of the control plane; its nodes have no turns')];
    return pools.indexOf(pool) < index ? [problem([...path, index], 'is in this list already')] : [];
  });
}

function canaryProblems(data: unknown, run: Path): readonly Problem[] {
  const path: Path = [...run, 'canary', 'name'];
  const canary = textAt(data, path);
  if (canary === undefined) return [];
  if (canary === 'worker' || refusedPools.includes(canary))
    return [problem(path, 'must be a pool of its own, which holds the canary nodes only')];
  const references = valueAt(data, [...run, 'mutexTargets']);
  const isTarget = (Array.isArray(references) ? references : []).some((reference: unknown) => {
    const key = isMapping(reference) ? keyMeant(data, run, 'targets', reference) : undefined;
    return key !== undefined && textsAt(data, ['nodeTurns', 'targets', key, 'machineConfigPools']).includes(canary);
  });
  return isTarget ? [problem(path, 'is a pool of a target of this run; nodes cannot move to where they are')] : [];
}

function keysAt(data: unknown, path: Path): readonly string[] {
  const value = valueAt(data, path);
  return isMapping(value) ? Object.keys(value) : [];
}

function textAt(data: unknown, path: Path): string | undefined {
  const value = valueAt(data, path);
  return typeof value === 'string' ? value : undefined;
}

function textsAt(data: unknown, path: Path): readonly string[] {
  const list = valueAt(data, path);
  return (Array.isArray(list) ? list : []).filter((each): each is string => typeof each === 'string');
}

function meant(text: string, names: readonly string[]): string | undefined {
  const name = nearest(text, names);
  return name === undefined ? undefined : `did you mean \`${name}\`?`;
}

function problem(path: Path, what: string, hint?: string): Problem {
  return { path, what, hint, at: 'value' };
}
