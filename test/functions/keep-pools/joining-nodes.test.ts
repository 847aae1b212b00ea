import { afterEach, expect, it } from 'vitest';
import { machineConfigPools, machines, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { type RunLab, runLab } from './run-lab.ts';

const infra = { 'node-role.kubernetes.io/infra': '' };
const held = { 'poolkeeper.dev/hold': '' };

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

/** A run over two pools whose change has begun; worker-2 is held. */
async function aRun(): Promise<RunLab> {
  lab = await runLab({
    pools: [{ name: 'infra', maxUnavailable: 1, nodes: ['infra-0'] }],
    targets: ['infra', 'worker'],
  });
  await lab.tick();
  return lab;
}

function label({ openshift }: RunLab, name: string, labels: Readonly<Record<string, string>>): void {
  openshift.registry.modify(
    nodes,
    { name, namespace: '' },
    (node) => {
      node.metadata.labels = { ...node.metadata.labels, ...labels };
    },
    { manager: 'kubectl-label' },
  );
}

const pausedOf = ({ openshift }: RunLab) =>
  ['infra', 'worker'].map((name) => openshift.registry.get(machineConfigPools, name)?.spec.paused === true);

async function ticks({ clock, tick }: RunLab, count: number): Promise<void> {
  for (let looks = 0; looks < count; looks += 1) {
    await clock.advance(30_000);
    await tick();
  }
}

it('[S4-23] [S4-28] a held node that joins a pool which is done already does not go, and its pool stays paused', async () => {
  const run = await aRun();
  label(run, 'worker-2', held);
  await run.change();
  await run.until(async () => (await run.record()).pools['infra']?.done !== undefined);
  label(run, 'worker-2', infra);
  await run.until(() => run.seen.includes('move after worker-1'));
  await ticks(run, 20);

  expect(pausedOf(run)).toEqual([true, true]);
  expect(run.seen).not.toContain('worker-2 goes');
  expect((await run.record()).pools['infra']?.done).toBeUndefined();
});

it('[S4-23] [S4-28] nor one that joins in the minute after the look by which all was done', async () => {
  const run = await aRun();
  await run.change();
  await run.until(async () => {
    const { pools } = await run.record();
    return ['infra', 'worker'].every((name) => pools[name]?.done !== undefined);
  });
  expect(pausedOf(run)).toEqual([true, true]);
  label(run, 'worker-2', { ...held, ...infra });
  const before = run.seen.length;
  await ticks(run, 10);

  expect(pausedOf(run)).toEqual([true, true]);
  expect(run.seen.slice(before)).toEqual([]);
});

it.each([
  ['between two looks', 0],
  ['a look later', 1],
] as const)(
  '[S4-14] [S4-19] [S4-23] a node that is deleted in its turn and made again with its name %s: that turn ends, and it has its own, with its Jobs',
  async (_, looks) => {
    lab = await runLab({ nodes: ['worker-0', 'worker-1'] });
    const run = lab;
    await run.tick();
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    const { registry } = run.openshift;

    registry.delete(nodes, { name: 'worker-0', namespace: '' }, { manager: 'kubectl' });
    await ticks(run, looks);
    registry.delete(machines, { name: 'worker-0', namespace: 'openshift-machine-api' }, { manager: 'kubectl' });
    await run.clock.advance(1_000);
    run.openshift.addNodes({ pool: 'worker', names: ['worker-0'] });
    await run.until(() => !run.isPaused() && run.updated().length === 2, 60);

    const turnOf = (node: string) => [`move before ${node}`, `${node} goes`, `${node} is back`, `move after ${node}`];
    expect(run.seen).toEqual([
      ...['move before worker-0', 'move after worker-0'],
      ...['worker-1', 'worker-0'].flatMap(turnOf),
    ]);
    expect(run.lab.troubles()).not.toContain('run-blocked');
  },
);
