import { describe, expect, test } from 'vitest';
import type { WorkEvent } from '../../../events/index.ts';
import { resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab } from './keep-lab.ts';

/** Applications of a tenant that sync. */
function tenantSyncs(
  { world }: KeepLab,
  count: number,
  resources: ReturnType<typeof anApplication>['resources'],
): void {
  for (let each = 0; each < count; each += 1) {
    const operation = anOperation({ phase: 'Running', finishedAt: undefined, revisions: [commitA], results: [] });
    world.argocd.put(anApplication({ namespace: 'team-b', name: `x${each}`, uid: `x${each}`, resources, operation }));
  }
}

/** The calls between the first two patches of a pool. */
function betweenPatches({ world }: KeepLab): readonly string[] {
  const ops = world.faults.calls.map(({ op }) => op);
  const first = ops.indexOf('pools.patch');
  const second = ops.indexOf('pools.patch', first + 1);
  expect(second).toBeGreaterThan(first);
  return ops.slice(first + 1, second);
}

/** The MCO writes a status just before the first patch. */
function mcoWritesFirst({ world }: KeepLab): void {
  world.faults.forget();
  world.faults.meanwhile('pools.patch', 1, () =>
    world.pools.change('worker', 'machine-config-controller', { observedGeneration: 1 }),
  );
}

/** Delivers an event; others act before the first patch of its pass. */
async function deliverWhile(lab: KeepLab, event: WorkEvent, others: () => Promise<void>): Promise<void> {
  const { pools, reader, renderings } = lab.world;
  let isFirst = true;
  const patchPool: typeof pools.patchPool = async (pool, change) => {
    if (isFirst) await others();
    isFirst = false;
    return pools.patchPool(pool, change);
  };
  await keep(event, { ...lab.ports, cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }) });
}

describe('a pause that loses a resourceVersion race to the MCO', () => {
  test('[S0-5] [N-30] is written again at once, however many Applications sync', async () => {
    const lab = keepLab();
    tenantSyncs(lab, 30, []);
    lab.syncs(commitB);
    mcoWritesFirst(lab);

    await lab.tick();

    expect(lab.pool().paused).toBe(true);
    expect(betweenPatches(lab)).toEqual(['pools.read']);
  });

  test('[S0-7] ends with the next look where the sync has ended meanwhile', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.faults.meanwhile('pools.patch', 1, () => {
      lab.ends('Succeeded');
      lab.world.pools.change('worker', 'machine-config-controller', { maxUnavailable: '2' });
    });
    await lab.deliver(lab.operationOf('Running'));
    expect(lab.pool().paused).toBe(true);

    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds).toEqual([]);
  });

  test('is not written where the pool is not managed any more', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    lab.world.faults.meanwhile('pools.patch', 1, () =>
      lab.world.pools.change('worker', 'kubectl-label', {
        labels: { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' },
      }),
    );

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.pools.patches).toEqual([]);
  });
});

describe('a write that loses a resourceVersion race to somebody else', () => {
  test('[S0-15] a person who has resumed what another pass had paused for the same sync wins', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    const running = lab.operationOf('Running');

    await deliverWhile(lab, running, async () => {
      await lab.deliver({ ...running, id: 'first' });
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    });
    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.pause).toBe('overridden');
    expect(lab.world.pools.patches.filter(({ change }) => change.paused === true)).toHaveLength(1);
  });

  test('[S0-15] so does one who resumed it with the command', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    const running = lab.operationOf('Running');

    await deliverWhile(lab, running, async () => {
      await lab.deliver({ ...running, id: 'first' });
      const { paused, record } = resumeManually(lab.pool(), { who: 'ann', why: 'enough', now: lab.world.clock.now() });
      await lab.world.pools.patchPool(lab.pool(), { paused, record });
    });
    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-3] a pool whose record another pass has written is not held again for a sync that has ended', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    const running = lab.operationOf('Running');

    await deliverWhile(lab, running, async () => {
      await lab.deliver({ ...running, id: 'first' });
      lab.ends('Succeeded');
      await lab.deliver(lab.operationOf('Succeeded'));
      await lab.pass(120);
    });

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds).toEqual([]);
  });

  test('[N-30] before a resume, no Application is read again that neither holds the pool nor reaches it', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    tenantSyncs(lab, 30, []);
    lab.ends('Succeeded');
    mcoWritesFirst(lab);

    await lab.pass(60);

    const read = betweenPatches(lab).filter((op) => op === 'argocd.read');
    expect(lab.pool().paused).toBe(false);
    expect(read.length).toBeLessThanOrEqual(1);
  });

  test('[N-30] of those that reach it, no more than a limit is read one by one', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    const claim = { group: 'machineconfiguration.openshift.io', kind: 'KubeletConfig', namespace: '', name: 'all' };
    tenantSyncs(lab, 250, [{ ...claim, status: 'OutOfSync' }]);
    mcoWritesFirst(lab);

    await lab.pass(300);

    const between = betweenPatches(lab);
    expect(between.filter((op) => op === 'argocd.list')).toHaveLength(1);
    expect(between.filter((op) => op === 'argocd.read')).toEqual([]);
  });
});
