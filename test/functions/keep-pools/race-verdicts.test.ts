import { expect, test } from 'vitest';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const otherHold = nodesHold.replace(/nodes$/, 'other');

/** The MCO renders what was applied, and takes a node to it at once. */
function rollsOut(lab: KeepLab): void {
  const { pools, clock } = lab.world;
  const target = { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] };
  pools.change('worker', 'machine-config-controller', { target });
  const targetedAt = clock.now().toISOString();
  pools.changeNode('worker-1', { desiredConfig: target.name, state: 'Working', targetedAt });
}

const raceOf = (lab: KeepLab, hold: string) => lab.world.tables.races.all().find((race) => race.hold === hold);
const latePause = (lab: KeepLab) => lab.world.tables.incidents.all().find(({ key }) => key.kind === 'late-pause');
const verdicts = (lab: KeepLab) =>
  lab.world.bus.published.flatMap((event) =>
    event.type === 'poolkeeper.race.decided.v1' ? [[event.data.hold, event.data.verdict]] : [],
  );

test('[N-29] [S0-5] a pause is late for the sync that runs before it is confirmed, not for one that begins a minute later', async () => {
  const lab = keepLab();
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', operation: undefined, sync }));
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.clock.advance(2);
  lab.syncs(commitB, { results: anOperation().results });
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(6);
  rollsOut(lab);
  lab.world.pools.observe('worker');
  await lab.tick();
  lab.world.clock.advance(10);
  lab.ends('Succeeded');
  await lab.tick();
  lab.world.clock.advance(60);
  lab.syncs(commitB, {}, 'other');
  await lab.tick();

  expect(latePause(lab)?.trouble?.findings.map(({ subject }) => subject.name)).toEqual(['nodes']);

  lab.ends('Succeeded', {}, 'other');
  await lab.tick();

  expect(verdicts(lab)).toEqual([
    [nodesHold, 'late'],
    [otherHold, 'early'],
  ]);
  expect(raceOf(lab, otherHold)).toMatchObject({ missedNodes: [], firstTargetedAt: undefined });
});
