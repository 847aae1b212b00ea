import { isLoopback } from '../../core/configuration/loopback.ts';
import { causeOf } from '../../core/diagnose/catalogue.ts';
import { withoutTrailing } from '../../core/text/trailing.ts';
import { nearest } from './nearest.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** What the parts of the file have against each other, and against the catalogue of causes. Looks at the data as
 *  written, so that these problems are found together with those of the schema. */
export function checkReferences(data: unknown): readonly Problem[] {
  return [
    ...repeated(data, ['clusters'], ['name'], 'is the name of another cluster too'),
    ...repeated(data, ['clusters'], ['api', 'server'], 'is the API server of another cluster too'),
    ...repeated(data, ['argocd'], ['name'], 'is the name of another Argo CD instance too'),
    ...repeated(data, ['alerts', 'targets'], ['name'], 'is the name of another target too'),
    ...each(data, ['clusters']).flatMap((path) => clusterProblems(data, path)),
    ...each(data, ['windows']).flatMap((path) =>
      each(data, [...path, 'clusters']).flatMap((cluster) => unknownCluster(data, cluster)),
    ),
    ...each(data, ['argocd']).flatMap((path) => argocdProblems(data, path)),
    ...each(data, ['alerts', 'targets']).flatMap((path) => filterProblems(data, path)),
    ...eitherOf(data, ['github'], ['tokenSecret', 'app']),
    ...each(data, ['github', 'hooks']).flatMap((path) => eitherOf(data, path, ['repository', 'organization'])),
  ];
}

/** A certificate authority is given once. */
function authorityProblems(data: unknown, path: Path): readonly Problem[] {
  const isTwice = valueAt(data, [...path, 'ca']) !== undefined && valueAt(data, [...path, 'caFile']) !== undefined;
  return isTwice ? [problem([...path, 'caFile'], 'stands beside ca', 'keep one of the two')] : [];
}

function clusterProblems(data: unknown, path: Path): readonly Problem[] {
  const api: Path = [...path, 'api'];
  const skips = valueAt(data, [...api, 'skipTLSVerify']) === true;
  const server = URL.parse(textAt(data, [...api, 'server']) ?? '');
  return [
    ...(skips && (server === null || !isLoopback(server))
      ? [problem([...api, 'skipTLSVerify'], 'is allowed only for a server on loopback', 'give ca or caFile instead')]
      : []),
    ...authorityProblems(data, api),
    ...poolProblems(data, [...path, 'pools']),
    ...pauseForProblems(data, [...path, 'pools']),
    ...approveProblems(data, [...path, 'pools']),
    ...ticketProblems(data, [...path, 'pools']),
  ];
}

/** Pools that every OpenShift upgrade waits for. Others are known by their label, which only the cluster can tell. */
const requiredPools: readonly string[] = ['master', 'arbiter'];

function poolProblems(data: unknown, path: Path): readonly Problem[] {
  return requiredPools.flatMap((pool) => {
    const protection = valueAt(data, [...path, pool, 'protection']);
    if (protection === undefined || protection === 'observe') return [];
    if (valueAt(data, [...path, pool, 'manageRequired']) === true) return [];
    return [
      problem(
        [...path, pool, 'protection'],
        'is set for a pool that cluster upgrades wait for, and Poolkeeper does not touch it unasked',
        'add manageRequired: true (while the pool is paused, upgrades stall), or use observe',
      ),
    ];
  });
}

/** These levels let nothing through while the pool is not paused: with admission each such sync would fail its first
 *  attempt, with guard it would wait for a pause that a push does not ask for. */
function pauseForProblems(data: unknown, path: Path): readonly Problem[] {
  const pools = valueAt(data, path);
  return Object.keys(isMapping(pools) ? pools : {}).flatMap((pool) => {
    const at = (key: string) => valueAt(data, [...path, pool, key]);
    const protection = at('protection');
    if (at('pauseFor') !== 'disruptive' || (protection !== 'admission' && protection !== 'guard')) return [];
    return [
      problem(
        [...path, pool, 'pauseFor'],
        protection === 'admission'
          ? 'goes against protection admission, which refuses every change while the pool is not paused'
          : 'goes against protection guard, which holds back every sync while the pool is not paused',
        'use pauseFor: any, or another protection',
      ),
    ];
  });
}

/** One person is one entry, or would count as two; and enough people are left when the pushers are not asked. */
function approveProblems(data: unknown, path: Path): readonly Problem[] {
  const pools = valueAt(data, path);
  return Object.keys(isMapping(pools) ? pools : {}).flatMap((pool) => {
    const approve: Path = [...path, pool, 'approve'];
    const entries = each(data, [...approve, 'by']);
    const people = entries.map((entry) => ({ entry, names: (textAt(data, entry) ?? '').toLowerCase().split(/ +/) }));
    const needed = valueAt(data, [...approve, 'needed']);
    const excludes = valueAt(data, [...approve, 'excludePusher']) === true;
    return [
      ...people.flatMap(({ entry, names }, index) =>
        people.slice(0, index).some((earlier) => earlier.names.some((name) => name !== '' && names.includes(name)))
          ? [problem(entry, 'names somebody whom an earlier entry names', 'write all names of a person in one entry')]
          : [],
      ),
      ...(typeof needed === 'number' && entries.length > 0 && needed > entries.length
        ? [problem([...approve, 'needed'], 'is more than the people in by: such a pool never resumes', undefined)]
        : []),
      ...people.flatMap(({ entry, names }) =>
        excludes && !names.some((name) => name.startsWith('github:'))
          ? [problem(entry, 'has no github:login, by which excludePusher knows who pushed', undefined)]
          : [],
      ),
    ];
  });
}

/** A place in the answer and what stands there belong together. */
function ticketProblems(data: unknown, path: Path): readonly Problem[] {
  const pools = valueAt(data, path);
  return Object.keys(isMapping(pools) ? pools : {}).flatMap((pool) => {
    const at = (key: string) => valueAt(data, [...path, pool, 'ticket', key]);
    const oneOf = at('oneOf');
    const compares = at('equals') !== undefined || (Array.isArray(oneOf) && oneOf.length > 0);
    if (at('url') === undefined || compares === (at('path') !== undefined)) return [];
    return [
      problem([...path, pool, 'ticket'], 'must have path together with equals or oneOf, or none of them', undefined),
    ];
  });
}

function argocdProblems(data: unknown, path: Path): readonly Problem[] {
  const destinations = each(data, [...path, 'destinations']);
  return [
    ...unknownCluster(data, [...path, 'cluster']),
    ...authorityProblems(data, [...path, 'relay']),
    ...repeated(data, [...path, 'destinations'], ['server'], 'stands in another destination too'),
    ...repeated(data, [...path, 'destinations'], ['name'], 'stands in another destination too'),
    ...destinations.flatMap((destination) => [
      ...unknownCluster(data, [...destination, 'cluster']),
      ...eitherOf(data, destination, ['server', 'name']),
    ]),
  ];
}

/** One of the two, never both; in a destination as in an Application. Source: argo-cd util/argo,
 *  GetDestinationServer. */
function eitherOf(data: unknown, path: Path, [one, other]: readonly [string, string]): readonly Problem[] {
  const entry = valueAt(data, path);
  if (!isMapping(entry)) return [];
  const isOne = (entry[one] === undefined) !== (entry[other] === undefined);
  return isOne ? [] : [problem(path, `must have either ${one} or ${other}`, undefined)];
}

function filterProblems(data: unknown, path: Path): readonly Problem[] {
  return [
    ...each(data, [...path, 'filter', 'clusters']).flatMap((cluster) => unknownCluster(data, cluster)),
    ...each(data, [...path, 'filter', 'causes']).flatMap((cause) => unknownCause(data, cause)),
  ];
}

function unknownCause(data: unknown, path: Path): readonly Problem[] {
  const code = textAt(data, path);
  if (code === undefined || causeOf(code) !== undefined) return [];
  return [problem(path, 'must be a code of docs/causes.md, like P3', undefined)];
}

function unknownCluster(data: unknown, path: Path): readonly Problem[] {
  const name = textAt(data, path);
  const known = each(data, ['clusters']).flatMap((cluster) => textAt(data, [...cluster, 'name']) ?? []);
  if (name === undefined || known.includes(name)) return [];
  const meant = nearest(name, known);
  return [
    problem(path, 'names no cluster of this file', meant === undefined ? undefined : `did you mean \`${meant}\`?`),
  ];
}

/** Problems of every entry of the list whose text at `key` stood in an earlier entry. */
function repeated(data: unknown, list: Path, key: Path, what: string): readonly Problem[] {
  const seen = new Set<string>();
  return each(data, list).flatMap((entry) => {
    const path = [...entry, ...key];
    const written = textAt(data, path);
    if (written === undefined) return [];
    const text = withoutTrailing(written, '/');
    if (seen.has(text)) return [problem(path, what, undefined)];
    seen.add(text);
    return [];
  });
}

function each(data: unknown, list: Path): readonly Path[] {
  const entries = valueAt(data, list);
  return Array.isArray(entries) ? entries.map((_, index) => [...list, index]) : [];
}

function textAt(data: unknown, path: Path): string | undefined {
  const value = valueAt(data, path);
  return typeof value === 'string' ? value : undefined;
}

function problem(path: Path, what: string, hint: string | undefined): Problem {
  return { path, what, hint, at: 'value' };
}
