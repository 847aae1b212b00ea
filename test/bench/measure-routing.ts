import type { Application, ApplicationSource } from '../../functions/core/argocd/application.ts';
import type { RoutedPush } from '../../functions/core/routing/push.ts';
import { type Route, routeOf } from '../../functions/core/routing/route.ts';
import { type RoutingTable, routingTable } from '../../functions/core/routing/routing-table.ts';
import { anApplication } from '../fakes/index.ts';
import { type HandledPush, refreshed } from '../functions/core/routing/argocd-handler.ts';

/** Times of one push over a number of Applications, milliseconds. */
export interface RoutingSamples {
  readonly applications: number;
  readonly commits: number;
  /** Entries in the commits' lists of files, and different ones among them. */
  readonly listed: number;
  readonly files: number;
  /** How many the push concerns, and how many the port refreshes. */
  readonly concerned: number;
  readonly refreshed: number;
  /** From the table that is there: the files listed, and not known. */
  readonly table: readonly number[];
  readonly tableUnknown: readonly number[];
  readonly port: readonly number[];
  /** Making the table out of stored routes, once for many pushes. */
  readonly build: readonly number[];
  /** What the table takes beside the routes, bytes. */
  readonly tableBytes: number;
}

export interface RoutingSize {
  readonly applications: number;
  /** Of the port; the table is asked ten times as often. */
  readonly rounds: number;
}

const tableSamplesARound = 10;

/** The growth curve; the port takes seconds for the largest. */
export const growth: readonly RoutingSize[] = [
  { applications: 100, rounds: 100 },
  { applications: 300, rounds: 100 },
  { applications: 1_000, rounds: 50 },
  { applications: 3_000, rounds: 20 },
  { applications: 10_000, rounds: 20 },
  { applications: 30_000, rounds: 3 },
  { applications: 100_000, rounds: 1 },
];

/** Commits of the largest push that GitHub sends. */
const largestPush = 2_048;

/** Measures table and port in turn, in this process. Each sample is a push of its own, and each table is made of routes
 *  of its own: what is remembered of an object for as long as it lives would else be measured as nothing. */
export function measureRouting({ applications: count, rounds }: RoutingSize): RoutingSamples {
  const applications = Array.from({ length: count }, (_, at) => applicationAt(at));
  const routes = applications.map((each) => routeOf(each, 'prod'));
  const commits = largestPush;
  const handled = pushOf(commits, count);
  const push: RoutedPush = { ...handled, files: { kind: 'known', paths: [...new Set(handled.files)] } };
  const unknown: RoutedPush = { ...handled, files: { kind: 'unknown', why: `${commits} commits` } };
  const { table, bytes } = weighed(routes);

  const times = { table: [] as number[], tableUnknown: [] as number[], port: [] as number[], build: [] as number[] };
  let [concerned, refreshes] = [0, 0];
  for (let round = -1; round < rounds; round += 1) {
    // One round to warm up.
    const note = (key: keyof typeof times, ms: number) => round >= 0 && times[key].push(ms);
    const stored = routes.map((route) => ({ ...route, sources: [...route.sources] }));
    note('build', timed(() => routingTable(stored)).ms);
    for (let each = 0; each < tableSamplesARound; each += 1) {
      const ours = timed(() => table.concernedBy({ ...push }));
      note('table', ours.ms);
      concerned = ours.value.length;
      note('tableUnknown', timed(() => table.concernedBy({ ...unknown })).ms);
    }
    const theirs = timed(() => refreshed(applications, handled, 'source'));
    note('port', theirs.ms);
    refreshes = theirs.value.length;
  }
  const files = push.files.kind === 'known' ? push.files.paths.length : 0;
  const listed = handled.files.length;
  return { applications: count, commits, listed, files, concerned, refreshed: refreshes, ...times, tableBytes: bytes };
}

function timed<Value>(job: () => Value): { readonly ms: number; readonly value: Value } {
  const begunMs = performance.now();
  const value = job();
  return { ms: performance.now() - begunMs, value };
}

/** The heap grows by the table; exact where the garbage can be collected first (`--expose-gc`). */
function weighed(routes: readonly Route[]): { readonly table: RoutingTable; readonly bytes: number } {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const table = routingTable(routes);
  globalThis.gc?.();
  return { table, bytes: Math.max(0, process.memoryUsage().heapUsed - before) };
}

const monorepo = 'https://github.com/acme/platform';

/** A tenth follow the repository that is pushed to; most say by annotation what they are made of, some by pattern;
 *  some have two sources. */
function applicationAt(at: number): Application {
  const isInMonorepo = at % 10 === 0;
  const repoURL = isInMonorepo ? urlForms(at)[at % 4] : `https://github.com/acme/team-${at % 97}.git`;
  const path = `apps/app-${at}`;
  const source: ApplicationSource = { repoURL: repoURL ?? monorepo, path, targetRevision: revisionAt(at), chart: '' };
  const values: ApplicationSource = { ...source, repoURL: `${monorepo}.git`, path: '', ref: 'values' };
  const paths = pathsAt(at);
  return anApplication({
    name: `app-${at}`,
    uid: `uid-${at}`,
    sources: at % 20 === 11 ? [source, values] : [source],
    annotations: paths === undefined ? {} : { 'argocd.argoproj.io/manifest-generate-paths': paths },
  });
}

function urlForms(at: number): readonly string[] {
  return [
    monorepo,
    `${monorepo}.git`,
    'git@github.com:acme/platform.git',
    `ssh://git@github.com:22/acme/platform?${at}`.replace(/\?.*/, ''),
  ];
}

function revisionAt(at: number): string {
  return (
    ['main', 'HEAD', 'refs/heads/main', 'v1.2.*', '>=1.0.0 <2.0.0', 'release-1'][Math.floor(at / 10) % 6] ?? 'main'
  );
}

function pathsAt(at: number): string | undefined {
  return ['.', '.;/shared/base', '.;../../charts/web', '*.yaml', undefined][Math.floor(at / 60) % 5];
}

/** Three files a commit: of Applications' folders, and many beside them. */
function pushOf(commits: number, applications: number): HandledPush {
  const files = Array.from({ length: commits }, (_, at) => [
    `apps/app-${(at * 7_919) % (applications * 3)}/deployment.yaml`,
    `docs/page-${at % 700}/index.md`,
    `src/module-${at % 1_500}/file-${at % 11}.ts`,
  ]).flat();
  return { htmlUrl: monorepo, defaultBranch: 'main', ref: 'refs/heads/main', files };
}
