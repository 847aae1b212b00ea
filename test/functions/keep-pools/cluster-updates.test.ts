import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { aCondition, aPool, aRecord } from '../../fakes/index.ts';
import { commitB, keepLab, type LabOptions } from './keep-lab.ts';

const path = '/apis/config.openshift.io/v1/clusterversions/version';
const completed = { state: 'Completed', version: '4.17.3', startedTime: '2026-02-01T10:00:00Z' };
const underWay = {
  status: {
    desired: { version: '4.18.1' },
    history: [{ state: 'Partial', version: '4.18.1', startedTime: '2026-03-02T09:50:00Z' }, completed],
  },
};
const done = { status: { desired: { version: '4.17.3' }, history: [completed] } };

/** A sync with a change for pool worker has succeeded. */
async function syncedLab(options: LabOptions = {}) {
  const lab = keepLab(options);
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] },
  });
  return lab;
}

test('[S3-8] while the version of the cluster is updated, a pool waits, and says for what', async () => {
  const lab = await syncedLab();
  lab.world.reader.put(path, underWay);

  await lab.pass(30 * 60);
  const [view] = await lab.ports.views.list();
  const during = lab.pool().paused;
  lab.world.reader.put(path, {
    status: { ...done.status, desired: { version: '4.18.1' }, history: [{ ...completed, version: '4.18.1' }] },
  });
  await lab.pass(120);

  expect(during).toBe(true);
  expect(JSON.stringify(view)).toContain(
    'the update of the cluster from 4.17.3 to 4.18.1, since 2026-03-02T09:50:00Z, has not reached the Machine Config Operator',
  );
  expect(lab.pool().paused).toBe(false);
});

test('[S3-8] an update that only the Machine Config Operator has not followed yet is under way', async () => {
  const lab = await syncedLab();
  lab.world.reader.put(path, done);
  lab.world.reader.put('/apis/config.openshift.io/v1/clusteroperators/machine-config', {
    status: { versions: [{ name: 'operator', version: '4.16.9' }] },
  });

  await lab.pass(600);

  expect(lab.pool().paused).toBe(true);
});

test.each([
  ['duringUpgrade: go', { policy: { duringUpgrade: 'go' as const } }, underWay],
  ['no update', {}, done],
])('[S3-8] with %s it resumes', async (_, options, version) => {
  const lab = await syncedLab(options);
  lab.world.reader.put(path, version);

  await lab.pass(600);

  expect(lab.pool().paused).toBe(false);
});

test.each([
  [
    'cannot be read',
    (lab: Awaited<ReturnType<typeof syncedLab>>) => lab.world.reader.refuse(path, 'the API server is busy'),
  ],
  ['cannot be parsed', (lab: Awaited<ReturnType<typeof syncedLab>>) => lab.world.reader.put(path, { status: 7 })],
])('[S3-8] a version that %s keeps the pool paused', async (_, make) => {
  const lab = await syncedLab();
  make(lab);

  await lab.pass(600);

  expect(lab.pool().paused).toBe(true);
});

/** Its syncs have ended, and what they changed waits. */
function waitingPool(name: string) {
  const since = '2026-03-02T09:00:00Z';
  const release = { since, finishedAt: since, machineConfigs: [], why: 'synced' };
  return aPool({
    name,
    uid: `uid-${name}`,
    paused: true,
    target: { name: `rendered-${name}-bbb`, sources: [] },
    counts: { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 },
    record: { kind: 'record', record: aRecord({ holds: [], release }) },
  });
}

test('[S3-8] a pool that the update waits for resumes: each would wait for the other', async () => {
  const lab = keepLab({ pools: { master: { ...defaultPoolSettings, manageRequired: true } } });
  lab.world.pools.put(waitingPool('master'));
  lab.world.reader.put(path, underWay);

  await lab.pass(120);

  expect(lab.pool('master').paused).toBe(false);
});

describe('[S3-8] [N-30] a pool that the update waits for, in a higher wave than one that waits for the update', () => {
  async function wavesLab(version: unknown, policy: LabOptions['policy'] = {}) {
    const master = { ...defaultPoolSettings, manageRequired: true, wave: 1 };
    const lab = keepLab({ policy, pools: { master } });
    lab.world.reader.put(path, version);
    for (const name of ['master', 'worker']) lab.world.pools.put(waitingPool(name));
    return lab;
  }

  test('resumes, and says why: each would wait for the other', async () => {
    const lab = await wavesLab(underWay);

    await lab.pass(120);

    expect([lab.pool('master').paused, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record('master')?.last?.why).toContain(
      'the update of the cluster waits for it, and pool worker of wave 0 for that update',
    );
  });

  test('waits for one that is degraded, and whose change goes before the update', async () => {
    const lab = await wavesLab(underWay);
    const worker = waitingPool('worker');
    const conditions = [aCondition({ type: 'NodeDegraded', status: 'True' })];
    lab.world.pools.put({ ...worker, conditions, counts: { ...worker.counts, unavailable: 1, degraded: 1 } });

    await lab.pass(120);

    expect([lab.pool('master').paused, lab.pool().paused]).toEqual([true, false]);
    expect(lab.record()?.last?.why).toContain('it is degraded: its change does not wait for the update to 4.18.1');
  });

  test('[S3-8] where none such is paused, a degraded pool waits for the update as any other: its nodes roll once', async () => {
    const lab = keepLab();
    lab.world.reader.put(path, underWay);
    const worker = waitingPool('worker');
    const conditions = [aCondition({ type: 'NodeDegraded', status: 'True' })];
    lab.world.pools.put({ ...worker, conditions, counts: { ...worker.counts, unavailable: 1, degraded: 1 } });

    await lab.pass(120);

    expect(lab.pool().paused).toBe(true);
  });

  test('resumes before one that a run holds, which waits for the update itself', async () => {
    const lab = await wavesLab(underWay);
    const since = '2026-03-02T09:00:00Z';
    const run = { id: 'rollout/upgrade', kind: 'rollout' as const, who: 'run upgrade', why: 'node by node', since };
    const record = aRecord({ holds: [{ ...run, until: '2026-03-09T09:00:00Z' }] });
    lab.world.pools.put({ ...waitingPool('worker'), record: { kind: 'record', record } });

    await lab.pass(120);

    expect(lab.pool('master').paused).toBe(false);
  });

  test.each([
    ['without an update', done, {}],
    ['where no pool waits for the update', underWay, { duringUpgrade: 'go' as const }],
  ])('[decoy] waits for its turn %s', async (_, version, policy) => {
    const lab = await wavesLab(version, policy);

    await lab.pass(120);

    expect([lab.pool('master').paused, lab.pool().paused]).toEqual([true, false]);
  });

  test('[decoy] waits while somebody holds the other', async () => {
    const lab = await wavesLab(underWay);
    const hold = {
      id: 'manual/ann',
      kind: 'manual' as const,
      who: 'ann',
      why: 'debugging',
      since: '2026-03-02T09:00:00Z',
    };
    const held = aRecord({ holds: [{ ...hold, until: '2026-03-02T18:00:00Z' }] });
    lab.world.pools.put({ ...waitingPool('worker'), record: { kind: 'record', record: held } });

    await lab.pass(120);

    expect(lab.pool('master').paused).toBe(true);
  });
});

test.each([
  ['by somebody else (EUS to EUS) is left alone, and told before it blocks the update', 'master', ['paused-too-long']],
  ['that no update waits for is left alone, and not told', 'worker', []],
])('[S3-8] a pool that is paused %s', async (_, name, told) => {
  const lab = keepLab();
  lab.world.pools.put(aPool({ name, paused: true, pausedBy: { manager: 'kubectl-edit', at: '2026-03-02T09:00:00Z' } }));
  lab.world.reader.put(path, underWay);

  await lab.pass(300);
  const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');

  expect(lab.troubles()).toEqual(told);
  expect(lab.pool(name).paused).toBe(true);
  expect(incident?.trouble?.headline).toBe(
    told.length === 0 ? undefined : 'the update of the cluster to 4.18.1 waits for this pool, paused by kubectl-edit',
  );
});
