import { describe, expect, test } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, commitC, keepLab, nodesHold, tickOf } from './keep-lab.ts';

describe('reads that are older than they look', () => {
  test('an Application that was listed before the pools does not let go of the sync that began since', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
    const { argocd, pools, reader, renderings } = lab.world;
    const listed = Promise.withResolvers<void>();
    const listApplications = async () => {
      const before = await argocd.listApplications();
      listed.resolve();
      return before;
    };
    const listPools = async () => {
      await listed.promise;
      lab.syncs(commitB, { startedBy: 'admin' });
      await lab.deliver(lab.operationOf('Running'));
      return pools.listPools();
    };

    await keep(lab.pushOf(commitB), {
      ...lab.ports,
      argocd: async () => ({ ...argocd, listApplications }),
      cluster: async () => ({ pools: { ...pools, listPools }, reader, renderings }),
    });

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });

  test('a pool that was read before another pass wrote it is not told as let go', async () => {
    const lab = keepLab();
    const { pools, reader, renderings, tables } = lab.world;
    const listed = Promise.withResolvers<void>();
    const listPools = async () => {
      const before = await pools.listPools();
      listed.resolve();
      return before;
    };
    const load = async (cluster: string) => {
      await listed.promise;
      await lab.deliver(lab.pushOf(commitB));
      return tables.checkpoints.load(cluster);
    };

    await keep(tickOf(lab.world.clock.now()), {
      ...lab.ports,
      checkpoints: { ...tables.checkpoints, load },
      cluster: async () => ({ pools: { ...pools, listPools }, reader, renderings }),
    });

    expect(lab.pool().paused).toBe(true);
    expect(lab.told()).not.toContain('pool.released');
  });

  test('[S0-13] [N-3] a hold is told as released also if another pass was faster to store what was told before', async () => {
    const lab = keepLab();
    lab.world.argocd.put(
      anApplication({ name: 'second', uid: 'second', sync: { status: 'Synced', revisions: [commitA] } }),
    );
    await lab.tick();
    lab.syncs(commitA, {}, 'second');
    await lab.deliver({ ...lab.operationOf('Running'), data: { ...lab.operationOf('Running').data, name: 'second' } });
    const { checkpoints } = lab.ports;
    await keep(lab.pushOf(commitB), { ...lab.ports, checkpoints: { ...checkpoints, save: async () => false } });
    lab.syncs(commitB);
    lab.ends('Succeeded');

    await lab.deliver(lab.operationOf('Succeeded'));

    const { published } = lab.world.bus;
    const released = published.flatMap((each) => (each.type === 'poolkeeper.pool.released.v1' ? [each.data.hold] : []));
    expect(released).toEqual([nodesHold]);
    expect(lab.record()?.holds.map(({ who }) => who)).toEqual(['openshift-gitops/second']);
  });

  test.each([
    ['slept for two hours', '2026-03-02T14:30:00Z'],
    ['had its clock set back', '2026-03-02T11:30:00Z'],
  ])(
    '[S0-1] [S0-9] [N-8] a process that %s after it had read looks anew before a pool resumes: a sync runs by now, and its window is closed',
    async (_, at) => {
      const lab = keepLab({
        windows: [Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 3600 })],
      });
      const { clock, faults } = lab.world;
      await lab.deliver(lab.pushOf(commitB));
      lab.syncs(commitB);
      await lab.pass(60);
      lab.ends('Succeeded');
      await lab.pass(600);
      clock.set(new Date('2026-03-02T12:30:00Z'));
      faults.forget();
      faults.meanwhile('pools.nodes', 1, () => {
        clock.set(new Date(at));
        lab.syncs(commitC);
      });

      await lab.tick().catch(() => undefined);
      const asleep = lab.pool().paused;
      await lab.tick();

      expect([asleep, lab.pool().paused]).toEqual([true, true]);
    },
  );
});
