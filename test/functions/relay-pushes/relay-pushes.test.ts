import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { relay } from '../../../functions/relay-pushes/relay.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fc, runs } from '../../property.ts';
import { commitB } from '../keep-pools/keep-lab.ts';
import { pushBody, type RelayLab, type RelayLabOptions, relayLab } from './relay-lab.ts';

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

const makeLab = (options?: RelayLabOptions): Promise<RelayLab> => relayLab(table, options);

describe('a push on its way through us to Argo CD', () => {
  it('[N-26] goes on when the MCO has observed the pause of its pools, not before, and once more after 30 s', async () => {
    const lab = await makeLab();

    const status = await lab.deliver();
    await lab.pass(5);
    const before = lab.argocd.got.length;
    lab.observe();
    await lab.pass(4);
    const first = lab.argocd.got.length;
    await lab.pass(25);
    const stillFirst = lab.argocd.got.length;
    await lab.pass(40);

    expect([status, before, first, stillFirst, lab.argocd.got.length]).toEqual([202, 0, 1, 1, 2]);
    expect(lab.argocd.got.every(({ wasConfirmed }) => wasConfirmed)).toBe(true);
    expect(lab.waiting()).toEqual([]);
    expect(lab.told().map(({ data }) => data)).toEqual([
      {
        cluster: 'prod',
        argocd: 'hub',
        endpoint: 'applications',
        delivery: expect.any(String),
        outcome: 'in order',
        waitedSeconds: expect.any(Number),
        why: 'confirmed paused: prod/worker',
      },
    ]);
  });

  it('[N-26] is the bytes that came, with the headers that Argo CD reads and no others', async () => {
    const lab = await makeLab();
    const body = pushBody({}, 'Änderung\u2028\u0000 – 🚀 "quoted" \\ \r\n');

    await lab.deliver({ body, id: 'd-bytes' });
    await lab.pass(1);
    lab.observe();
    await lab.pass(5);

    const [got] = lab.argocd.got;
    expect(got?.bytes.equals(Buffer.from(body))).toBe(true);
    expect(got?.path).toBe('/api/webhook');
    const { connection: _connection, host: _host, 'content-length': length, ...headers } = got?.headers ?? {};
    expect(Number(length)).toBe(Buffer.byteLength(body));
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'poolkeeper',
      'x-github-delivery': 'd-bytes',
      'x-github-event': 'push',
      'x-hub-signature': expect.stringMatching(/^sha1=[0-9a-f]{40}$/),
      'x-hub-signature-256': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
  });

  it('[N-26] goes on after 30 s without its pause, and that is told as late', async () => {
    const lab = await makeLab();

    await lab.deliver();
    await lab.pass(29);
    const before = lab.argocd.got.length;
    await lab.pass(3);

    expect([before, lab.argocd.got.length]).toEqual([0, 1]);
    expect(lab.told().map(({ data }) => [data.outcome, data.why])).toEqual([
      ['late', 'the pause of prod/worker is not confirmed'],
    ]);
    expect(lab.metrics.counts['RelaysLate']).toBe(1);
    const [entry] = await lab.keepLab.world.tables.timeline.latest(1);
    expect(entry?.text).toMatch(
      /^push relayed to Argo CD hub without protection, after 30 s: the pause of prod\/worker/,
    );
  });

  it('[N-26] [N-29] goes on at once when no Application is known to follow it, and says so', async () => {
    const lab = await makeLab();
    const repository = { htmlUrl: 'https://github.com/acme/other', fullName: 'acme/other', defaultBranch: 'main' };

    await lab.deliver({ body: pushBody({ repository }) });
    await lab.work();
    await lab.relays();

    expect(lab.argocd.got).toHaveLength(1);
    expect(lab.told().map(({ data }) => [data.outcome, data.why])).toEqual([
      ['in order', 'no watched Application is known to follow it'],
    ]);
  });

  it('[N-26] does not wait for a pool whose pause was confirmed for the push before', async () => {
    const lab = await makeLab();
    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(5);

    await lab.deliver({ body: pushBody({ after: 'c'.repeat(40) }) });
    await lab.work();
    await lab.relays();

    expect(lab.told().map(({ data }) => data.outcome)).toEqual(['in order', 'in order']);
  });

  it('[N-26] [S0-15] does not wait for a pool that a person has resumed in spite of this very push', async () => {
    const lab = await makeLab();
    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(5);
    lab.keepLab.world.pools.change('worker', 'oc', { paused: false });

    await lab.deliver();
    await lab.work();
    await lab.relays();

    expect(lab.argocd.got).toHaveLength(2);
  });

  it('[N-26] [S0-15] a later push waits for a pause of its own, although a person has resumed the pool before', async () => {
    const lab = await makeLab();
    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(5);
    lab.keepLab.world.pools.change('worker', 'oc', { paused: false });

    await lab.deliver({ body: pushBody({ after: 'c'.repeat(40) }) });
    await lab.work();
    await lab.relays();
    const before = lab.argocd.got.length;
    lab.observe();
    await lab.pass(5);

    expect([before, lab.argocd.got.length]).toEqual([1, 2]);
  });

  it('[N-26] waits while the cluster cannot be seen, and then goes on and says so', async () => {
    const lab = await makeLab();
    lab.keepLab.world.faults.failAll(['pools.list']);

    await lab.deliver();
    await lab.work().catch(() => undefined);
    await lab.pass(28);
    const before = lab.argocd.got.length;
    await lab.pass(5);

    expect([before, lab.argocd.got.length]).toEqual([0, 1]);
    expect(lab.told()[0]?.data).toMatchObject({
      outcome: 'late',
      why: expect.stringContaining('cluster prod was not read'),
    });
  });

  it('[N-26] waits while its Applications cannot be asked for, and then goes on and says so', async () => {
    const lab = await makeLab();
    lab.keepLab.world.faults.failAll(['argocd.list']);

    await lab.deliver();
    await lab.work().catch(() => undefined);
    await lab.pass(31);

    expect(lab.told()[0]?.data).toMatchObject({
      outcome: 'late',
      why: expect.stringContaining('its Applications could not be read'),
    });
  });

  it('[N-26] that deletes a branch which nobody follows goes on as soon as that is known', async () => {
    const lab = await makeLab();

    await lab.deliver({ body: pushBody({ deleted: true, ref: 'refs/heads/feature', after: '0'.repeat(40) }) });
    await lab.work();
    await lab.relays();

    expect(lab.argocd.got).toHaveLength(1);
    expect(lab.keepLab.pool().paused).toBe(false);
  });

  it.each([
    ['push', 'a push', { ...JSON.parse(pushBody()), after: 'main' }],
    ['push', 'a push without its repository', { ...JSON.parse(pushBody()), repository: undefined }],
    ['push', 'no push at all', []],
    ['pull_request', 'a pull request', { action: 'opened', number: 'seven' }],
  ])(
    '[N-26] [N-30] a signed %s that we refuse (%s) goes on at once, and the answer says so',
    async (event, _what, sent) => {
      const lab = await makeLab({ applicationSets: true, previews: true });
      const body = JSON.stringify(sent);

      const { status, reason } = await lab.deliverAndRead({ event, body });
      await lab.relays();
      const forged = await lab.deliverAndRead({ event, body, secret: 'guess' });
      await lab.relays();

      expect([status, forged.status]).toEqual([400, 401]);
      expect(reason).toMatch(/^[\w.]+: .*; no pool is paused for it, and it is passed on to Argo CD$/);
      const wanted = event === 'push' ? ['/api/webhook', '/appset/api/webhook'] : ['/appset/api/webhook'];
      expect(lab.argocd.got.map(({ path }) => path).toSorted()).toEqual(wanted);
      for (const { bytes, headers } of lab.argocd.got) {
        expect(bytes.equals(Buffer.from(body))).toBe(true);
        expect(headers['x-github-event']).toBe(event);
      }
      expect(lab.keepLab.world.work.take()).toEqual([]);
    },
  );

  it('[N-26] that no queue took is not passed on before it is delivered again: its pause is not under way', async () => {
    const lab = await makeLab();
    lab.keepLab.world.faults.failAll(['work.send'], new Transient('the queue is down'));

    const { status } = await lab.deliverAndRead();

    expect(status).toBe(503);
    expect(lab.waiting()).toEqual([]);
  });

  it('[N-26] of notes concerns no Application, so it goes on as it comes', async () => {
    const lab = await makeLab();

    await lab.deliver({ body: pushBody({ ref: 'refs/notes/commits' }) });
    await lab.relays();

    expect(lab.argocd.got).toHaveLength(1);
    expect(lab.told()).toEqual([]);
  });

  it('[N-26] forged bytes never get as far as a queue', async () => {
    const lab = await makeLab();

    const status = await lab.deliver({ secret: 'guessed' });

    expect(status).toBe(401);
    expect(lab.waiting()).toEqual([]);
  });
});

describe('duplicates and schedules', () => {
  it('[N-26] ten duplicates of every message make two sends and one line of the timeline', async () => {
    const lab = await makeLab();

    await lab.deliver({ id: 'd-ten' });
    lab.duplicate(10);
    await lab.pass(1);
    lab.observe();
    lab.duplicate(2);
    await lab.pass(5);
    lab.duplicate(1);
    await lab.deliver({ id: 'd-ten' });
    await lab.pass(90);

    expect(lab.argocd.got).toHaveLength(2);
    expect(new Set(lab.told().map(({ id }) => id)).size).toBe(1);
    expect(lab.waiting()).toEqual([]);
  });

  it('[N-26] whatever comes in which order, nothing goes on before its pools are confirmed, and nothing is lost', async () => {
    type Step = 'work' | 'relays' | 'observe' | 'duplicate' | 'second' | 'redeliver';
    const step = fc.constantFrom<Step>('work', 'relays', 'observe', 'duplicate', 'second', 'redeliver');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (schedule) => {
        const lab = await makeLab();
        const id = randomUUID();
        const steps: Readonly<Record<Step, () => unknown>> = {
          work: lab.work,
          relays: lab.relays,
          observe: lab.observe,
          duplicate: () => lab.waiting().length < 10 && lab.duplicate(1),
          redeliver: () => lab.deliver({ id }),
          second: () => lab.keepLab.world.clock.advance(1),
        };
        await lab.deliver({ id });
        for (const each of schedule) await steps[each]();
        const early = [...lab.argocd.got];
        await lab.pass(1);
        lab.observe();
        await lab.pass(100);

        expect(early.every(({ wasConfirmed }) => wasConfirmed)).toBe(true);
        expect(lab.argocd.got.every(({ wasConfirmed }) => wasConfirmed)).toBe(true);
        expect(lab.argocd.got).toHaveLength(2);
        expect(new Set(lab.told().map(({ data }) => data.outcome))).toEqual(new Set(['in order']));
        expect(lab.waiting()).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });

  it.each(['before', 'after'] as const)(
    '[N-26] a worker that dies %s any of its effects is made good by the next',
    async (when) => {
      for (const op of ['timeline.append', 'bus.publish'] as const) {
        const lab = await makeLab();
        const { faults } = lab.keepLab.world;
        await lab.deliver();
        await lab.pass(1);
        lab.observe();
        await lab.keepLab.world.clock.advance(2);
        await lab.work();
        faults.forget();
        faults.failNth(op, 1, { when });

        await lab.pass(60);

        expect(lab.argocd.got, op).toHaveLength(2);
        expect(new Set(lab.told().map(({ id }) => id)).size, op).toBe(1);
        expect(lab.dead(), op).toEqual([]);
      }
    },
  );
});

describe('an Argo CD that does not take it', () => {
  it.each(['down', 500, 503, 429] as const)('[N-26] %s: it is tried again until it does', async (answer) => {
    const lab = await makeLab();
    lab.argocd.answer = answer;
    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(8);
    const toldBefore = lab.told().length;

    lab.argocd.answer = undefined;
    await lab.pass(60);

    expect(toldBefore).toBe(0);
    expect(lab.told().map(({ data }) => data.outcome)).toEqual(['in order']);
    expect(lab.dead()).toEqual([]);
    const accepted = lab.argocd.got.slice(-2);
    expect(accepted).toHaveLength(2);
  });

  it('[N-26] for three minutes: it is given up, among the dead letters', async () => {
    const lab = await makeLab();
    lab.argocd.answer = 'down';

    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(200);

    expect(lab.dead()).toHaveLength(1);
    expect(lab.waiting()).toEqual([]);
  });

  it('[N-26] because its webhook secret is another: told with a hint, once, and not tried again', async () => {
    const lab = await makeLab();
    lab.argocd.answer = 400;

    await lab.deliver({ id: 'd-refused' });
    lab.duplicate(10);
    await lab.pass(1);
    lab.observe();
    await lab.pass(60);

    expect(lab.argocd.got).toHaveLength(1);
    expect(lab.told().map(({ data }) => data)).toMatchObject([
      { outcome: 'refused', why: expect.stringContaining('webhook.github.secret') },
    ]);
    expect(lab.metrics.counts['RelaysRefused']).toBe(1);
    expect(lab.dead()).toEqual([]);
  });

  it('[N-26] and takes it when it is delivered again, once that was set right', async () => {
    const lab = await makeLab();
    lab.argocd.answer = 400;
    await lab.deliver({ id: 'd-again' });
    await lab.pass(1);
    lab.observe();
    await lab.pass(10);

    lab.argocd.answer = undefined;
    await lab.deliver({ id: 'd-again' });
    await lab.pass(60);

    expect(lab.argocd.got).toHaveLength(3);
    expect(lab.told().map(({ data }) => data.outcome)).toEqual(['refused', 'in order']);
  });
});

describe('a push that Argo CD did not get', () => {
  /** It is paused for and confirmed, Argo CD does not take it, and some minutes pass: after 15 its hold is over. */
  async function missed(answer: 400 | 'down', minutes = 25): Promise<{ readonly lab: RelayLab; readonly id: string }> {
    const lab = await makeLab();
    const id = randomUUID();
    lab.argocd.answer = answer;
    await lab.deliver({ id });
    await lab.pass(1);
    lab.observe();
    await lab.pass(answer === 'down' ? 200 : 10);
    for (let minute = 0; minute < minutes; minute += 1) {
      lab.keepLab.world.clock.advance(60);
      await lab.keepLab.tick();
      await lab.relays();
    }
    lab.argocd.answer = undefined;
    return { lab, id };
  }

  const moveBack = (lab: RelayLab) => relay(JSON.parse(lab.dead()[0] ?? ''), lab.relayPorts);
  const lastTold = (lab: RelayLab) => lab.told().at(-1)?.data;
  const accepted = (lab: RelayLab) => lab.argocd.got.slice(1);

  it.each(['the relay', 'keep-pools'])(
    '[N-26] [N-29] refused and delivered again: it waits for a pause of its own, %s being first',
    async (first) => {
      const { lab, id } = await missed(400);
      const resumed = lab.keepLab.pool().paused;

      await lab.deliver({ id });
      if (first === 'keep-pools') await lab.work();
      await lab.relays();
      await lab.pass(5);
      const before = accepted(lab).length;
      const isPaused = lab.keepLab.pool().paused;
      lab.observe();
      await lab.pass(5);

      expect([resumed, before, isPaused]).toEqual([false, 0, true]);
      expect(accepted(lab)).toMatchObject([{ wasPaused: true }]);
      expect(lastTold(lab)).toMatchObject({ outcome: 'in order', why: 'confirmed paused: prod/worker' });
    },
  );

  it('[N-26] [N-29] a dead letter that is delivered again at GitHub waits for a pause of its own', async () => {
    const { lab, id } = await missed('down');

    await lab.deliver({ id });
    await lab.pass(5);
    const before = lab.argocd.got.length;
    lab.observe();
    await lab.pass(5);

    expect(before).toBe(0);
    expect(lab.argocd.got).toMatchObject([{ wasPaused: true }]);
    expect(lastTold(lab)).toMatchObject({ outcome: 'in order' });
  });

  it('[N-26] [N-29] a dead letter that is moved back once its pause has ended is told as late', async () => {
    const { lab } = await missed('down');

    await moveBack(lab);

    expect(lab.argocd.got).toMatchObject([{ wasPaused: false }]);
    expect(lastTold(lab)).toMatchObject({ outcome: 'late', why: 'the pause of prod/worker has ended' });
    expect(lab.metrics.counts['RelaysLate']).toBe(1);
  });

  it('[N-26] a dead letter that is moved back while its pools are still paused is in order', async () => {
    const { lab } = await missed('down', 2);

    await moveBack(lab);

    expect(lab.argocd.got).toMatchObject([{ wasPaused: true }]);
    expect(lastTold(lab)).toMatchObject({ outcome: 'in order', why: 'confirmed paused: prod/worker' });
  });

  it('[N-26] [N-29] [S0-15] of a dead letter whose pool a person has resumed since, that is said', async () => {
    const { lab } = await missed('down', 1);
    lab.keepLab.world.pools.change('worker', 'oc', { paused: false });
    lab.keepLab.world.clock.advance(60);
    await lab.keepLab.tick();

    await moveBack(lab);

    expect(lab.argocd.got).toMatchObject([{ wasPaused: false }]);
    expect(lastTold(lab)).toMatchObject({ outcome: 'in order', why: 'resumed since, and not waited for: prod/worker' });
  });

  it('[N-26] delivered again at the end of its hold is held for as long as a new one', async () => {
    const { lab, id } = await missed(400, 14);
    lab.keepLab.world.clock.advance(40);

    await lab.deliver({ id });
    await lab.pass(1);
    for (let minute = 0; minute < 5; minute += 1) {
      lab.keepLab.world.clock.advance(60);
      await lab.keepLab.tick();
      await lab.relays();
    }

    expect(accepted(lab).map(({ wasPaused }) => wasPaused)).toEqual([true, true]);
    expect(lab.keepLab.pool().paused).toBe(true);
  });

  it('[N-26] [S0-15] delivered again pauses a pool that a person had resumed in spite of it, as a later push does', async () => {
    const { lab, id } = await missed(400, 2);
    lab.keepLab.world.pools.change('worker', 'oc', { paused: false });
    lab.keepLab.world.clock.advance(60);
    await lab.keepLab.tick();

    await lab.deliver({ id });
    await lab.pass(2);
    lab.observe();
    await lab.pass(5);

    expect(accepted(lab)).toMatchObject([{ wasPaused: true }]);
  });

  it('[N-26] [S0-17] got at the second time pauses nothing when it is delivered once more', async () => {
    const { lab, id } = await missed(400);
    await lab.deliver({ id });
    await lab.pass(1);
    lab.observe();
    await lab.pass(60);
    for (let minute = 0; minute < 25; minute += 1) {
      lab.keepLab.world.clock.advance(60);
      await lab.keepLab.tick();
    }
    const { patches } = lab.keepLab.world.pools;
    const [resumed, before] = [lab.keepLab.pool().paused, patches.length];

    await lab.deliver({ id });
    await lab.pass(40);

    expect([resumed, lab.keepLab.pool().paused, patches.length]).toEqual([false, false, before]);
    expect(accepted(lab)).toHaveLength(2);
  });
});

describe('a confirmed push that Argo CD takes only at a later try', () => {
  const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 4 * 3600 });

  it('[N-26] [N-29] is in order where its sync has come by polling and has ended, while its pool waits for its window', async () => {
    const lab = await makeLab({ lab: { windows: [fromNoon] } });
    await lab.keepLab.tick();
    lab.argocd.answer = 503;
    await lab.deliver();
    await lab.pass(2);
    lab.observe();
    await lab.pass(50);
    lab.keepLab.syncs(commitB);
    await lab.keepLab.tick();
    lab.keepLab.ends('Succeeded');
    await lab.pass(10);
    await lab.keepLab.tick();
    const { holds } = lab.keepLab.record() ?? {};
    lab.argocd.answer = undefined;
    await lab.pass(120);

    expect([holds, lab.argocd.got.every(({ wasPaused }) => wasPaused)]).toEqual([[], true]);
    expect(lab.told().at(-1)?.data).toMatchObject({ outcome: 'in order', why: 'confirmed paused: prod/worker' });
  });
});

it('[N-26] [N-30] a confirmed push goes on though the last look at its cluster cannot be read', async () => {
  const lab = await makeLab();
  await lab.deliver();
  await lab.pass(1);
  lab.observe();
  await lab.keepLab.tick();
  const [message] = lab.waiting();
  const load = async () => {
    throw new Transient('the stored memory#prod memory cannot be parsed at told');
  };

  await relay(JSON.parse(message?.body ?? ''), { ...lab.relayPorts, checkpoints: { load } });

  expect(lab.argocd.got).toMatchObject([{ wasPaused: true, wasConfirmed: true }]);
  expect(lab.told()).toMatchObject([{ data: { outcome: 'in order', why: 'confirmed paused: prod/worker' } }]);
});

describe('other events', () => {
  it('[N-26] a ping goes on once to every server, a pull request twice to that of ApplicationSets only', async () => {
    const lab = await makeLab({ applicationSets: true });

    await lab.deliver({ event: 'ping', body: '{"zen":"Keep it logically awesome."}' });
    await lab.deliver({ event: 'pull_request', body: '{"action":"opened","number":1}' });
    await lab.pass(60);

    const by = Map.groupBy(lab.argocd.got, ({ headers, path }) => `${headers['x-github-event']} ${path}`);
    expect(Object.fromEntries([...by].map(([key, got]) => [key, got.length]))).toEqual({
      'ping /api/webhook': 1,
      'ping /appset/api/webhook': 1,
      'pull_request /appset/api/webhook': 2,
    });
    expect(lab.told()).toEqual([]);
  });

  it('[N-26] a push goes on to both servers, each for itself', async () => {
    const lab = await makeLab({ applicationSets: true });

    await lab.deliver();
    await lab.pass(1);
    lab.observe();
    await lab.pass(60);

    expect(lab.argocd.got.map(({ path }) => path).sort()).toEqual([
      '/api/webhook',
      '/api/webhook',
      '/appset/api/webhook',
      '/appset/api/webhook',
    ]);
  });

  it.each(['issues', 'release'])('%s stay here', async (event) => {
    const lab = await makeLab({ applicationSets: true });

    await lab.deliver({ event, body: '{}' });

    expect(lab.waiting()).toEqual([]);
  });

  it('a message for an instance whose relay was taken out of the configuration ends quietly', async () => {
    const lab = await makeLab();
    await lab.deliver();
    await lab.relays();
    const [message] = lab.waiting();

    const configuration = { ...lab.relayPorts.configuration, argocd: [] };
    await relay(JSON.parse(message?.body ?? ''), { ...lab.relayPorts, configuration });

    expect(lab.argocd.got).toEqual([]);
  });
});
