import { describe, expect, it } from 'vitest';
import { isOver } from '../../../functions/core/node-turns/run-record.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { aRun } from './a-run.ts';
import type { RunLab } from './run-lab.ts';

const target = ({ openshift }: RunLab) => openshift.registry.get(machineConfigPools, 'infra')?.spec.configuration?.name;

async function changed(run: RunLab): Promise<void> {
  const before = target(run);
  run.openshift.applyMachineConfig('99-infra-turns', 'infra', { '/etc/turns': 'changed' });
  await run.clock.advanceUntil(() => target(run) !== before, 60_000);
  await run.tick();
}

function remove({ openshift }: RunLab, name: string): void {
  openshift.registry.delete(machineConfigPools, { name, namespace: '' }, { manager: 'kubectl' });
}

async function minutes({ clock, tick }: RunLab, count: number): Promise<void> {
  for (let looks = 0; looks < count; looks += 1) {
    await clock.advance(60_000);
    await tick();
  }
}

const openTurns = async (run: RunLab) => Object.values((await run.record()).turns).filter((turn) => !isOver(turn));

describe('the only pool of a run is deleted while a node has its turn', () => {
  it.each(['before', 'gone', 'after'] as const)(
    '[S4-20] [S4-21] in step %s: the turn ends with its clean-up, which is told, and nothing is left open',
    async (step) => {
      const run = await aRun({
        pools: [{ name: 'infra', maxUnavailable: 1, nodes: ['infra-0', 'infra-1'] }],
        targets: ['infra'],
        nodes: ['worker-0'],
      });
      await changed(run);
      for (let looks = 0; looks < 60 && (await run.record()).turns['infra-0']?.step !== step; looks += 1) {
        await run.clock.advance(5_000);
        await run.tick();
      }

      remove(run, 'infra');
      await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
      const [told] = await run.cards();
      await run.until(async () => (await openTurns(run)).length === 0, 40);
      await minutes(run, 12);

      expect(told?.block?.cause).toBe('pool infra: there is no such pool');
      expect(run.seen.filter((each) => each.startsWith('move'))).toEqual(['move before infra-0', 'move after infra-0']);
      expect([run.lab.troubles(), (await run.cards())[0]?.state]).toEqual([[], 'idle']);
      expect(JSON.stringify((await run.record()).log)).not.toContain('rendered anew');
    },
  );

  it('[S4-20] [S4-37] and made again: the run takes it where it left off', async () => {
    const infra = { name: 'infra', maxUnavailable: 1 };
    const run = await aRun({
      pools: [{ ...infra, nodes: ['infra-0'] }],
      targets: ['infra'],
      nodes: ['worker-0'],
    });
    await changed(run);
    await run.until(async () => (await run.record()).turns['infra-0']?.step === 'before');
    const pool = run.openshift.registry.get(machineConfigPools, 'infra');
    if (pool === undefined) throw new Error('there is no pool');

    remove(run, 'infra');
    const { name, labels = {} } = pool.metadata;
    const { configuration: _, ...spec } = pool.spec;
    run.openshift.registry.create(
      machineConfigPools,
      { metadata: { name, labels }, spec: { ...spec, paused: false } },
      { manager: 'kubectl-create' },
    );
    await minutes(run, 30);

    expect(await openTurns(run)).toEqual([]);
    expect(run.seen.filter((each) => each.startsWith('move'))).toEqual(['move before infra-0', 'move after infra-0']);
    expect((await run.cards())[0]?.state).toBe('idle');
  });
});
