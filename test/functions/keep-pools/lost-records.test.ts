import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aMachineConfig, anApplication, aPool } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

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

const refusal = new Transient('the API server answered with status 500');

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

/** As by `kubectl replace --force`, or by a sync with `Force=true,Replace=true`. */
function isMadeAgain(lab: KeepLab): void {
  const { target, current } = lab.pool();
  lab.world.pools.remove('worker');
  lab.world.pools.put(aPool({ uid: 'another', createdAt: lab.world.clock.now().toISOString(), target, current }));
}

const newPools = {
  'is made again': isMadeAgain,
  'is replaced by Argo CD': (lab: KeepLab) => isReplaced(lab, 'argocd-controller'),
  'is replaced by a person': (lab: KeepLab) => isReplaced(lab, 'kubectl-replace'),
} as const;
const newPoolNames = ['is made again', 'is replaced by Argo CD', 'is replaced by a person'] as const;

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

const machineConfig = { ...failure, status: 'Synced', message: 'configured' };
const ofPool = { ...machineConfig, kind: 'MachineConfigPool', name: 'worker', message: 'replaced' };

/** Pushed and paused for, and synced at once: nobody looks between what the sync does to the pool and its end. */
async function syncedAnew(options: LabOptions, act: (lab: KeepLab) => void, isSeen: boolean): Promise<KeepLab> {
  const lab = keepLab(options);
  const { argocd, clock, pools } = lab.world;
  await lab.tick();
  const resources = [machineConfig, ofPool].map((each) => ({ ...each, status: 'OutOfSync' }));
  argocd.change('nodes', { resources, sync: { status: 'OutOfSync', revisions: [commitB] } });
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  await lab.pass(60);
  lab.syncs(commitB);
  if (isSeen) await lab.deliver(lab.operationOf('Running'));
  clock.advance(1);
  act(lab);
  pools.putMachineConfig(aMachineConfig({ changedAt: clock.now().toISOString() }));
  lab.ends('Succeeded', { results: [machineConfig, ofPool] });
  clock.advance(2);
  await lab.deliver(lab.operationOf('Succeeded'));
  return lab;
}

/** The MCO renders what was synced. */
function isRendered({ world }: KeepLab): void {
  const target = { name: 'rendered-worker-2', sources: ['00-worker', '99-worker-ssh'] };
  const { pausedBy } = world.pools.observe('worker');
  world.pools.change('worker', 'machine-config-controller', { target, pausedBy });
}

const alwaysAsked: LabOptions = {
  pools: { worker: { ...defaultPoolSettings, approve: { ...approve, when: 'always' } } },
};

describe.each(newPoolNames)('a pool that %s in the sync that it is paused for', (name) => {
  test.each([true, false])(
    '[S0-15] [N-17] is paused for its approval though the sync is over already, seen as it runs: %s',
    async (isSeen) => {
      const lab = await syncedAnew(alwaysAsked, newPools[name], isSeen);
      lab.world.clock.advance(6);
      isRendered(lab);

      await lab.pass(1800);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()).toMatchObject({ pause: 'ours', holds: [], release: { machineConfigs: ['99-worker-ssh'] } });
      expect(lab.troubles()).toEqual(['approval-needed']);
      expect(lab.told().includes('pool.overridden')).toBe(name !== 'is made again');
    },
  );

  test('[S0-15] [N-29] is resumed where no gate asks anybody, and all is told', async () => {
    const lab = await syncedAnew({}, newPools[name], true);
    const words = lab.record()?.last?.why;
    isRendered(lab);

    await lab.pass(1200);

    expect(words).toMatch(
      /(resumed the pool|has lost its record).*: paused again; .* its gates decide when it resumes$/,
    );
    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last).toMatchObject({ did: 'resumed' });
    expect(lab.told()).toEqual(expect.arrayContaining(['pool.paused', 'pool.released', 'pool.resumed']));
  });
});

const newOrLost = { ...newPools, 'loses its record': losesRecord } as const;

describe('a pool that waits for an approval alone', () => {
  test('[S0-9] [N-17] and is made again waits for it still: nobody has resumed it', async () => {
    const lab = await syncedAnew(alwaysAsked, () => {}, true);
    isRendered(lab);
    await lab.pass(hour);
    const before = lab.told().length;
    isMadeAgain(lab);

    await lab.pass(1800);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.machineConfigs).toEqual(['99-worker-ssh']);
    expect(lab.troubles()).toEqual(['approval-needed']);
    expect(lab.told().slice(before)).toEqual(['pool.paused']);
  });

  test.each([...newPoolNames, 'loses its record'] as const)(
    '[S0-9] [N-17] [N-30] for a failed sync, and %s in a later sync of another Application, waits for it still',
    async (name) => {
      const lab = await failed(withApproval);
      const other = { name: 'other', uid: 'uid-other', sync: { status: 'Synced' as const, revisions: [commitA] } };
      lab.world.argocd.put(anApplication(other));
      await lab.pass(2 * hour);
      lab.syncs(commitC, {}, 'other');
      await lab.pass(60);
      newOrLost[name](lab);
      await lab.pass(60);

      lab.world.pools.observe('worker');
      lab.ends('Succeeded', { results: [] }, 'other');
      await lab.pass(1200);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()).toMatchObject({ holds: [], release: { afterFailed: [nodesHold] } });
      expect(lab.troubles()).toEqual(['approval-needed']);
    },
  );
});

async function waitsForApproval(): Promise<KeepLab> {
  const lab = await syncedAnew(alwaysAsked, () => {}, true);
  isRendered(lab);
  await lab.pass(hour);
  return lab;
}

describe.each<readonly [string, () => Promise<KeepLab>]>([
  ['held by a failed sync', () => failed({ policy: { onSyncFailure: 'keep' } })],
  ['that waits for its approval', waitsForApproval],
])('a pool %s whose record could not be put back at once', (_, make) => {
  test.each(['is made again', 'loses its record'] as const)(
    '[S0-9] [N-17] [N-30] goes on as it was once that succeeds, when it %s',
    async (name) => {
      const lab = await make();
      const [before, ended] = [lab.record(), released(lab)];
      newOrLost[name](lab);
      lab.world.faults.forget();
      lab.world.faults.failNth('pools.patch', 1, { error: refusal });
      await expect(lab.pass(60)).rejects.toThrow(refusal.message);
      const endedMeanwhile = released(lab);

      await lab.pass(1800);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()).toMatchObject({
        pause: 'ours',
        holds: (before?.holds ?? []).map(({ id, phase }) => ({ id, phase })),
        ...(before?.release && { release: { machineConfigs: before.release.machineConfigs } }),
      });
      expect(endedMeanwhile).toEqual(ended);
      expect(released(lab).filter((id) => id === nodesHold)).toEqual(ended);
    },
  );
});

test.each(['is made again', 'loses its record'] as const)(
  '[S0-9] [N-17] [N-30] a pool that waits for its approval for a failed sync waits for it still, where it %s in a later sync of another Application and what was published cannot be read at first',
  async (name) => {
    const lab = await failed(withApproval);
    const other = { name: 'other', uid: 'uid-other', sync: { status: 'Synced' as const, revisions: [commitA] } };
    lab.world.argocd.put(anApplication(other));
    await lab.pass(2 * hour);
    lab.syncs(commitC, {}, 'other');
    await lab.pass(60);
    newOrLost[name](lab);
    const readAgain = lab.world.faults.failAll(['memories.load'], refusal);
    await expect(lab.pass(60)).rejects.toThrow(refusal.message);
    const pausedAtOnce = lab.pool().paused;
    lab.world.pools.observe('worker');
    lab.ends('Succeeded', { results: [] }, 'other');
    await expect(lab.pass(60)).rejects.toThrow(refusal.message);
    readAgain();

    await lab.pass(1200);

    expect([pausedAtOnce, lab.pool().paused]).toEqual([true, true]);
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [], release: { afterFailed: [nodesHold] } });
    expect(lab.record()).not.toHaveProperty('lacksPublished');
    expect(lab.troubles()).toEqual(['approval-needed']);
  },
);

test('[S0-9] [N-29] a pool that nothing was published of is paused for a push, and resumes, though that cannot be read at first', async () => {
  const lab = keepLab();
  const readAgain = lab.world.faults.failAll(['memories.load'], refusal);
  const push = lab.pushOf(commitB);
  await expect(lab.deliver(push)).rejects.toThrow(refusal.message);
  const pausedAtOnce = lab.pool().paused;
  readAgain();
  await lab.deliver(push);
  lab.world.pools.observe('worker');
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');

  await lab.pass(1200);

  expect([pausedAtOnce, lab.pool().paused]).toEqual([true, false]);
  expect(lab.record()?.last).toMatchObject({ did: 'resumed' });
});

test('[S0-15] a pool that a person resumed while its record could not be read is not paused when that is removed', async () => {
  const lab = await failed();
  lab.world.pools.change('worker', 'someone', { record: { kind: 'unreadable', why: 'annotation: not JSON' } });
  await lab.pass(300);
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(600);

  losesRecord(lab);
  await lab.pass(120);

  expect(lab.pool().paused).toBe(false);
});
