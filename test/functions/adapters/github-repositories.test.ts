import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { githubAuthorization } from '../../../functions/adapters/github/github-authorization.ts';
import { githubRepositories, type ReadLimits } from '../../../functions/adapters/github/github-repositories.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { GithubSettings } from '../../../functions/core/configuration/github.ts';
import { type GithubApi, startGithubApi } from '../../../local/github/github-api.ts';
import { createGitHost } from '../../../local/openshift/argocd/git-host.ts';
import { fakeClock } from '../../fakes/index.ts';

const origin = 'https://git.example.com';
const zeros = '0'.repeat(40);
const started: GithubApi[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(started.splice(0).map((api) => api.close()));
});

interface Lab {
  readonly limits?: Partial<ReadLimits>;
  readonly app?: GithubSettings['app'];
  readonly modes?: Readonly<Record<string, string>>;
  readonly entriesAtMost?: number;
  readonly requestsAtMost?: number;
}

type Changes = Readonly<Record<string, string | null>>;

/** A repository with two commits on its default branch, served as GitHub would. */
async function lab(
  files: Readonly<Record<string, string>>,
  changes: Changes,
  { limits, app, modes, entriesAtMost, requestsAtMost }: Lab = {},
) {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const host = createGitHost({ origin, now: clock.now });
  const repository = host.createRepository({ owner: 'acme', name: 'platform', files });
  const push = repository.push({ message: 'change', files: changes });
  const github = await startGithubApi({
    host,
    origin,
    ...(modes && { modes }),
    ...(entriesAtMost && { entriesAtMost }),
    ...(requestsAtMost && { requestsAtMost }),
  });
  started.push(github);
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const secrets = { read: async (name: string) => (name === 'key' ? [privateKey] : [' token\n']) };
  const settings = { api: github.api, ...(app === undefined ? { tokenSecret: 'token' } : { app }) };
  const authorization = githubAuthorization({ deadline: systemRuntime.deadline, settings, secrets, clock: clock.now });
  const repositories = githubRepositories({
    deadline: systemRuntime.deadline,
    api: github.api,
    authorization,
    clock: clock.now,
    ...(limits && { limits }),
  });
  const ask = (change: Partial<Parameters<typeof repositories.readChange>[0]> = {}) =>
    repositories.readChange({
      fullName: 'acme/platform',
      before: push.before,
      after: push.after,
      paths: undefined,
      ...change,
    });
  const names = (before = push.before) =>
    repositories.readPaths({ fullName: 'acme/platform', before, after: push.after, paths: undefined });
  return { github, host, repository, push, clock, ask, names, authorization };
}

const text = (content: string) => ({ kind: 'text', text: content });
const absent = { kind: 'absent' };

describe('the names alone of what has changed', () => {
  const files = { 'a/same.yaml': 'x: 1', 'old/deep/b.yaml': 'b: 1', 'c.yaml': 'c: 1' };
  const changes = { 'old/deep/b.yaml': null, 'new/deep/b.yaml': 'b: 1', 'c.yaml': 'c: 2' };

  test('[S1-15] are read without any content, with the folders that are gone', async () => {
    const { names, github } = await lab(files, changes);

    expect(await names()).toEqual({
      paths: ['c.yaml', 'new/deep/b.yaml', 'old/deep/b.yaml'],
      vanished: ['old'],
      incomplete: undefined,
    });
    expect(github.requests).toHaveLength(2);
  });

  test('[S1-15] are all known also where the repository is too large for one listing', async () => {
    const { names } = await lab(files, changes, { entriesAtMost: 5 });

    expect(await names()).toMatchObject({ paths: ['c.yaml', 'new/deep/b.yaml', 'old/deep/b.yaml'], vanished: ['old'] });
  });

  test('[S1-15] are not known where GitHub does not answer, and it is said when to ask again', async () => {
    const { names, github } = await lab(files, changes);
    github.fail({ request: /trees/, status: 429, headers: { 'retry-after': '90' }, times: 9 });

    const limited = await names();
    const none = await names('main');

    const nothing = { paths: [], vanished: [] };
    expect(limited).toMatchObject({ ...nothing, incomplete: expect.any(String), keptBackSeconds: 90 });
    expect(none).toEqual({ ...nothing, incomplete: 'the push names no commits' });
  });
});

describe('what GitHub says of a change', () => {
  test('is the files that differ, at both commits, and which tool is at work where', async () => {
    const { ask, github } = await lab(
      { 'a/same.yaml': 'x: 1', 'a/old.yaml': 'é: 1', 'b/kustomization.yaml': 'resources: [../a]' },
      { 'a/old.yaml': 'é: 2', 'a/new.json': '{}', 'README.md': '#' },
    );

    const read = await ask({ folders: ['./b/'] });

    expect(read).toEqual({
      files: [
        { path: 'README.md', before: absent, after: { kind: 'unread', why: 'by its name it is not a manifest' } },
        { path: 'a/new.json', before: absent, after: text('{}') },
        { path: 'a/old.yaml', before: text('é: 1'), after: text('é: 2') },
      ],
      tools: [{ folder: 'b', tool: 'kustomize', uses: ['a'] }],
      folders: { appeared: [], vanished: [] },
      incomplete: undefined,
    });
    expect([...github.authorizations]).toEqual(['Bearer token']);
  });

  test.each([
    ['at once', undefined],
    ['folder by folder', 3],
  ])('names the uppermost folders that appear and vanish, listed %s', async (_, entriesAtMost) => {
    const { ask } = await lab(
      { 'apps/a/x.yaml': 'x: 1', 'apps/b/c/y.yaml': 'y: 1', 'old/deep/z.yaml': 'z: 1', 'n/1': '', 'n/2': '' },
      { 'apps/a/new.yaml': 'n: 1', 'apps/new/deep/x.yaml': 'x: 2', 'apps/b/c/y.yaml': null, 'old/deep/z.yaml': null },
      entriesAtMost === undefined ? {} : { entriesAtMost },
    );

    const { folders } = await ask({ folders: [] });

    expect(folders).toEqual({ appeared: ['apps/new'], vanished: ['apps/b', 'old'] });
  });

  test('reads a file that was moved once, and nothing of what stays', async () => {
    const { ask, github } = await lab({ 'a.yaml': 'x: 1', 'b.yaml': 'y: 1' }, { 'a.yaml': null, 'c/a.yaml': 'x: 1' });

    const { files } = await ask();

    expect(files.map(({ path }) => path)).toEqual(['a.yaml', 'c/a.yaml']);
    expect(github.requests.filter((request) => request.includes('/blobs/'))).toHaveLength(1);
  });

  test('costs less the second time: listings are asked for with their mark', async () => {
    const { ask, github } = await lab({ 'a.yaml': 'x: 1' }, { 'a.yaml': 'x: 2' });

    const [first, second] = [await ask(), await ask()];

    expect(second).toEqual(first);
    expect(github.notModified).toBe(2);
  });

  test('is unknown of a link, a submodule, what is no text and what is too large', async () => {
    const { ask } = await lab(
      { 'README.md': '#' },
      { 'link.yaml': '../x.yaml', 'sub.yaml': 'abc', 'bin.yaml': 'a\0b', 'large.yaml': 'x'.repeat(2_000) },
      { modes: { 'link.yaml': '120000', 'sub.yaml': '160000' }, limits: { fileBytes: 1_000 } },
    );

    const { files, tools } = await ask();

    expect(files.map(({ path, after }) => [path, after.kind === 'unread' && after.why])).toEqual([
      ['bin.yaml', 'it is not text'],
      ['large.yaml', 'it is larger than 10 MB'],
      ['link.yaml', 'it is a symbolic link'],
      ['sub.yaml', 'it is a submodule'],
    ]);
    expect(tools).toEqual([
      { folder: 'link.yaml', tool: 'link' },
      { folder: 'sub.yaml', tool: 'submodule' },
    ]);
  });

  test('[N-30] names every link, whatever it is called, with the tool that its name triggers', async () => {
    const { ask } = await lab(
      { 'a/kustomization.yaml': '../b/kustomization.yaml', 'a/dir': '../b', 'c/main.jsonnet': '../x' },
      { 'x.txt': 'x' },
      { modes: { 'a/kustomization.yaml': '120000', 'a/dir': '120000', 'c/main.jsonnet': '120000' } },
    );

    const { tools } = await ask({ folders: ['a', 'c'] });

    expect(tools).toEqual([
      { folder: 'a', tool: 'kustomize' },
      { folder: 'a/kustomization.yaml', tool: 'link' },
      { folder: 'a/dir', tool: 'link' },
      { folder: 'c', tool: 'jsonnet' },
      { folder: 'c/main.jsonnet', tool: 'link' },
    ]);
  });

  test('is walked folder by folder in a repository too large for one listing', async () => {
    const { ask } = await lab(
      { 'a/b/x.yaml': 'x: 1', 'a/c/y.yaml': 'y: 1', 'd/Chart.yaml': 'name: d', 'e/z.yaml': 'z: 1' },
      { 'a/b/x.yaml': 'x: 2' },
      { entriesAtMost: 3 },
    );

    const asked = await ask({ folders: ['d'] });
    const unasked = await ask();

    expect(asked).toEqual({
      files: [{ path: 'a/b/x.yaml', before: text('x: 1'), after: text('x: 2') }],
      tools: [{ folder: 'd', tool: 'helm' }],
      folders: { appeared: [], vanished: [] },
      incomplete: undefined,
    });
    expect(unasked.incomplete).toMatch(/repository is too large/);
  });

  test('[N-30] is not complete where a single folder is too large for a listing', async () => {
    const { ask } = await lab(
      { '1': '', '2': '', '3': '', 'z.yaml': 'z: 1' },
      { 'z.yaml': 'z: 2' },
      { entriesAtMost: 3 },
    );

    const { files, incomplete } = await ask({ folders: [''] });

    expect(files).toEqual([]);
    expect(incomplete).toBe('a folder of the repository is too large to be listed');
  });

  test('is bounded in files: what lies in the folders in question comes first', async () => {
    const { ask } = await lab(
      { 'z.yaml': '' },
      { 'a.yaml': 'a', 'b.yaml': 'b', 'nodes/c.yaml': 'c' },
      { limits: { files: 1 } },
    );

    const { files } = await ask({ folders: ['nodes'] });

    expect(files.map(({ path, after }) => `${path} ${after.kind}`)).toEqual([
      'nodes/c.yaml text',
      'a.yaml unread',
      'b.yaml unread',
    ]);
  });

  test('[N-30] compares no file, and no kustomization, with each of the folders in question', async () => {
    const names = Array.from({ length: 300 }, (_, nth) => `vendor/${nth}/kustomization.yaml`);
    const { ask } = await lab({ 'teams/0/a.yaml': 'a: 1' }, Object.fromEntries(names.map((name) => [name, 'a: 1'])), {
      limits: { files: 1 },
    });
    const folders = Array.from({ length: 300 }, (_, nth) => `teams/${nth}`);
    const steps = vi.spyOn(String.prototype, 'startsWith');

    const { files, tools } = await ask({ folders: [...folders, 'vendor/299'] });

    expect(steps.mock.calls.length).toBeLessThan(10 * (names.length + folders.length));
    expect(files.map(({ path }) => path)).toEqual(['vendor/299/kustomization.yaml', ...names.slice(0, -1).toSorted()]);
    expect(tools).toHaveLength(300);
  });

  test('[N-30] leaves requests to other repositories, whoever pushes many files again and again', async () => {
    const { ask, host, repository } = await lab({ 'a.yaml': '0' }, { 'a.yaml': '1' }, { requestsAtMost: 300 });
    const names = Array.from({ length: 60 }, (_, nth) => `${nth}.yaml`);
    const read: number[] = [];
    for (let nth = 0; nth < 6; nth += 1) {
      const files = Object.fromEntries(names.map((name) => [name, `${name} ${nth}`]));
      const push = repository.push({ message: 'many', files });
      const { files: found } = await ask({ before: push.before, after: push.after });
      read.push(found.filter(({ after }) => after.kind === 'text').length);
    }
    const other = host.createRepository({ owner: 'acme', name: 'other', files: { 'a.yaml': 'a: 1' } });
    const push = other.push({ message: 'one', files: { 'a.yaml': 'a: 2' } });

    const { files } = await ask({ fullName: 'acme/other', before: push.before, after: push.after });

    expect(read[0]).toBe(29);
    expect(read.at(-1)).toBeGreaterThan(0);
    expect(files).toEqual([{ path: 'a.yaml', before: text('a: 1'), after: text('a: 2') }]);
  });

  test('of a new branch is what it has beside the default one, and told not to be all', async () => {
    const { ask, repository } = await lab({ 'a.yaml': 'a: 1' }, { 'b.yaml': 'b: 1' });
    const branch = repository.push({
      message: 'branch',
      branch: 'next',
      files: { 'a.yaml': 'a: 2', 'b.yaml': 'b: 1' },
    });

    const read = await ask({ before: zeros, after: branch.after });

    expect(read.files).toEqual([{ path: 'a.yaml', before: text('a: 1'), after: text('a: 2') }]);
    expect(read.incomplete).toBe('the branch is new: its previous state is unknown');
  });
});

describe('what GitHub does not say', () => {
  test.each([
    ['a commit that was forced away', { before: 'a'.repeat(40) }, /GitHub has no commit aaaaaaaaaaaa/],
    ['a repository that may not be read', { fullName: 'acme/secret' }, /GitHub has no commit/],
    [
      'one of an Enterprise Managed User that may not be read',
      { fullName: 'mona-cat_octo/nodes' },
      /GitHub has no commit/,
    ],
    ['a branch that was deleted', { after: zeros }, /the branch was deleted/],
    ['no commit at all', { before: '../../user' }, /names no commits/],
    ['a name that leads elsewhere', { fullName: 'acme/..' }, /not valid at GitHub/],
  ])('%s makes everything unknown', async (_, change, why) => {
    const { ask } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });

    const read = await ask({ ...change, paths: ['a.yaml'] });

    expect(read.incomplete).toMatch(why);
    expect(read.files).toEqual([
      {
        path: 'a.yaml',
        before: { kind: 'unread', why: read.incomplete },
        after: { kind: 'unread', why: read.incomplete },
      },
    ]);
  });

  test('a limit stops every further request until it is over', async () => {
    const { ask, github, clock } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });
    github.fail({ request: /blobs/, status: 403, headers: { 'retry-after': '60' }, times: 2 });

    const first = await ask();
    const asked = github.requests.length;
    const second = await ask();
    const unasked = github.requests.length;
    clock.advance(61);
    const third = await ask();

    expect(first.files[0]?.after).toMatchObject({ kind: 'unread', why: 'GitHub limits our requests (file)' });
    expect(second.incomplete).toBe('GitHub limits our requests (list of files)');
    expect(unasked).toBe(asked);
    expect(third.files[0]?.after).toEqual(text('a: 2'));
  });

  test('[N-29] [N-30] what a limit keeps back of a change, whosever it is, says when it may be asked for', async () => {
    const { ask, github, clock } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    github.fail({ request: /blobs/, status: 403, message });

    const file = await ask();
    clock.advance(20);
    const listing = await ask();
    clock.advance(40);
    const all = await ask();

    expect([file, listing, all].map(({ keptBackSeconds }) => keptBackSeconds)).toEqual([60, 40, undefined]);
    expect(all.files[0]?.after).toEqual(text('a: 2'));
  });

  test.each([
    ['until there are as many again', { 'x-ratelimit-limit': '5000' }, 600],
    ['for an hour, where that is not said', { 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': 'soon' }, 3600],
    ['and not waited for where a new hour brings no more', { 'x-ratelimit-limit': '110' }, undefined],
  ])('[N-29] what the share of few requests keeps back of a change is kept back %s', async (_, headers, seconds) => {
    const names = Array.from({ length: 15 }, (_name, nth) => `nodes/${nth}.yaml`);
    const filled = (content: string) => Object.fromEntries(names.map((name) => [name, `${content}: ${name}`]));
    const { ask, github } = await lab(filled('x'), filled('y'));
    const date = 'Sun, 01 Mar 2026 00:00:00 GMT';
    const reset = { 'x-ratelimit-reset': String(Date.parse(date) / 1000 + 600), date };
    github.limitWith({ 'x-ratelimit-remaining': '100', ...reset, ...headers });

    const few = await ask();
    github.limitWith({ 'x-ratelimit-remaining': '4900', ...reset, ...headers });
    const many = await ask();

    expect(few.files.filter(({ after }) => after.kind === 'unread')).toHaveLength(5);
    expect(few.keptBackSeconds).toBe(seconds);
    expect([many.files.filter(({ after }) => after.kind === 'unread'), many.keptBackSeconds]).toEqual([[], undefined]);
  });

  test('[N-29] what a failing server keeps back of a change is asked for again in a minute', async () => {
    const { ask, github } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });
    github.fail({ request: /blobs/, status: 502, times: 4 });
    const files = await ask();
    github.fail({ request: /trees/, status: 502, times: 4 });
    const listing = await ask();
    const gone = await ask({ before: 'a'.repeat(40) });

    expect([files, listing, gone].map(({ keptBackSeconds }) => keptBackSeconds)).toEqual([60, 60, undefined]);
  });

  test('a bad moment is tried once more, and a second one is told', async () => {
    const { ask, github } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });
    github.fail({ request: /trees/, status: 502, times: 1 });

    const once = await ask();
    github.fail({ request: /trees/, status: 502, times: 4 });
    const twice = await ask();

    expect(once.incomplete).toBeUndefined();
    expect(twice.incomplete).toBe('GitHub answered 502 (list of files)');
  });

  test('no redirect takes the token to another host', async () => {
    const { ask, github } = await lab({ 'a.yaml': 'a: 1' }, { 'a.yaml': 'a: 2' });
    github.fail({ request: /trees/, status: 301, headers: { location: 'https://elsewhere.invalid/' }, times: 2 });

    expect((await ask()).incomplete).toBe('GitHub redirects to another host');
  });
});

describe('a GitHub App', () => {
  test('signs in with its key, once for an owner, and reads with the token of its installation', async () => {
    const { ask, github } = await lab(
      { 'a.yaml': 'a: 1' },
      { 'a.yaml': 'a: 2' },
      { app: { id: 7, privateKeySecret: 'key' } },
    );

    const read = await ask();
    await ask();

    expect(read.files).toHaveLength(1);
    expect(github.requests.filter((request) => request.includes('access_tokens'))).toHaveLength(1);
    expect([...github.authorizations].filter((each) => each.startsWith('Bearer ey'))).not.toEqual([]);
    expect(github.authorizations.has('Bearer installation-token')).toBe(true);
  });

  test('whose key is none says which secret, and not what is in it', async () => {
    const { ask } = await lab(
      { 'a.yaml': 'a: 1' },
      { 'a.yaml': 'a: 2' },
      { app: { id: 7, privateKeySecret: 'other' } },
    );

    expect((await ask()).incomplete).toBe('secret other holds no private key in PEM');
  });
});

test('[N-29] as an App, a repository without it fails no other of its owner that is asked about at the same time', async () => {
  const { authorization } = await lab({ 'a.yaml': '' }, {}, { app: { id: 7, privateKeySecret: 'key' } });

  const repositories = ['acme/not-selected', 'acme/platform', 'acme/platform', 'acme/not-selected'];
  const answers = await Promise.allSettled(repositories.map((each) => authorization(each)));

  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected']);
  expect(answers[1]).toMatchObject({ value: 'Bearer installation-token' });
});
