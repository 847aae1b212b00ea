import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
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

/** From now on one node cannot be parsed, which lists do not hide. */
function spoilsNode(lab: KeepLab): void {
  const { pools } = lab.world;
  const { listNodes } = pools;
  const unreadable = [{ kind: 'Node', namespace: '', name: 'worker-9', why: 'metadata.labels: invalid' }];
  Object.assign(pools, { listNodes: async (selector: never) => ({ ...(await listNodes(selector)), unreadable }) });
}

const unlisted = new Transient('GET /api/v1/nodes: 500');

test.each([
  ['no node can be listed', (lab: KeepLab) => lab.world.faults.failAll(['pools.nodes'], unlisted)],
  ['one node cannot be parsed', spoilsNode],
])(
  '[N-29] [N-30] a pause that the MCO has observed is not told as unconfirmed where %s: what it missed is not known',
  async (_, blind) => {
    const lab = keepLab();
    blind(lab);
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');

    await lab.pass(300);
    expect(raceOf(lab, nodesHold)).toMatchObject({ verdict: undefined, confirmedAt: undefined });
    expect(latePause(lab)).toBeUndefined();
    expect(lab.troubles()).toContain('objects-unreadable');

    lab.ends('Succeeded');
    await lab.pass(120);
    expect(raceOf(lab, nodesHold)?.endedAt === undefined).toBe(lab.pool().paused);
    expect(verdicts(lab)).toEqual([]);
    expect(latePause(lab)).toBeUndefined();
  },
);

test('[N-29] once the nodes can be listed again, the pause is judged by them', async () => {
  const lab = keepLab();
  const heal = lab.world.faults.failAll(['pools.nodes'], unlisted);
  lab.syncs(commitB);
  await lab.tick();
  lab.world.pools.observe('worker');
  await lab.pass(240);
  heal();
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(60);

  expect(verdicts(lab)).toEqual([[nodesHold, 'early']]);
});

test('[N-29] [S0-5] a pause is late for a node that is seen, though another one cannot be parsed', async () => {
  const lab = keepLab();
  await lab.tick();
  spoilsNode(lab);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(6);
  rollsOut(lab);
  lab.world.pools.observe('worker');
  await lab.pass(30);

  expect(verdicts(lab)).toEqual([[nodesHold, 'late']]);
  expect(raceOf(lab, nodesHold)?.missedNodes).toEqual(['worker-1']);
});

test('[N-29] a pause that the MCO observes too late, while nodes cannot be listed, is told as what is known of it', async () => {
  const lab = keepLab();
  lab.world.faults.failAll(['pools.nodes'], unlisted);
  lab.syncs(commitB);
  await lab.tick();
  await lab.pass(120);
  lab.world.pools.observe('worker');
  await lab.pass(60);

  expect(latePause(lab)?.trouble).toMatchObject({ severity: 'warning', headline: 'the pause was confirmed too late' });
  expect(latePause(lab)?.trouble?.findings[0]?.sentence).toBe(
    'The pause for sync/hub/openshift-gitops/nodes was not confirmed in time. It is now: no further node is targeted. Which nodes had been before is not known, because nodes cannot be read.',
  );
});
