import { afterEach, describe, expect, test } from 'vitest';
import { redeliveryNotes } from '../../../functions/adapters/aws/redelivery-notes.ts';
import { githubAuthorization } from '../../../functions/adapters/github/github-authorization.ts';
import { githubDeliveries } from '../../../functions/adapters/github/github-deliveries.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { GithubHook } from '../../../functions/core/configuration/github.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { redeliver } from '../../../functions/redeliver/redeliver.ts';
import type { RedeliverPorts } from '../../../functions/redeliver/redeliver-ports.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fakeClock, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { idOf, startGithub } from '../github-stand-in.ts';
import { fakeSecrets } from '../receiving.ts';

const ofRepository: GithubHook = { repository: 'acme/platform', id: 7 };
const ofOrganization: GithubHook = { organization: 'acme', id: 9 };
const minutesAgo = (minutes: number) => new Date(Date.parse('2026-03-02T12:00:00Z') - minutes * 60_000).toISOString();

let endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings) await end();
  endings = [];
});

async function open(
  options: { readonly hooks?: readonly GithubHook[]; readonly path?: string; readonly pageSize?: number } = {},
) {
  const { hooks = [ofRepository], path = '/repos/acme/platform/hooks/7', pageSize } = options;
  const github = await startGithub(path, pageSize);
  const table = await startEmbeddedTable();
  endings.push(github.close, table.stop);
  const clock = fakeClock('2026-03-02T12:00:00Z');
  const logger = fakeLogger();
  const metrics = fakeMetrics();
  const secrets = fakeSecrets({ 'github-token': ['token-1\n'] });
  const ports: RedeliverPorts = {
    hooks,
    hasLimitPerOwner: false,
    deliveries: githubDeliveries({
      deadline: systemRuntime.deadline,
      api: github.api,
      authorization: githubAuthorization({
        deadline: systemRuntime.deadline,
        settings: { api: github.api, tokenSecret: 'github-token' },
        secrets,
        clock: clock.now,
      }),
    }),
    notes: redeliveryNotes({ newId: systemRuntime.newId, client: table.client, table: table.table, clock: clock.now }),
    clock: clock.now,
    logger,
    metrics,
  };
  return {
    github,
    clock,
    logger,
    metrics,
    ports,
    run: (change: Partial<RedeliverPorts> = {}) => redeliver({ ...ports, ...change }),
  };
}

describe('lost deliveries', () => {
  test('[N-19] a push that did not arrive is asked for again, once, by its newest attempt', async () => {
    const { github, metrics, run } = await open();
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.deliver({ guid: 'arrived', delivered_at: minutesAgo(8), status_code: 202 });

    await run();
    await run();

    expect(github.redelivered).toEqual([1]);
    expect(metrics.counts).toEqual({ DeliveriesLost: 1, DeliveriesRedelivered: 1 });
    expect([...github.tokens]).toEqual(['Bearer token-1']);
  });

  test('[N-19] what has arrived since, is old, or is no push is left alone', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'mended', delivered_at: minutesAgo(9) });
    github.deliver({ guid: 'mended', delivered_at: minutesAgo(5), status_code: 200, redelivery: true });
    github.deliver({ guid: 'old', delivered_at: minutesAgo(31) });
    github.deliver({ guid: 'ping', delivered_at: minutesAgo(2), event: 'ping' });

    await run();

    expect(github.redelivered).toEqual([]);
  });

  test('[N-19] a redelivery that fails too is not asked for a second time', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    await run();
    // Newer than the redelivery, and failed.
    github.deliver({ guid: 'other', delivered_at: minutesAgo(1) });

    await run();
    await run();

    expect(github.redelivered).toHaveLength(2);
    expect(new Set(github.redelivered).size).toBe(2);
  });

  test('[N-19] an organization’s webhook is looked after by its own path', async () => {
    const { github, run } = await open({ hooks: [ofOrganization], path: '/orgs/acme/hooks/9' });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(1) });

    await run();

    expect(github.requests).toEqual([
      'GET /orgs/acme/hooks/9/deliveries?per_page=100',
      'POST /orgs/acme/hooks/9/deliveries/3804004623172239361/attempts',
    ]);
  });

  test('[N-19] [N-30] one repository of an organization whose pushes are all refused takes the place of no other', async () => {
    const { github, run } = await open({ hooks: [ofOrganization], path: '/orgs/acme/hooks/9' });
    for (let n = 1; n <= 60; n += 1) {
      github.loseAlways(`refused-${n}`);
      github.deliver({ guid: `refused-${n}`, repository_id: 1, delivered_at: minutesAgo(25) });
    }
    github.deliver({ guid: 'first', repository_id: 2, delivered_at: minutesAgo(6) });
    github.deliver({ guid: 'second', repository_id: 2, delivered_at: minutesAgo(5) });

    await run();

    expect(github.redelivered).toHaveLength(20);
    expect(github.redelivered.slice(0, 4)).toEqual([1, 61, 2, 62]);
  });

  test('[N-19] at most twenty in a run, the oldest first, the rest in the next', async () => {
    const { github, run } = await open();
    for (let n = 25; n > 0; n -= 1) github.deliver({ guid: `lost-${n}`, delivered_at: minutesAgo(n) });

    await run();
    const first = [...github.redelivered];
    await run();

    expect(first).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(github.redelivered).toHaveLength(25);
    expect(new Set(github.redelivered).size).toBe(25);
  });
});

describe('what never arrives', () => {
  test('[N-30] [N-19] takes no place of a push that was lost later', async () => {
    const { clock, github, run } = await open();
    for (let n = 24; n >= 0; n -= 1) {
      github.deliver({ guid: `never-${n}`, delivered_at: minutesAgo(n) });
      github.loseAlways(`never-${n}`);
    }
    await run();
    await run();
    const before = github.redelivered.length;
    clock.advance(300);
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(-4) });

    await run();

    expect(before).toBe(25);
    // It came after 25 and their redeliveries.
    expect(github.redelivered.slice(before)).toEqual([51]);
  });
});

describe('how the list is read', () => {
  test('[N-19] ids of 64 bits are asked for as they are, beside shorter ones', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'short', delivered_at: minutesAgo(9), listedAs: { id: 199287304442 } });
    github.deliver({ guid: 'long', delivered_at: minutesAgo(8) });

    await run();

    expect(github.requests.slice(1)).toEqual([
      'POST /repos/acme/platform/hooks/7/deliveries/199287304442/attempts',
      `POST /repos/acme/platform/hooks/7/deliveries/${idOf(2)}/attempts`,
    ]);
  });

  test('[N-19] [N-29] an entry that cannot be read is told, after the others were asked for', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'odd', delivered_at: minutesAgo(9), listedAs: { status_code: null } });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(8) });

    const failure = await run().catch((error: unknown) => error);

    expect(github.redelivered).toEqual([2]);
    expect(failure).toBeInstanceOf(Transient);
    expect(String(failure)).toContain("1 deliveries in GitHub's list for acme/platform/7 could not be read");
  });

  test.each([
    ['is no push', { event: 'ping', status_code: null }],
    ['is old', { delivered_at: minutesAgo(31), status_code: null }],
  ])('[N-19] an entry that cannot be read and %s is left alone', async (_, listedAs) => {
    const { github, run } = await open();
    github.deliver({ guid: 'odd', delivered_at: minutesAgo(9), listedAs });

    await run();

    expect(github.redelivered).toEqual([]);
  });

  test('pages are followed by their cursor until they are older than half an hour, never to another host', async () => {
    const { github, run } = await open({ pageSize: 2 });
    github.deliver({ guid: 'too old to be asked about', delivered_at: minutesAgo(90) });
    github.deliver({ guid: 'ends it', delivered_at: minutesAgo(60) });
    github.deliver({ guid: 'old', delivered_at: minutesAgo(45) });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(20) });
    github.deliver({ guid: 'fine', delivered_at: minutesAgo(10), status_code: 200 });
    github.deliver({ guid: 'fine too', delivered_at: minutesAgo(9), status_code: 200 });

    await run();

    expect(github.redelivered).toEqual([4]);
    expect(github.requests.filter((each) => each.startsWith('GET'))).toEqual([
      'GET /repos/acme/platform/hooks/7/deliveries?per_page=100',
      'GET /repos/acme/platform/hooks/7/deliveries?per_page=100&cursor=v1_2',
    ]);
  });

  test('a list that did not change costs nothing of the rate limit', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'fine', delivered_at: minutesAgo(1), status_code: 200 });

    await run();
    await run();

    expect(github.notModified).toBe(1);
  });
});

describe('when GitHub will not', () => {
  test.each([
    [{ status: 429, headers: { 'retry-after': '60' } }, 60],
    [{ status: 403, headers: { 'x-ratelimit-remaining': '0' } }, 60],
    [{ status: 403, message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' }, 60],
  ])('[N-19] %j: asks nothing more in this run and gives its claim back', async (refusal, seconds) => {
    const { github, run } = await open({ hooks: [ofRepository, ofOrganization] });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.refuseNext('POST', refusal);

    const failure = await run().catch((error: unknown) => error);
    const asked = github.requests.length;
    await run({ hooks: [ofRepository] });

    expect(failure).toBeInstanceOf(Transient);
    expect(failure).toMatchObject({ kind: 'busy', retryAfterSeconds: seconds });
    expect(asked).toBe(2);
    expect(github.redelivered).toEqual([1]);
  });

  test('[N-19] [N-30] as an App, the limit of one owner keeps back the hooks of no other', async () => {
    const ofTenant: readonly GithubHook[] = [
      { organization: 'tenant', id: 1 },
      { repository: 'Tenant/shop', id: 2 },
    ];
    const { github, run } = await open({ hooks: [...ofTenant, ofRepository] });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.refuseNext('GET', { status: 403, headers: { 'x-ratelimit-remaining': '0' } });

    const failure = await run({ hasLimitPerOwner: true }).catch((error: unknown) => error);

    expect(failure).toMatchObject({ kind: 'busy' });
    expect(github.redelivered).toEqual([1]);
    expect(github.requests.filter((each) => each.includes('enant'))).toHaveLength(1);
  });

  test('[N-19] [N-30] each run begins at another hook, so that none is always last', async () => {
    const hooks = ['a', 'b', 'c'].map((organization) => ({ organization, id: 1 }));
    const { clock, github, run } = await open({ hooks });
    const firsts: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) {
      const before = github.requests.length;
      await run().catch(() => undefined);
      firsts.push(github.requests[before]);
      clock.advance(300);
    }

    expect(new Set(firsts).size).toBe(3);
  });

  test.each([401, 403, 404])('a %i of one hook says what to mend, and the others get their turn', async (status) => {
    const { github, run } = await open({ hooks: [ofOrganization, ofRepository] });
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.refuseNext('GET', { status });

    const failure = await run().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Misconfigured);
    expect(String(failure)).toContain(`GitHub answered ${status} (hook 9 of acme)`);
    expect(String(failure)).not.toContain('token-1');
    expect(github.redelivered).toEqual([1]);
  });

  test('[N-29] a redirect of a renamed repository is named as such, and not followed with the token', async () => {
    const { github, run } = await open();
    github.refuseNext('GET', { status: 301, headers: { location: '/repositories/1/hooks/7/deliveries' } });

    const failure = await run().catch((error: unknown) => error);

    expect(String(failure)).toContain('GitHub answered 301 (hook 7 of acme/platform): was it renamed?');
    expect(github.requests).toHaveLength(1);
  });

  test('a list that cannot be had is a failure that passes', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.refuseNext('GET', { status: 502 });

    await expect(run()).rejects.toBeInstanceOf(Transient);
    await run();

    expect(github.redelivered).toEqual([1]);
  });

  test('[N-19] a 5xx to a redelivery that was made all the same does not make it twice', async () => {
    const { github, run } = await open();
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    github.refuseNext('POST', { status: 502, after: true });

    await run();
    await run();

    expect(github.redelivered).toEqual([1]);
  });
});

describe('never twice', () => {
  test('[N-19] a run that dies right after it asked does not ask again', async () => {
    const { github, ports, run } = await open();
    github.deliver({ guid: 'lost', delivered_at: minutesAgo(9) });
    const dying = {
      ...ports.deliveries,
      async redeliver(hook: GithubHook, id: string): Promise<'asked'> {
        await ports.deliveries.redeliver(hook, id);
        throw new Error('the process died');
      },
    };
    // A dead process gives nothing back.
    const notes = { ...ports.notes, release: async () => {} };

    await expect(run({ deliveries: dying, notes })).rejects.toThrow('died');
    await run();

    expect(github.redelivered).toEqual([1]);
  });

  test('[N-19] of ten runs at once one asks', async () => {
    const { github, run } = await open();
    for (const guid of ['a', 'b', 'c']) github.deliver({ guid, delivered_at: minutesAgo(9) });

    await Promise.all(Array.from({ length: 10 }, () => run()));

    expect(github.redelivered.toSorted()).toEqual([1, 2, 3]);
  });
});
