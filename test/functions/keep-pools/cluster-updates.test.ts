import { expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { aPool, aRecord } from '../../fakes/index.ts';
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

test('[S3-8] a pool that the update waits for resumes: each would wait for the other', async () => {
  const lab = keepLab({ pools: { master: { ...defaultPoolSettings, manageRequired: true } } });
  const release = {
    since: '2026-03-02T09:00:00Z',
    finishedAt: '2026-03-02T09:00:00Z',
    machineConfigs: [],
    why: 'synced',
  };
  lab.world.pools.put(
    aPool({
      name: 'master',
      paused: true,
      target: { name: 'rendered-master-bbb', sources: [] },
      record: { kind: 'record', record: aRecord({ holds: [], release }) },
    }),
  );
  lab.world.reader.put(path, underWay);

  await lab.pass(120);

  expect(lab.pool('master').paused).toBe(false);
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
