import { expect, test } from 'vitest';
import type { Race } from '../../../functions/core/races/race.ts';
import { mayPassOn } from '../../../functions/core/relay/may-pass-on.ts';
import { anOperation } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const changed = 'rendered-worker-bbb';

/** A sync runs, and the pause that somebody else had set before it is confirmed. */
async function foreignPausedLab(): Promise<KeepLab> {
  const lab = keepLab();
  lab.world.pools.change('worker', 'kubectl-edit', { paused: true });
  lab.world.pools.observe('worker');
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  return lab;
}

/** They lift it, and the MCO targets a node of the change before the next look. */
function liftAndTarget(lab: KeepLab): void {
  const { pools, clock } = lab.world;
  clock.advance(20);
  pools.change('worker', 'machine-config-controller', { target: { name: changed, sources: ['99-worker-ssh'] } });
  pools.change('worker', 'kubectl-edit', { paused: false });
  pools.observe('worker');
  clock.advance(5);
  const targetedAt = `${clock.now().toISOString().slice(0, 19)}Z`;
  pools.changeNode('worker-2', { desiredConfig: changed, state: 'Working', targetedAt });
}

function races(lab: KeepLab): readonly Race[] {
  return lab.world.tables.races.all().filter(({ hold }) => hold === nodesHold);
}

test('[S0-23] [N-29] a foreign pause that is lifted within a hold: a node targeted before the next pause makes it late', async () => {
  const lab = await foreignPausedLab();
  const first = races(lab)[0]?.confirmedAt;
  liftAndTarget(lab);
  await lab.tick();
  const between = races(lab)[0];
  lab.world.pools.observe('worker');
  await lab.pass(300);

  expect([first === undefined, between?.confirmedAt]).toEqual([false, undefined]);
  expect(between?.pausedAt).toBe(lab.record()?.pausedSince);
  expect(races(lab)).toMatchObject([{ verdict: 'late', missedNodes: ['worker-2'] }]);
  expect(lab.troubles()).toContain('late-pause');
});

test('[S0-23] each pause of a hold is told as confirmed once, under an id of its own', async () => {
  const lab = await foreignPausedLab();
  lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
  lab.world.clock.advance(30);
  await lab.tick();
  lab.world.pools.observe('worker');
  await lab.pass(300);

  const confirmed = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.pool.confirmed.v1');
  expect(confirmed).toHaveLength(2);
  expect(new Set(confirmed.map(({ id }) => id)).size).toBe(2);
});

test('[S0-25] [N-29] a pool that a hook Job resumed in mid-sync is paused again, and what it let go is counted', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.pools.observe('worker');
  await lab.pass(10);
  const [result] = anOperation().results;
  if (result === undefined) throw new Error('an operation has results');
  const hook = { ...result, group: 'batch', kind: 'Job', name: 'resume', hookType: 'PostSync' };
  const { operation } = lab.world.argocd.get('nodes');
  lab.world.argocd.change('nodes', { operation: operation && { ...operation, results: [hook] } });
  liftAndTarget(lab);
  lab.world.pools.change('worker', 'kubectl-patch', {
    pausedBy: { manager: 'kubectl-patch', at: lab.world.clock.now().toISOString() },
  });
  await lab.tick();
  lab.world.pools.observe('worker');
  await lab.pass(10);

  expect(lab.pool().paused).toBe(true);
  expect(races(lab)).toMatchObject([{ verdict: 'late', missedNodes: ['worker-2'] }]);
});

test('[S0-23] [N-30] the relay takes no confirmation of an earlier pause for the one that a further push meets', async () => {
  const lab = await foreignPausedLab();
  lab.ends('Failed');
  await lab.tick();
  const judged = races(lab)[0]?.verdict;
  lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
  lab.world.clock.advance(30);
  await lab.deliver(lab.pushOf(commitC));
  const since = lab.record()?.holds[0]?.since ?? '';
  const [argocd] = lab.ports.configuration.argocd;
  if (argocd === undefined) throw new Error('the lab has an Argo CD');
  const question = {
    argocd,
    receivedAt: lab.world.clock.now().toISOString(),
    waitAtMostSeconds: 60,
    outcome: {
      delivery: 'delivery',
      receivedAt: lab.world.clock.now().toISOString(),
      decidedAt: lab.world.clock.now().toISOString(),
      unasked: [],
      unseen: [],
      paused: [{ cluster: 'prod', pool: 'worker', hold: nodesHold, since }],
    },
  };
  const kindNow = () => mayPassOn({ ...question, races: races(lab), looks: [], now: lab.world.clock.now() }).kind;

  const before = kindNow();
  lab.world.pools.observe('worker');
  await lab.pass(5);
  expect([judged, before, kindNow()]).toEqual(['early', 'wait', 'go']);
});

test('[N-29] a pause that the MCO has observed when the sync ends was confirmed, though the pool resumes in that look', async () => {
  const lab = keepLab({ policy: { renderSettleSeconds: 0 } });
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(1);
  lab.world.pools.observe('worker');
  lab.ends('Succeeded', { results: [] });
  await lab.deliver(lab.operationOf('Succeeded'));

  expect(lab.pool().paused).toBe(false);
  expect(races(lab)).toMatchObject([{ verdict: 'early' }]);
});

test.each([
  ['no sync follows', false, undefined],
  ['its sync begins after the confirmation', true, 'early'],
])(
  '[N-29] [N-30] a node that goes for another change while a push pauses its pool is not missed by it where %s',
  async (_, hasSync, verdict) => {
    const lab = keepLab();
    const { pools, clock } = lab.world;
    await lab.pass(120);
    await lab.deliver(lab.pushOf(commitB));
    clock.advance(1);
    pools.change('worker', 'machine-config-controller', { target: { name: changed, sources: ['99-worker-ssh'] } });
    const targetedAt = `${clock.now().toISOString().slice(0, 19)}Z`;
    pools.changeNode('worker-2', { desiredConfig: changed, state: 'Working', targetedAt });
    pools.observe('worker');
    await lab.pass(5);
    const beforeSync = races(lab).map((race) => [race.verdict, race.missedNodes]);
    if (hasSync) lab.syncs(commitB);
    await lab.pass(hasSync ? 120 : 20 * 60);
    if (hasSync) lab.ends('Succeeded');
    await lab.pass(60);

    expect(beforeSync).toEqual([[undefined, ['worker-2']]]);
    expect(races(lab).map((race) => race.verdict)).toEqual([verdict]);
    expect(lab.troubles()).not.toContain('late-pause');
  },
);
