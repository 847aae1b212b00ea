import { stepsAtMost } from '../../core/configuration/sequence.ts';
import { nearest } from './nearest.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** What sequences have against each other, and against the clusters and Argo CD instances of the file. Looks at the
 *  data as written, as `checkReferences`. */
export function checkSequences(data: unknown): readonly Problem[] {
  const names = keysAt(data, ['sequences']);
  const paths = names.map((name): Path => ['sequences', name]);
  const enabled = paths.filter((path) => valueAt(data, [...path, 'disabled']) !== true);
  const steps = enabled.flatMap((path) =>
    keysAt(data, [...path, 'steps']).map((step): Path => [...path, 'steps', step]),
  );
  if (steps.length > stepsAtMost)
    return [problem(['sequences'], `has ${steps.length} steps; at most ${stepsAtMost} are possible`)];
  return [
    ...paths.flatMap((path) => sequenceProblems(data, path, names)),
    ...cycleProblems(data, names),
    ...steps.flatMap((path) => stepProblems(data, path)),
    ...twiceProblems(data, steps),
  ];
}

function sequenceProblems(data: unknown, path: Path, names: readonly string[]): readonly Problem[] {
  const clusters = clusterNames(data);
  const own = textsAt(data, [...path, 'clusters']).map(({ text }) => text);
  return [
    ...unknown(data, [...path, 'clusters'], clusters, 'names no cluster of this file'),
    ...unknown(data, [...path, 'canary'], own, 'is no cluster of this sequence'),
    ...unknown(data, [...path, 'after'], names, 'names no sequence of this file'),
    ...(keysAt(data, [...path, 'steps']).length === 0 && isMapping(valueAt(data, [...path, 'steps']))
      ? [problem([...path, 'steps'], 'must have at least one step')]
      : []),
    ...keysAt(data, [...path, 'extraObjects']).flatMap((key) => manifestProblems(data, [...path, 'extraObjects', key])),
  ];
}

/** Each circle of `after` once, at the sequence of it that is written first. */
function cycleProblems(data: unknown, names: readonly string[]): readonly Problem[] {
  const after = new Map(
    names.map((name) => [name, textsAt(data, ['sequences', name, 'after']).map(({ text }) => text)]),
  );
  const told = new Set<string>();
  return names.flatMap((name) => {
    const circle = told.has(name) ? undefined : circleFrom(name, after);
    if (circle === undefined) return [];
    for (const each of circle) told.add(each);
    const shown = [...circle, name].slice(0, 12).join(' -> ');
    return [problem(['sequences', name, 'after'], `leads back to itself: ${shown}`)];
  });
}

/** The names on a shortest way from a sequence back to itself. */
function circleFrom(start: string, after: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (const name of waiting) {
    for (const next of after.get(name) ?? []) {
      if (next === start) return wayTo(name, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      waiting.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  for (let before = cameFrom.get(end); before !== undefined; before = cameFrom.get(before)) way.unshift(before);
  return way;
}

function stepProblems(data: unknown, path: Path): readonly Problem[] {
  const sequence = path.slice(0, 2);
  const step = valueAt(data, path);
  if (!isMapping(step) || step['disabled'] === true) return [];
  return [
    ...unknown(data, [...path, 'clusters'], clusterNames(data), 'names no cluster of this file'),
    ...(step['kind'] === 'application' ? argocdProblems(data, path) : []),
    ...(step['kind'] === 'object' ? objectProblems(data, path, [...sequence, 'extraObjects']) : []),
    ...groupProblems(data, [...path, 'waitFor']),
    ...addressProblems(data, [...path, 'waitFor']),
    ...(step['kind'] === 'check' && !isMapping(step['waitFor'])
      ? [problem([...path, 'waitFor'], 'is missing; a check consists of what it waits for')]
      : []),
  ];
}

/** A gate is of no pool, and of no rendered config. */
export function addressProblems(data: unknown, path: Path): readonly Problem[] {
  const gates: readonly Path[] = [
    path,
    ...['all', 'any'].flatMap((key) => {
      const list = valueAt(data, [...path, key]);
      return Array.isArray(list) ? list.map((_, index): Path => [...path, key, index]) : [];
    }),
  ];
  return gates.flatMap((gate) => {
    const url = valueAt(data, [...gate, 'http', 'url']);
    const isWrong = typeof url === 'string' && /\{(?:pool|config)\}/.test(url);
    return isWrong
      ? [problem([...gate, 'http', 'url'], 'may have {cluster} in it; {pool} and {config} mean nothing here')]
      : [];
  });
}

/** What concerns the waiting for a group stands where it counts. */
const ofWaiting = ['syncWave', 'hookType', 'timeout', 'interval', 'onTimeout'];

function groupProblems(data: unknown, path: Path): readonly Problem[] {
  const waitFor = valueAt(data, path);
  if (!isMapping(waitFor)) return [];
  const { all, any } = waitFor;
  const alternatives = Array.isArray(any) ? any : [];
  const asksItself = ['resourceType', 'preset', 'image', 'http'].some((key) => waitFor[key] !== undefined);
  const isAll = Array.isArray(all) && all.length > 0 && alternatives.length === 0 && !asksItself;
  return [
    ...alternatives.flatMap((gate, index) =>
      ofWaiting
        .filter((key) => isMapping(gate) && gate[key] !== undefined)
        .map((key) => problem([...path, 'any', index, key], 'must stand beside any: all of it is waited for together')),
    ),
    ...ofWaiting
      .filter((key) => isAll && waitFor[key] !== undefined)
      .map((key) => problem([...path, key], 'must stand in each gate of all: each is waited for by itself')),
  ];
}

function argocdProblems(data: unknown, path: Path): readonly Problem[] {
  const names = argocdNames(data);
  const named = valueAt(data, [...path, 'argocd']);
  if (named === undefined)
    return names.length === 1
      ? []
      : [problem([...path, 'argocd'], 'is missing; it names one of the Argo CD instances of this file')];
  return typeof named === 'string' && !names.includes(named)
    ? [unknownName([...path, 'argocd'], named, names, 'names no Argo CD instance of this file')]
    : [];
}

function argocdNames(data: unknown): readonly string[] {
  const instances = valueAt(data, ['argocd']);
  return (Array.isArray(instances) ? instances : []).flatMap((each) =>
    isMapping(each) && typeof each['name'] === 'string' ? [each['name']] : [],
  );
}

function objectProblems(data: unknown, path: Path, extraObjects: Path): readonly Problem[] {
  const named = valueAt(data, [...path, 'object']);
  const names = keysAt(data, extraObjects);
  if (typeof named !== 'string' || names.includes(named)) return [];
  return [unknownName([...path, 'object'], named, names, 'names nothing in extraObjects of this sequence')];
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave';

function manifestProblems(data: unknown, path: Path): readonly Problem[] {
  const at = (...keys: readonly string[]) => valueAt(data, [...path, ...keys]);
  if (at('disabled') === true || !isMapping(at())) return [];
  const required = [['apiVersion'], ['kind'], ['metadata', 'name']];
  const wave = at('metadata', 'annotations', waveAnnotation);
  return [
    ...required
      .filter((keys) => typeof at(...keys) !== 'string' || at(...keys) === '')
      .map((keys) => problem([...path, ...keys], 'is missing; every manifest has one')),
    ...(at('kind') === 'Secret' ? [problem([...path, 'kind'], 'must not be Secret: this file holds no secrets')] : []),
    ...(wave !== undefined && !/^[-+]?\d{1,6}$/.test(String(wave))
      ? [
          problem(
            [...path, 'metadata', 'annotations', waveAnnotation],
            'is no whole number; Argo CD would read it as 0',
          ),
        ]
      : []),
  ];
}

/** Two steps for one thing would each think that the other one's writes are somebody else's. */
function twiceProblems(data: unknown, steps: readonly Path[]): readonly Problem[] {
  const seen = new Map<string, Path>();
  return steps.flatMap((path) => {
    for (const target of targetsOf(data, path)) {
      const first = seen.get(target);
      if (first !== undefined)
        return [problem(path, `is the same as step ${String(first[3])} of sequence ${String(first[1])}`)];
      seen.set(target, path);
    }
    return [];
  });
}

/** What a step acts on, once for each of its clusters. */
function targetsOf(data: unknown, path: Path): readonly string[] {
  const step = valueAt(data, path);
  if (!isMapping(step) || step['disabled'] === true) return [];
  const { kind, name, namespace, object, olm } = step;
  const own = textsAt(data, [...path, 'clusters']);
  const clusters = own.length > 0 ? own : textsAt(data, [...path.slice(0, 2), 'clusters']);
  switch (kind) {
    case 'application': {
      const argocd = step['argocd'] ?? argocdNames(data)[0];
      return String(name).includes('{cluster}')
        ? clusters.map(({ text }) =>
            key(kind, argocd, namespace ?? 'openshift-gitops', String(name).replaceAll('{cluster}', text)),
          )
        : [key(kind, argocd, namespace ?? 'openshift-gitops', name)];
    }
    case 'subscription':
      return clusters.map(({ text }) => key(kind, text, olm === 'v1' || (namespace ?? 'openshift-operators'), name));
    case 'pool':
      return clusters.map(({ text }) => key(kind, text, name));
    case 'object':
      return clusters.map(({ text }) =>
        key(kind, text, manifestName(data, [...path.slice(0, 2), 'extraObjects', String(object)])),
      );
    default:
      return [];
  }
}

function manifestName(data: unknown, path: Path): string {
  const at = (...keys: readonly string[]) => valueAt(data, [...path, ...keys]);
  return key(at('apiVersion'), at('kind'), at('metadata', 'namespace'), at('metadata', 'name'));
}

function key(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

function unknown(data: unknown, list: Path, names: readonly string[], what: string): readonly Problem[] {
  return textsAt(data, list)
    .filter(({ text }) => !names.includes(text))
    .map(({ path, text }) => unknownName(path, text, names, what));
}

function unknownName(path: Path, text: string, names: readonly string[], what: string): Problem {
  const meant = nearest(text, names);
  return problem(path, what, meant === undefined ? undefined : `did you mean \`${meant}\`?`);
}

function clusterNames(data: unknown): readonly string[] {
  const clusters = valueAt(data, ['clusters']);
  return (Array.isArray(clusters) ? clusters : []).flatMap((each) =>
    isMapping(each) && typeof each['name'] === 'string' ? [each['name']] : [],
  );
}

function keysAt(data: unknown, path: Path): readonly string[] {
  const value = valueAt(data, path);
  return isMapping(value) ? Object.keys(value) : [];
}

function textsAt(data: unknown, list: Path): readonly { readonly path: Path; readonly text: string }[] {
  const entries = valueAt(data, list);
  return (Array.isArray(entries) ? entries : []).flatMap((text, index) =>
    typeof text === 'string' ? [{ path: [...list, index], text }] : [],
  );
}

function problem(path: Path, what: string, hint?: string): Problem {
  return { path, what, hint, at: 'value' };
}
