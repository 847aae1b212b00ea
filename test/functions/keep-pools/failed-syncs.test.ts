import { describe, expect, test } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const failure = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  status: 'SyncFailed',
  message: 'spec.config: invalid',
  hookType: '',
};

/** A push of commit B whose sync failed half-way; the pool is held for it. */
async function failedSync(): Promise<KeepLab> {
  const lab = keepLab();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(5);
  lab.ends('Failed', { results: [failure] });
  await lab.deliver(lab.operationOf('Failed'));
  return lab;
}

describe('a failed sync', () => {
  test('a failed sync still holds when the commit pushed after it is never synced', async () => {
    const lab = await failedSync();
    await lab.pass(60);
    await lab.deliver(lab.pushOf(commitC));

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('a failed sync is not forgotten for a push that no sync follows by itself', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { automated: false });
    await lab.pass(60);

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
  });

  test('a sync that stays queued is not written on the pool again and again', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { operationQueued: true });
    await lab.pass(60);
    const patches = lab.world.pools.patches.length;

    await lab.pass(600);

    expect(lab.world.pools.patches).toHaveLength(patches);
  });

  test('a failed sync whose Application was made anew holds nothing any more', async () => {
    const lab = await failedSync();
    lab.world.argocd.put(anApplication({ uid: 'uid-again', sync: { status: 'OutOfSync', revisions: [commitA] } }));

    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('a failed sync lets go once Argo CD compared again and found the Application Synced', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitC] } });
    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);

    lab.world.argocd.change('nodes', { reconciledAt: '2026-03-02T10:05:00Z' });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('a person who resumes a pool that a failed sync kept has decided: the next push is protected again', async () => {
    const lab = await failedSync();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds).toEqual([]);
    expect(lab.told()).toContain('pool.overridden');

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.pause).toBe('ours');
  });
});
