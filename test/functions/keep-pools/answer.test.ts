import { describe, expect, test } from 'vitest';
import { anApplication, aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const group = 'machineconfiguration.openshift.io';
const role = `${group}/role`;
const poolLabel = (pool: string) => `pools.operator.${group}/${pool}`;

describe('objects that choose their pools themselves', () => {
  /** Pools worker, infra that inherits it, and gpu beside them; the Application manages one object of the kind. */
  function choosing(kind: string, name: string): KeepLab {
    const lab = keepLab();
    const pools = { worker: ['worker'], infra: ['worker', 'infra'], gpu: ['gpu'] };
    for (const [pool, roles] of Object.entries(pools))
      lab.world.pools.put(
        aPool({
          name: pool,
          uid: `uid-${pool}`,
          labels: { [poolLabel(pool)]: '' },
          machineConfigSelector: { matchExpressions: [{ key: role, operator: 'In', values: roles }] },
        }),
      );
    lab.world.argocd.change('nodes', { resources: [{ group, kind, namespace: '', name, status: 'OutOfSync' }] });
    return lab;
  }
  const pausedIn = (lab: KeepLab) => ['worker', 'infra', 'gpu'].filter((name) => lab.pool(name).paused);
  const workers = { matchLabels: { [poolLabel('worker')]: '' } };

  test.each(['KubeletConfig', 'ContainerRuntimeConfig'])(
    '[S3-2] a %s whose change is not known pauses the pools that the live one chooses, and those that inherit from them',
    async (kind) => {
      const lab = choosing(kind, 'max-pods');
      lab.world.renderings.putChooser({ kind, name: 'max-pods', selector: workers });

      await lab.deliver(lab.pushOf(commitB));

      expect(pausedIn(lab)).toEqual(['worker', 'infra']);
      expect(lab.record('infra')?.holds[0]?.why).toContain(`it manages ${kind} max-pods`);
    },
  );

  test('a MachineOSConfig pauses the pool that it names', async () => {
    const lab = choosing('MachineOSConfig', 'gpu-image');
    lab.world.renderings.putChooser({ kind: 'MachineOSConfig', name: 'gpu-image', selector: undefined, pool: 'gpu' });

    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));

    expect(pausedIn(lab)).toEqual(['gpu']);
  });

  test.each(['is not there yet', 'cannot be read'])('one that %s may choose any pool', async (what) => {
    const lab = choosing('KubeletConfig', 'max-pods');
    if (what === 'cannot be read') lab.world.faults.failAll(['renderings.choosers']);

    await lab.deliver(lab.pushOf(commitB));

    expect(pausedIn(lab)).toEqual(['worker', 'infra', 'gpu']);
  });

  test('a quiet tick asks for none of it', async () => {
    const lab = choosing('KubeletConfig', 'max-pods');
    lab.world.argocd.change('nodes', { ...anApplication(), resources: lab.world.argocd.get('nodes').resources });

    await lab.tick();
    await lab.pass(180);

    expect(lab.world.faults.calls.filter(({ op }) => op.startsWith('renderings.'))).toEqual([]);
  });
});
