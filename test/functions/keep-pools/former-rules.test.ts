import { afterEach, describe, expect, it } from 'vitest';
import { type RunLab, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

/** Rules `silence` and `move`; Jobs take a minute and a half. */
async function aRun(): Promise<RunLab> {
  lab = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { silence: {}, move: {} } });
  await lab.tick();
  await lab.change();
  lab.openshift.kubelets.runPods(() => true, { forMs: 90_000, exitCode: 0 });
  return lab;
}

function withoutSilence({ configure }: RunLab, jobs: { readonly namespaces?: string[] } = {}): void {
  configure((nodeTurns) => ({
    ...nodeTurns,
    jobs: { serviceAccounts: [], hostAccess: [], ...jobs },
    runs: Object.fromEntries(
      Object.entries(nodeTurns.runs).map(([name, run]) => [
        name,
        { ...run, mutexRules: run.mutexRules.filter((rule) => rule.name !== 'silence') },
      ]),
    ),
  }));
}

const turnOf = (node: string) => [`move before ${node}`, `${node} goes`, `${node} is back`, `move after ${node}`];

describe('a rule that is taken out of its run while a node has its turn', () => {
  it.each(['worker-0 goes', 'move before worker-0'])(
    '[S4-13] [S4-19] (%s) is cleaned up at that node, and no further node has it',
    async (reached) => {
      const run = await aRun();
      await run.until(() => run.seen.includes(reached));
      withoutSilence(run);
      await run.until(() => !run.isPaused());

      expect(run.seen).toEqual([
        'silence before worker-0',
        ...turnOf('worker-0').slice(0, 3),
        'silence after worker-0',
        'move after worker-0',
        ...turnOf('worker-1'),
      ]);
    },
  );

  it('[S4-12] [S4-14] does not go on beside its own Job, which still runs', async () => {
    const run = await aRun();
    await run.until(() => run.seen.includes('silence before worker-0'));
    withoutSilence(run);
    await run.clock.advance(30_000);
    await run.tick();
    const early = [...run.seen];
    await run.until(() => !run.isPaused());

    expect(early).toEqual(['silence before worker-0']);
    expect(run.seen.slice(1, 6)).toEqual([
      ...turnOf('worker-0').slice(0, 3),
      'silence after worker-0',
      'move after worker-0',
    ]);
  });

  it('[S4-20] [S4-26] and whose clean-up is not allowed any more is told, and waits for a person', async () => {
    const run = await aRun();
    await run.until(() => run.seen.includes('worker-0 goes'));
    withoutSilence(run, { namespaces: ['elsewhere'] });
    await run.until(() => run.lab.troubles().includes('run-blocked'), 30);
    const { failed } = (await run.record()).turns['worker-0'] ?? {};
    await run.ask({ kind: 'skip', node: 'worker-0', said: run.said('cleaned up by hand') });
    await run.until(() => !run.isPaused());

    expect(failed).toContain('would run in a namespace that nodeTurns.jobs.namespaces does not name');
    expect(run.seen).not.toContain('silence after worker-0');
    expect(run.seen.slice(-5)).toEqual(['move after worker-0', ...turnOf('worker-1')]);
  });
});
