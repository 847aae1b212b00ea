import { describe, expect, it } from 'vitest';
import { aRun } from './a-run.ts';
import type { RunLab, RunLabOptions } from './run-lab.ts';

/** A pool of the cluster cannot be parsed, until it is mended. */
async function withSpoiled(options: RunLabOptions): Promise<RunLab & { spoil(name: string): void; mend(): void }> {
  const run = await aRun(options);
  const { pools } = run.connection;
  const { listPools } = pools;
  let spoiled: string | undefined;
  Object.assign(pools, {
    listPools: async () => {
      const { items, ...rest } = await listPools();
      const isSpoiled = ({ name }: { readonly name: string }) => name === spoiled;
      const unreadable = items.filter(isSpoiled).map(({ name }) => ({
        ...{ kind: 'MachineConfigPool', namespace: '', name },
        why: 'cannot be parsed at spec.machineConfigSelector',
      }));
      return { ...rest, items: items.filter((pool) => !isSpoiled(pool)), unreadable };
    },
  });
  return {
    ...run,
    spoil: (name) => {
      spoiled = name;
    },
    mend: () => {
      spoiled = undefined;
    },
  };
}

async function minutes({ clock, tick }: RunLab, count: number): Promise<void> {
  for (let looks = 0; looks < count; looks += 1) {
    await clock.advance(60_000);
    await tick();
  }
}

const infra = { name: 'infra', maxUnavailable: 1, nodes: ['infra-0'] };

describe('a run while a pool of its cluster cannot be parsed', () => {
  it('[S4-4] [N-30] takes no node of it for one of its own, which is told, and goes on when it can be', async () => {
    const run = await withSpoiled({ pools: [infra], nodes: ['worker-0', 'worker-1'] });
    run.spoil('infra');
    await run.change();
    await minutes(run, 10);

    // By its own pool, which takes the change too.
    const own = ['infra-0 goes', 'infra-0 is back'];
    expect([run.seen, run.isPaused()]).toEqual([own, true]);
    expect(run.lab.troubles()).toContain('run-blocked');

    run.mend();
    await run.until(() => !run.isPaused());
    expect(run.seen.filter((each) => each.includes('infra'))).toEqual(own);
    expect(run.seen.filter((each) => each.endsWith('goes'))).toEqual([own[0], 'worker-0 goes', 'worker-1 goes']);
  });

  it.each(['before', 'gone', 'after'] as const)(
    '[S4-4] [S4-20] [N-30] that is its own keeps its hold and the turn in step %s, which goes on when it can be',
    async (step) => {
      const run = await withSpoiled({ pools: [infra], targets: ['infra'], nodes: ['worker-0'] });
      const { openshift, clock } = run;
      openshift.applyMachineConfig('99-infra-turns', 'infra', { '/etc/turns': 'changed' });
      await clock.advance(10_000);
      for (let looks = 0; looks < 60 && (await run.record()).turns['infra-0']?.step !== step; looks += 1) {
        await run.tick();
        await clock.advance(5_000);
      }
      run.spoil('infra');
      await minutes(run, 10);

      expect([(await run.record()).turns['infra-0']?.step, run.isPaused()]).toEqual([step, true]);

      run.mend();
      await run.until(() => !run.isPaused());
      expect(run.seen).toEqual(['move before infra-0', 'infra-0 goes', 'infra-0 is back', 'move after infra-0']);
    },
  );
});
