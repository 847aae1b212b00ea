import { afterEach, beforeEach, expect, test } from 'vitest';
import { githubAnswers } from '../../../functions/adapters/github/github-answers.ts';
import { githubCommits } from '../../../functions/adapters/github/github-commits.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { type GithubApi, startGithubApi } from '../../../local/github/github-api.ts';
import { createGitHost } from '../../../local/openshift/argocd/git-host.ts';
import type { GitRepository } from '../../../local/openshift/argocd/git-repository.ts';
import { fakeClock } from '../../fakes/index.ts';

const origin = 'https://git.example.com';
const named = 'acme/platform';

let clock: ReturnType<typeof fakeClock>;
let repository: GitRepository;
let github: GithubApi;
let commits: ReturnType<typeof githubCommits>;

beforeEach(async () => {
  clock = fakeClock('2026-03-01T00:00:00Z');
  const host = createGitHost({ origin, now: clock.now });
  repository = host.createRepository({ owner: 'acme', name: 'platform', files: { 'a.yaml': 'a' } });
  github = await startGithubApi({ host, origin });
  const options = { api: github.api, authorization: async () => 'Bearer token', clock: clock.now };
  commits = githubCommits(
    githubAnswers({ deadline: systemRuntime.deadline, ...options, timeoutMs: 5_000, answerAtMost: 1_000_000 }),
    () => AbortSignal.timeout(5_000),
  );
});
afterEach(() => github.close());

test('[S1-15] names the commit of a branch, also of one with a slash, and where two parted', async () => {
  const { after } = repository.push({ branch: 'feature/time', message: 'b', files: { 'a.yaml': 'b' } });
  const main = repository.head()?.id;

  const found = [
    await commits.about(named),
    await commits.resolve(named, 'feature/time'),
    await commits.mergeBase(named, 'main', 'feature/time'),
  ];

  expect(found).toEqual([{ htmlUrl: `${origin}/acme/platform`, defaultBranch: 'main' }, after, main]);
  expect(github.requests).toContain('GET /repos/acme/platform/commits/feature%2Ftime');
});

test('[N-29] names the newest commit of a branch, however much it changed', async () => {
  const { after } = repository.push({
    branch: 'main',
    message: 'vendor',
    files: { 'crds.yaml': 'x'.repeat(2_000_000) },
  });

  expect(await commits.resolve(named, 'heads/main')).toBe(after);
});

test('[S1-15] names the commits that a merge was made of, and where a branch left its base', async () => {
  const commit = (branch: string) => repository.push({ branch, message: branch, files: { [branch]: 'a' } }).after;
  const [left, tip, head, merged] = [commit('left'), commit('main'), commit('topic'), commit('merged')];
  github.setParents(tip, [left]);
  github.setParents(head, [left]);
  github.setParents(merged, [tip, head]);

  const found = [
    await commits.parents(named, merged),
    await commits.parents(named, left),
    await commits.mergeBase(named, tip, head),
    await commits.mergeBase(named, tip, merged),
  ];

  expect(found).toEqual([[tip, head], [], left, tip]);
  expect(github.requests).toContain(`GET /repos/acme/platform/git/commits/${merged}`);
});

test('[S1-15] knows nothing of what GitHub does not know', async () => {
  const found = [
    await commits.about('acme/other'),
    await commits.resolve(named, 'absent'),
    await commits.mergeBase(named, 'main', 'absent'),
    await commits.parents(named, 'a'.repeat(40)),
  ];

  expect(found).toEqual([undefined, undefined, undefined, undefined]);
});

test('[N-14] says how long GitHub wants us to wait, and does not ask again until then', async () => {
  github.fail({ request: /compare/, status: 429, headers: { 'retry-after': '90' } });

  const first = await commits.mergeBase(named, 'main', 'main').catch((error: unknown) => error);
  const second = await commits.about(named).catch((error: unknown) => error);

  expect(first).toBeInstanceOf(Transient);
  expect([first, second]).toMatchObject([
    { kind: 'busy', retryAfterSeconds: 90 },
    { kind: 'busy', retryAfterSeconds: 90 },
  ]);
  expect(github.requests).toHaveLength(1);
});

test('[N-14] a 403 that only says so is a limit as well: nobody is asked for a minute', async () => {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  github.fail({ request: /compare/, status: 403, headers: { 'x-ratelimit-remaining': '14' }, message });

  const first = await commits.mergeBase(named, 'main', 'main').catch((error: unknown) => error);
  const second = await commits.about(named).catch((error: unknown) => error);
  const asked = github.requests.length;
  clock.advance(60);
  const third = await commits.about(named);

  expect([first, second]).toMatchObject([
    { name: 'Transient', kind: 'busy', retryAfterSeconds: 60, message: 'GitHub limits our requests (comparison)' },
    { name: 'Transient', kind: 'busy', retryAfterSeconds: 60 },
  ]);
  expect(asked).toBe(1);
  expect(third?.defaultBranch).toBe('main');
});

test.each([
  ['retry-after', { 'retry-after': '2592000' }],
  [
    'x-ratelimit-reset',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1775001600', date: 'Sun, 01 Mar 2026 00:00:00 GMT' },
  ],
])('[N-30] whatever %s says, nobody rests for longer than an hour', async (_, headers) => {
  github.fail({ request: /compare/, status: 403, headers });

  await expect(commits.mergeBase(named, 'main', 'main')).rejects.toMatchObject({ retryAfterSeconds: 3_600 });
  clock.advance(3_599);
  await expect(commits.about(named)).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 1 });
  clock.advance(1);

  expect(await commits.about(named)).toBeDefined();
});

test('[N-30] the time of a reset is by the clock of GitHub, whatever ours says', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1775001600' };
  github.fail({ request: /compare/, status: 403, headers: { ...headers, date: 'Tue, 31 Mar 2026 23:50:00 GMT' } });

  await expect(commits.mergeBase(named, 'main', 'main')).rejects.toMatchObject({ retryAfterSeconds: 600 });
});

test('[N-30] a rest that was set by a clock that was ahead ends as it is set back', async () => {
  const right = clock.now();
  clock.advance(30 * 24 * 3600);
  github.fail({ request: /compare/, status: 429, headers: { 'retry-after': '60' } });
  await commits.mergeBase(named, 'main', 'main').catch(() => undefined);
  await expect(commits.about(named)).rejects.toBeInstanceOf(Transient);

  clock.set(right);

  expect(await commits.about(named)).toBeDefined();
});

test('[N-30] a rest of a clock that was ahead, once found, does not begin when that time comes', async () => {
  const right = clock.now();
  const ahead = new Date(right.getTime() + 30 * 24 * 3_600_000);
  clock.set(ahead);
  github.fail({ request: /compare/, status: 429, headers: { 'retry-after': '60' } });
  await commits.mergeBase(named, 'main', 'main').catch(() => undefined);
  clock.set(right);
  await commits.about(named);

  clock.set(ahead);

  expect(await commits.about(named)).toBeDefined();
});

/** As `commits`, and the first question waits until the second one is answered. */
function firstAnsweredLast() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let asked = 0;
  const authorization = async () => {
    asked += 1;
    if (asked === 1) await answered;
    return 'Bearer token';
  };
  const options = { api: github.api, authorization, clock: clock.now, deadline: systemRuntime.deadline };
  const slow = githubCommits(githubAnswers({ ...options, timeoutMs: 5_000, answerAtMost: 1_000_000 }), () =>
    AbortSignal.timeout(5_000),
  );
  const first = slow.about(named).catch((error: unknown) => error);
  return { slow, first, answer };
}

test('[N-30] of two requests at once the longer rest counts, though the shorter one is answered last', async () => {
  github.fail({ request: /compare/, status: 429, headers: { 'retry-after': '3000' } });
  github.fail({ request: /platform$/, status: 429, headers: { 'retry-after': '60' } });
  const { slow, first, answer } = firstAnsweredLast();
  await slow.mergeBase(named, 'main', 'main').catch(() => undefined);
  answer();
  await first;

  clock.advance(61);

  await expect(slow.about(named)).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 2_939 });
});

test('[N-30] and a longer rest of a clock that was ahead does not count', async () => {
  const right = clock.now();
  github.fail({ request: /compare/, status: 429, headers: { 'retry-after': '3000' } });
  github.fail({ request: /platform$/, status: 429, headers: { 'retry-after': '60' } });
  const { slow, first, answer } = firstAnsweredLast();
  clock.advance(600);
  await slow.mergeBase(named, 'main', 'main').catch(() => undefined);
  clock.set(right);
  answer();
  await first;

  await expect(slow.about(named)).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 60 });
  clock.advance(60);
  expect(await slow.about(named)).toBeDefined();
});

test.each([
  ['says nothing of it', 'Resource not accessible by personal access token'],
  ['has a name like it', 'The secondary-rate-limit repository is blocked'],
  ['is longer than is read', `${' '.repeat(64 * 1024)}You have exceeded a secondary rate limit`],
])('[N-14] a 403 whose body %s is a refusal, and is not repeated', async (_, message) => {
  github.fail({ request: /compare/, status: 403, message });

  const refusal = await commits.mergeBase(named, 'main', 'main').catch((error: unknown) => error);

  expect(refusal).toBeInstanceOf(Misconfigured);
  expect(String(refusal)).not.toContain(message.trim());
  expect(await commits.about(named)).toBeDefined();
});

test('[N-14] a token that may not read is told as such', async () => {
  github.fail({ request: /platform$/, status: 403, times: 2 });

  await expect(commits.about(named)).rejects.toBeInstanceOf(Misconfigured);
});
