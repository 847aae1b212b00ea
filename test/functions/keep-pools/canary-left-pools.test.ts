import { describe, expect, it } from 'vitest';
import { isOver } from '../../../functions/core/node-turns/run-record.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { aRun } from './a-run.ts';
import type { RunLab, RunLabOptions } from './run-lab.ts';

function remove({ openshift }: RunLab, name: string): void {
  openshift.registry.delete(machineConfigPools, { name, namespace: '' }, { manager: 'kubectl' });
}

describe('a target pool of a run in mode canary is deleted, or loses a node', () => {
  const worker = { 'node-role.kubernetes.io/worker': '' };
  const canary = {
    name: 'canary',
    renders: 'workers' as const,
    nodeSelector: { matchLabels: worker, matchExpressions: [{ key: 'isCanary', operator: 'Exists' as const }] },
  };
  const storage = { name: 'storage', renders: 'workers' as const, nodes: ['storage-0', 'storage-1'] };
  const ways = [
    ['a label that the canary asks for', { mode: 'canary', canary: { name: 'canary' } }],
    ['labels of rules that it excludes', { mode: 'canary', canary: { name: 'canary', exclude: true } }],
  ] as const;

  /** The first of its two pools, with the note of the run, is deleted while its first node is in the canary. */
  async function withoutStorage(how: RunLabOptions['run'] & object): Promise<RunLab> {
    const run = await aRun({
      run: how,
      pools: [canary, storage],
      targets: ['storage', 'worker'],
      nodes: ['worker-0'],
    });
    await run.change();
    await run.until(async () => (await run.record()).turns['storage-0']?.step === 'gone');
    remove(run, 'storage');
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    return run;
  }

  const leftOf = ({ openshift, start }: RunLab) => [
    openshift.registry.get(machineConfigPools, 'canary')?.spec.nodeSelector,
    /isCanary":|poolkeeper\.dev/.exec(JSON.stringify(start()))?.[0],
  ];

  it.each(ways)('[S4-21] [N-22] by %s, with its note: an abort ends, and all is put back', async (_, how) => {
    const run = await withoutStorage(how);

    await run.ask({ kind: 'abort', said: run.said('not today') });
    await run.until(async () => !run.isPaused() && (await run.record()).endedAt !== undefined, 60);

    expect(leftOf(run)).toEqual([canary.nodeSelector, undefined]);
  });

  it.each(ways)(
    '[S4-19] [S4-21] by %s: without it in the configuration the others have their turns',
    async (_, how) => {
      const run = await withoutStorage(how);

      run.configure((nodeTurns) => ({ ...nodeTurns, targets: { workers: { machineConfigPools: ['worker'] } } }));
      await run.until(() => !run.isPaused(), 60);

      expect(run.seen).toContain('move after worker-0');
      expect(leftOf(run)).toEqual([canary.nodeSelector, undefined]);
    },
  );

  it.each(ways)(
    '[S4-20] [S4-21] by %s: it was the only one: labels and note go, and nothing is left open',
    async (_, how) => {
      const run = await aRun({ run: how, pools: [canary, storage], targets: ['storage'], nodes: ['worker-0'] });
      await run.change();
      await run.until(async () => (await run.record()).turns['storage-0']?.step === 'gone');

      remove(run, 'storage');
      await run.until(async () => (await run.record()).canary === undefined, 60);

      expect(Object.values((await run.record()).turns).every(isOver)).toBe(true);
      expect(leftOf(run)).toEqual([canary.nodeSelector, undefined]);
    },
  );

  it.each(ways.flatMap(([way, how]) => ['infra', 'worker'].map((to) => [way, to, how] as const)))(
    '[S4-19] [S4-21] [S4-36] by %s: a node that somebody moves to pool %s while it is in the canary keeps no label of the run',
    async (_, to, how) => {
      const infra = { name: 'infra', renders: 'workers' as const, nodes: ['infra-0'] };
      const run = await aRun({ run: how, pools: [canary, storage, infra], targets: ['storage'], nodes: ['worker-0'] });
      await run.change();
      await run.until(async () => (await run.record()).turns['storage-0']?.step === 'gone');

      run.openshift.registry.modify(
        nodes,
        { name: 'storage-0', namespace: '' },
        ({ metadata }) => {
          const { 'node-role.kubernetes.io/storage': __, ...labels } = metadata.labels ?? {};
          metadata.labels = to === 'worker' ? labels : { ...labels, [`node-role.kubernetes.io/${to}`]: '' };
        },
        { manager: 'kubectl-label' },
      );
      await run.until(() => !run.isPaused() && run.updated().includes('storage-0'), 60);

      expect(run.seen.filter((each) => each.startsWith('move'))).toEqual(
        ['storage-0', 'storage-1'].flatMap((node) => [`move before ${node}`, `move after ${node}`]),
      );
      expect(leftOf(run)).toEqual([canary.nodeSelector, undefined]);
    },
  );
});
