import type { Application, ApplicationSource } from '../../../../functions/core/argocd/application.ts';
import { anApplication } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import type { HandledPush } from './argocd-handler.ts';

/** Small worlds in which Applications and pushes often meet: two Git hosts, a handful of repositories, branches,
 *  tags and folders. */

const hosts = ['github.com', 'git.example.com'] as const;
const names = ['acme/ocp', 'Acme/OCP', 'acme/ocp2', '22/ocp', 'ocp', 'acme/a b'] as const;
const folders = [
  '',
  '.',
  'apps',
  'apps/web',
  'apps/web/',
  './apps',
  'nodes',
  'nodes/prod',
  '/nodes',
  'shared',
] as const;
const files = [
  'README.md',
  'apps/web/a.yaml',
  'apps/web/deep/er/b.yaml',
  'apps/db/a.yml',
  'nodes/prod/50-worker.yaml',
  'nodes/prod/50 worker.yaml',
  'nodes/x.yaml',
  'shared/base/k.yaml',
  'shared',
  'é/ü.yaml',
] as const;
const branches = ['main', 'release-1', 'team/a', 'team/b/c', 'HEAD', '1.x'] as const;
const tags = ['v1', '1.2.3', 'v1.2.9', 'v2.0.0-rc.1', '2.0.0', 'main', 'nightly'] as const;

/** Mostly the first. */
function often<Value>(first: Value, ...others: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(first) }, fc.constantFrom(...others));
}

/** The URL of a repository as people write it; some forms Argo CD does not match. */
export const repoUrl: fc.Arbitrary<string> = fc
  .record({
    scheme: fc.constantFrom('https://', 'https://', 'https://', 'http://', 'ssh://', 'HTTPS://', '', 'git://'),
    user: often('', 'git@', 'org-1@', 'user:secret@'),
    prefix: often('', 'ssh.', 'altssh.', 'www.'),
    host: often('github.com', ...hosts, 'GitHub.com'),
    port: often('', ':22', ':443'),
    separator: often('/', ':'),
    name: often('acme/ocp', ...names, 'acme/a%20b'),
    end: fc.constantFrom('', '.git', '.git', '/', '.GIT'),
  })
  .map(({ scheme, user, prefix, host, port, separator, name, end }) =>
    [scheme, user, prefix, host, port, separator, name, end].join(''),
  );

const comparison = fc
  .tuple(
    fc.constantFrom('', '', '=', '!=', '>', '<', '>=', '<=', '=>', '~', '~>', '^', '=='),
    fc.constantFrom('', ' '),
    fc.constantFrom('1', '1.x', '*', 'v1.2', '1.2.3', '1.2.*', '2.0.0-0', '2.0.0-rc.1', '0.0.0', '1.2.3.4'),
  )
  .map((parts) => parts.join(''));

export const targetRevision: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('HEAD', '', 'main', 'main', ...branches) },
  fc.constantFrom(...branches, ...tags).map((name) => `refs/heads/${name}`),
  fc.constantFrom(...branches, ...tags).map((name) => `refs/tags/${name}`),
  fc.constantFrom(...tags),
  fc.constantFrom('origin/main', 'heads/main', 'refs/HEAD', 'x/', 'a/b/HEAD', 'refs/heads/', '0'.repeat(40)),
  fc
    .tuple(comparison, fc.constantFrom(' || ', '||', ' ', ', ', ' - '), comparison)
    .chain(([a, by, b]) => fc.constantFrom(a, `${a}${by}${b}`)),
);

const annotationItem = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('.', '..', '../..', '../shared', 'deep', '', ' ', 'a.yaml') },
  fc.constantFrom(...folders, ...files).map((path) => `/${path}`),
  fc.constantFrom(
    '*',
    '*.yaml',
    'deep/*/b.yaml',
    '/apps/*/a.y?ml',
    '/*/prod/[0-9][^a]*',
    '/nodes/[x',
    '/**',
    '/nodes/\\x.yaml',
  ),
  fc.constantFrom(' /nodes', 'prod ', '/apps/../nodes', '//nodes', '[^b]*'),
);

const generatePaths: fc.Arbitrary<string | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.array(annotationItem, { maxLength: 4 }).map((items) => items.join(';')),
);

const plainSource: fc.Arbitrary<ApplicationSource> = fc
  .record({
    repoURL: repoUrl,
    path: fc.constantFrom(...folders),
    targetRevision,
    chart: fc.constantFrom('', '', '', 'web'),
    ref: fc.constantFrom(undefined, undefined, undefined, 'values'),
  })
  .map(({ ref, ...source }) => (ref === undefined ? source : { ...source, path: '', ref }));

const hydrated: fc.Arbitrary<readonly ApplicationSource[]> = fc
  .record({
    repoURL: repoUrl,
    path: fc.constantFrom(...folders),
    targetRevision,
    branch: fc.constantFrom(...branches),
    to: fc.constantFrom('apps/web', 'nodes', 'nodes/prod'),
  })
  .map(({ repoURL, path, targetRevision: dry, branch, to }) => [
    { repoURL, path, targetRevision: dry, chart: '', hydration: 'dry' },
    { repoURL, path: to, targetRevision: branch, chart: '', hydration: 'hydrated' },
  ]);

const sources = fc.oneof(
  { weight: 5, arbitrary: plainSource.map((source) => [source]) },
  { weight: 2, arbitrary: fc.array(plainSource, { minLength: 2, maxLength: 3 }) },
  hydrated,
);

/** An Application of any form; `name` is for the caller. */
export const application: fc.Arbitrary<Application> = fc
  .record({ sources, paths: generatePaths })
  .map(({ sources: kept, paths }) =>
    anApplication({
      sources: kept,
      annotations: paths === undefined ? {} : { 'argocd.argoproj.io/manifest-generate-paths': paths },
    }),
  );

export const applications: fc.Arbitrary<readonly Application[]> = fc
  .array(application, { minLength: 1, maxLength: 12 })
  .map((list) => list.map((each, at) => ({ ...each, name: `app-${at}`, uid: `uid-${at}` })));

export const push: fc.Arbitrary<HandledPush> = fc
  .record({
    host: often<string>('github.com', ...hosts),
    port: often('', ':8443'),
    name: often('acme/ocp', 'acme/ocp2', '22/ocp', 'ocp', 'acme/a%20b', 'acme/a b'),
    defaultBranch: fc.constantFrom('main', 'main', 'release-1', 'team/a'),
    ref: fc.oneof(
      { weight: 4, arbitrary: fc.constant('refs/heads/main') },
      fc.constantFrom(...branches).map((name) => `refs/heads/${name}`),
      fc.constantFrom(...tags).map((name) => `refs/tags/${name}`),
    ),
    files: fc.array(fc.constantFrom(...files), { maxLength: 4 }),
  })
  .map(({ host, port, name, ...rest }) => ({ htmlUrl: `https://${host}${port}/${name}`, ...rest }));
