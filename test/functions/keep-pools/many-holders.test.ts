import { expect, test } from 'vitest';
import { readRecord } from '../../../functions/core/openshift/pool-record.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** What the API server accepts of annotations per object, bytes. */
const annotationBytes = 256 * 1024;

function recordBytes(lab: KeepLab): number {
  return Buffer.byteLength(JSON.stringify(lab.record()));
}

function nameOf(index: number): string {
  return `${'a-very-long-name-'.repeat(14)}${index}`;
}

function forge(lab: KeepLab, count: number, named = nameOf): void {
  for (let index = 0; index < count; index += 1) {
    const name = named(index);
    const operation = anOperation({ phase: 'Running', finishedAt: undefined, results: [] });
    lab.world.argocd.put(anApplication({ name, uid: `uid-${index}`, operation, operationQueued: true }));
  }
}

test('[N-30] a thousand Applications that claim to sync leave a record that the API server takes, and the pool paused', async () => {
  const lab = keepLab();
  forge(lab, 1000);

  await lab.tick();

  expect(lab.pool().paused).toBe(true);
  expect(recordBytes(lab)).toBeLessThan(annotationBytes);
  expect(readRecord(JSON.stringify(lab.record())).kind).toBe('record');
});

test('[N-30] as the forged ones end, a sync that found no room is held after all, without a gap', async () => {
  const lab = keepLab();
  const real = lab.world.argocd.get('nodes');
  lab.world.argocd.remove('nodes');
  // Names as long as its own, so that no gap between them is large enough.
  const shortly = (index: number) => `x${`${index}`.padStart(4, '0')}`;
  forge(lab, 580, shortly);
  lab.world.argocd.put(real);
  lab.syncs(commitB);
  await lab.tick();
  const isHeld = () => lab.record()?.holds.some(({ id }) => id === nodesHold) === true;
  const atFirst = isHeld();
  for (let index = 0; index < 580; index += 1) {
    const operation = anOperation({ phase: 'Succeeded', results: [] });
    lab.world.argocd.change(shortly(index), { operation, operationQueued: false });
    if (index % 290 === 289) {
      await lab.pass(310);
      expect(lab.pool().paused).toBe(true);
    }
  }

  expect([atFirst, isHeld()]).toEqual([false, true]);
});

test('[N-30] an operation that claims to have applied ten thousand MachineConfigs is released with a record that fits', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.tick();
  const group = 'machineconfiguration.openshift.io';
  const results = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ group, kind: 'MachineConfig', namespace: '', status: 'Synced', message: '', hookType: '' },
    name: `99-worker-${'x'.repeat(200)}-${index}`,
  }));
  lab.ends('Succeeded', { results });

  await lab.tick();

  expect(lab.record()?.holds).toEqual([]);
  expect(recordBytes(lab)).toBeLessThan(annotationBytes);
});

/** What the admission level answers for a pool. */
function refusalOf(pool: string): string {
  return `ValidatingAdmissionPolicy 'pause-first' with binding 'pause-first' denied request: pool ${pool} is not paused yet: x`;
}

test('[N-30] the reason of a hold that exists does not grow by what its Application says of refused pools', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.tick();
  const results = Array.from({ length: 200 }, (_, index) => ({
    ...{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', status: 'SyncFailed' },
    ...{ name: `99-${index}`, hookType: '', message: refusalOf(`${index}${'x'.repeat(1_800)}`) },
  }));
  lab.ends('Failed', { results });

  await lab.tick();

  expect(lab.record()?.holds.map(({ id }) => id)).toEqual([nodesHold]);
  expect(recordBytes(lab)).toBeLessThan(10_000);
});

test('[N-30] holds that grow after they were accepted leave a record that the API server takes', async () => {
  const lab = keepLab();
  forge(lab, 300);
  await lab.tick();
  const before = lab.record()?.holds.length;
  const message = 'x'.repeat(2_000);
  for (let index = 0; index < 300; index += 1) {
    const results = ['a', 'b', 'c'].map((each) => ({
      ...{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', status: 'SyncFailed' },
      ...{ name: each.repeat(250), hookType: '', message },
    }));
    const operation = anOperation({ phase: 'Failed', results });
    lab.world.argocd.change(nameOf(index), { operation, operationQueued: false });
  }

  await lab.tick();

  expect(lab.record()?.holds.length).toBe(before);
  expect(recordBytes(lab)).toBeLessThan(annotationBytes);
});

test('[N-30] what an Application says that it was synced to does not fill the record', async () => {
  const lab = keepLab();
  const revisions = Array.from({ length: 20 }, (_, index) => `${index}${'c'.repeat(4_000)}`);
  lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions } });

  await lab.deliver(lab.pushOf(commitB));

  expect(lab.record()?.holds.map(({ id }) => id)).toEqual([nodesHold]);
  expect(recordBytes(lab)).toBeLessThan(10_000);
});
