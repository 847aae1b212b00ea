import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { applicationOfGuard, type Guard } from '../../../functions/core/guard/guard-record.ts';
import { guardsOf } from '../../../functions/core/guard/open-guards.ts';
import { windowsAfter } from '../../../functions/core/guard/sync-windows.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { anApplication, anAppProject, aPool, fakeWorld } from '../../fakes/index.ts';
import { type GuardLab, guardLab } from './guard-lab.ts';
import { commitA, commitB, commitC } from './keep-lab.ts';

const servers = { east: 'https://api.east:6443', west: 'https://api.west:6443' } as const;

/** A Poolkeeper whose cluster `prod` is the one in the east, or the one in the west. */
function poolkeeper(side: keyof typeof servers): GuardLab {
  const lab = guardLab({ argocd: { cluster: 'hub', destinations: [{ server: servers[side], cluster: 'prod' }] } });
  lab.world.pools.put(aPool({ uid: `uid-pool-worker-${side}` }));
  return lab;
}

function applicationOf(side: keyof typeof servers) {
  return anApplication({
    name: `nodes-${side}`,
    uid: `uid-app-${side}`,
    destination: { server: servers[side], name: '' },
    sync: { status: 'Synced', revisions: [commitA] },
  });
}

/** Two Poolkeepers with clusters of their own, both called `prod`, and one Argo CD. */
function twoPoolkeepers() {
  const [east, west] = [poolkeeper('east'), poolkeeper('west')];
  const { argocd } = east.world;
  argocd.remove('nodes');
  argocd.put(applicationOf('east'));
  argocd.put(applicationOf('west'));
  Object.assign(west.ports, { argocd: async () => argocd });
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await east.pass(60);
      await west.pass(60);
    }
  };
  return { east, west, argocd, pass };
}

function changesIn({ world }: GuardLab): readonly string[] {
  return world.tables.timeline
    .all()
    .map(({ text }) => text)
    .filter((text) => text.startsWith('the guard of'));
}

function incidentOf({ world }: GuardLab) {
  return world.tables.incidents.all().find(({ key, state }) => key.kind === 'guard-stuck' && state === 'firing');
}

describe('guards of two clusters of one name', () => {
  test('[N-6] [N-30] stay, each for its own, and are written once', async () => {
    const { east, west, argocd, pass } = twoPoolkeepers();

    await pass(6);
    const { resourceVersion } = argocd.project();
    await pass(20);

    expect(guardsOf([argocd.project()]).map(({ application }) => application)).toEqual([
      'openshift-gitops/nodes-east',
      'openshift-gitops/nodes-west',
    ]);
    expect([east.isClosed('nodes-east'), east.isClosed('nodes-west')]).toEqual([true, true]);
    expect([...changesIn(east), ...changesIn(west)].filter((text) => text.includes('taken away'))).toEqual([]);
    expect(argocd.project().resourceVersion).toBe(resourceVersion);
  });

  test('[N-6] [N-29] are told to both of them, with what to do, until one has another name', async () => {
    const { east, west, argocd, pass } = twoPoolkeepers();

    await pass(8);
    const told = [east, west].map((lab) => JSON.stringify(incidentOf(lab)));
    const rest = guardsOf([argocd.project()]).filter(({ application }) => application.endsWith('east'));
    argocd.putProject({ ...argocd.project(), record: { kind: 'guards', guards: rest } });
    await east.pass(20 * 60);

    for (const text of told) {
      expect(text).toContain('AppProject default has guards of another cluster that is called prod');
      expect(text).toContain('Give the clusters different names');
    }
    expect(incidentOf(east)).toBeUndefined();
  });

  test('[N-6] [S1-4] let a pool resume while a sync runs through the guard of the other', async () => {
    const { east, west, pass } = twoPoolkeepers();
    await pass(6);
    const beginsSync = async (lab: GuardLab, name: string) => {
      east.looks(commitB, name);
      await lab.pass(60);
      lab.confirms();
      await lab.pass(60);
      east.looks(commitB, name);
      await lab.pass(60);
    };

    await beginsSync(east, 'nodes-east');
    await beginsSync(west, 'nodes-west');
    const during = [east.isClosed('nodes-east'), east.isClosed('nodes-west'), east.pool().paused, west.pool().paused];
    east.ends('Succeeded', {}, 'nodes-west');
    await west.pass(120);

    expect(during).toEqual([false, false, true, true]);
    expect([east.isClosed('nodes-east'), east.pool().paused]).toEqual([false, true]);
    expect([east.isClosed('nodes-west'), west.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] an Application that moves from one to the other is guarded by the other, and by it alone', async () => {
    const { east, argocd, pass } = twoPoolkeepers();
    await pass(6);
    argocd.change('nodes-east', { destination: { server: servers.west, name: '' } });

    await pass(6);

    const guards = guardsOf([argocd.project()]);
    expect(guards.map(({ application }) => application).toSorted()).toEqual([
      'openshift-gitops/nodes-east',
      'openshift-gitops/nodes-west',
    ]);
    expect(new Set(guards.map(({ clusterId }) => clusterId)).size).toBe(1);
    expect(east.isClosed('nodes-east')).toBe(true);
  });

  test('[N-6] stay when the other one is renamed, and its own go with it', async () => {
    const { east, west, argocd, pass } = twoPoolkeepers();
    await pass(6);
    rename(west);
    argocd.remove('nodes-west');

    for (let minute = 0; minute < 120; minute += 1) {
      west.world.clock.advance(60);
      await west.deliver(makeTick({ cluster: 'new', why: 'clock' }, west.world.clock.now()));
    }

    expect(guardsOf([argocd.project()]).map(({ application }) => application)).toEqual(['openshift-gitops/nodes-east']);
    expect([east.isClosed('nodes-east'), east.isClosed('nodes-west')]).toEqual([true, false]);
    expect(incidentOf(west)).toBeUndefined();
  });
});

/** Its cluster is called `new` from now on. */
function rename({ ports }: GuardLab): void {
  const { configuration, cluster } = ports;
  const clusters = configuration.clusters.map((each) => ({ ...each, name: 'new' }));
  const argocd = configuration.argocd.map((each) => ({
    ...each,
    destinations: each.destinations.map((destination) => ({ ...destination, cluster: 'new' })),
  }));
  Object.assign(ports, { cluster: () => cluster('prod'), configuration: { ...configuration, clusters, argocd } });
}

describe('guards of a cluster that was installed anew', () => {
  /** One guard is open while its Application syncs; one Application moves away meanwhile, and one is gone. */
  async function reinstalled(isForgotten: boolean) {
    const lab = poolkeeper('east');
    const { argocd, pools, tables, clock } = lab.world;
    argocd.remove('nodes');
    for (const name of ['nodes-east', 'moves', 'goes', 'syncs']) argocd.put({ ...applicationOf('east'), name });
    await lab.pass(360);
    lab.looks(commitB, 'syncs');
    await lab.pass(60);
    lab.confirms();
    await lab.pass(60);
    const isOpen = !lab.isClosed('syncs');
    const before = guardsOf([argocd.project()]).map(({ clusterId }) => clusterId);
    pools.put(aPool({ uid: 'uid-pool-worker-anew' }));
    argocd.change('syncs', {
      sync: { status: 'Synced', revisions: [commitB] },
      reconciledAt: clock.now().toISOString(),
    });
    argocd.change('moves', { destination: { server: servers.west, name: '' } });
    argocd.remove('goes');
    if (isForgotten) Object.assign(lab.ports, { checkpoints: fakeWorld().tables.checkpoints });
    return { lab, argocd, tables, isOpen, before };
  }

  test.each([
    ['and its checkpoint is there', false, []],
    // Whoever keeps the cluster that it has moved to may have the same name for that.
    ['and its checkpoint is lost with it', true, ['openshift-gitops/moves']],
  ])('[N-6] are taken over, %s', async (_, isForgotten, left) => {
    const { lab, argocd, isOpen, before } = await reinstalled(isForgotten);

    await lab.pass(1800);

    const guards = guardsOf([argocd.project()]);
    const own = guards.filter(({ clusterId }) => clusterId !== before[0]);
    expect([isOpen, new Set(before).size]).toEqual([true, 1]);
    expect(own.map(({ application }) => application)).toEqual([
      'openshift-gitops/nodes-east',
      'openshift-gitops/syncs',
    ]);
    expect(guards.filter((guard) => !own.includes(guard)).map(({ application }) => application)).toEqual(left);
    expect([lab.isClosed('nodes-east'), lab.isClosed('syncs'), lab.isClosed('goes')]).toEqual([true, true, false]);
    expect(incidentOf(lab) === undefined).toBe(left.length === 0);
  });

  const ports = ['argocd.writeGuards', 'argocd.projects', 'argocd.read'] as const;

  test.each(
    ports.flatMap(
      (port) =>
        [
          [port, 'is there', false],
          [port, 'is lost with it', true],
        ] as const,
    ),
  )(
    '[N-6] [N-30] are taken over later, where %s fails at first and the checkpoint %s',
    async (port, _, isForgotten) => {
      const { lab, argocd, before } = await reinstalled(isForgotten);
      const undo = lab.world.faults.failAll([port], new Transient('no answer', { kind: 'unreachable' }));
      await lab.pass(180);
      const during = await lab.ports.checkpoints.load('prod');
      undo();

      await lab.pass(1800);
      const after = await lab.ports.checkpoints.load('prod');

      const guards = guardsOf([argocd.project()]);
      const left = guards.filter(({ clusterId }) => clusterId === before[0]);
      const own = guards.filter((guard) => !left.includes(guard));
      expect(own.map(({ application }) => application)).toEqual([
        'openshift-gitops/nodes-east',
        'openshift-gitops/syncs',
      ]);
      // Without a checkpoint the one that has moved away may be another Poolkeeper's.
      expect(left.map(({ application }) => application)).toEqual(isForgotten ? ['openshift-gitops/moves'] : []);
      expect([lab.isClosed('nodes-east'), lab.isClosed('syncs'), lab.isClosed('goes')]).toEqual([true, true, false]);
      expect(incidentOf(lab) === undefined).toBe(!isForgotten);
      expect(during?.guardIds).toEqual([own[0]?.clusterId, ...(isForgotten ? [] : [before[0]])]);
      expect([after?.clusterId, after?.guardIds]).toEqual([own[0]?.clusterId, undefined]);
    },
  );

  test('[N-6] [N-30] are taken over, also where it is installed anew again before that was done', async () => {
    const { lab, argocd, before } = await reinstalled(false);
    const undo = lab.world.faults.failAll(['argocd.read'], new Transient('no answer', { kind: 'unreachable' }));
    // Listed with the sweep, so that it gets the second id.
    await lab.pass(360);
    const between = new Set(guardsOf([argocd.project()]).map(({ clusterId }) => clusterId));
    undo();
    lab.world.pools.put(aPool({ uid: 'uid-pool-worker-once-more' }));
    argocd.change('nodes-east', { destination: { server: servers.west, name: '' } });

    await lab.pass(1800);

    const guards = guardsOf([argocd.project()]);
    expect([between.size, between.has(before[0])]).toEqual([2, true]);
    expect(guards.map(({ application }) => application)).toEqual(['openshift-gitops/syncs']);
    expect(between.has(guards[0]?.clusterId)).toBe(false);
    expect(incidentOf(lab)).toBeUndefined();
  });

  test('[N-6] [S1-4] keep its pools paused while they are open, until they were taken over', async () => {
    const { lab, argocd, isOpen } = await reinstalled(false);
    argocd.spoil('syncs');
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    lab.looks(commitB, 'nodes-east');
    await lab.pass(60);
    lab.looks(commitB, 'nodes-east');
    await lab.pass(60);
    lab.ends('Succeeded', {}, 'nodes-east');

    await lab.pass(300);
    const during = [lab.isClosed('syncs'), lab.pool().paused];
    argocd.mend('syncs');
    lab.ends('Succeeded', {}, 'syncs');
    await lab.pass(1800);

    expect([isOpen, during]).toEqual([true, [false, true]]);
    expect([lab.isClosed('syncs'), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] are left to whoever keeps them now, as soon as they were taken over once', async () => {
    const { lab, argocd, before } = await reinstalled(false);
    await lab.pass(360);
    const { record: _, ...project } = argocd.project();
    const theirs = { application: 'openshift-gitops/moves', cluster: 'prod', clusterId: before[0], pools: ['worker'] };
    const guards = [...guardsOf([argocd.project()]), theirs];
    argocd.putProject({ ...project, record: { kind: 'guards', guards } });

    await lab.pass(600);

    expect(guardsOf([argocd.project()])).toContainEqual(theirs);
    expect(JSON.stringify(incidentOf(lab))).toContain('openshift-gitops/moves');
  });
});

/** Guards as a Poolkeeper of an earlier version writes them: it drops the ids of all that it keeps. */
function writeWithoutIds(
  { world: { argocd } }: Pick<GuardLab, 'world'>,
  isKept: (application: string) => boolean = () => true,
  added: readonly Guard[] = [],
): void {
  const project = argocd.project();
  const kept = guardsOf([project]).filter(({ application }) => isKept(application));
  const guards = [...kept.map(({ clusterId: _, ...guard }) => guard), ...added];
  const names = (all: readonly Guard[]) => new Set(all.map((guard) => applicationOfGuard(guard).name));
  const freed = guardsOf([project]).filter(({ application }) => !isKept(application));
  const windows = windowsAfter(project.windows, { closed: names(guards), open: names(freed) });
  argocd.putProject({ ...project, windows, record: { kind: 'guards', guards } });
}

describe('guards without an id, as an earlier version writes them', () => {
  const ofWest: Guard = { application: 'openshift-gitops/nodes-west', cluster: 'prod', pools: ['worker'] };

  test('[N-6] [N-30] stay where their Application deploys to no cluster of ours, and are told, until that version is replaced', async () => {
    const { east, west, argocd } = twoPoolkeepers();
    writeWithoutIds(east, () => true, [ofWest]);

    await east.pass(600);
    const [during, isClosed, told] = [guardsOf([argocd.project()]), east.isClosed('nodes-west'), incidentOf(east)];
    await west.pass(60);
    await east.pass(60);

    expect(during.map(({ application }) => application)).toEqual([
      'openshift-gitops/nodes-west',
      'openshift-gitops/nodes-east',
    ]);
    expect([during[0], isClosed]).toEqual([ofWest, true]);
    expect(JSON.stringify(told)).toContain('AppProject default has guards of another cluster that is called prod');
    expect(changesIn(east).filter((text) => text.includes('taken away'))).toEqual([]);
    expect(new Set(guardsOf([argocd.project()]).map(({ clusterId }) => clusterId)).size).toBe(2);
  });

  test('[N-6] are told apart also while they are open, and a sync runs through them', async () => {
    const { east, argocd } = twoPoolkeepers();
    const open = { since: east.world.clock.now().toISOString(), why: 'a push' };
    writeWithoutIds(east, () => true, [{ ...ofWest, open }]);
    const project = argocd.project();
    const windows = windowsAfter(project.windows, { closed: new Set(), open: new Set(['nodes-west']) });
    argocd.putProject({ ...project, windows });
    east.syncs(commitB, {}, 'nodes-west');

    await east.pass(3600);

    expect(guardsOf([argocd.project()])).toContainEqual({ ...ofWest, open });
    expect([east.isClosed('nodes-west'), east.isClosed('nodes-east')]).toEqual([false, true]);
    expect(JSON.stringify(incidentOf(east))).not.toContain('G3');
  });

  test('[N-6] [N-30] come back with an id after that version has dropped them, or taken them away', async () => {
    const { east, argocd } = twoPoolkeepers();
    argocd.put({ ...applicationOf('east'), name: 'more-east', uid: 'uid-app-more' });
    writeWithoutIds(east, () => true, [ofWest]);
    await east.pass(360);
    const before = guardsOf([argocd.project()]);

    writeWithoutIds(east, (application) => !application.endsWith('nodes-east'));
    const isOpened = !east.isClosed('nodes-east');
    await east.pass(360);

    const byName = (guards: readonly Guard[]) => guards.toSorted((a, b) => (a.application < b.application ? -1 : 1));
    expect(isOpened).toBe(true);
    expect(byName(guardsOf([argocd.project()]))).toEqual(byName(before));
    expect([east.isClosed('nodes-east'), east.isClosed('more-east'), east.isClosed('nodes-west')]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test.each([
    ['as it was', 'uid-pool-worker-east'],
    ['installed anew', 'uid-pool-worker-anew'],
  ])('[N-6] [N-30] are those of their cluster after an upgrade, with the cluster %s', async (_, uid) => {
    const lab = poolkeeper('east');
    const { argocd, pools } = lab.world;
    argocd.remove('nodes');
    for (const name of ['nodes-east', 'moves', 'leaves', 'goes'])
      argocd.put({ ...applicationOf('east'), name, uid: `uid-${name}` });
    await lab.pass(360);
    const stored = await lab.ports.checkpoints.load('prod');
    if (stored === undefined) throw new Error('nothing is stored');
    await lab.ports.checkpoints.save({ ...stored, clusterId: undefined });
    writeWithoutIds(lab);
    pools.put(aPool({ uid }));
    argocd.remove('goes');
    argocd.change('moves', { destination: { server: 'https://api.second:6443', name: '' } });
    argocd.change('leaves', { destination: { server: servers.west, name: '' } });
    addCluster(lab, 'second');

    await lab.pass(600);
    const during = guardsOf([argocd.project()]);
    const told = JSON.stringify(incidentOf(lab));
    forget(lab, ['leaves']);
    await lab.pass(600);

    expect(during.map(({ application, clusterId }) => [application, clusterId === undefined])).toEqual([
      ['openshift-gitops/nodes-east', false],
      ['openshift-gitops/leaves', true],
    ]);
    expect(told).toContain('(openshift-gitops/leaves)');
    expect(guardsOf([argocd.project()]).map(({ application }) => application)).toEqual(['openshift-gitops/nodes-east']);
    expect(['nodes-east', 'moves', 'leaves', 'goes'].map((name) => lab.isClosed(name))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(incidentOf(lab)).toBeUndefined();
  });
});

/** One more cluster of the same Poolkeeper, without guards. */
function addCluster({ ports }: GuardLab, name: string): void {
  const { configuration } = ports;
  const clusters = configuration.clusters.flatMap((each) => [each, { ...each, name, pools: {} }]);
  const server = `https://api.${name}:6443`;
  const argocd = configuration.argocd.map((each) => ({
    ...each,
    destinations: [...each.destinations, { server, cluster: name }],
  }));
  Object.assign(ports, { configuration: { ...configuration, clusters, argocd } });
}

/** What the command in the message does. */
function forget({ world: { argocd } }: GuardLab, names: readonly string[]): void {
  const project = argocd.project();
  const windows = windowsAfter(project.windows, { closed: new Set(), open: new Set(names) });
  argocd.putProject({ ...project, windows, record: { kind: 'guards', guards: [] } });
}

test('[N-6] guards that an earlier version has written are those of their cluster, by name', async () => {
  const lab = guardLab();
  await lab.tick();
  const { record: _, ...project } = lab.world.argocd.project();
  const { clusterId, ...old } = lab.guard() ?? { application: '', cluster: '', pools: [] };
  lab.world.argocd.putProject({ ...project, record: { kind: 'guards', guards: [old] } });

  await lab.pass(60);

  expect(clusterId).toMatch(/^[0-9a-f]{8}$/);
  expect(lab.guard()).toEqual({ ...old, clusterId });
});

test('[N-6] an open guard counts while the pool that stands for its cluster cannot be parsed', async () => {
  const lab = guardLab();
  lab.world.pools.put(aPool({ name: 'master', uid: 'uid-pool-master' }));
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  lab.looks(commitB);
  await lab.tick();
  const isOpen = !lab.isClosed();
  const guard = lab.guard();
  lab.world.pools.spoil('master');
  Object.assign(lab.ports, { checkpoints: fakeWorld().tables.checkpoints });

  await lab.pass(300);
  const during = lab.pool().paused && !lab.isClosed();
  lab.ends('Succeeded');
  await lab.pass(120);

  expect([isOpen, during, lab.isClosed(), incidentOf(lab)]).toEqual([true, true, true, undefined]);
  expect(lab.guard()?.clusterId).toBe(guard?.clusterId);
  expect(guardsOf([lab.world.argocd.project()])).toHaveLength(1);
});

test('[N-6] [N-30] the window that two Applications of one name share, and a sync of one of them opens, is not told as taken away', async () => {
  const lab = guardLab();
  const { argocd } = lab.world;
  argocd.putProject(anAppProject({ sourceNamespaces: ['team-*'], windowsBy: 'poolkeeper' }));
  argocd.putNamesake(anApplication({ ...argocd.get('nodes'), namespace: 'team-a', uid: 'u-team-a', automated: false }));
  await lab.tick();
  const syncs: boolean[] = [];
  for (const commit of [commitB, commitC, commitA]) {
    await lab.deliver(lab.pushOf(commit));
    lab.confirms();
    await lab.pass(2);
    syncs.push(lab.looks(commit));
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(60);
    lab.confirms();
    await lab.pass(600);
  }

  expect(syncs).toEqual([true, true, true]);
  expect(lab.isClosed()).toBe(true);
  expect(changesIn(lab).filter((text) => text.includes('taken its window away'))).toEqual([]);
  expect(incidentOf(lab)).toBeUndefined();
});
