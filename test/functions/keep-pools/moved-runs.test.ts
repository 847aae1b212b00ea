import { describe, expect, it } from 'vitest';
import { aRun } from './a-run.ts';
import type { RunLab } from './run-lab.ts';

async function minutes(count: number, run: RunLab): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await run.clock.advance(60_000);
    await run.tick();
  }
}

describe('a run that a person has paused', () => {
  it.fails('[S4-20] [S4-31] at rest stays so when its records are kept in another namespace', async () => {
    const run = await aRun({ run: { namespace: 'databases' } });
    await run.ask({ kind: 'pause', said: run.said('storage is being moved') });
    await run.tick();

    run.openshift.addNamespace('elsewhere');
    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'elsewhere' }));
    await run.change();
    await minutes(10, run);

    expect(run.seen).toEqual([]);
  });

  it.fails('[S4-20] [S4-31] stays so under another name, or somebody is told', async () => {
    const run = await aRun();
    await run.ask({ kind: 'pause', said: run.said('storage is being moved') });
    await run.change();
    await minutes(5, run);
    expect([run.isPaused(), run.seen]).toEqual([true, []]);

    run.configure((nodeTurns) => ({
      ...nodeTurns,
      runs: Object.fromEntries(Object.values(nodeTurns.runs).map((each) => ['renamed', each])),
    }));
    await minutes(10, run);

    expect([run.seen, run.lab.troubles()]).not.toEqual([expect.arrayContaining(['worker-0 goes']), []]);
  });
});
