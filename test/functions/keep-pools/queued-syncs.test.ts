import { describe, expect, test } from 'vitest';
import { commitA, keepLab } from './keep-lab.ts';

describe('a queued sync', () => {
  test('a queued dry run holds nothing once it is over', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { operationQueued: true, operation: undefined });
    await lab.deliver(lab.operationOf('Running'));
    lab.syncs(commitA, { dryRun: true });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] } });

    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('a sync that is queued after a dry run is a sync', async () => {
    const lab = keepLab();
    lab.syncs(commitA, { dryRun: true });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { operationQueued: true });

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });
});
