import { afterEach, expect, it } from 'vitest';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { type RunLab, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

const runs = ['upgrade', 'later'];
const names = ['infra', 'worker'];

function holdNodes({ openshift }: RunLab, isHeld: boolean): void {
  for (const { metadata } of openshift.registry.list(nodes))
    openshift.registry.modify(
      nodes,
      { name: metadata.name, namespace: '' },
      (node) => {
        const { 'poolkeeper.dev/hold': _, ...labels } = node.metadata.labels ?? {};
        node.metadata.labels = isHeld ? { ...labels, 'poolkeeper.dev/hold': '' } : labels;
      },
      { manager: 'kubectl-label' },
    );
}

const holdersOf = ({ openshift }: RunLab) =>
  names.map((name) => {
    const text = openshift.registry.get(machineConfigPools, name)?.metadata.annotations?.[holdsAnnotation] ?? '';
    return runs.filter((run) => text.includes(`rollout/${run}"`)).join();
  });

it('[S4-22] [S4-24] two runs that wait for each other: the first in the configuration gets the pools of both, none resumes, and both end', async () => {
  const run = await runLab({
    nodes: ['worker-0'],
    pools: [{ name: 'infra', maxUnavailable: 1, nodes: ['infra-0'] }],
    targets: names,
    runs: { later: {} },
  });
  lab = run;
  const both: { all: Parameters<Parameters<RunLab['configure']>[0]>[0]['runs'] } = { all: {} };
  run.configure((nodeTurns) => {
    both.all = nodeTurns.runs;
    const { upgrade: _, ...later } = nodeTurns.runs;
    return { ...nodeTurns, runs: later };
  });
  await run.tick();
  holdNodes(run, true);
  await run.change();
  await run.until(() => holdersOf(run).every((each) => each === 'later'), 5);
  await run.until(() => run.openshift.registry.get(machineConfigPools, 'infra')?.spec.paused === true, 5);

  // A letting go of which one write was lost, and a new change.
  run.openshift.registry.modify(
    machineConfigPools,
    { name: 'infra', namespace: '' },
    (pool) => {
      delete pool.metadata.annotations?.[holdsAnnotation];
      pool.spec.paused = false;
    },
    { manager: 'poolkeeper' },
  );
  run.configure((nodeTurns) => ({ ...nodeTurns, runs: both.all }));
  const resumed: string[] = [];
  run.openshift.registry.subscribe(({ type, object: { metadata } }) => {
    if (type !== machineConfigPools || metadata.name !== 'worker') return;
    if (run.openshift.registry.get(machineConfigPools, 'worker')?.spec.paused !== true)
      resumed.push(holdersOf(run).join());
  });
  await run.tick();
  const holders = holdersOf(run);
  const gone = [...run.seen];
  holdNodes(run, false);
  await run.until(() => !run.isPaused());

  expect(holders).toEqual(['upgrade', 'upgrade']);
  // Only at the end, when nobody holds it.
  expect([gone, [...new Set(resumed)]]).toEqual([[], [',']]);
  expect(run.seen.filter((each) => each.endsWith('goes'))).toEqual(['infra-0 goes', 'worker-0 goes']);
  expect(run.seen).toContain('move before worker-0');
  expect(holdersOf(run)).toEqual(['', '']);
});

it.each(['aborted', 'taken out of the configuration, under another name,'])(
  '[S4-21] [S4-22] a run that is %s while another one waits for its pool: no node goes without Jobs in between',
  async (how) => {
    const run = await runLab({ settings: { policy: { renderSettleSeconds: 0 } }, runs: { later: {} } });
    lab = run;
    run.configure((nodeTurns) => {
      const { later: _, ...first } = nodeTurns.runs;
      return how === 'aborted' ? nodeTurns : { ...nodeTurns, runs: first };
    });
    await run.tick();
    await run.change();
    await run.until(() => run.seen.includes('move after worker-0'));
    // Long after the change was rendered.
    await run.ask({ kind: 'pause', said: run.said('not now') });
    await run.until(() => run.clock.now().toISOString() > '2026-03-02T10:30:00Z');

    if (how === 'aborted') await run.ask({ kind: 'abort', said: run.said('not at all') });
    else
      run.configure((nodeTurns) => ({
        ...nodeTurns,
        runs: Object.fromEntries(Object.values(nodeTurns.runs).map((each) => ['later', each])),
      }));
    await run.until(() => run.updated().length === 3 && !run.isPaused());

    expect(run.seen.slice(4)).toEqual(
      ['worker-1', 'worker-2'].flatMap((node) => [
        `move before ${node}`,
        `${node} goes`,
        `${node} is back`,
        `move after ${node}`,
      ]),
    );
  },
);

it('[S4-22] [S4-24] two runs that come to name the pools of both while nodes have their turns end these, and both end', async () => {
  const run = await runLab({
    rules: { move: { cleanUpJobSpec: undefined } },
    nodes: ['worker-0'],
    pools: [{ name: 'infra', maxUnavailable: 1, nodes: ['infra-0'] }],
    targets: ['infra'],
    more: { others: { machineConfigPools: ['worker'] } },
    runs: { later: { mutexTargets: [{ name: 'others' }] } },
  });
  lab = run;
  await run.tick();
  await run.change();
  await run.until(() => ['infra-0', 'worker-0'].every((node) => run.seen.includes(`move before ${node}`)));
  run.configure((nodeTurns) => ({
    ...nodeTurns,
    targets: {
      workers: { machineConfigPools: ['infra', 'worker'] },
      others: { machineConfigPools: ['worker', 'infra'] },
    },
  }));
  await run.until(() => holdersOf(run).join() === ',', 30);

  for (const node of ['infra-0', 'worker-0'])
    expect(run.seen.filter((each) => each.includes(node))).toEqual([
      `move before ${node}`,
      `${node} goes`,
      `${node} is back`,
    ]);
});
