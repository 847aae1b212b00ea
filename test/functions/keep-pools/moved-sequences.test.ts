import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import {
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
} from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { failures, type Watch } from '../failing-calls.ts';
import { ask, configureClusters, only, ticks, timelineOf } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const ceph = '/apis/storage.k8s.io/v1/storageclasses/ceph';
const key = `poolkeeper/${sequenceName}`;

const storage = { kind: 'check', waitFor: { resourceType: 'sc', resourceName: 'ceph' } };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
const nodes = { kind: 'application', name: 'nodes', wave: 10, clusters: ['prod'] };

const prodIsDown: Watch = ({ name, on }) => (on === 'prod' ? failures['timeout']?.(name) : undefined);

/** The account may read no records in the former namespace. */
const isRefusedThere: Watch = ({ name, args: [namespace] }) =>
  name.startsWith('cluster.sequenceRecords') && namespace === 'poolkeeper'
    ? new Transient('GET configmaps/poolkeeper-sequence-virt: 403', { kind: 'forbidden', isAnswered: true })
    : undefined;

/** Nor does the API server answer for it. */
const isSilentThere: Watch = ({ name, args: [namespace] }) =>
  name.startsWith('cluster.sequenceRecords') && namespace === 'poolkeeper' ? failures['timeout']?.(name) : undefined;

function recordAt({ prod }: SequenceLab, at: string): SequenceRecord {
  const record = parseSequenceRecord(prod.records.get(at)?.text ?? '');
  if (record === 'unreadable') throw new Error('there is no record');
  return record;
}

/** Applications that a window of an AppProject holds back. */
function held({ prod: { objects } }: SequenceLab): readonly string[] {
  const windows = memberOf(memberOf(objects.get(`${home}/appprojects/platform`), 'spec'), 'syncWindows');
  return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
}

/** Application nodes of cluster prod, whose Argo CD is there, waits for what is not there yet. */
async function waiting(sequence: Readonly<Record<string, unknown>>, ...clusters: readonly string[]) {
  const all = sequenceLab({});
  only(all, ...clusters);
  all.configureAll({ [sequenceName]: sequence });
  all.prod.objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes' }, spec: { project: 'platform' } });
  all.prod.objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
  await ticks(3, all);
  expect(held(all)).toEqual(['nodes']);
  return all;
}

/** As ann does by command. */
function steer(all: SequenceLab, kind: 'pause' | 'abort' | 'go-on', on = all.prod, at = key): void {
  ask(all, { kind, who: 'ann' }, on, at);
}

describe('a sequence whose first cluster is taken out of the configuration while it waits', () => {
  const steps = { storage: { ...storage, clusters: ['edge'] }, nodes };
  const start = () => waiting({ clusters: ['edge', 'prod'], steps }, 'edge', 'prod');

  it.each([
    ['configuration', ['prod']],
    ['sequence alone', ['edge', 'prod']],
  ])(
    '[S2-15] [N-30] as it is dead, out of the %s: no window of the former record holds back what is done',
    async (_, clusters) => {
      const all = await start();
      all.edge.failing.set('/', 'unreachable');
      await ticks(10, all);

      only(all, ...clusters);
      all.configureAll({ [sequenceName]: { steps: { nodes } } });
      await ticks(60, all);

      expect(all.record().done).toBeDefined();
      expect(all.lab.troubles()).not.toContain('sequence-stuck');
      expect(held(all)).toEqual([]);
    },
  );

  it('[S2-15] [N-30] goes with it, and half an hour later its window does, which the timeline says', async () => {
    const all = await start();

    only(all, 'prod');
    all.configureAll({});
    await ticks(20, all);
    expect(held(all)).toEqual(['nodes']);
    await ticks(40, all);

    expect([held(all), all.lab.troubles()]).toEqual([[], []]);
    const told = (await all.lab.ports.timeline.latest(50)).map(({ text }) => text);
    expect(told.filter((text) => text.includes('no longer configured'))).toEqual([
      'sequence virt: its record was on cluster edge, which is no longer configured. Its window for nodes in AppProject openshift-gitops/platform of cluster prod is gone',
    ]);
  });

  it('[S2-12] [S2-15] [N-30] lets all Applications go when somebody aborts it, whatever its new record knows', async () => {
    const all = await start();
    all.edge.failing.set('/', 'unreachable');
    only(all, 'prod');
    all.configureAll({ [sequenceName]: { steps: { storage, nodes } } });
    await ticks(2, all);
    const text = sequenceRecordText({ ...all.record(), held: undefined });
    all.prod.records.set(key, { text, resourceVersion: all.prod.records.get(key)?.resourceVersion });

    steer(all, 'abort');
    await ticks(3, all);

    expect(held(all)).toEqual([]);
  });
});

describe('a sequence of which a cluster with an Argo CD of its own is taken out of the configuration', () => {
  it('[S2-15] [N-30] goes on on the others, whatever it held back there', async () => {
    const [first, there] = [
      { ...storage, clusters: ['prod'] },
      { ...nodes, argocd: 'of-edge', clusters: ['edge'] },
    ];
    const next = { kind: 'object', object: 'settings', wave: 20, clusters: ['prod'] };
    const extraObjects = { settings };
    const all = sequenceLab({});
    only(all, 'prod', 'edge');
    configureClusters(all, ({ argocd }) => ({
      argocd: [...argocd, ...argocd.map((each) => ({ ...each, name: 'of-edge', cluster: 'edge' }))],
    }));
    all.configureAll({ [sequenceName]: { clusters: ['prod', 'edge'], extraObjects, steps: { first, there, next } } });
    all.edge.objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes' }, spec: { project: 'platform' } });
    all.edge.objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
    await ticks(3, all);
    expect(all.record().held).toBeDefined();

    only(all, 'prod');
    configureClusters(all, ({ argocd }) => ({ argocd: argocd.filter(({ cluster }) => cluster === 'prod') }));
    all.configureAll({ [sequenceName]: { extraObjects, steps: { first, next } } });
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(30, all);

    expect(all.lab.troubles()).toEqual([]);
    expect(all.state()).toHaveProperty('/api/v1/namespaces/shop/configmaps/settings');
  });
});

describe('a sequence that is removed together with a cluster that it had a window on', () => {
  it('[S2-15] [N-30] is released all the same, and the timeline names where its window stays', async () => {
    const all = await waiting({ steps: { storage: { ...storage, clusters: ['prod'] }, nodes } }, 'prod');
    const stored = all.prod.records.get(key);
    const elsewhere = { cluster: 'hub', namespace: 'gitops', project: 'theirs', application: 'nodes' };
    const windows = { ...all.record().held, 'nodes@hub': elsewhere };
    const text = sequenceRecordText({ ...all.record(), held: windows });
    all.prod.records.set(key, { text, resourceVersion: stored?.resourceVersion });

    all.configureAll({});
    await ticks(3, all);

    expect([held(all), all.prod.records.has(key), all.lab.troubles()]).toEqual([[], false, []]);
    expect((await all.lab.ports.timeline.latest(50)).map(({ text: each }) => each)).toContain(
      'sequence virt is no longer configured here: 1 window of it is gone, but not in AppProject gitops/theirs of cluster hub, which is not configured any more, and what it applied stays',
    );
  });
});

describe('a sequence whose cluster is renamed while it waits', () => {
  it('[S2-15] [N-30] goes on: its window goes when the turn of the Application has come', async () => {
    const all = await waiting({ steps: { storage, nodes } }, 'prod');

    Object.assign(all.edge.ports, all.prod.ports);
    only(all, 'edge');
    configureClusters(all, ({ argocd }) => ({ argocd: argocd.map((each) => ({ ...each, cluster: 'edge' })) }));
    all.configureAll({ [sequenceName]: { clusters: ['edge'], steps: { storage, nodes: { ...nodes, clusters: [] } } } });
    await ticks(3, all);
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(10, all);

    expect(held(all)).toEqual([]);
  });
});

describe('a sequence that a person has stopped', () => {
  const steps = {
    storage: { ...storage, clusters: ['prod'] },
    other: { ...storage, clusters: ['prod'] },
    nodes: { ...nodes, kind: 'pool', name: 'worker' },
  };

  /** Pool worker waits for its turn with a change; before it has come, ann pauses the sequence. */
  async function paused(): Promise<SequenceLab> {
    const all = sequenceLab(steps);
    const { lab, prod } = all;
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] },
    });
    await all.resumable();
    await ticks(3, all);
    steer(all, 'pause');
    prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(5, all);
    expect(lab.pool().paused).toBe(true);
    return all;
  }

  it.each([
    ['namespace', { namespace: 'elsewhere' }],
    ['first cluster', { clusters: ['edge', 'prod'] }],
  ])('[S2-11] [N-30] stays so when it moves to another %s', async (_, change) => {
    const all = await paused();

    const { clock, faults } = all.lab.world;
    Object.assign(all.edge.ports, { pools: fakePools({ clock: clock.now, faults }) });
    only(all, 'prod', 'edge');
    all.configure(change);
    await ticks(10, all);

    expect(all.lab.pool().paused).toBe(true);
  });

  it('[S2-11] [N-30] stays so where its former namespace may not be read, which is told, until it may', async () => {
    const all = await paused();

    all.configure({ namespace: 'elsewhere' });
    await ticks(40, all, isRefusedThere);
    expect([all.lab.pool().paused, all.lab.troubles()]).toEqual([true, ['sequence-stuck']]);
    expect(all.prod.records.has('elsewhere/virt')).toBe(false);
    await ticks(5, all);

    expect([all.lab.pool().paused, all.lab.troubles()]).toEqual([true, []]);
    expect([...all.prod.records.keys()]).toEqual(['elsewhere/virt']);
  });

  it('[S2-11] [N-30] goes on without its former record, which may not be read, when somebody says so', async () => {
    const all = await paused();
    all.configure({ namespace: 'elsewhere' });
    await ticks(3, all, isRefusedThere);

    steer(all, 'go-on', all.prod, 'elsewhere/virt');
    await ticks(5, all, isRefusedThere);

    expect(all.lab.pool().paused).toBe(false);
    expect(await timelineOf(all)).toContain(
      'sequence virt: goes on by what its record here says: its record on cluster prod cannot be read, and with it what people said of it',
    );
  });

  it.each([
    ['does not answer', isSilentThere],
    ['may not be read', isRefusedThere],
  ])('[S2-11] [N-30] stays so where bob skips a gate while its former namespace %s', async (_, watch) => {
    const all = await paused();
    all.configure({ namespace: 'elsewhere' });
    await ticks(3, all, watch);

    ask(all, { kind: 'skip', who: 'bob', item: 'other@prod/waitFor' }, all.prod, 'elsewhere/virt');
    await ticks(5, all, watch);
    const before = all.lab.pool().paused;
    await ticks(5, all);

    expect([before, all.lab.pool().paused, all.lab.troubles()]).toEqual([true, true, []]);
    const { paused: said, skipped } = recordAt(all, 'elsewhere/virt');
    expect([said?.who, skipped['other@prod/waitFor']?.who]).toEqual(['ann', 'bob']);
  });

  it('[S2-11] [N-30] goes on with all that its former record says when bob says go-on while that does not answer', async () => {
    const all = await paused();
    ask(all, { kind: 'skip', who: 'ann', item: 'other@prod/waitFor' }, all.prod, key);
    await ticks(1, all);
    all.configure({ namespace: 'elsewhere' });
    await ticks(3, all, isSilentThere);

    ask(all, { kind: 'go-on', who: 'bob' }, all.prod, 'elsewhere/virt');
    await ticks(3, all, isSilentThere);
    expect(all.lab.pool().paused).toBe(true);
    await ticks(5, all);

    const { paused: said, skipped, log } = recordAt(all, 'elsewhere/virt');
    expect([all.lab.pool().paused, said, skipped['other@prod/waitFor']?.who]).toEqual([false, undefined, 'ann']);
    expect(log.map(({ what }) => what)).toContain('told to go on by bob: storage is being moved');
  });

  it('[S2-11] [N-30] stays so where its former cluster fails once after Poolkeeper itself was down for an hour', async () => {
    const all = await paused();
    const { clock, faults } = all.lab.world;
    Object.assign(all.edge.ports, { pools: fakePools({ clock: clock.now, faults }) });
    only(all, 'prod', 'edge');

    clock.advance(3_600);
    all.configure({ clusters: ['edge', 'prod'] });
    await ticks(3, all, prodIsDown);
    await ticks(5, all);

    expect(all.lab.pool().paused).toBe(true);
    expect(await timelineOf(all)).toContain(
      'sequence virt: goes on by its record in namespace poolkeeper of cluster prod',
    );
  });

  it('[N-22] [N-30] and that is removed takes its words with it after half an hour, which the timeline says', async () => {
    const { lab, prod, ...all } = await paused();

    all.configureAll({});
    await ticks(20, { lab, prod, ...all });
    expect(prod.records.has(key)).toBe(true);
    await ticks(20, { lab, prod, ...all });

    expect(prod.records.has(key)).toBe(false);
    expect((await lab.ports.timeline.latest(50)).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /that people have paused, aborted or skipped it is forgotten at \S+ unless it is configured/,
      ),
    );
  });

  it('[N-22] [N-30] stays so by a file that was deployed by mistake without it, for a few minutes', async () => {
    const later = { kind: 'object', object: 'settings', wave: 20 };
    const whole = { steps: { storage: steps.storage, later }, extraObjects: { settings } };
    const all = sequenceLab(whole.steps, { extraObjects: whole.extraObjects });
    await ticks(3, all);
    steer(all, 'pause');
    await ticks(2, all);

    all.configureAll({});
    await ticks(3, all);
    all.configureAll({ [sequenceName]: whole });
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(5, all);

    expect(all.state()).not.toHaveProperty('/api/v1/namespaces/shop/configmaps/settings');
  });
});

describe('a sequence that a person has paused on a cluster that then is out of reach', () => {
  const steps = {
    storage: { ...storage, clusters: ['prod'] },
    other: { kind: 'check', waitFor: storage.waitFor, clusters: ['edge'], wave: 2 },
    nodes: { ...nodes, kind: 'pool', name: 'worker' },
  };

  /** Its record is on prod, and what pool worker there waits for has come. */
  async function pausedOnProd(): Promise<SequenceLab> {
    const all = sequenceLab(steps, { clusters: ['prod', 'edge'] });
    const { clock, faults, pools } = all.lab.world;
    Object.assign(all.edge.ports, { pools: fakePools({ clock: clock.now, faults }) });
    only(all, 'prod', 'edge');
    pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] },
    });
    await all.resumable();
    await ticks(3, all);
    steer(all, 'pause');
    for (const { objects } of [all.prod, all.edge]) objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(5, all);
    expect(all.lab.pool().paused).toBe(true);
    return all;
  }

  it.each([2, 5, 20, 90])(
    '[S2-11] [N-22] [N-30] stays so where the file was without that cluster for %s minutes, and it began anew meanwhile',
    async (minutes) => {
      const all = await pausedOnProd();

      only(all, 'edge');
      all.configureAll({ [sequenceName]: { clusters: ['edge'], steps: { other: steps.other } } });
      await ticks(minutes, all);
      only(all, 'prod', 'edge');
      all.configure({});
      await ticks(10, all);

      expect([all.lab.pool().paused, all.record().paused?.who, all.lab.troubles()]).toEqual([true, 'ann', []]);
      steer(all, 'go-on');
      await ticks(3, all);
      expect(all.lab.pool().paused).toBe(false);
    },
  );

  it('[S2-11] [N-30] stays so where it began anew on the other one, and is moved back', async () => {
    const all = await pausedOnProd();
    await ticks(40, all, prodIsDown);
    all.configure({ clusters: ['edge', 'prod'] });
    await ticks(5, all, prodIsDown);

    all.configure({});
    await ticks(10, all, prodIsDown);
    await ticks(10, all);

    expect([all.lab.pool().paused, all.record().paused?.who]).toEqual([true, 'ann']);
  });
});

describe('a sequence that was moved as its first cluster was down, and is paused on the other one', () => {
  // Everything that it waits for and applies is on edge.
  const waitsFor = { resourceType: 'sc', resourceName: 'ceph' };
  const sequence = {
    clusters: ['prod', 'edge'],
    steps: {
      storage: { kind: 'check', waitFor: waitsFor, wave: 5, clusters: ['edge'] },
      last: { kind: 'object', object: 'settings', wave: 8, clusters: ['edge'] },
    },
    extraObjects: { settings },
  };
  const settingsPath = '/api/v1/namespaces/shop/configmaps/settings';

  const isEdgeRefused: Watch = ({ name, on }) =>
    on === 'edge' && name.startsWith('cluster.sequenceRecords')
      ? new Transient('GET configmaps: 403', { kind: 'forbidden', isAnswered: true })
      : undefined;

  /** Its record is on prod. */
  async function anywhere(): Promise<SequenceLab> {
    const all = sequenceLab({});
    only(all, 'prod', 'edge');
    const { clock, faults } = all.lab.world;
    Object.assign(all.edge.ports, { pools: fakePools({ clock: clock.now, faults }) });
    all.configureAll({ [sequenceName]: sequence });
    await ticks(4, all);
    expect(all.prod.records.has(key)).toBe(true);
    return all;
  }

  async function pausedOnEdge(): Promise<SequenceLab> {
    const all = await anywhere();
    await pauseOnEdge(all);
    return all;
  }

  async function pauseOnEdge(all: SequenceLab): Promise<void> {
    await ticks(35, all, prodIsDown);
    all.configureAll({ [sequenceName]: { ...sequence, clusters: ['edge', 'prod'] } });
    await ticks(5, all, prodIsDown);
    expect(all.edge.records.has(key)).toBe(true);
    steer(all, 'pause', all.edge);
    await ticks(3, all, prodIsDown);
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(5, all, prodIsDown);
    expect(all.edge.objects.has(settingsPath)).toBe(false);
  }

  it.each([
    ['while the first one is still down', 10],
    ['as soon as the first one is back', 0],
  ])('[S2-11] [N-30] stays so when it is moved back %s', async (_, more) => {
    const all = await pausedOnEdge();

    all.configureAll({ [sequenceName]: sequence });
    await ticks(more, all, prodIsDown);
    await ticks(10, all);

    expect([all.edge.objects.has(settingsPath), all.lab.troubles()]).toEqual([false, []]);
    expect(all.record().paused?.who).toBe('ann');
    expect(all.edge.records.has(key)).toBe(false);
    steer(all, 'go-on');
    await ticks(3, all);
    expect(all.edge.objects.has(settingsPath)).toBe(true);
  });

  it('[S2-11] [N-30] stays so when it is moved back a second time, and the record there cannot be read at one look', async () => {
    const all = await anywhere();
    const edgeFails: Watch = ({ name, on }) =>
      on === 'edge' && name === 'cluster.sequenceRecords.load' ? failures['500']?.(name) : undefined;
    await ticks(35, all, prodIsDown);
    all.configureAll({ [sequenceName]: { ...sequence, clusters: ['edge', 'prod'] } });
    await ticks(5, all, prodIsDown);
    all.configureAll({ [sequenceName]: sequence });
    await ticks(10, all);
    expect(all.record().tookOver).toEqual([expect.stringContaining('edge/poolkeeper')]);
    await pauseOnEdge(all);

    all.configureAll({ [sequenceName]: sequence });
    await ticks(1, all, edgeFails);
    await ticks(10, all);

    expect([all.edge.objects.has(settingsPath), all.record().paused?.who]).toEqual([false, 'ann']);
  });

  it('[S2-11] [N-30] goes on after a blip though what it took over may not be read any more, also by another record', async () => {
    const all = await anywhere();
    const isRefused: Watch = ({ name, on, args: [namespace] }) =>
      on === 'prod' && name.startsWith('cluster.sequenceRecords') && namespace === 'poolkeeper'
        ? new Transient('GET configmaps: 403', { kind: 'forbidden', isAnswered: true })
        : undefined;
    all.configureAll({ [sequenceName]: { ...sequence, namespace: 'elsewhere' } });
    await ticks(3, all, isRefused);
    steer(all, 'go-on', all.prod, 'elsewhere/virt');
    await ticks(3, all, isRefused);

    all.configureAll({ [sequenceName]: { ...sequence, namespace: 'third' } });
    await ticks(3, all, isRefused);
    await ticks(2, all, prodIsDown);
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(3, all, isRefused);

    expect(all.edge.objects.has(settingsPath)).toBe(true);
  });

  it('[S2-11] [N-30] stays so when it is moved there and back within two minutes', async () => {
    const all = await anywhere();
    all.configureAll({ [sequenceName]: { ...sequence, clusters: ['edge', 'prod'] } });
    await ticks(1, all);
    expect([all.prod.records.has(key), all.edge.records.has(key)]).toEqual([true, true]);

    steer(all, 'pause', all.edge);
    all.configureAll({ [sequenceName]: sequence });
    all.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, all);

    expect([all.edge.objects.has(settingsPath), all.record().paused?.who]).toEqual([false, 'ann']);
    expect(all.edge.records.has(key)).toBe(false);
  });

  it('[S2-11] [N-30] waits when it is moved back while the record there cannot be read, for as long as that is so', async () => {
    const all = await pausedOnEdge();
    all.configureAll({ [sequenceName]: sequence });
    await ticks(40, all, isEdgeRefused);

    expect([all.edge.objects.has(settingsPath), all.lab.troubles()]).toEqual([
      false,
      ['sequence-stuck', 'sequence-stuck'],
    ]);
  });

  it('[S2-11] [N-30] goes on by what was left here when somebody says so as the record there may not be read', async () => {
    const all = await pausedOnEdge();
    all.configureAll({ [sequenceName]: sequence });
    await ticks(5, all, isEdgeRefused);
    expect([all.edge.objects.has(settingsPath), all.lab.troubles()]).toEqual([
      false,
      ['sequence-stuck', 'sequence-stuck'],
    ]);

    steer(all, 'go-on');
    await ticks(3, all, isEdgeRefused);

    expect(all.edge.objects.has(settingsPath)).toBe(true);
  });

  it('[S2-11] [N-30] stays so when it is moved back, and bob skips a gate before the record there can be read', async () => {
    const all = await pausedOnEdge();
    const edgeFails: Watch = ({ name, on }) =>
      on === 'edge' && name === 'cluster.sequenceRecords.load' ? failures['500']?.(name) : undefined;
    all.configureAll({ [sequenceName]: sequence });
    await ticks(2, all, edgeFails);

    ask(all, { kind: 'skip', who: 'bob', item: 'storage@edge/waitFor' }, all.prod, key);
    await ticks(2, all, edgeFails);
    await ticks(5, all);

    const { paused, skipped } = all.record();
    expect(all.edge.objects.has(settingsPath)).toBe(false);
    expect([paused?.who, skipped['storage@edge/waitFor']?.who]).toEqual(['ann', 'bob']);
    expect(await timelineOf(all)).toContain(
      'sequence virt: goes on by its record here, and by what people said in that in namespace poolkeeper of cluster edge',
    );
  });
});
