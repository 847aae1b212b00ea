import { afterEach, describe, expect, it } from 'vitest';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type RunLab, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

async function aRun(): Promise<RunLab> {
  lab = await runLab({ nodes: ['worker-0', 'worker-1'] });
  await lab.tick();
  await lab.change();
  return lab;
}

async function ticks({ clock, tick }: RunLab, count: number): Promise<void> {
  for (let looks = 0; looks < count; looks += 1) {
    await clock.advance(30_000);
    await tick();
  }
}

function disable({ configure }: RunLab, disabled: boolean): void {
  configure((nodeTurns) => ({
    ...nodeTurns,
    runs: Object.fromEntries(Object.entries(nodeTurns.runs).map(([name, run]) => [name, { ...run, disabled }])),
  }));
}

const jobsTake = ({ openshift }: RunLab, forMs: number) =>
  openshift.kubelets.runPods(() => true, { forMs, exitCode: 0 });

/** Another change than the first one. */
async function changeAgain({ openshift, clock, tick }: RunLab): Promise<void> {
  const target = () => openshift.registry.get(machineConfigPools, 'worker')?.spec.configuration?.name;
  const before = target();
  openshift.applyMachineConfig('98-worker-turns', 'worker', { '/etc/more': 'more' });
  await clock.advanceUntil(() => target() !== before, 60_000);
  await tick();
}

/** What happens to a node in its turn. */
const turnOf = (node: string) => [`move before ${node}`, `${node} goes`, `${node} is back`, `move after ${node}`];

describe('a run that is in the configuration again', () => {
  it('[S4-21] [S4-31] after it had ended for being taken out holds its pools for the next change', async () => {
    const run = await aRun();
    await run.until(() => run.seen.includes('worker-0 goes'));
    disable(run, true);
    await run.until(() => !run.isPaused() && run.updated().length === 2);
    await ticks(run, 20);
    const out = await run.cards();
    disable(run, false);
    await ticks(run, 20);
    const again = await run.cards();
    const before = run.seen.length;

    await changeAgain(run);
    await run.until(() => run.updated().length === 2 && !run.isPaused());

    expect([out, again].map(([card]) => card?.state)).toEqual(['aborted', 'idle']);
    expect(run.seen.slice(before)).toEqual(['worker-0', 'worker-1'].flatMap(turnOf));
  });

  it('[S4-20] [S4-21] while it ended for that goes on, paused if somebody had paused it, and calls no node skipped', async () => {
    const run = await aRun();
    jobsTake(run, 120_000);
    await run.until(() => run.seen.includes('move before worker-0'));
    await run.ask({ kind: 'pause', said: run.said('not now') });
    disable(run, true);
    await run.until(() => run.seen.includes('move after worker-0'));
    disable(run, false);
    await ticks(run, 20);
    const stood = [run.isPaused(), (await run.record()).paused?.why, [...run.seen]];

    await run.ask({ kind: 'go-on', said: run.said('now') });
    await run.until(() => !run.isPaused());

    expect(stood).toEqual([true, 'not now', ['move before worker-0', 'move after worker-0']]);
    expect(run.seen.slice(2)).toEqual(['worker-0', 'worker-1'].flatMap(turnOf));
  });
});

describe('a run that somebody aborted', () => {
  it('[S4-20] [S4-21] and told to begin anew before that had ended takes the node whose turn it ended', async () => {
    const run = await aRun();
    jobsTake(run, 120_000);
    await run.until(() => run.seen.includes('move before worker-0'));
    await run.ask({ kind: 'abort', said: run.said('not today') });
    await run.until(() => run.seen.includes('move after worker-0'));
    await run.ask({ kind: 'start', said: run.said('today after all') });
    await run.until(() => !run.isPaused());

    expect(run.seen.slice(2)).toEqual(['worker-1', 'worker-0'].flatMap(turnOf));
  });

  it('[S4-20] [S4-21] holds nothing at the next change, which people are told of until it is started or rolled', async () => {
    const run = await aRun();
    await run.until(() => run.seen.includes('worker-0 goes'));
    await run.ask({ kind: 'abort', said: run.said('not today') });
    await run.until(() => !run.isPaused() && run.updated().length === 2);
    await ticks(run, 4);
    const quiet = run.lab.troubles();

    await changeAgain(run);
    const told = run.lab.troubles();
    const [incident] = await run.lab.world.tables.incidents.list();
    await run.until(() => run.updated().length === 2 && run.lab.troubles().length === 0);

    expect([quiet, told]).toEqual([[], ['run-blocked']]);
    expect(JSON.stringify(incident)).toContain('poolkeeper run start upgrade');
  });
});
