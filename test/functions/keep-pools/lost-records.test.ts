import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { commitB, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

const hour = 3600;
const failure = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  status: 'SyncFailed',
  message: 'spec.config: invalid',
  hookType: '',
};

async function failed(options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(5);
  lab.ends('Failed', { results: [failure] });
  await lab.deliver(lab.operationOf('Failed'));
  const target = { name: 'rendered-worker-2', sources: ['00-worker', '99-worker-ssh'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target, pausedBy: lab.pool().pausedBy });
  await lab.pass(300);
  return lab;
}

const approve = {
  by: ['slack:U0000ALICE'],
  needed: 1,
  when: 'sync-failed' as const,
  excludePusher: false,
  expiresSeconds: hour,
};
const withApproval: LabOptions = {
  policy: { onSyncFailure: 'resume-after-approval' },
  pools: { worker: { ...defaultPoolSettings, approve } },
};

/** Holds that were told to have ended. */
function released({ world }: KeepLab): readonly string[] {
  return world.bus.published.flatMap(({ type, data }) =>
    type === 'poolkeeper.pool.released.v1' && 'hold' in data && typeof data.hold === 'string' ? [data.hold] : [],
  );
}

function losesRecord(lab: KeepLab): void {
  lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });
}

function isReplaced(lab: KeepLab, by: string): void {
  lab.world.pools.change('worker', by, { paused: false, record: { kind: 'none' } });
}

describe('a pool whose record is removed', () => {
  test('[S0-9] [N-30] while a failed sync holds it stays paused for that, which goes on being told', async () => {
    const lab = await failed({ policy: { onSyncFailure: 'keep' } });
    losesRecord(lab);

    await lab.pass(2 * hour);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'failed' }]);
    expect(lab.troubles()).toContain('run-failed');
    expect(released(lab)).not.toContain(nodesHold);
  });

  test('[S0-9] [N-17] [N-30] waits for its approval all the same, asked before or after', async () => {
    const [before, after] = [await failed(withApproval), await failed(withApproval)];
    losesRecord(before);
    await after.pass(2 * hour);
    losesRecord(after);

    await before.pass(3 * hour);
    await after.pass(hour);

    expect([before.pool().paused, after.pool().paused]).toEqual([true, true]);
    expect([before, after].map((lab) => lab.troubles())).toEqual([
      expect.arrayContaining(['approval-needed']),
      expect.arrayContaining(['approval-needed']),
    ]);
  });

  test('[S0-9] [N-29] resumes once the failed sync has been repeated well', async () => {
    const lab = await failed();
    losesRecord(lab);
    await lab.pass(60);

    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(false);
  });
});

describe.each(['argocd-controller', 'kubectl-replace'])('a pool that %s replaces as a whole', (by) => {
  test('[S0-15] [N-30] is paused again for its failed sync, and both is told', async () => {
    const lab = await failed();
    isReplaced(lab, by);
    const before = lab.told().length;

    await lab.pass(300);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'failed' }]);
    expect(lab.told().slice(before)).toEqual(expect.arrayContaining(['pool.overridden', 'pool.paused']));
    expect(released(lab)).toEqual([]);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('[S0-15] [N-30] is paused again for the sync that it expects', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(60);
    isReplaced(lab, by);

    await lab.pass(120);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'expected' }]);
    expect(lab.told()).toContain('pool.overridden');
  });

  test('[S0-15] and that waits for an approval alone is told as resumed', async () => {
    const lab = await failed(withApproval);
    await lab.pass(2 * hour);
    isReplaced(lab, by);

    await lab.pass(120);

    expect(lab.told()).toContain('pool.overridden');
  });
});
