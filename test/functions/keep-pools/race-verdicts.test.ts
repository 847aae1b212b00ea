import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { protect } from '../../../functions/handshake/protect.ts';
import { aMachineConfig, anApplication, anOperation } from '../../fakes/index.ts';
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

const inSeconds = (lab: KeepLab, seconds: number) =>
  new Date(lab.world.clock.now().getTime() + seconds * 1000).toISOString();

test.each([
  ['another sync follows it', 0, true],
  ['the clock of Argo CD runs ahead', 120, false],
])(
  '[N-29] [N-30] a pause that came late stays late where the Application could not be read meanwhile, and %s',
  async (_, skew, isFollowed) => {
    const lab = keepLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(2);
    const heal = lab.world.faults.failAll(['argocd.read', 'argocd.list', 'argocd.count'], new Transient('hub: 500'));
    lab.syncs(commitB, { startedAt: inSeconds(lab, skew), results: anOperation().results });
    await lab.pass(6);
    rollsOut(lab);
    lab.world.pools.observe('worker');
    await lab.pass(50);
    if (isFollowed) {
      lab.ends('Succeeded');
      lab.syncs(commitB, { partial: true, results: [] });
    }
    heal();
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(verdicts(lab)).toEqual([[nodesHold, 'late']]);
  },
);

const hookJob = { group: 'batch', kind: 'Job', namespace: 'openshift-gitops', name: 'poolkeeper-handshake' };
const preSync = { ...hookJob, status: 'Synced', message: '', hookType: 'PreSync' };
const written = anOperation().results.map((each) => ({ ...each, status: 'Synced', message: 'configured' }));

describe.each(['react', 'handshake', 'guard'] as const)('[N-29] [S0-5] at level %s', (protection) => {
  const pools = { worker: { ...defaultPoolSettings, protection } };

  test.each([
    ['tries again', { retryCount: 1, results: [preSync] }],
    [
      'waits for a sync window halfway',
      { results: [preSync, ...written], message: 'Sync operation blocked by sync window' },
    ],
  ])('a sync that has written before it %s runs unprotected, whatever its clock says', async (_, then) => {
    const lab = keepLab({ pools });
    await lab.tick();
    const startedAt = inSeconds(lab, 180);
    lab.syncs(commitB, { startedAt, results: [preSync] });
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(20);
    lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: inSeconds(lab, 0) }));
    lab.syncs(commitB, { startedAt, ...then });
    rollsOut(lab);

    await lab.pass(300);

    expect(verdicts(lab)).toEqual([[nodesHold, 'unprotected']]);
  });
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

const refused = anOperation().results.map((each) => ({ ...each, status: 'SyncFailed', message: 'denied the request' }));
const byWindow = { message: 'Sync operation blocked by sync window' };

const waiting = [
  ['its PreSync Job', 'handshake', { results: [preSync] }],
  ['its PreSync Job, of which nothing is reported yet', 'handshake', { results: [] }],
  ['the API server, which has refused it', 'admission', { results: refused }],
  ['the API server, where nothing is reported yet', 'admission', { results: [] }],
  ['a sync window', 'guard', byWindow],
] as const;

test.each(waiting)(
  '[N-29] [S0-5] a sync that is kept waiting by %s (%s) does not run unprotected, and is judged by what follows',
  async (_, protection, seen) => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection } } });
    lab.syncs(commitB, seen);
    await lab.deliver(lab.operationOf('Running'));

    await lab.pass(180);
    expect(raceOf(lab, nodesHold)).toMatchObject({ verdict: undefined, confirmedAt: undefined });
    expect(latePause(lab)).toBeUndefined();

    lab.world.pools.observe('worker');
    await lab.tick();
    lab.world.clock.advance(10);
    lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: lab.world.clock.now().toISOString() }));
    lab.ends('Succeeded', { message: '' });
    await lab.tick();
    expect(verdicts(lab)).toEqual([[nodesHold, 'early']]);
    expect(latePause(lab)).toBeUndefined();
  },
);

test('[N-29] [S0-5] the handshake keeps such a sync waiting', async () => {
  const lab = keepLab();
  lab.syncs(commitB, { results: [preSync] });

  await lab.pass(120);

  expect(await protect({ argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' }, lab.ports)).toMatchObject({
    kind: 'waiting',
  });
  expect(raceOf(lab, nodesHold)?.verdict).toBeUndefined();
});

test.each([
  ['its hooks are skipped', 'handshake', { results: [], partial: true }],
  ['its PreSync Job has ended', 'handshake', { results: [preSync, ...anOperation().results] }],
  ['the API server has let it through', 'admission', { results: anOperation().results }],
  ['nothing keeps it waiting', 'react', { results: [] }],
] as const)(
  '[S0-5] where %s (%s), a pause that is not confirmed is told while the sync runs',
  async (_, level, seen) => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: level } } });
    lab.syncs(commitB, seen);
    await lab.deliver(lab.operationOf('Running'));

    await lab.pass(120);

    expect(verdicts(lab)).toEqual([[nodesHold, 'unprotected']]);
    expect(latePause(lab)?.trouble?.headline).toBe('the pause is not confirmed, the sync runs unprotected');
  },
);

test('[S0-5] nor is a second sync of one hold kept waiting: the first may have written', async () => {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'handshake' } } });
  lab.syncs(commitB, { results: [preSync] });
  await lab.deliver(lab.operationOf('Running'));
  await lab.pass(20);
  lab.ends('Succeeded', { results: [preSync, ...written] });
  lab.world.clock.advance(1);
  lab.syncs(commitB, { results: [preSync] });

  await lab.pass(120);

  expect(verdicts(lab)).toEqual([[nodesHold, 'unprotected']]);
});

test('[N-29] a sync that fails in its PreSync Job has applied nothing: its race ends without a verdict, the failure is told', async () => {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'handshake' } } });
  const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
  lab.world.argocd.change('nodes', { resources });
  lab.syncs(commitB, { results: [preSync] });
  await lab.deliver(lab.operationOf('Running'));
  await lab.pass(540);
  lab.ends('Failed', { results: [{ ...preSync, status: '', message: 'Job has reached the specified backoff limit' }] });

  await lab.pass(300);
  expect(lab.troubles()).toContain('run-failed');
  expect(latePause(lab)).toBeUndefined();

  lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
  await lab.pass(120);
  expect(raceOf(lab, nodesHold)).toMatchObject({ verdict: undefined, endedAt: expect.any(String) });
});
