import { describe, expect, test } from 'vitest';
import { cloudEvent, type RequestAsked } from '../../../events/index.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange } from '../../../functions/core/holds/manual-hold.ts';
import {
  emptyRunRecord,
  parseRunRecord,
  type RunRecord,
  runRecordText,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import type { AskedRequest, ClusterRequest } from '../../../functions/core/requests/asked-request.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { takeRequest } from '../../../functions/keep-pools/requests/take-request.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const anna = 'U0123456789';
const slackButtons = {
  signingSecret: 's',
  team: 'T0123456789',
  users: [],
  mayFreeze: [anna],
  mayResume: [anna],
  maySteer: [anna],
  acknowledgeForSeconds: 14_400,
};

/** Commands as receive-slack stores them, delivered to keep-pools as often as a test says. */
function commands(lab: KeepLab, ports = lab.ports) {
  const { askedRequests } = lab.world.tables;
  const answers: RequestAsked[] = [];
  const all = {
    ...ports,
    configuration: { ...ports.configuration, alerts: { ...ports.configuration.alerts, slackButtons } },
    askedRequests,
    requests: { send: async (event: RequestAsked) => void answers.push(event) },
  };
  let number = 0;
  async function store(request: ClusterRequest, change: Partial<AskedRequest> = {}): Promise<RequestAsked> {
    number += 1;
    const id = `command-${number}`;
    const at = lab.world.clock.now().toISOString();
    const answer = { channel: 'C0123456789', user: anna };
    const who = `anna (Slack ${anna})`;
    await askedRequests.save({ id, version: 0, cluster: 'prod', request, who, at, answer, state: 'asked', ...change });
    return cloudEvent({
      type: 'poolkeeper.request.asked.v1',
      id: `slack/${id}`,
      source: '/poolkeeper/receive-slack',
      subject: 'prod',
      time: lab.world.clock.now(),
      correlation: id,
      data: { id, cluster: 'prod' },
    });
  }
  return {
    answers,
    ports: all,
    store,
    deliver: (event: RequestAsked) => keep(event, all),
    async ask(request: ClusterRequest) {
      const event = await store(request);
      await keep(event, all);
      return (await askedRequests.load(event.data.id))?.outcome;
    },
  };
}

/** Commands about run upgrade, whose record is kept in `run.stored`. */
function runCommands(lab = keepLab(), first?: RunRecord) {
  const run = { stored: first && runRecordText(first) };
  const notHere = () => Promise.reject(new Error('not here'));
  const records = {
    load: async (namespace: string) =>
      run.stored === undefined || namespace !== 'poolkeeper' ? undefined : { text: run.stored, resourceVersion: '1' },
    save: async (namespace: string, _run: string, { text }: { readonly text: string }) => {
      if (namespace === 'poolkeeper') run.stored = text;
    },
  };
  const listReadyNodes = async () => {
    const { items, unreadable } = await lab.world.pools.listNodes({});
    return { items: items.map((node) => ({ ...node, ready: true, cordoned: false })), unreadable };
  };
  const nodes = { listReadyNodes, readReadyNode: notHere, changeNode: notHere };
  const nodeTurns = NodeTurns.parse({
    rules: {},
    targets: { workers: { machineConfigPools: ['worker'] } },
    runs: {
      upgrade: { cluster: 'prod', namespace: 'databases', mode: 'turns', mutexTargets: [{ name: 'workers' }] },
    },
  });
  const { pools, reader, renderings } = lab.world;
  const jobs = { createJob: notHere, checkJob: notHere };
  const canary = { listFreshPools: notHere, readFreshPool: notHere, changePool: notHere };
  const { store, ports } = commands(lab, {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, nodeTurns },
    cluster: async () => ({ pools, reader, renderings, nodeTurns: { records, nodes, jobs, canary } }),
  });
  async function said(request: ClusterRequest, change: Partial<AskedRequest> = {}) {
    const event = await store(request, change);
    await takeRequest(event, ports);
    return (await ports.askedRequests.load(event.data.id))?.outcome;
  }
  return { run, said };
}

const hold = { kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'database migration' } as const;
const freeze = { kind: 'freeze', pool: 'worker', forSeconds: 14_400, reason: 'storage moves' } as const;
const thaw = { kind: 'thaw', pool: 'worker', reason: 'storage moved' } as const;
const resume = { kind: 'resume', pool: 'worker', reason: 'CVE fix' } as const;

const bob = (lab: KeepLab) => ({ who: 'bob', why: 'storage moves until Thursday', now: lab.world.clock.now() });

function inHours(lab: KeepLab, hours: number): Date {
  return new Date(lab.world.clock.now().getTime() + hours * 3_600_000);
}

/** By the command line, which may do more than Slack. */
async function byHand(lab: KeepLab, { paused, record }: ManualChange, pool = 'worker'): Promise<void> {
  if (record !== undefined) await lab.world.pools.patchPool(lab.pool(pool), { paused, record });
}

const timeline = (lab: KeepLab) => lab.world.tables.timeline.all().map(({ text }) => text);

describe('[N-34] what people ask by commands in Slack', () => {
  test('a hold pauses the pool at once under the name of the person, is on the timeline, and ends by itself', async () => {
    const lab = keepLab();

    const outcome = await commands(lab).ask(hold);
    const held = lab.pool();
    await lab.pass(2 * 3600 + 120);

    expect(outcome).toEqual({
      said: 'prod/worker is paused, held until 2026-03-02T12:00Z',
      undo: '/poolkeeper hold prod/worker 1m REASON',
    });
    expect(held).toMatchObject({
      paused: true,
      record: { record: { pause: 'ours', holds: [{ id: `manual/anna (Slack ${anna})`, why: 'database migration' }] } },
    });
    expect(timeline(lab).join('\n')).toContain(
      'anna (Slack U0123456789) asked in Slack: hold worker for 2 h: database migration; prod/worker is paused, held until',
    );
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-22] [N-34] a hold during a sync, undone as its answer says, leaves the pool to that sync', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    const { ask } = commands(lab);

    const outcome = await ask(hold);
    const both = lab.record()?.holds.map(({ kind }) => kind);
    const [, forTime = ''] = /^\/poolkeeper hold prod\/worker (\d+)m REASON$/.exec(outcome?.undo ?? '') ?? [];
    await ask({ ...hold, forSeconds: Number(forTime) * 60 });
    await lab.pass(120);

    expect(both).toEqual(['sync', 'manual']);
    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds.map(({ kind, overruled }) => [kind, overruled])).toEqual([['sync', undefined]]);
  });

  test('[N-21] a freeze of all pools is ended by a thaw, and each says how it is undone', async () => {
    const lab = keepLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra' }));
    const { ask } = commands(lab);

    const frozen = await ask({ ...freeze, pool: '*' });
    const paused = ['worker', 'infra'].map((name) => lab.pool(name).paused);
    const thawed = await ask({ ...thaw, pool: '*' });
    await lab.pass(60);

    expect(paused).toEqual([true, true]);
    expect(frozen?.said.split('\n').toSorted()).toEqual([
      'prod/infra is paused, frozen until 2026-03-02T14:00Z',
      'prod/worker is paused, frozen until 2026-03-02T14:00Z',
    ]);
    expect(frozen?.undo).toBe('/poolkeeper thaw prod/* REASON');
    expect(thawed?.undo).toBe('/poolkeeper freeze prod/* 240m REASON');
    expect(['worker', 'infra'].map((name) => lab.pool(name).paused)).toEqual([false, false]);
  });

  test('[N-34] a hold and a freeze that only moved an end are taken back to the end before, as their answers say', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask(hold);
    const held = await ask({ ...hold, forSeconds: 28_800 });
    await ask({ ...freeze, forSeconds: 7200 });
    await lab.pass(1800);

    const frozen = await ask(freeze);

    expect(held?.undo).toBe('/poolkeeper hold prod/worker 120m REASON');
    expect(frozen?.undo).toBe('/poolkeeper freeze prod/worker 90m REASON');
  });

  test('[N-34] a freeze beside another of the same person is undone by no single command; beside one of others by name', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask({ ...freeze, pool: '*' });
    const beside = await ask(freeze);
    await ask(thaw);
    const ofOthers = keepLab();
    const frozen = freezeManually(
      ofOthers.pool(),
      { scope: 'pool', until: new Date('2026-03-03T00:00:00Z') },
      { who: 'bob', why: 'storage', now: ofOthers.world.clock.now() },
    );
    await ofOthers.world.pools.patchPool(ofOthers.pool(), { paused: frozen.paused, record: frozen.record });

    const besideOthers = await commands(ofOthers).ask(freeze);

    expect(beside).not.toHaveProperty('undo');
    expect(beside?.said).toContain(
      `No single command undoes it: thaw would also end what anna (Slack ${anna}) had frozen before, until 2026-03-02T14:00Z.`,
    );
    expect(besideOthers?.undo).toBe(
      `poolkeeper thaw --cluster prod --pool worker --by 'anna (Slack ${anna})' --reason "..."`,
    );
  });

  test.each([
    ['resume', hold, resume, 'poolkeeper hold --cluster prod --pool master --required --for 120m --reason "..."'],
    [
      'thaw',
      freeze,
      thaw,
      'poolkeeper freeze --cluster prod --pool master --required --until 2026-03-02T14:00Z --reason "..."',
    ],
  ])(
    '[N-29] a %s of a pool that upgrades wait for is undone by a command that may pause it',
    async (_, first, end, undo) => {
      const lab = keepLab({ pools: { master: { ...defaultPoolSettings, manageRequired: true } } });
      const labels = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
      lab.world.pools.put(aPool({ name: 'master', uid: 'uid-master', labels }));
      const { ask, store, deliver } = commands(lab);
      await ask({ ...first, pool: 'master' });

      const byBob = { answer: { channel: 'C0123456789', user: 'U9876543210' } };
      const asked = await store({ ...end, pool: 'master' }, byBob);
      await deliver(asked);

      const { outcome } = (await lab.world.tables.askedRequests.load(asked.data.id)) ?? {};
      expect(outcome).toMatchObject({ said: expect.stringMatching(/is resumed|is thawed/), undo });
    },
  );

  test.each([
    [10, '/poolkeeper hold prod/worker 599m REASON'],
    [100, 'poolkeeper hold --cluster prod --pool worker --for 5999m --reason "..."'],
  ])('[S1-12] [N-34] the undo of a resume is as long as the hold of %i h that it ended', async (hours, undo) => {
    const lab = keepLab();
    await byHand(lab, addManualHold(lab.pool(), inHours(lab, hours), bob(lab)));
    await lab.pass(60);

    expect((await commands(lab).ask(resume))?.undo).toBe(undo);
  });

  test('[S1-12] [N-34] the undo of a resume past a sync lasts two hours, however short the hold beside it was', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    const { ask } = commands(lab);
    await ask({ ...hold, forSeconds: 600 });

    expect((await ask(resume))?.undo).toBe('/poolkeeper hold prod/worker 120m REASON');
  });

  test.each([
    [10, '/poolkeeper freeze prod/worker 599m REASON'],
    [72, 'poolkeeper freeze --cluster prod --pool worker --until 2026-03-05T10:00Z --reason "..."'],
  ])('[S1-12] [N-34] the undo of a thaw ends when the freeze of %i h did that it ended', async (hours, undo) => {
    const lab = keepLab();
    await byHand(lab, freezeManually(lab.pool(), { scope: 'pool', until: inHours(lab, hours) }, bob(lab)));
    await lab.pass(60);

    expect((await commands(lab).ask(thaw))?.undo).toBe(undo);
  });

  test('[S1-12] [N-34] a thaw of pools that were frozen each for itself is undone by no single command', async () => {
    const lab = keepLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra' }));
    for (const [pool, hours] of [
      ['worker', 24],
      ['infra', 48],
    ] as const)
      await byHand(lab, freezeManually(lab.pool(pool), { scope: 'pool', until: inHours(lab, hours) }, bob(lab)), pool);

    const thawed = await commands(lab).ask({ ...thaw, pool: '*' });

    expect(thawed).not.toHaveProperty('undo');
    expect(thawed?.said).toContain(
      'No single command undoes it: the pools were frozen each for itself, until 2026-03-03T10:00Z and 2026-03-04T10:00Z.',
    );
  });

  test('[S0-15] [N-34] a resume that lets the pool go under a sync and past a run says so, of each', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    await byHand(lab, addManualHold(lab.pool(), inHours(lab, 2), bob(lab)));
    const [since, until] = [lab.world.clock.now().toISOString(), inHours(lab, 24).toISOString()];
    const ofRun = {
      id: 'rollout/upgrade',
      kind: 'rollout',
      who: 'run upgrade',
      why: 'one by one',
      since,
      until,
    } as const;
    const record = lab.record();
    if (record !== undefined)
      await byHand(lab, { paused: true, record: { ...record, holds: [...record.holds, ofRun] }, said: '' });

    const resumed = await commands(lab).ask(resume);

    expect(lab.pool().paused).toBe(false);
    expect(resumed?.said.split('\n')).toEqual([
      'prod/worker is resumed',
      expect.stringMatching(
        /^openshift-gitops\/nodes no longer holds it \(.+\); the mark disappears with that sync\.$/,
      ),
      'run upgrade no longer holds it (one by one); the mark disappears with that run.',
    ]);
  });

  test('[N-21] a resume says that it went past the annotation of a person', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask(hold);
    lab.world.pools.put({ ...lab.pool(), annotations: { 'poolkeeper.dev/keep-paused': ' ' } });

    const resumed = await ask(resume);

    expect(resumed?.said).toBe(
      "prod/worker is resumed, past a person's annotation poolkeeper.dev/keep-paused (no reason given)",
    );
  });

  test('[S0-15] a resume leaves what another person has paused since the last look', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    for (const paused of [false, true]) lab.world.pools.change('worker', 'kubectl-patch', { paused });

    const outcome = await commands(lab).ask(resume);

    expect(outcome?.said).toBe('prod/worker stays paused: kubectl-patch has paused it, not Poolkeeper');
    expect(lab.pool().paused).toBe(true);
  });

  test('a resume ends a hold, and of a frozen pool says why it stays as it is', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);

    await ask(hold);
    const resumed = await ask(resume);
    const isPaused = lab.pool().paused;
    await ask(freeze);
    const refused = await ask(resume);

    expect([resumed?.said, isPaused]).toEqual(['prod/worker is resumed', false]);
    expect(resumed?.undo).toBe('/poolkeeper hold prod/worker 120m REASON');
    expect(refused?.said).toContain('has frozen it until 2026-03-02T14:00:00.000Z');
    expect(refused).not.toHaveProperty('undo');
  });

  test.each([
    [
      'a pool that is not there',
      { ...hold, pool: 'wroker' },
      'there is no pool wroker; the cluster has master and worker',
    ],
    ['a pool that upgrades wait for', { ...freeze, pool: 'master' }, 'cluster upgrades wait for pool master'],
    ['a freeze beyond a certificate', freeze, 'expires 2026-03-02T11:00:00.000Z, before the end of the freeze'],
  ])('%s is left alone, and the person is told why', async (_, request, why) => {
    const lab = keepLab();
    lab.world.pools.put(
      aPool({
        name: 'master',
        uid: 'uid-master',
        labels: { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' },
      }),
    );
    if (why.startsWith('expires')) lab.world.pools.put(aPool({ certificatesExpire: '2026-03-02T11:00:00.000Z' }));

    const outcome = await commands(lab).ask(request);

    expect(outcome?.said).toContain(why);
    expect(outcome).not.toHaveProperty('undo');
    expect([lab.pool('worker').paused, lab.pool('master').paused]).toEqual([false, false]);
  });

  test('[N-20] brought twice it is done and answered once; brought too late, or unknown, it is not done', async () => {
    const lab = keepLab();
    const { ask, store, deliver, ports, answers } = commands(lab);
    const asked = await store(hold);

    await deliver(asked);
    await ask({ ...resume, reason: 'by somebody else' });
    await deliver(asked);
    const after = lab.pool().paused;
    const late = await store(hold, { at: '2026-03-02T09:00:00.000Z' });
    await deliver(late);
    await deliver({ ...asked, data: { id: 'made-up', cluster: 'prod' } });

    expect(after).toBe(false);
    expect(lab.pool().paused).toBe(false);
    expect((await ports.askedRequests.load(late.data.id))?.outcome?.said).toContain('came too late');
    expect(answers).toHaveLength(3);
  });

  test('[N-20] the answer is sent again where it may have been lost', async () => {
    const lab = keepLab();
    const { store, deliver, ports, answers } = commands(lab);
    const asked = await store(hold);
    await expect(
      takeRequest(asked, { ...ports, requests: { send: async () => Promise.reject(new Transient('no queue')) } }),
    ).rejects.toThrow('no queue');

    await deliver(asked);

    expect([lab.pool().paused, answers.length]).toEqual([true, 1]);
  });

  test.each([
    ['hold', hold],
    ['resume', resume],
    ['thaw', thaw],
  ] as const)('[N-20] [S0-14] a %s that died halfway is not done again', async (_, request) => {
    const lab = keepLab();
    const { ask, store, deliver, ports } = commands(lab);
    if (request.kind !== 'hold') await ask(hold);
    const asked = await store(request, { id: 'command-9' });
    const event = { ...asked, data: { id: 'command-9', cluster: 'prod' } };
    const stored = await ports.askedRequests.load('command-9');
    if (stored !== undefined) await ports.askedRequests.save({ ...stored, state: 'begun' });

    await deliver(event);

    const outcome = (await ports.askedRequests.load('command-9'))?.outcome;
    expect(outcome?.said).toContain('It was interrupted, and may have been done or not');
    expect(lab.pool().paused).toBe(request.kind !== 'hold');
  });

  test('[N-30] two workers that take one command at once answer it once, by what came of it', async () => {
    const lab = keepLab();
    const { ask, store, ports, answers } = commands(lab);
    await ask(hold);
    const asked = await store(resume);
    const before = answers.length;
    const { cluster } = ports;
    let second: Promise<unknown> = Promise.resolve();
    const inTheMiddle = async (name: string) => {
      second = takeRequest(asked, ports).catch((cause: unknown) => cause);
      await second;
      return cluster(name);
    };

    await takeRequest(asked, { ...ports, cluster: inTheMiddle });

    expect(await second).toMatchObject({ name: 'Transient', retryAfterSeconds: 90 });
    expect((await ports.askedRequests.load(asked.data.id))?.outcome?.said).toBe('prod/worker is resumed');
    expect(answers).toHaveLength(before + 1);
  });

  test('[N-29] of what was begun, and is brought again too late, nobody says that it was not done', async () => {
    const lab = keepLab();
    const { store, deliver, ports } = commands(lab);
    const asked = await store(hold, { id: 'command-9', at: '2026-03-02T09:00:00.000Z' });
    const stored = await ports.askedRequests.load('command-9');
    if (stored !== undefined)
      await ports.askedRequests.save({ ...stored, state: 'begun', begunAt: '2026-03-02T09:00:01.000Z' });

    await deliver({ ...asked, data: { id: 'command-9', cluster: 'prod' } });

    expect((await ports.askedRequests.load('command-9'))?.outcome?.said).toMatch(/^It was interrupted/);
  });

  test('[N-20] [N-29] of a command that failed in between nobody says that it was not done, and it is not done again', async () => {
    const lab = keepLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra' }));
    const { ask, store, ports } = commands(lab);
    const asked = await store({ ...freeze, pool: '*' });
    const { pools, reader, renderings } = lab.world;
    const patchPool: typeof pools.patchPool = async (pool, change) => {
      if (pool.name === 'worker') throw new Transient('no answer');
      return pools.patchPool(pool, change);
    };
    const half = { ...ports, cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }) };

    await takeRequest(asked, half);
    const paused = ['infra', 'worker'].map((name) => lab.pool(name).paused);
    await ask({ ...thaw, pool: '*' });
    await takeRequest(asked, ports);

    expect(paused).toEqual([true, false]);
    expect(['infra', 'worker'].flatMap((name) => holdsOf(lab.pool(name)))).toEqual([]);
    expect((await ports.askedRequests.load(asked.data.id))?.outcome?.said).toContain(
      'prod/worker did not answer, and may have changed or not: look',
    );
  });

  test.each([
    [500, 'unreachable', /prod\/\w+ did not answer, and may have changed or not: look/],
    [403, 'forbidden', /prod\/\w+ stays as it is: the cluster refused the change/],
  ] as const)(
    '[N-20] [N-29] of several pools one that fails (%d) keeps nobody from the others, and what was done can be undone',
    async (status, kind, why) => {
      const lab = keepLab();
      for (const name of ['infra', 'storage']) lab.world.pools.put(aPool({ name, uid: `uid-pool-${name}` }));
      const { store, ports } = commands(lab);
      const { pools, reader, renderings } = lab.world;
      let writes = 0;
      const patchPool: typeof pools.patchPool = async (pool, change) => {
        writes += 1;
        if (writes === 2) throw new Transient(`${status}`, { kind, isAnswered: true });
        return pools.patchPool(pool, change);
      };
      const asked = await store({ ...hold, pool: '*' });

      await takeRequest(asked, {
        ...ports,
        cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }),
      });

      const outcome = (await ports.askedRequests.load(asked.data.id))?.outcome;
      expect(['infra', 'storage', 'worker'].filter((name) => lab.pool(name).paused)).toHaveLength(2);
      expect(outcome?.said).toMatch(why);
      expect(outcome?.undo).toBeDefined();
    },
  );

  test.each([
    ['hold', hold],
    ['freeze', freeze],
  ] as const)('[N-20] a second %s counts that was asked before the first was carried out', async (_, request) => {
    const lab = keepLab();
    const { store, deliver } = commands(lab);
    const first = await store({ ...request, forSeconds: 3600 });
    lab.world.clock.advance(5);
    const second = await store({ ...request, forSeconds: 8 * 3600 });
    lab.world.clock.advance(5);

    await deliver(first);
    lab.world.clock.advance(1);
    await deliver(second);

    expect(lab.record()?.holds.map(({ until }) => until)).toEqual(['2026-03-02T18:00:05.000Z']);
  });

  test('[N-20] [N-29] a hold that somebody has overruled begins anew', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask(hold);
    await lab.pass(60);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(600);
    const now = lab.world.clock.now().toISOString();

    await ask(hold);

    expect(lab.record()?.holds).toMatchObject([{ since: now }]);
  });

  test('[N-20] [N-29] the undo of a hold does not bring back one that somebody has overruled', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask({ ...hold, forSeconds: 28_800 });
    await lab.pass(60);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(600);

    const asked = await ask({ ...hold, forSeconds: 3600 });

    expect(asked?.undo).toBe('/poolkeeper hold prod/worker 1m REASON');
  });

  test('[N-20] [N-29] a hold that is renewed is held since it began, and no event says that it ended', async () => {
    const lab = keepLab();
    const { ask } = commands(lab);
    await ask(hold);
    await lab.pass(600);
    const { since } = lab.record()?.holds[0] ?? {};
    const before = lab.world.bus.published.length;

    await ask({ ...hold, forSeconds: 8 * 3600 });
    await lab.pass(120);

    expect(lab.record()?.holds[0]).toMatchObject({ since, askedAt: expect.any(String) });
    const told = lab.world.bus.published.slice(before).map(({ type }) => type);
    expect(told).not.toContain('poolkeeper.pool.released.v1');
  });

  test('[N-29] [N-21] of several pools one that is frozen anew meanwhile stays so, and what was done of the others is said', async () => {
    const lab = keepLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra' }));
    const { ask, store, ports } = commands(lab);
    await ask({ ...freeze, pool: '*' });
    const asked = await store({ ...thaw, pool: '*' });
    const { pools, reader, renderings, clock } = lab.world;
    const patchPool: typeof pools.patchPool = async (pool, change) => {
      if (pool.name === 'worker' && pool.resourceVersion === lab.pool().resourceVersion) {
        clock.advance(1);
        const until = new Date('2026-03-02T14:00:00Z');
        const { record } = freezeManually(
          lab.pool(),
          { scope: 'pool', until },
          { who: 'bob', why: 'disks', now: clock.now() },
        );
        if (record !== undefined) await pools.patchPool(lab.pool(), { paused: undefined, record });
      }
      return pools.patchPool(pool, change);
    };

    await takeRequest(asked, {
      ...ports,
      cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }),
    });

    const outcome = (await ports.askedRequests.load(asked.data.id))?.outcome;
    expect(outcome?.said).toContain('prod/infra is thawed');
    expect(outcome?.said).toContain('prod/worker stays as it is: bob holds pool worker since 2026-03-02T10:00:01.000Z');
    expect(outcome?.undo).toBe('/poolkeeper freeze prod/* 240m REASON');
  });

  test.each([
    ['resume', resume],
    ['thaw', thaw],
  ] as const)(
    '[N-34] a %s leaves a pool alone that upgrades wait for and Poolkeeper may not pause',
    async (_, request) => {
      const lab = keepLab();
      const labels = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
      lab.world.pools.put(aPool({ name: 'master', uid: 'uid-master', labels, paused: true }));

      const outcome = await commands(lab).ask({ ...request, pool: 'master' });

      expect(outcome?.said).toBe(
        `Not done: cluster upgrades wait for pool master; \`poolkeeper ${request.kind}\` can do it.`,
      );
      expect(lab.pool('master').paused).toBe(true);
    },
  );

  test('[N-20] [N-29] [S0-14] what the cluster did not answer is told at once, and is not done when the queue brings it again', async () => {
    const lab = keepLab();
    const { ask, store, deliver, answers, ports } = commands(lab);
    const asked = await store(resume);
    await ask(hold);
    answers.length = 0;
    const heal = lab.world.faults.failAll(['pools.list']);

    await deliver(asked);
    heal();
    await deliver(asked);
    await deliver(asked);

    expect(lab.pool().paused).toBe(true);
    expect((await ports.askedRequests.load(asked.data.id))?.outcome?.said).toBe(
      'Cluster prod did not answer as it should, and that may have been done, in part or not at all: look before you ask again.',
    );
    expect(answers).toHaveLength(1);
  });

  test.each([
    ['hold', { ...hold, forSeconds: 3600 }, { ...hold, forSeconds: 8 * 3600 }],
    ['freeze', { ...freeze, forSeconds: 3600 }, { ...freeze, forSeconds: 8 * 3600 }],
  ] as const)(
    '[S0-14] [N-20] a %s that failed does not shorten the one that was asked after it',
    async (_, first, second) => {
      const lab = keepLab();
      const { ask, store, deliver } = commands(lab);
      const asked = await store(first);
      const heal = lab.world.faults.failAll(['pools.list']);
      await deliver(asked);
      heal();
      lab.world.clock.advance(60);
      await ask(second);
      const until = lab.record()?.holds[0]?.until;

      await deliver(asked);

      expect(lab.record()?.holds.map((each) => each.until)).toEqual([until]);
    },
  );

  test.each([
    ['hold', { ...hold, forSeconds: 3600 }, { ...hold, forSeconds: 8 * 3600 }],
    ['freeze', { ...freeze, forSeconds: 3600 }, { ...freeze, forSeconds: 8 * 3600 }],
    ['resume', resume, hold],
  ] as const)(
    '[S0-14] [N-20] a %s that comes late undoes nothing of a hold that was renewed after it was asked',
    async (_, late, renewed) => {
      const lab = keepLab();
      const { ask, store, deliver, ports } = commands(lab);
      await ask(renewed);
      lab.world.clock.advance(60);
      const asked = await store(late);
      lab.world.clock.advance(60);
      await ask(renewed);
      const until = lab.record()?.holds[0]?.until;

      await deliver(asked);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()?.holds.map((each) => each.until)).toEqual([until]);
      expect((await ports.askedRequests.load(asked.data.id))?.outcome?.said).toContain(
        'after that was asked; ask again',
      );
    },
  );

  test.each([
    ['resume', resume, hold],
    ['thaw', thaw, freeze],
    ['resume', resume, freeze],
  ] as const)(
    '[N-30] a %s that the queue brings late ends nothing that came after it was asked',
    async (_, request, since) => {
      const lab = keepLab();
      const { ask, store, deliver, ports } = commands(lab);
      if (request.kind === 'thaw') await ask(freeze);
      const asked = await store(request);
      await lab.pass(180);
      await ask({ ...since, pool: 'worker', reason: 'decided later' });

      await deliver(asked);

      const { outcome } = (await ports.askedRequests.load(asked.data.id)) ?? {};
      expect(lab.pool().paused).toBe(true);
      if (request.kind === 'resume') expect(outcome?.said).toMatch(/^Not done: .*after that was asked; ask again/);
    },
  );

  test('what was carried out and could not be noted as done is not carried out again', async () => {
    const lab = keepLab();
    const { ask, store, ports } = commands(lab);
    await ask(hold);
    const asked = await store(resume);
    let saves = 0;
    const askedRequests = {
      ...ports.askedRequests,
      load: ports.askedRequests.load.bind(ports.askedRequests),
      save: async (row: AskedRequest) => {
        saves += 1;
        if (saves === 2) throw new Transient('throttled');
        return ports.askedRequests.save(row);
      },
    };

    await expect(takeRequest(asked, { ...ports, askedRequests })).rejects.toThrow(Transient);
    await ask({ ...hold, reason: 'decided later' });
    lab.world.clock.advance(100);
    await takeRequest(asked, ports);

    expect(lab.pool().paused).toBe(true);
    expect((await ports.askedRequests.load(asked.data.id))?.outcome?.said).toContain('It was interrupted');
  });

  test('[S4-13] [S4-31] a run is paused and continued in its record, where that is kept, under the name of the person', async () => {
    const { run, said } = runCommands();

    const paused = await said({ kind: 'steer-run', act: 'pause', run: 'upgrade', reason: 'wrong night' });
    const shown = await said({ kind: 'look', about: 'run', name: 'upgrade' });
    const late = await said(
      { kind: 'steer-run', act: 'go-on', run: 'upgrade', reason: 'asked before' },
      { at: '2026-03-02T09:59:00.000Z' },
    );

    expect(paused).toEqual({
      said: 'Run upgrade is paused: what has begun goes on, no further node goes.',
      undo: '/poolkeeper run go-on upgrade REASON',
    });
    expect(shown?.said).toContain(`Run upgrade is paused by anna (Slack ${anna}): wrong night; 3 of 3 nodes`);
    expect(late?.said).toBe(`Not done: anna (Slack ${anna}) stopped the run after that was asked: wrong night.`);
    expect(parseRunRecord(run.stored ?? '')).toMatchObject({
      paused: { who: `anna (Slack ${anna})`, why: 'wrong night' },
    });

    const [goneSince, blockedSince] = ['2026-03-02T10:01:00.000Z', '2026-03-02T10:01:00.000Z'];
    const canaries = { 'worker-9': { pool: 'worker', target: 'rendered-worker-1', goneSince } };
    run.stored = JSON.stringify({ ...emptyRunRecord, blockedSince, canaries });
    expect((await said({ kind: 'look', about: 'run', name: 'upgrade' }))?.said).toContain(
      'worker-9: this canary node is gone from pool worker before it was watched to the end',
    );
  });

  const stopped = { who: 'bob', why: 'the database fails over', at: '2026-03-02T09:50:00.000Z' };
  const ofBob = {
    'at work': emptyRunRecord,
    paused: withRunRequest(emptyRunRecord, { kind: 'pause', said: stopped }),
    aborted: withRunRequest(emptyRunRecord, { kind: 'abort', said: stopped }),
  };
  const stateOf = (stored: string | undefined) => {
    const record = parseRunRecord(stored ?? '');
    if (record === 'unreadable') return record;
    if (record.aborted !== undefined) return 'aborted';
    return record.paused === undefined ? 'at work' : 'paused';
  };

  test.each([
    ['at work', 'pause', 'go-on', /no further node goes\.$/],
    ['at work', 'abort', 'start', /come back first\.$/],
    ['at work', 'go-on', undefined, /It was not paused\.$/],
    ['at work', 'start', undefined, /It was not aborted\.$/],
    ['paused', 'pause', undefined, /This replaces the pause by bob: the database fails over\.$/],
    ['paused', 'go-on', 'pause', /This ends the pause by bob: the database fails over\.$/],
    ['paused', 'start', 'pause', /This ends the pause by bob: the database fails over\.$/],
    ['paused', 'abort', undefined, /come back first\.$/],
    ['aborted', 'start', 'abort', /This ends the abort by bob: the database fails over\.$/],
    ['aborted', 'abort', undefined, /This replaces the abort by bob: the database fails over\.$/],
  ] as const)(
    '[S1-12] [S4-20] of a run that was %s, the undo of %s leaves it so, and the answer says whose word it ends',
    async (was, act, undo, words) => {
      const { run, said } = runCommands(keepLab(), ofBob[was]);

      const outcome = await said({ kind: 'steer-run', act, run: 'upgrade', reason: 'pager says so' });
      if (undo !== undefined) await said({ kind: 'steer-run', act: undo, run: 'upgrade', reason: 'as it was' });

      expect(outcome?.said).toMatch(words);
      expect(outcome?.undo).toBe(undo && `/poolkeeper run ${undo} upgrade REASON`);
      if (undo !== undefined) expect(stateOf(run.stored)).toBe(was);
    },
  );

  test('[S4-20] of an abort no undo is printed by which a node that somebody wants left out would be taken', async () => {
    const turn = {
      pool: 'worker',
      target: 'rendered-worker-1',
      round: '1-0a',
      step: 'before',
      since: stopped.at,
    } as const;
    const turns = { 'worker-1': { ...turn, ran: [], cleaned: [], attempt: 1 } };
    const skipped = withRunRequest({ ...emptyRunRecord, turns }, { kind: 'skip', node: 'worker-1', said: stopped });
    const { said } = runCommands(keepLab(), skipped);

    const outcome = await said({ kind: 'steer-run', act: 'abort', run: 'upgrade', reason: 'wrong night' });

    expect(outcome).toEqual({ said: 'Run upgrade is aborted; nodes that are on their way come back first.' });
  });

  test.each(['pause', 'go-on'] as const)(
    '[S4-20] [N-29] of a run that was aborted nobody says that %s stops it or lets it go on',
    async (act) => {
      const { run, said } = runCommands(keepLab(), ofBob.aborted);
      const before = run.stored;

      const outcome = await said({ kind: 'steer-run', act, run: 'upgrade', reason: 'pager says so' });

      expect(outcome).toEqual({
        said: 'Not done: it was aborted by bob: the database fails over; `start` begins it anew.',
      });
      expect(run.stored).toBe(before);
    },
  );
});
