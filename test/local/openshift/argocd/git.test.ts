import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Application } from '../../../../local/openshift/argocd/application.ts';
import { createGitHost } from '../../../../local/openshift/argocd/git-host.ts';
import { isAffected } from '../../../../local/openshift/argocd/push-match.ts';
import { pushPayload } from '../../../../local/openshift/argocd/push-payload.ts';

interface Payload {
  readonly [key: string]: unknown;
  readonly commits: readonly Record<string, unknown>[];
  readonly repository: Record<string, unknown> & { readonly owner: object };
  readonly sender: object;
}

const examples = createRequire(import.meta.url)('@octokit/webhooks-examples/api.github.com/index.json') as {
  name: string;
  examples: Payload[];
}[];

function repository() {
  const host = createGitHost({ origin: 'https://git.example.com', now: () => new Date('2026-03-02T08:00:00Z') });
  return {
    host,
    repo: host.createRepository({ owner: 'acme', name: 'platform', files: { 'a.yaml': '1', 'b.yaml': '1' } }),
  };
}

test('a push knows what it added, changed and removed, and what came before', () => {
  const { repo } = repository();
  const first = repo.head()?.id;

  const push = repo.push({ message: 'Change', files: { 'a.yaml': '2', 'b.yaml': null, 'c.yaml': '1' } });

  expect(push).toMatchObject({ ref: 'refs/heads/main', before: first, after: repo.head()?.id, forced: false });
  expect(push.commits).toMatchObject([
    { added: ['c.yaml'], modified: ['a.yaml'], removed: ['b.yaml'], message: 'Change' },
  ]);
  expect([...repo.filesAt(push.after)]).toEqual([
    ['a.yaml', '2'],
    ['c.yaml', '1'],
  ]);
  expect(repo.filesAt(first ?? '').get('b.yaml')).toBe('1');
});

test('a new branch comes from nothing, and a forced push drops what it replaces', () => {
  const { repo } = repository();

  const branch = repo.push({ branch: 'feature/x', message: 'New', files: { 'a.yaml': '9' } });
  const forced = repo.forcePush({ message: 'Instead', drop: 1, files: { 'z.yaml': '1' } });

  expect(branch).toMatchObject({ ref: 'refs/heads/feature/x', before: '0'.repeat(40) });
  expect(forced.forced).toBe(true);
  expect([...repo.filesAt(forced.after).keys()]).toEqual(['z.yaml']);
  expect(repo.resolve('feature/x')).toBe(branch.after);
  expect(repo.resolve('HEAD')).toBe(forced.after);
  expect(repo.resolve(branch.after)).toBe(branch.after);
  expect(repo.resolve('nothing')).toBeUndefined();
});

test.each([
  'https://git.example.com/acme/platform',
  'https://git.example.com/acme/platform.git',
  'git@git.example.com:acme/platform.git',
  'ssh://git@git.example.com/acme/platform.git',
  'HTTPS://GIT.EXAMPLE.COM/ACME/PLATFORM/',
])('a repository is found as %s', (url) => {
  const { host, repo } = repository();

  expect(host.find(url)).toBe(repo);
});

test("the payload of a push has every field that GitHub's has", () => {
  const { repo } = repository();
  const example = examples.find(({ name }) => name === 'push')?.examples.find(({ commits }) => commits.length > 0);

  const payload = pushPayload(repo.push({ message: 'Änderung ✓', files: { 'a.yaml': '2' } })) as Payload;

  const keys = (value: object | undefined) => Object.keys(value ?? {}).sort();
  expect(keys(payload)).toEqual(
    expect.arrayContaining(
      keys(example).filter((key) => !['organization', 'installation', 'enterprise'].includes(key)),
    ),
  );
  expect(keys(payload.commits[0])).toEqual(keys(example?.commits[0]));
  expect(keys(payload.repository)).toEqual(
    expect.arrayContaining(keys(example?.repository).filter((key) => key !== 'organization')),
  );
  expect(keys(payload.sender)).toEqual(keys(example?.sender));
  expect(keys(payload.repository.owner)).toEqual(expect.arrayContaining(keys(example?.sender)));
  expect(payload).toMatchObject({
    ref: 'refs/heads/main',
    created: false,
    deleted: false,
    forced: false,
    head_commit: { message: 'Änderung ✓', modified: ['a.yaml'] },
  });
});

const push = {
  htmlUrl: 'https://git.example.com/acme/platform',
  defaultBranch: 'main',
  ref: 'refs/heads/main',
  changedFiles: ['machine-config/a.yaml'],
};

function application(source: object, annotations: Record<string, string> = {}): Application {
  const spec = {
    project: 'default',
    destination: {},
    source: { repoURL: 'https://git.example.com/acme/platform.git', path: 'machine-config', ...source },
  };
  return { metadata: { name: 'a', annotations }, spec } as unknown as Application;
}

test.each([
  ['HEAD on the default branch', {}, push, true],
  ['an empty revision', { targetRevision: '' }, push, true],
  ['the branch by name', { targetRevision: 'main' }, push, true],
  ['the branch by ref', { targetRevision: 'refs/heads/main' }, push, true],
  ['another branch', { targetRevision: 'stable' }, push, false],
  ['HEAD when another branch is pushed', {}, { ...push, ref: 'refs/heads/stable' }, false],
  ['a branch with a slash', { targetRevision: 'a/b' }, { ...push, ref: 'refs/heads/a/b' }, true],
  ['a commit', { targetRevision: 'f'.repeat(40) }, push, false],
  ['the repository by ssh', { repoURL: 'git@git.example.com:acme/platform.git' }, push, true],
  ['the repository in capitals', { repoURL: 'https://git.example.com/Acme/Platform' }, push, true],
  ['a slash at the end', { repoURL: 'https://git.example.com/acme/platform/' }, push, false],
  ['another repository', { repoURL: 'https://git.example.com/acme/platform2.git' }, push, false],
])('whether an application is affected that follows %s', (_, source, pushed, affected) => {
  expect(isAffected(application(source), pushed)).toBe(affected);
});

test.each([
  ['.', ['machine-config/a.yaml'], true],
  ['.', ['apps/a.yaml'], false],
  ['/shared', ['shared/x/y.yaml'], true],
  ['../shared', ['shared/x.yaml'], true],
  ['.;/shared', ['shared/x.yaml'], true],
  ['/machine-config/*.yaml', ['machine-config/a.yaml'], true],
  ['/machine-config/*.yaml', ['machine-config/deep/a.yaml'], false],
  ['.', [], true],
])('with the path filter %s a push of %j counts: %s', (filter, changedFiles, affected) => {
  const filtered = application({}, { 'argocd.argoproj.io/manifest-generate-paths': filter });

  expect(isAffected(filtered, { ...push, changedFiles })).toBe(affected);
});

test('[N-32] commits that were made elsewhere keep their ids, and know what they changed', () => {
  const { repo } = repository();
  const before = repo.head()?.id;
  const made = {
    message: 'Elsewhere',
    author: { name: 'Zoe', email: 'zoe@example.com' },
    timestamp: '2026-03-02T09:00:00.000Z',
  };
  const [first, second] = ['1'.repeat(40), '2'.repeat(40)];

  const push = repo.receive('main', [
    {
      ...made,
      id: first,
      files: new Map([
        ['a.yaml', '2'],
        ['b.yaml', '1'],
      ]),
    },
    { ...made, id: second, files: new Map([['a.yaml', '2']]) },
  ]);

  expect(push).toMatchObject({ ref: 'refs/heads/main', before, after: second, forced: false });
  expect(push.commits).toMatchObject([
    { id: first, added: [], modified: ['a.yaml'], removed: [] },
    { id: second, added: [], modified: [], removed: ['b.yaml'] },
  ]);
  expect(repo.log('main').map(({ id }) => id)).toEqual([before, first, second]);
});
