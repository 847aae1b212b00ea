import { describe, expect, test } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, keepLab, nodesHold } from './keep-lab.ts';

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

/** Characters. The API server takes 256 KiB of annotations of one object, and others have theirs. */
const annotationsAtMost = 230_000;
