import { afterEach, describe, expect, test } from 'vitest';
import { cloudEvent, type PullSeen } from '../../../events/index.ts';
import { previewNotes } from '../../../functions/adapters/aws/preview-notes.ts';
import { githubPulls } from '../../../functions/adapters/github/github-pulls.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { PreviewSettings } from '../../../functions/core/configuration/github.ts';
import { commentMarker } from '../../../functions/core/preview/comment.ts';
import type { Compared, Parting } from '../../../functions/core/preview/compared.ts';
import type { Preview } from '../../../functions/core/preview/preview.ts';
import { type Pull, stateOf } from '../../../functions/core/preview/pull.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { previewChanges } from '../../../functions/preview-changes/preview-changes.ts';
import type { PreviewPorts } from '../../../functions/preview-changes/preview-ports.ts';
import { startGithubApi } from '../../../local/github/github-api.ts';
import { ourUser, type PullRequest } from '../../../local/github/pull-requests.ts';
import { createGitHost } from '../../../local/openshift/argocd/git-host.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fakeClock, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { aPreview, aPreviewedPool } from '../core/preview/samples.ts';

const firstHead = 'c'.repeat(40);
const secondHead = 'd'.repeat(40);
const mergeBase = 'e'.repeat(40);
const tip = 'f'.repeat(40);
const testMerge = 'a'.repeat(40);
const earlierTip = '9'.repeat(40);

let endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings) await end();
  endings = [];
});

/** GitHub with one repository, whose pull requests are described by `set`. */
async function startHub() {
  const origin = 'https://github.com';
  const host = createGitHost({ origin, now: () => new Date('2026-03-02T11:00:00Z') });
  const repository = host.createRepository({ owner: 'acme', name: 'platform', files: { 'README.md': 'nodes' } });
  repository.push({ branch: 'gh-pages', message: 'Pages', files: { 'index.html': 'nodes' } });
  const github = await startGithubApi({ host, origin });
  return Object.assign(github, {
    set: (pull: Omit<PullRequest, 'repository' | 'number'>) =>
      github.setPull({ repository: 'acme/platform', number: 12, ...pull }),
  });
}

function aComment(id: number, user: number, body: string) {
  return { id: `${id}`, issue: 12, user, body, edits: 0 };
}

async function open(settings: Partial<PreviewSettings> = {}) {
  const hub = await startHub();
  const table = await startEmbeddedTable();
  endings.push(() => hub.close(), table.stop);
  const clock = fakeClock('2026-03-02T12:00:00Z');
  const logger = fakeLogger();
  const metrics = fakeMetrics();
  const predicted: string[] = [];
  const ports: PreviewPorts = {
    settings: { clusterNames: 'hide', forks: 'status', ...settings },
    pulls: githubPulls({
      deadline: systemRuntime.deadline,
      api: hub.api,
      authorization: async () => 'Bearer token-1',
      appId: undefined,
    }),
    notes: previewNotes({ newId: systemRuntime.newId, client: table.client, table: table.table, clock: clock.now }),
    parting: async () => ({ tip: mergeBase, mergeBase }),
    parentsOf: async () => undefined,
    mergeBaseOf: async () => undefined,
    predict: async (pull: Pull): Promise<Preview> => {
      predicted.push(pull.head);
      return aPreview({ state: stateOf(pull) });
    },
    clock: clock.now,
    logger,
    metrics,
  };
  hub.set({ head: firstHead, base: 'main' });
  return {
    hub,
    clock,
    logger,
    metrics,
    ports,
    predicted,
    /** As SQS brings it: at least once, and again when it fails for the world's sake. */
    run: (change: Partial<PreviewPorts> = {}) => previewChanges(seen(clock.now()), { ...ports, ...change }),
  };
}

function seen(at: Date, head = firstHead, number = 12): PullSeen {
  return cloudEvent({
    type: 'poolkeeper.pull.seen.v1',
    id: `delivery-${at.getTime()}`,
    source: '/poolkeeper/receive-github',
    subject: 'acme/platform#12',
    time: at,
    correlation: `delivery-${at.getTime()}`,
    data: {
      delivery: `delivery-${at.getTime()}`,
      receivedAt: at.toISOString(),
      repository: { htmlUrl: 'https://github.com/acme/platform', fullName: 'acme/platform', defaultBranch: 'main' },
      number,
      action: 'synchronize',
      head,
      base: 'main',
    },
  });
}

describe('a pull request is told what it would do', () => {
  test('[N-14] [N-30] by a status that names its base: another one of the same commit may be calm', async () => {
    const { hub, run } = await open();
    await run();
    hub.set({ head: firstHead, base: 'gh-pages' });
    const predict = async (pull: Pull) => aPreview({ state: stateOf(pull), clusters: [] });

    await run({ predict });

    expect(hub.statuses.map(({ commit, body }) => [commit, body])).toEqual([
      [firstHead, expect.objectContaining({ description: 'Into main: Reboots 3 nodes: worker, about 45 min.' })],
      [firstHead, expect.objectContaining({ description: 'Into gh-pages: Re-renders no pool: no node is disrupted.' })],
    ]);
  });

  test('[N-14] by a commit status on its head that leads to one comment', async () => {
    const { hub, metrics, run } = await open();

    await run();

    expect(hub.statuses).toEqual([
      {
        commit: firstHead,
        body: {
          state: 'success',
          context: 'poolkeeper/impact',
          description: 'Into main: Reboots 3 nodes: worker, about 45 min.',
          target_url: 'https://github.com/acme/platform/pull/12#issuecomment-3804004623172239367',
        },
      },
    ]);
    expect(hub.comments).toMatchObject([{ body: expect.stringContaining('Reboots 3 nodes'), edits: 0 }]);
    expect(hub.comments[0]?.body.startsWith(commentMarker)).toBe(true);
    expect(metrics.counts).toEqual({ PreviewsTold: 1 });
  });

  test('[N-14] the next commit edits the comment in place and gets a status of its own', async () => {
    const { hub, clock, run } = await open();
    await run();

    clock.advance(60);
    hub.set({ head: secondHead, base: 'main' });
    await run();

    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(1);
    expect(hub.comments[0]?.body).toContain(secondHead.slice(0, 9));
    expect(hub.statuses.map(({ commit }) => commit)).toEqual([firstHead, secondHead]);
  });

  test('[N-14] a delivery that comes again says nothing again', async () => {
    const { hub, clock, ports } = await open();
    const event = seen(clock.now());

    await previewChanges(event, ports);
    await previewChanges(event, ports);

    expect(hub.statuses).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(0);
  });

  test('[N-14] of ten deliveries at once one comments, and the others come again and find it told', async () => {
    const { hub, clock, ports } = await open();
    const event = seen(clock.now());

    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => previewChanges(event, ports)));
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    for (const _ of failed) await previewChanges(event, ports);

    expect(failed.length).toBeGreaterThan(0);
    for (const cause of failed) expect(cause).toBeInstanceOf(Transient);
    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(0);
    expect(hub.statuses).toHaveLength(1);
  });

  test('[N-14] a head that moves while it is looked at is not told; the new one is', async () => {
    const { hub, run, predicted, ports } = await open();
    const predict = async (pull: Pull, compared: Compared) => {
      if (pull.head === firstHead) hub.set({ head: secondHead, base: 'main' });
      return ports.predict(pull, compared);
    };

    await run({ predict });

    expect(predicted).toEqual([firstHead, secondHead]);
    expect(hub.statuses.map(({ commit }) => commit)).toEqual([secondHead]);
    expect(hub.comments[0]?.body).not.toContain(firstHead.slice(0, 9));
  });

  test('[N-14] an event of an older head tells of the newest', async () => {
    const { hub, clock, ports } = await open();
    hub.set({ head: secondHead, base: 'main' });

    await previewChanges(seen(clock.now(), firstHead), ports);

    expect(hub.statuses.map(({ commit }) => commit)).toEqual([secondHead]);
  });

  test.each([
    ['merged', { state: 'closed' }, 'it is not open'],
    ['made a draft', { draft: true }, 'it is a draft'],
  ])('[N-14] one that is %s while it is looked at is told nothing', async (_, change, reason) => {
    const { hub, logger, run, ports } = await open();
    const predict = async (pull: Pull, compared: Compared) => {
      hub.set({ head: firstHead, base: 'main', ...change });
      return ports.predict(pull, compared);
    };

    await run({ predict });

    expect([hub.statuses, hub.comments]).toEqual([[], []]);
    expect(logger.lines.at(-1)).toMatchObject({ message: 'pull request skipped', fields: { reason } });
  });

  test('[N-14] a run that is too late to be alone does not touch the comment', async () => {
    const { hub, clock, run, ports } = await open();
    const predict = async (pull: Pull, compared: Compared) => {
      clock.advance(151);
      return ports.predict(pull, compared);
    };

    await expect(run({ predict })).rejects.toBeInstanceOf(Transient);

    expect(hub.comments).toEqual([]);
  });

  test('[N-14] a run that died is made good by the next, once its time is over', async () => {
    const { hub, clock, run, ports } = await open();
    const notes = { ...ports.notes, end: async () => false };
    const dying = run({
      notes,
      pulls: {
        ...ports.pulls,
        setStatus: async () => {
          throw new Error('the process died');
        },
      },
    });
    await expect(dying).rejects.toThrow('died');
    await expect(run()).rejects.toBeInstanceOf(Transient);

    clock.advance(151);
    await run();

    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(1);
    expect(hub.statuses).toHaveLength(1);
  });

  test('[N-14] a pull request that reaches no pool gets a status and no comment', async () => {
    const { hub, run } = await open();

    await run({ predict: async (pull) => aPreview({ state: stateOf(pull), clusters: [] }) });

    expect(hub.statuses[0]?.body).toHaveProperty('description', 'Into main: Re-renders no pool: no node is disrupted.');
    expect(hub.comments).toEqual([]);
  });

  test('[N-14] and when it reached one before, its comment says that it does not any more', async () => {
    const { hub, clock, run } = await open();
    await run();

    clock.advance(60);
    hub.set({ head: secondHead, base: 'main' });
    await run({ predict: async (pull) => aPreview({ state: stateOf(pull), clusters: [] }) });

    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.body).toContain('Re-renders no pool');
  });

  test.each([
    ['a draft', { draft: true }],
    ['closed', { state: 'closed' }],
  ])('[N-14] a pull request that is %s by now is left alone', async (_, change) => {
    const { hub, run } = await open();
    hub.set({ head: firstHead, base: 'main', ...change });

    await run();

    expect([hub.statuses, hub.comments]).toEqual([[], []]);
  });
});

describe('the one comment', () => {
  test('[N-14] is found by its marker when the table was lost', async () => {
    const { hub, run } = await open();
    hub.comments.push(aComment(7, ourUser, `${commentMarker}\nold`));

    await run();

    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(1);
  });

  test('[N-14] is never somebody else’s, whatever that says', async () => {
    const { hub, run } = await open();
    hub.comments.push(aComment(7, 666, `${commentMarker}\nmine now`));

    await run();

    expect(hub.comments.map(({ user, edits }) => [user, edits])).toEqual([
      [666, 0],
      [ourUser, 0],
    ]);
  });

  test('[N-14] is found on a later page', async () => {
    const { hub, run } = await open();
    for (let id = 1; id <= 230; id += 1) hub.comments.push(aComment(id, 666, 'LGTM'));
    hub.comments.push(aComment(231, ourUser, `${commentMarker}\nold`));

    await run();

    expect(hub.comments).toHaveLength(231);
    expect(hub.comments.at(-1)?.edits).toBe(1);
  });

  test('[N-14] is made again when somebody deleted it', async () => {
    const { hub, clock, run } = await open();
    await run();
    hub.comments.splice(0);

    clock.advance(60);
    hub.set({ head: secondHead, base: 'main' });
    await run();

    expect(hub.comments).toHaveLength(1);
  });

  test('[N-14] is not made twice when GitHub made it and the answer got lost', async () => {
    const { hub, run } = await open();
    hub.fail({ request: /^POST .*\/comments/, status: 502, isDone: true });

    await expect(run()).rejects.toBeInstanceOf(Transient);
    await run();

    expect(hub.comments).toHaveLength(1);
    expect(hub.comments[0]?.edits).toBe(1);
  });
});

describe('a pull request from a fork', () => {
  test.each([
    ['nothing', 0, 0],
    ['status', 1, 0],
    ['comment', 1, 1],
  ] as const)('[N-14] forks: %s gets %i statuses and %i comments', async (forks, statuses, comments) => {
    const { hub, run } = await open({ forks });
    hub.set({ head: firstHead, base: 'main', from: 'mallory/platform' });

    await run();

    expect([hub.statuses.length, hub.comments.length]).toEqual([statuses, comments]);
  });

  test('[N-14] is one when its repository is gone', async () => {
    const { hub, run } = await open();
    hub.set({ head: firstHead, base: 'main', from: null });

    await run();

    expect(hub.comments).toEqual([]);
  });
});

describe('when GitHub will not', () => {
  test.each([
    [{ status: 429, headers: { 'retry-after': '60' } }, 60],
    [{ status: 403, headers: { 'x-ratelimit-remaining': '0' } }, 60],
    [{ status: 403, message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' }, 60],
    [
      {
        status: 403,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Date.parse('2026-03-02T12:10:00Z') / 1000),
          date: 'Mon, 02 Mar 2026 12:00:00 GMT',
        },
      },
      600,
    ],
  ])('[N-14] %j: comes again when GitHub says, and then tells', async (refusal, seconds) => {
    const { hub, run } = await open();
    hub.fail({ request: /^POST .*\/comments/, ...refusal });

    const failure = await run().catch((error: unknown) => error);
    await run();

    expect(failure).toBeInstanceOf(Transient);
    expect(failure).toMatchObject({ kind: 'busy', retryAfterSeconds: seconds });
    expect(hub.comments).toHaveLength(1);
    expect(hub.statuses.map(({ body }) => body)).toEqual([
      expect.not.objectContaining({ target_url: expect.anything() }),
      expect.objectContaining({ target_url: expect.stringContaining('#issuecomment-') }),
    ]);
  });

  test('[N-14] an edit that the secondary rate limit keeps back is made up for, and nothing is called refused', async () => {
    const { hub, logger, metrics, run } = await open();
    await run();
    hub.set({ head: secondHead, base: 'main' });
    const message = 'You have exceeded a secondary rate limit and have been temporarily blocked from content creation.';
    hub.fail({ request: /^PATCH .*\/comments/, status: 403, message });

    await expect(run()).rejects.toThrow('GitHub limits our requests');
    await run();

    expect(hub.comments[0]?.edits).toBe(1);
    expect(hub.statuses.map(({ commit }) => commit)).toEqual([firstHead, secondHead, secondHead]);
    expect(metrics.counts).toEqual({ PreviewsTold: 2 });
    expect(JSON.stringify(logger.lines)).not.toContain('content creation');
  });

  test('[N-14] [N-30] while only comments are limited, the new head has its status all the same', async () => {
    const { hub, metrics, run } = await open();
    await run();
    hub.set({ head: secondHead, base: 'main' });
    hub.fail({ request: /comments/, status: 403, message: 'You have exceeded a secondary rate limit.', times: 100 });

    await expect(run()).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 60 });

    expect(hub.statuses.at(-1)).toMatchObject({
      commit: secondHead,
      body: { description: 'Into main: Reboots 3 nodes: worker, about 45 min.' },
    });
    expect(hub.comments[0]?.body).toContain(firstHead.slice(0, 9));
    expect(metrics.counts).toEqual({ PreviewsTold: 1 });
  });

  test('[N-14] a status that is limited comes again, and of both the longer wait counts', async () => {
    const { hub, run } = await open();
    hub.fail({ request: /comments/, status: 429, headers: { 'retry-after': '900' } });
    hub.fail({ request: /statuses/, status: 429, headers: { 'retry-after': '60' } });

    await expect(run()).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 900 });
    await run();

    expect([hub.comments.length, hub.statuses.length]).toEqual([1, 1]);
  });

  test('[N-30] while only statuses are limited, a comment is edited once, and again where there is more to say', async () => {
    const { hub, run } = await open();
    await run();
    hub.set({ head: secondHead, base: 'main' });
    hub.fail({ request: /statuses/, status: 403, message: 'You have exceeded a secondary rate limit.', times: 3 });
    const failing = () => expect(run()).rejects.toMatchObject({ kind: 'busy' });

    await failing();
    await failing();
    await expect(
      run({ predict: async (pull) => aPreview({ state: stateOf(pull), clusters: [] }) }),
    ).rejects.toMatchObject({ kind: 'busy' });
    const edited = hub.comments[0]?.edits;
    await run({ predict: async (pull) => aPreview({ state: stateOf(pull), clusters: [] }) });

    expect([edited, hub.comments[0]?.edits, hub.comments.length]).toEqual([2, 2, 1]);
    expect(hub.statuses.at(-1)).toMatchObject({
      commit: secondHead,
      body: { target_url: expect.stringContaining('#issuecomment-') },
    });
  });

  test.each(['fails', 'dies'])(
    '[N-29] [N-30] what is no longer said is said again, if the attempt that changed it %s',
    async (how) => {
      const { hub, clock, ports, run } = await open();
      const message = 'You have exceeded a secondary rate limit.';
      const calm = async (pull: Pull) => aPreview({ state: stateOf(pull), clusters: [] });
      hub.fail({ request: /statuses/, status: 403, message });
      await expect(run()).rejects.toMatchObject({ kind: 'busy' });
      hub.fail({ request: /statuses/, status: 502 });
      const dying = how === 'dies' ? { notes: { ...ports.notes, end: async () => false } } : {};
      await expect(run({ predict: calm, ...dying })).rejects.toMatchObject({ kind: 'unreachable' });
      clock.advance(151);

      await run();

      expect(hub.comments).toMatchObject([{ body: expect.stringContaining('Reboots 3 nodes') }]);
    },
  );

  test('[N-29] [N-30] what its limit kept back of the files is told as unknown, and read when GitHub says', async () => {
    const { hub, clock, ports } = await open();
    const event = seen(clock.now());
    const unknown = [{ path: 'nodes/chrony.yaml', why: 'GitHub limits our requests (file)' }];
    const told = (change: Partial<Preview>) => ({
      ...ports,
      predict: async (pull: Pull) => aPreview({ state: stateOf(pull), clusters: [], ...change }),
    });

    const first = await previewChanges(event, told({ unknown, keptBackSeconds: 600 })).catch((error: unknown) => error);
    clock.advance(600);
    await previewChanges(event, told({}));
    await previewChanges(event, told({}));

    expect(first).toMatchObject({ name: 'Transient', kind: 'busy', retryAfterSeconds: 600 });
    expect(hub.statuses).toHaveLength(2);
    expect(hub.statuses[1]?.body).toHaveProperty('description', 'Into main: Re-renders no pool: no node is disrupted.');
  });

  test.each([401, 403, 404, 410, 422])(
    '[N-14] a %i for the comment is said once, and the status is made',
    async (status) => {
      const { hub, logger, metrics, run } = await open();
      hub.fail({ request: /^POST .*\/comments/, status, times: 9 });

      await run();

      expect(hub.statuses).toHaveLength(1);
      expect(metrics.counts).toEqual({ PreviewsRefused: 1 });
      expect(JSON.stringify(logger.lines)).toContain(`GitHub answered ${status} (a comment on pull request 12`);
      expect(JSON.stringify(logger.lines)).not.toContain('token-1');
    },
  );

  test('[N-14] a 404 for the pull request itself ends it', async () => {
    const { hub, metrics, run } = await open();
    hub.fail({ request: /^GET .*\/pulls\//, status: 404, times: 9 });

    await run();

    expect(hub.requests).toHaveLength(1);
    expect(metrics.counts).toEqual({ PreviewsRefused: 1 });
  });

  test.each([500, 503])('[N-14] a %i is tried again', async (status) => {
    const { hub, run } = await open();
    hub.fail({ request: /^GET .*\/pulls\//, status });

    await expect(run()).rejects.toBeInstanceOf(Transient);
    await run();

    expect(hub.comments).toHaveLength(1);
  });

  test('[N-14] a redirect of a renamed repository is not followed with the token', async () => {
    const { hub, metrics, run } = await open();
    hub.fail({ request: /^GET .*\/pulls\//, status: 301, headers: { location: 'http://127.0.0.1:1/elsewhere' } });

    await run();

    expect(metrics.counts).toEqual({ PreviewsRefused: 1 });
  });
});

test('[N-14] a pull request that changes at every look is given up for now', async () => {
  const { hub, run, ports } = await open();
  let n = 0;
  const predict = async (pull: Pull, compared: Compared) => {
    n += 1;
    hub.set({ head: String(n).repeat(40), base: 'main' });
    return ports.predict(pull, compared);
  };

  await expect(run({ predict })).rejects.toMatchObject({ retryAfterSeconds: 60 });

  expect(n).toBe(3);
  expect(hub.comments).toEqual([]);
});

test('[N-14] [N-30] a base that is set back while its pull request is predicted is looked at again', async () => {
  const { hub, run } = await open();
  const bases = [mergeBase, tip, tip, tip];
  const { predict, compared } = noting();

  await run({
    predict,
    parting: async () => {
      const base = bases.shift() ?? '';
      return { tip: base, mergeBase: base };
    },
  });

  expect(compared.map(({ before }) => before)).toEqual([mergeBase, tip]);
  expect(hub.statuses).toHaveLength(1);
});

/** Calm previews, and what was compared for them. */
function noting() {
  const compared: Compared[] = [];
  const predict = async (pull: Pull, asked: Compared): Promise<Preview> => {
    compared.push(asked);
    return aPreview({ state: stateOf(pull), clusters: [] });
  };
  return { predict, compared };
}

describe('a pull request that is behind its base', () => {
  /** What is compared for one of which GitHub says this. */
  async function openBehind(
    said: Pick<PullRequest, 'mergeable' | 'mergeCommit'>,
    parents: Readonly<Record<string, readonly string[]>> = {},
  ) {
    const opened = await open();
    const { predict, compared } = noting();
    const asked: string[] = [];
    const ports: PreviewPorts = {
      ...opened.ports,
      predict,
      parting: async (): Promise<Parting> => ({ tip, mergeBase }),
      parentsOf: async (repository, commit) => {
        asked.push(`${repository} ${commit}`);
        return parents[commit];
      },
      mergeBaseOf: async (_, one) => (one === earlierTip ? one : mergeBase),
    };
    const say = (now: typeof said) => opened.hub.set({ head: firstHead, base: 'main', ...now });
    say(said);
    const event = seen(opened.clock.now());
    const run = (change: Partial<PreviewPorts> = {}) => previewChanges(event, { ...ports, ...change });
    return { ...opened, compared, asked, say, run };
  }

  test('[S1-15] is judged by what GitHub makes of it and its base, also from a fork', async () => {
    const { hub, compared, asked, run } = await openBehind({}, { [testMerge]: [tip, firstHead] });
    hub.set({ head: firstHead, base: 'main', from: 'mallory/platform', mergeable: true, mergeCommit: testMerge });

    await run();

    expect(compared).toEqual([{ before: tip, after: testMerge }]);
    expect(asked).toEqual([`acme/platform ${testMerge}`]);
  });

  test.each([
    ['what the base branch has no more', ['8'.repeat(40), firstHead]],
    ['another head', [tip, secondHead]],
    ['both in turn', [firstHead, tip]],
    ['one commit', [tip]],
    ['three', [tip, firstHead, secondHead]],
    ['nothing that is there', undefined],
  ])('[S1-15] is not judged by a test merge that is of %s, but looked at again', async (_, parents) => {
    const { hub, compared, run } = await openBehind(
      { mergeable: true, mergeCommit: testMerge },
      parents && { [testMerge]: parents },
    );

    await expect(run()).rejects.toMatchObject({ name: 'Transient', retryAfterSeconds: 5 });

    expect([compared, hub.statuses, hub.comments]).toEqual([[], [], []]);
  });

  test('[S1-15] is judged at once by a test merge of an earlier base, with what that has changed since', async () => {
    const { compared, run } = await openBehind(
      { mergeable: true, mergeCommit: testMerge },
      { [testMerge]: [earlierTip, firstHead] },
    );

    await run();

    const since = { tip, why: 'its base has gone on since GitHub tested the merge' };
    expect(compared).toEqual([{ before: earlierTip, after: testMerge, since }]);
  });

  test.each([{}, { mergeable: null }, { mergeable: null, mergeCommit: null }, { mergeable: true, mergeCommit: null }])(
    '[S1-15] %j: is told once GitHub has tested the merge',
    async (said) => {
      const { hub, clock, compared, say, run } = await openBehind(said, { [testMerge]: [tip, firstHead] });

      await expect(run()).rejects.toBeInstanceOf(Transient);
      clock.advance(5);
      await expect(run()).rejects.toMatchObject({ retryAfterSeconds: 30 });
      clock.advance(30);
      say({ mergeable: true, mergeCommit: testMerge });
      await run();

      expect(compared).toEqual([{ before: tip, after: testMerge }]);
      expect(hub.statuses).toHaveLength(1);
    },
  );

  describe('while GitHub makes another test merge than one of an earlier base', () => {
    const newer = '7'.repeat(40);
    const parents = { [testMerge]: [earlierTip, firstHead], [newer]: [tip, firstHead] };
    const making = { mergeable: null, mergeCommit: testMerge };

    test('[S1-15] is judged by the newer one', async () => {
      const { clock, compared, say, run } = await openBehind(making, parents);

      await expect(run()).rejects.toMatchObject({ name: 'Transient', retryAfterSeconds: 5 });
      clock.advance(5);
      say({ mergeable: true, mergeCommit: newer });
      await run();

      expect(compared).toEqual([{ before: tip, after: newer }]);
    });

    test('[S1-15] is judged by the earlier one after a minute', async () => {
      const { clock, compared, run } = await openBehind(making, parents);

      clock.advance(60);
      await run();

      expect(compared).toMatchObject([{ before: earlierTip, after: testMerge }]);
    });
  });

  test('[S1-15] is told as unknown after a minute, in as many attempts as a queue makes', async () => {
    const { hub, clock, compared, run } = await openBehind({ mergeable: null });
    let attempts = 1;

    for (let failed = await failureOf(run()); failed !== undefined; failed = await failureOf(run())) {
      clock.advance(failed.retryAfterSeconds ?? 0);
      attempts += 1;
    }

    expect(attempts).toBe(4);
    const since = { tip, why: 'GitHub does not say what merging it gives' };
    expect(compared).toEqual([{ before: mergeBase, after: firstHead, since }]);
    expect(hub.statuses).toHaveLength(1);
  });

  test('[S1-15] is not known while it conflicts, which is told at once', async () => {
    const { hub, compared, asked, run } = await openBehind({ mergeable: false, mergeCommit: testMerge });

    await run();

    const since = { tip, why: 'GitHub says that it conflicts with its base' };
    expect(compared).toEqual([{ before: mergeBase, after: firstHead, since }]);
    expect([asked, hub.statuses.length]).toEqual([[], 1]);
  });

  test('[S1-15] is judged once, however its base goes on meanwhile', async () => {
    const { hub, compared, run } = await openBehind(
      { mergeable: true, mergeCommit: testMerge },
      { [testMerge]: [tip, firstHead] },
    );
    const tips = [tip, ...Array.from('123456789', (digit) => digit.repeat(40))];

    await run({ parting: async () => ({ tip: tips.shift() ?? '', mergeBase }) });

    expect(compared).toEqual([{ before: tip, after: testMerge }]);
    expect(hub.statuses).toHaveLength(1);
  });
});

async function failureOf(run: Promise<void>): Promise<Transient | undefined> {
  try {
    await run;
    return undefined;
  } catch (cause) {
    if (cause instanceof Transient) return cause;
    throw cause;
  }
}

test('[S1-15] of a pull request that has all of its base, GitHub is asked nothing about its merge', async () => {
  const { hub, run } = await open();
  const { predict, compared } = noting();
  hub.set({ head: firstHead, base: 'main', mergeable: false, mergeCommit: testMerge });

  await run({ predict, parentsOf: () => Promise.reject(new Error('asked')) });

  expect(compared).toEqual([{ before: mergeBase, after: firstHead }]);
});

test('[N-14] a cluster that cannot be seen is said to be unknown, never fine', async () => {
  const { hub, run } = await open();
  const outOfSight = [{ cluster: 'cluster 1', why: 'it does not answer' }];

  await run({
    predict: async (pull) => aPreview({ state: stateOf(pull), clusters: [], outOfSight }),
  });

  expect(hub.statuses[0]?.body).toHaveProperty(
    'description',
    'Into main: 1 cluster not checked: nodes may reboot there.',
  );
  expect(hub.comments).toHaveLength(1);
  expect(aPreviewedPool().class).toBe('reboot');
});

test('[N-14] where an Argo CD did not answer, what is known is told, and the event comes again until it does', async () => {
  const { hub, run } = await open();
  const unread = [{ what: 'Argo CD' as const, name: '', mayReboot: true }];
  const preview = (isPartial: boolean, unreadable: typeof unread) => ({
    predict: async (pull: Pull) => aPreview({ state: stateOf(pull), clusters: [], isPartial, unreadable }),
  });

  await expect(run(preview(true, unread))).rejects.toThrow('an Argo CD did not answer');
  await run(preview(false, []));

  expect(hub.statuses.map(({ body }) => body)).toMatchObject([
    { description: 'Into main: May reboot nodes: 1 Argo CD could not be read.' },
    { description: 'Into main: Re-renders no pool: no node is disrupted.' },
  ]);
  expect(hub.comments).toHaveLength(1);
});
