import { expect, test } from 'vitest';
import type { Race } from '../../../functions/core/races/race.ts';
import { anApplication, anOperation, aPool, aRace, naming } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** A tenant's ten Applications claim twenty pools each, once more after every sync. */
async function crowd(lab: KeepLab, rounds = 1): Promise<void> {
  const { tables, clock } = lab.world;
  for (let round = 0; round < rounds; round += 1) {
    clock.advance(1);
    const since = clock.now().toISOString();
    for (let application = 0; application < 10; application += 1)
      for (let pool = 0; pool < 21; pool += 1)
        await tables.races.save(aRace({ pool: `p${pool}`, hold: `sync/hub/team-x/app-${application}`, since }));
  }
}

function own(lab: KeepLab): readonly Race[] {
  return lab.world.tables.races.all().filter(({ hold }) => hold === nodesHold);
}

function miss(lab: KeepLab): void {
  const targetedAt = `${lab.world.clock.now().toISOString().slice(0, 19)}Z`;
  lab.world.pools.changeNode('worker-2', { desiredConfig: 'rendered-worker-bbb', state: 'Working', targetedAt });
}

test('[N-30] [N-29] however many newer races there are, that of a hold is known: its verdict is given once, by its own times', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.pools.observe('worker');
  await lab.pass(10);
  const [confirmed] = own(lab);
  await crowd(lab);
  // What happens now, long after the confirmation, is not of this pause.
  miss(lab);
  await lab.pass(130);
  lab.ends('Succeeded');
  await lab.pass(70);

  expect(confirmed?.confirmedAt).toBeDefined();
  expect(own(lab)).toMatchObject([{ verdict: 'early', confirmedAt: confirmed?.confirmedAt, missedNodes: [] }]);
  const told = lab.world.bus.published.filter(({ id }) => id.includes(`confirmed/${nodesHold}`));
  expect(told).toHaveLength(1);
});

test('[N-30] [S0-5] a race whose hold has ended is followed until its pause is confirmed', async () => {
  const lab = keepLab({ policy: { renderSettleSeconds: 600 } });
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(2);
  lab.ends('Succeeded', { results: [] });
  await lab.deliver(lab.operationOf('Succeeded'));
  const unjudged = own(lab)[0]?.verdict;
  await crowd(lab);
  miss(lab);
  lab.world.pools.observe('worker');
  await lab.pass(20);

  expect([unjudged, lab.pool().paused]).toEqual([undefined, true]);
  expect(own(lab)).toMatchObject([{ verdict: 'late', missedNodes: ['worker-2'] }]);
});

test('[N-30] [S0-5] an incident about missed nodes lasts until they are updated, whatever others do meanwhile', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  miss(lab);
  lab.world.pools.observe('worker');
  await lab.pass(130);
  lab.ends('Succeeded');
  await lab.pass(130);
  await crowd(lab, 2);
  await lab.pass(600);
  const during = lab.troubles();
  const view = (await lab.world.tables.views.list())[0]?.pools.find(({ name }) => name === 'worker');

  expect(lab.record()?.holds ?? []).toEqual([]);
  expect(during).toContain('late-pause');
  expect(view?.races.map(({ hold, verdict }) => [hold, verdict])).toEqual([[nodesHold, 'late']]);
});

test('[N-30] races that hold pools by the hundreds are told and stored once, and not again while nothing happens', async () => {
  const lab = keepLab();
  const pools = Array.from({ length: 20 }, (_, index) => `pool-${index}`);
  for (const name of pools) lab.world.pools.put(aPool({ name, uid: `uid-${name}` }));
  for (let index = 0; index < 40; index += 1) {
    const operation = anOperation({ phase: 'Running', finishedAt: undefined, results: [] });
    const of = { name: `app-${index}`, namespace: 'team-x', uid: `uid-${index}`, resources: [] };
    const named = naming(pools.join(), { mayRemove: false });
    lab.world.argocd.put(anApplication({ ...of, ...named, operation, operationQueued: true }));
  }
  await lab.tick();
  for (const name of pools) lab.world.pools.observe(name);
  await lab.pass(61);
  const [races, events] = [lab.world.tables.races.all(), lab.world.bus.published.length];
  await lab.pass(120);

  expect(races.filter(({ confirmedAt }) => confirmedAt !== undefined)).toHaveLength(800);
  expect(lab.world.tables.races.all()).toEqual(races);
  expect(lab.world.bus.published.slice(events)).toEqual([]);
});
