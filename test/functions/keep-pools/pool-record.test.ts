import { describe, expect, test } from 'vitest';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aHold, anApplication, aPool } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

describe('the record on the pool', () => {
  test('a pool whose record was removed is found by who paused it, and let go when nothing syncs', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(false);
  });

  test('a pool whose record was removed stays paused for the sync that still runs', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id: nodesHold, phase: 'syncing' }] });

    lab.ends('Succeeded');
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('a pool that we paused and whose record cannot be read becomes an incident though no change waits', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.change('worker', 'someone', { record: { kind: 'unreadable', why: 'annotation: not JSON' } });

    await lab.pass(5 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('paused-too-long');
  });

  test('the hold of an Argo CD instance that is not configured any more ends', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    const { record } = lab.pool();
    if (record.kind !== 'record') throw new Error('the lab holds nothing');
    const holds = record.record.holds.map((hold) => ({ ...hold, id: hold.id.replace('/hub/', '/renamed/') }));
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record.record, holds } } });

    await lab.pass(60);
    expect(lab.pool().paused).toBe(true);

    await lab.pass(20 * 60);
    expect(lab.pool().paused).toBe(false);
  });

  /** A sync begins, ends as told, and the name of its Argo CD in poolkeeper.yaml is changed. */
  async function renamedAfter(phases: readonly ('Running' | 'Failed')[]): Promise<KeepLab> {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    for (const phase of phases) {
      if (phase === 'Failed') lab.ends('Failed');
      await lab.deliver(lab.operationOf(phase));
    }
    const { record } = lab.pool();
    if (record.kind !== 'record') throw new Error('the lab holds nothing');
    const holds = record.record.holds.map((hold) => ({ ...hold, id: hold.id.replace('/hub/', '/former/') }));
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record.record, holds } } });
    return lab;
  }

  /** Another cluster has an Argo CD with the same namespace. */
  function inFleet(lab: KeepLab): void {
    const { configuration } = lab.ports;
    const clusters = configuration.clusters.flatMap((each) => [each, { ...each, name: 'other' }]);
    const argocd = configuration.argocd.flatMap((each) => [{ ...each, name: 'others', cluster: 'other' }, each]);
    Object.assign(lab.ports, { configuration: { ...configuration, clusters, argocd } });
  }

  test.each([
    ['the only one', () => {}],
    ['one of a fleet', inFleet],
  ])(
    '[S0-9] [N-30] a failed sync holds its pool on when its Argo CD instance, %s, is renamed, until it has synced',
    async (_, beside) => {
      const lab = await renamedAfter(['Running', 'Failed']);
      beside(lab);

      await lab.pass(3 * 3600);
      const [during, troubles] = [lab.pool().paused, lab.troubles()];
      lab.syncs(commitB);
      lab.ends('Succeeded');
      await lab.pass(20 * 60);

      expect([during, troubles]).toEqual([true, expect.arrayContaining(['run-failed'])]);
      expect(lab.pool().paused).toBe(false);
    },
  );

  test('[S0-9] [N-30] a sync that fails after its Argo CD instance was renamed, one of a fleet, holds its pool on', async () => {
    const lab = await renamedAfter(['Running']);
    inFleet(lab);
    lab.ends('Failed');

    await lab.pass(3 * 3600);

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['run-failed']]);
  });

  test('[S0-9] [N-30] a failed sync of an instance that is gone holds its pool on, whatever another one shows in its place', async () => {
    const lab = await renamedAfter(['Running', 'Failed']);
    lab.world.argocd.change('nodes', {
      uid: 'of-another-cluster',
      operation: undefined,
      sync: { status: 'Synced', revisions: [commitB] },
    });

    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('the words of many holders stay short on the pool', async () => {
    const lab = keepLab();
    for (let index = 0; index < 300; index += 1) {
      const name = `nodes-of-a-team-with-a-long-name-${index}`;
      lab.world.argocd.put(anApplication({ name, uid: name, sync: { status: 'Synced', revisions: [commitA] } }));
    }

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()?.last?.why.length).toBeLessThan(600);
    expect(JSON.stringify(lab.record()).length).toBeLessThan(annotationsAtMost);
  });
});

const losses = ['made again', 'rid of its record', 'under an older record that Git has'] as const;

/** Of a sync that is over. */
const exported: PoolRecord = {
  v: 1,
  pause: 'ours',
  pausedSince: '2026-03-01T10:00:00Z',
  holds: [aHold({ since: '2026-03-01T10:00:00Z', until: '2026-03-01T11:00:00Z' })],
};

function losesRecord({ world: { pools, clock } }: KeepLab, how: (typeof losses)[number]): void {
  switch (how) {
    case 'made again':
      pools.remove('worker');
      pools.put(aPool({ uid: 'another', createdAt: clock.now().toISOString() }));
      return;
    case 'rid of its record':
      pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });
      return;
    case 'under an older record that Git has':
      pools.change('worker', 'argocd-controller', { record: { kind: 'record', record: exported } });
      return;
    default:
      how satisfies never;
  }
}

type ByPerson = (pool: Pool, until: Date, request: { who: string; why: string; now: Date }) => ManualChange;

const frozen: ByPerson = (pool, until, request) => freezeManually(pool, { scope: 'cluster', until }, request);

describe.each<readonly [string, ByPerson, string]>([
  ['a freeze', frozen, 'freeze/cluster/ann'],
  ['a hold by hand', addManualHold, 'manual/ann'],
])('%s of a pool', (_, hold, id) => {
  /** Held for three hours, and seen by a pass. */
  async function heldLab(): Promise<KeepLab> {
    const lab = keepLab();
    const now = lab.world.clock.now();
    const until = new Date(now.getTime() + 3 * 3_600_000);
    await writeByHand(lab.world.pools, {
      pool: 'worker',
      decide: (pool) => hold(pool, until, { who: 'ann', why: 'change stop', now }),
      event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: now }),
    });
    await lab.pass(300);
    return lab;
  }

  test.each([0, 600])('[N-4] [N-21] goes on when the pool is made again %d s after it was deleted', async (seconds) => {
    const lab = await heldLab();
    lab.world.pools.remove('worker');
    await lab.pass(seconds);
    lab.world.pools.put(aPool({ uid: 'another', createdAt: lab.world.clock.now().toISOString() }));
    const before = lab.world.bus.published.length;

    await lab.pass(120);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id, who: 'ann' }] });
    expect(lab.told().slice(before)).toEqual(['pool.paused']);
    expect(lab.world.bus.published[before]?.data).toMatchObject({ why: expect.stringContaining('lost its record') });
    await lab.pass(3 * 3600);
    expect(lab.pool().paused).toBe(false);
  });

  test.each(losses)('[N-4] [N-21] goes on when the pool is %s and the first write of that is refused', async (how) => {
    const lab = await heldLab();
    const { faults } = lab.world;
    losesRecord(lab, how);
    faults.forget();
    faults.failNth('pools.patch', 1, { error: new Transient('the API server answered with status 500') });
    await expect(lab.pass(60)).rejects.toThrow('status 500');
    const toldMeanwhile = lab.told();

    await lab.pass(1800);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id, who: 'ann' }] });
    expect(toldMeanwhile).not.toContain('pool.released');
  });

  test.each([60, 1800].flatMap((seconds) => losses.map((how) => [how, seconds] as const)))(
    '[N-4] [N-21] goes on when the pool is %s in a sync and for %d s what was published cannot be read',
    async (how, unreadSeconds) => {
      const lab = await heldLab();
      const { pools, faults } = lab.world;
      lab.syncs(commitB);
      await lab.pass(60);
      losesRecord(lab, how);
      const readAgain = faults.failAll(['memories.load'], new Transient('the table answered with status 500'));
      await expect(lab.pass(60)).rejects.toThrow('status 500');
      const pausedAtOnce = lab.pool().paused;
      pools.observe('worker');
      lab.ends('Succeeded', { results: [] });
      for (let seconds = 60; seconds < unreadSeconds; seconds += 60) await lab.pass(60).catch(() => {});
      readAgain();

      await lab.pass(1200);

      expect([pausedAtOnce, lab.pool().paused]).toEqual([true, true]);
      expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id, who: 'ann' }] });
    },
  );

  test('[N-4] [S0-15] whose record and pause go in one write has been resumed by whoever wrote it, which is told', async () => {
    const lab = await heldLab();
    lab.world.pools.change('worker', 'kubectl-replace', { paused: false, record: { kind: 'none' } });

    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
    expect(lab.told()).toContain('pool.overridden');
    expect(lab.record()?.letGo?.by).toBe('kubectl-replace');
  });

  test('[S0-21] that the command to disconnect the cluster took away is not put back', async () => {
    const lab = await heldLab();
    lab.world.pools.change('worker', 'poolkeeper', { paused: false, record: { kind: 'none' } });

    await lab.pass(300);

    expect(lab.pool()).toMatchObject({ paused: false, record: { kind: 'none' } });
    expect(lab.told()).not.toContain('pool.overridden');
  });

  test('[N-4] [N-29] under an older record that Git has is told with who wrote it, once', async () => {
    const lab = await heldLab();
    const before = lab.world.bus.published.length;
    losesRecord(lab, 'under an older record that Git has');

    await lab.pass(3600);

    const told = lab.world.bus.published.slice(before).map(({ data }) => JSON.stringify(data));
    expect(told.filter((text) => text.includes('"id":"manual/poolkeeper"'))).toEqual([
      expect.stringContaining('argocd-controller wrote over its record'),
    ]);
    expect(lab.pool().recordBy).toBe('poolkeeper');
  });

  test('[decoy] [N-4] under a record that Argo CD has only applied as it found it ends as ever', async () => {
    const lab = await heldLab();
    const before = lab.told().length;
    lab.world.pools.change('worker', 'argocd-controller', { recordBy: 'argocd-controller' });

    await lab.pass(4 * 3600);

    expect(lab.pool().paused).toBe(false);
    expect(lab.told().slice(before)).toEqual(['pool.released', 'pool.resumed']);
  });

  test.each(losses)('[N-4] goes on where the pool alone is %s', async (how) => {
    const lab = await heldLab();
    losesRecord(lab, how);

    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id }]);
  });
});

/** Characters. The API server takes 256 KiB of annotations of one object, and others have theirs. */
const annotationsAtMost = 230_000;
