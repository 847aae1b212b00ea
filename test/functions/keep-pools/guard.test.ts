import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { waitOfGuard } from '../../../functions/core/gates/guard-waits.ts';
import {
  emptySequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
} from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { emptyCheckpoint } from '../../../functions/keep-pools/observe/observe.ts';
import { anApplication, anAppProject, aPool } from '../../fakes/index.ts';
import { type GuardLab, guardLab, parked } from './guard-lab.ts';
import { commitA, commitB, commitC } from './keep-lab.ts';

/** With another cluster, to which Applications can be pointed. */
function withDev(protection: 'guard' | 'react', names: readonly string[] = ['dev']): GuardLab {
  const lab = guardLab({ argocd: { destinations: names.map((name) => ({ name, cluster: name })) } });
  const { configuration } = lab.ports;
  const pools = { worker: { ...defaultPoolSettings, protection } };
  const clusters = configuration.clusters.flatMap((each) => [each, ...names.map((name) => ({ ...each, name, pools }))]);
  Object.assign(lab.ports, { configuration: { ...configuration, clusters } });
  return lab;
}

function guardsOnDev(lab: GuardLab): void {
  const { record, ...project } = lab.world.argocd.project('default');
  const guards = record.kind === 'guards' ? record.guards : [];
  const there = { application: 'openshift-gitops/nodes', cluster: 'dev', pools: ['worker'] };
  lab.world.argocd.putProject({ ...project, record: { kind: 'guards', guards: [...guards, there] } });
}

const foreign = {
  kind: 'allow',
  schedule: '0 22 * * 2',
  duration: '4h',
  applications: ['*'],
  someFieldOfTheFuture: { deep: [1, null] },
};

describe('a guarded Application', () => {
  test('[N-6] is held back from the first look at it on, and others are not', async () => {
    const lab = guardLab();
    lab.world.argocd.put(anApplication({ name: 'shop', uid: 'u-shop', resources: [] }));

    await lab.tick();

    expect([lab.isClosed(), lab.isClosed('shop')]).toEqual([true, false]);
    expect(lab.guard()).toMatchObject({ cluster: 'prod', pools: ['worker'] });
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-6] is let through by a push once the pause is confirmed, and no sooner', async () => {
    const lab = guardLab();
    await lab.tick();

    await lab.deliver(lab.pushOf(commitB));
    const afterPush = [lab.pool().paused, lab.isClosed()];
    await lab.pass(4);
    const unconfirmed = lab.isClosed();
    lab.confirms();
    await lab.pass(2);

    expect(afterPush).toEqual([true, true]);
    expect(unconfirmed).toBe(true);
    expect(lab.isClosed()).toBe(false);
    expect(lab.isAskedToLook()).toBe(true);
    expect(lab.looks(commitB)).toBe(true);
  });

  test('[N-6] is asked for again until Argo CD moves', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
    lab.world.argocd.change('nodes', { annotations: {} });

    await lab.pass(2);

    expect(lab.isAskedToLook()).toBe(true);
  });

  test.each(['Succeeded', 'Failed', 'Error'] as const)(
    '[N-6] is held back again when its sync has ended: %s',
    async (phase) => {
      const lab = guardLab();
      await synced(lab);
      await lab.pass(60);
      const during = lab.isClosed();
      lab.ends(phase);

      await lab.deliver(lab.operationOf(phase));

      expect([during, lab.isClosed()]).toEqual([false, true]);
      expect(lab.pool().paused).toBe(true);
    },
  );

  test('[N-6] its pools resume after its guard is closed, never before', async () => {
    const lab = guardLab();
    await synced(lab);
    lab.ends('Succeeded');
    const undo = lab.world.faults.failAll(['argocd.writeGuards']);
    await lab.pass(600);
    const whileOpen = [lab.isClosed(), lab.pool().paused];
    undo();

    await lab.pass(120);

    expect(whileOpen).toEqual([false, true]);
    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] is never held back in the middle of its sync', async () => {
    const lab = guardLab();
    await synced(lab);
    await lab.pass(7200);
    const long = lab.isClosed();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });

    await lab.pass(120);

    expect([long, lab.isClosed()]).toEqual([false, false]);
  });

  test('[N-6] is held back again if no sync comes, and its pools resume', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();

    await lab.pass(1200);

    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] is let through for a sync that a person asks for, once its pools are paused', async () => {
    const lab = guardLab();
    lab.world.argocd.change('nodes', { automated: false });
    await lab.tick();

    lab.asksFor(commitB);
    await lab.deliver(lab.operationOf('Running'));
    const before = lab.isClosed();
    lab.confirms();
    await lab.pass(2);

    expect([before, lab.isClosed()]).toEqual([true, false]);
    expect(lab.looks(commitB)).toBe(true);
  });

  test('[N-6] is let through for self-heal, which no push and no operation announces', async () => {
    const lab = guardLab();
    lab.world.argocd.change('nodes', { selfHeal: true });
    await lab.tick();
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitA] } });
    lab.world.argocd.change('nodes', {
      reconciledAt: new Date(lab.world.clock.now().getTime() + 60_000).toISOString(),
    });

    await lab.pass(62);
    lab.confirms();
    await lab.pass(4);
    const wasLetThrough = lab.looks(commitA);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(wasLetThrough).toBe(true);
    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] [N-30] no sync is awaited of one that is being deleted: its pools are not paused for it', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.change('nodes', {
      isBeingDeleted: true,
      sync: { status: 'OutOfSync', revisions: [commitB] },
      reconciledAt: new Date(lab.world.clock.now().getTime() + 60_000).toISOString(),
    });

    await lab.pass(300);

    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-6] [N-30] no sync is awaited of one that has only something to prune, whatever the commits: its pools are not paused for it', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.change('nodes', { leftToPrune: true });
    lab.looks(commitB);
    await lab.pass(300);
    const before = [lab.isClosed(), lab.pool().paused];
    lab.looks(commitC);
    await lab.pass(300);
    const after = [lab.isClosed(), lab.pool().paused];
    lab.world.argocd.change('nodes', { leftToPrune: undefined });
    await lab.pass(62);

    expect([before, after]).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(lab.pool().paused).toBe(true);
  });

  test('[N-6] a commit that Argo CD found by polling is let through, and one that it does not sync is not tried again at once', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.looks(commitB);

    await lab.pass(62);
    lab.confirms();
    await lab.pass(4);
    const opened = !lab.isClosed();
    await lab.pass(1500);
    const paused = lab.world.faults.calls.filter(({ op }) => op === 'pools.patch').length;
    await lab.pass(1500);

    expect(opened).toBe(true);
    expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
    expect(lab.world.faults.calls.filter(({ op }) => op === 'pools.patch').length).toBe(paused);
  });

  test('[N-6] a person who resumes its pool closes it: the guard stays closed and says why', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });

    await lab.tick();

    expect(lab.isClosed()).toBe(true);
    expect(JSON.stringify(await lab.ports.views.list())).toContain('pool worker was resumed by a person');
  });

  test('[N-6] waits for every pool that it affects, also those without the level', async () => {
    const lab = guardLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'u-infra' }));
    lab.world.argocd.change('nodes', {
      resources: ['worker', 'infra'].map((role) => ({
        group: 'machineconfiguration.openshift.io',
        kind: 'KubeletConfig',
        namespace: '',
        name: role,
        status: 'Synced',
      })),
    });
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms('worker');
    await lab.pass(10);
    const one = lab.isClosed();
    lab.confirms('infra');
    await lab.pass(60);

    expect([one, lab.isClosed()]).toEqual([true, false]);
  });
});

describe('the windows of a project', () => {
  test('[N-6] that others put there are byte for byte as before, whatever the guard does', async () => {
    const lab = guardLab();
    lab.world.argocd.putProject(anAppProject({ windows: [foreign] }));
    const texts: string[] = [];
    const note = () => texts.push(JSON.stringify(lab.world.argocd.project().windows[0]));
    await lab.tick();
    note();
    await synced(lab);
    note();
    lab.ends('Succeeded');
    await lab.pass(120);
    note();

    expect(new Set(texts)).toEqual(new Set([JSON.stringify(foreign)]));
  });

  test('[N-6] one that somebody took away stands again, which is told', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.putProject({
      ...lab.world.argocd.project(),
      windows: [],
      windowsBy: 'argocd-controller',
      isTracked: true,
    });

    await lab.pass(60);
    const entries = await lab.ports.timeline.latest(50);

    expect(lab.isClosed()).toBe(true);
    expect(JSON.stringify(entries)).toContain('argocd-controller had taken its window away');
    expect(JSON.stringify(entries)).toContain('/spec/syncWindows');
  });

  test('[N-6] [N-30] one that is taken away whenever it stands again is an incident with who does that, until it stands', async () => {
    const lab = guardLab();
    await lab.tick();
    const takeAway = async () => {
      const project = lab.world.argocd.project();
      lab.world.argocd.putProject({ ...project, windows: [], windowsBy: 'argocd-controller', isTracked: true });
      await lab.pass(60);
      return lab.troubles().includes('guard-stuck');
    };

    const told = [await takeAway(), await takeAway(), await takeAway()];
    const trouble = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'guard-stuck')?.trouble;
    const between: boolean[] = [];
    for (let minute = 1; minute <= 12; minute += 1) {
      await lab.pass(60);
      between.push(lab.troubles().includes('guard-stuck'));
    }

    expect(told).toEqual([false, false, true]);
    expect(trouble).toMatchObject({
      severity: 'high',
      headline: 'guards of AppProject default are taken away again and again by argocd-controller',
      findings: [{ code: 'G6' }],
    });
    expect(JSON.stringify(trouble?.findings[0]?.remedies)).toContain('ignoreDifferences');
    expect(between.indexOf(false)).toBeGreaterThanOrEqual(9);
    expect(between.at(-1)).toBe(false);
  });

  test('[N-6] [N-30] one that is taken away now and then is no incident', async () => {
    const lab = guardLab();
    await lab.tick();
    const told: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      lab.world.argocd.putProject({ ...lab.world.argocd.project(), windows: [] });
      await lab.pass(60);
      await lab.pass(31 * 60);
      told.push(...lab.troubles());
    }

    expect(lab.isClosed()).toBe(true);
    expect(told).not.toContain('guard-stuck');
  });

  test('[N-6] one that somebody took away is not put back in the middle of a sync', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.putProject({ ...lab.world.argocd.project(), windows: [] });
    lab.syncs(commitB);

    await lab.pass(120);

    expect(lab.isClosed()).toBe(false);
  });

  test('[N-6] [N-30] waits, with a sync that a person asks for at once, for the comparison that says which pools it reaches', async () => {
    const lab = guardLab();
    lab.world.pools.put(
      aPool({ name: 'infra', uid: 'uid-infra', target: { name: 'rendered-infra-a', sources: ['99-infra'] } }),
    );
    await lab.tick();
    lab.syncs(commitB, { startedBy: 'ann', message: parked, revisions: [] });
    await lab.deliver(lab.operationOf('Running'));
    lab.confirms();
    await lab.pass(20);
    const before = [lab.isClosed(), lab.isAskedToLook(), lab.pool().paused, lab.pool('infra').paused];

    const { resources } = lab.world.argocd.get('nodes');
    lab.world.argocd.change('nodes', {
      resources: resources.flatMap((each) => [each, { ...each, name: '99-infra', status: 'OutOfSync' }]),
    });
    lab.looks(commitB);
    await lab.pass(60);
    const compared = [lab.isClosed(), lab.pool('infra').paused];
    lab.confirms('infra');
    await lab.pass(60);

    expect(before).toEqual([true, true, true, false]);
    expect(compared).toEqual([true, true]);
    expect(lab.isClosed()).toBe(false);
  });

  test.each(['queued', 'just taken up'])(
    '[N-6] [N-30] with pools paused already, opens for no sync of which nothing is compared yet: %s',
    async (state) => {
      const lab = guardLab();
      lab.world.argocd.change('nodes', { automated: false });
      await lab.tick();
      lab.asksFor(commitB);
      await lab.deliver(lab.operationOf('Running'));
      lab.confirms();
      await lab.pass(2);
      lab.looks(commitB);
      await lab.pass(60);
      lab.ends('Failed');
      await lab.pass(60);
      const failed = [lab.isClosed(), lab.pool().paused];

      if (state === 'queued') lab.world.argocd.change('nodes', { operationQueued: true });
      else lab.syncs(commitC, { startedBy: 'ann', revisions: [] });
      await lab.deliver(lab.operationOf('Running'));
      const asked = [lab.isClosed(), lab.isAskedToLook()];

      expect(failed).toEqual([true, true]);
      expect(asked).toEqual([true, true]);
    },
  );

  test('[N-6] [N-30] lets a sync go that it holds back, whose Application is pointed to another cluster: the pool would wait for it for ever', async () => {
    const lab = guardLab({ argocd: { destinations: [{ name: 'dev', cluster: 'dev' }] } });
    await lab.tick();
    lab.asksFor(commitB, { message: parked });
    await lab.deliver(lab.operationOf('Running'));
    const before = [lab.isClosed(), lab.pool().paused];
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(600);
    const open = [lab.isClosed(), lab.guard(), lab.pool().paused];
    lab.looks(commitB);
    lab.ends('Succeeded');
    await lab.pass(600);

    expect(before).toEqual([true, true]);
    expect(open).toEqual([false, undefined, true]);
    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['guard', true],
    ['react', false],
  ] as const)(
    '[N-6] [N-30] but not before its guard stands on that cluster, if its pools there are of level %s',
    async (protection, waits) => {
      const lab = withDev(protection);
      await lab.tick();
      lab.asksFor(commitB, { message: parked });
      await lab.deliver(lab.operationOf('Running'));
      lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
      await lab.pass(3600);
      const before = lab.isClosed();
      guardsOnDev(lab);
      await lab.pass(60);

      expect([before, lab.guard()?.cluster]).toEqual([waits, 'dev']);
    },
  );

  test('[N-6] [N-30] nor does what Argo CD would sync there by itself: its window waits for its guard there, ten minutes at most, which is said', async () => {
    const lab = withDev('guard');
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.looks(commitB);
    await lab.pass(60);
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(60);
    await lab.pass(540);
    const waits = [lab.isClosed(), lab.guard()?.cluster, lab.pool().paused];
    const view = await lab.world.tables.views.load('prod');
    await lab.pass(120);
    const told = lab.world.tables.timeline.all().map(({ text }) => text);

    expect(waits).toEqual([true, 'prod', false]);
    expect(view?.guards).toMatchObject([
      { why: 'it deploys to cluster dev now, which guards syncs and does not guard it yet', elsewhere: 'dev' },
    ]);
    expect([lab.isClosed(), lab.guard()]).toEqual([false, undefined]);
    expect(told.join()).toContain('deploys to cluster dev now, which has not guarded it for 10 min');
  });

  test('[N-6] [N-30] pointed to one cluster and then to another, its window waits ten minutes for its guard there', async () => {
    const lab = withDev('guard', ['dev', 'stage']);
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.looks(commitB);
    await lab.pass(60);
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(570);
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'stage' } });
    await lab.pass(120);
    await lab.pass(420);
    const waits = lab.isClosed();
    await lab.pass(120);

    expect([waits, lab.isClosed()]).toEqual([true, false]);
  });

  test.each([
    ['its guard stands there', true, undefined],
    ['it is pointed here again', true, 'prod'],
    ['that cluster guards nothing', false, undefined],
    ['its window is open already', false, undefined],
    ['it is being deleted', false, undefined],
  ] as const)('[N-6] [N-30] and the window waits no longer, or not at all, where %s', async (state, waits, left) => {
    const lab = withDev(state === 'that cluster guards nothing' ? 'react' : 'guard');
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.looks(commitB);
    if (state === 'its window is open already') {
      lab.confirms();
      await lab.pass(2);
    }
    if (state === 'it is being deleted') lab.world.argocd.change('nodes', { isBeingDeleted: true });
    const { destination } = lab.world.argocd.get('nodes');
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(60);
    const before = lab.isClosed();
    if (state === 'its guard stands there') guardsOnDev(lab);
    if (state === 'it is pointed here again') lab.world.argocd.change('nodes', { destination });
    await lab.pass(60);

    const { record } = lab.world.argocd.project('default');
    const own = record.kind === 'guards' ? record.guards.find(({ cluster }) => cluster === 'prod') : undefined;
    expect([before, own?.cluster]).toEqual([waits, left]);
    expect(own?.leavingSince).toBeUndefined();
  });

  test('[N-6] [N-29] [N-30] and where a sync waits on, alerts say that the window is its guard, and what ends the wait', async () => {
    const lab = withDev('guard');
    await lab.tick();
    lab.asksFor(commitB, { message: parked });
    await lab.deliver(lab.operationOf('Running'));
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(60);
    await lab.pass(3600);
    await lab.pass(60);
    const incidents = lab.world.tables.incidents.all();
    const said = (kind: string) =>
      incidents.flatMap(({ key, trouble }) => (key.kind === kind ? (trouble?.findings[0]?.sentence ?? '') : []));

    expect(lab.isClosed()).toBe(true);
    expect(lab.record()?.holds.map(({ why }) => why)).toEqual([
      'a sync window holds back the sync of openshift-gitops/nodes, and it deploys to cluster dev now',
    ]);
    expect(said('sync-stuck').join()).toContain("held back by its guard, a sync window of Poolkeeper's own");
    expect(said('guard-stuck').join()).toContain('Needed: its guard on cluster dev');
    expect(said('guard-stuck').join()).toContain(
      'Opens: its guard on cluster dev, or the end of the sync, which somebody may terminate',
    );
  });

  test('[N-6] two Applications of one project have one each', async () => {
    const lab = guardLab();
    lab.world.argocd.put(anApplication({ name: 'more', uid: 'u-more' }));
    await lab.tick();
    lab.asksFor(commitB, { message: parked });
    await lab.deliver(lab.operationOf('Running'));
    lab.confirms();
    await lab.pass(2);

    expect([lab.isClosed(), lab.isClosed('more')]).toEqual([false, true]);
  });

  test('[N-6] another writer in between loses nothing', async () => {
    const lab = guardLab();
    lab.world.faults.meanwhile('argocd.writeGuards', 1, () => {
      lab.world.argocd.putProject({ ...lab.world.argocd.project(), windows: [foreign] });
    });

    await lab.tick();

    expect(lab.isClosed()).toBe(true);
    expect(lab.world.argocd.project().windows[0]).toEqual(foreign);
  });

  test('[N-6] a sync that begins while another writer is faster is not stopped by what was known before', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
    const wasOpen = !lab.isClosed();
    let isFirst = true;
    lab.world.faults.on(({ op }) => {
      if (op !== 'argocd.writeGuards' || !isFirst) return undefined;
      isFirst = false;
      const act = () => {
        lab.world.argocd.putProject({ ...lab.world.argocd.project(), windowsBy: 'ann' });
        lab.looks(commitB);
      };
      return { kind: 'meanwhile', act };
    });

    await lab.pass(1200);

    expect([wasOpen, isFirst]).toEqual([true, false]);
    expect([lab.isClosed(), lab.pool().paused]).toEqual([false, true]);
  });

  test('[N-6] a guard whose pools cannot be read again once it is open is closed, and the pass goes on', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    lab.compares();
    const undo = lab.world.faults.failAll(['pools.read']);
    await lab.tick();
    const during = [lab.isClosed(), lab.isAskedToLook()];
    undo();
    await lab.pass(61);

    expect(during).toEqual([true, false]);
    expect([lab.isClosed(), lab.isAskedToLook()]).toEqual([false, true]);
  });

  test('[N-6] an Application that moves to another project is guarded there', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.putProject(anAppProject({ name: 'other' }));
    lab.world.argocd.change('nodes', { project: 'other' });

    await lab.pass(60);

    expect([lab.isClosed(), lab.isClosed('nodes', 'other')]).toEqual([false, true]);
  });

  test('[N-6] [C-11] one that moves to a project that cannot be written keeps its window, and the others of its old project do not wait for it', async () => {
    const lab = guardLab();
    lab.world.argocd.put(anApplication({ name: 'more', uid: 'u-more' }));
    await lab.tick();
    lab.world.argocd.putProject(anAppProject({ name: 'full' }));
    lab.world.argocd.change('more', { project: 'full' });
    const undo = lab.world.faults.on(({ op }) =>
      op === 'argocd.writeGuards'
        ? { kind: 'meanwhile', act: () => void lab.world.argocd.putProject(lab.world.argocd.project('full')) }
        : undefined,
    );
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(60);
    const during = [lab.isClosed(), lab.isClosed('more'), lab.isClosed('more', 'full')];
    undo();
    await lab.pass(120);

    expect(during).toEqual([false, true, false]);
    expect([lab.guard('more'), lab.guard('more', 'full')?.application]).toEqual([undefined, 'openshift-gitops/more']);
  });

  test('[N-6] without the level, and without the Application, nothing of ours is left', async () => {
    const [one, other] = [guardLab(), guardLab()];
    await one.tick();
    await other.tick();
    one.world.argocd.remove('nodes');
    const pools = { worker: defaultPoolSettings };
    const [cluster] = other.ports.configuration.clusters;
    if (cluster !== undefined) Object.assign(cluster, { pools });

    await one.pass(60);
    await other.pass(60);

    for (const lab of [one, other])
      expect(lab.world.argocd.project()).toMatchObject({ windows: [], record: { guards: [] } });
  });

  test('[N-6] an AppProject whose record cannot be read is left alone', async () => {
    const lab = guardLab();
    const broken = lab.world.argocd.putProject(anAppProject({ record: { kind: 'unreadable', why: 'v: expected 1' } }));

    await lab.tick();

    expect(lab.world.argocd.project()).toEqual(broken);
  });

  test('[N-6] an Application of a namespace that the project does not accept changes nothing', async () => {
    const lab = guardLab();
    lab.world.argocd.put(anApplication({ name: 'tenant', namespace: 'team-a', uid: 'u-t' }));

    await lab.tick();

    expect(lab.isClosed('tenant')).toBe(false);
  });
});

test('[N-6] a cluster without the level never reads an AppProject', async () => {
  const lab = guardLab({ pools: {} });

  await lab.deliver(lab.pushOf(commitC));
  await lab.pass(600);

  expect(lab.world.faults.calls.filter(({ op }) => op.startsWith('argocd.project'))).toEqual([]);
});

test('[N-6] a push pauses before anything is read of the guards', async () => {
  const lab = guardLab();
  await lab.tick();
  const before = lab.world.faults.calls.length;

  await lab.deliver(lab.pushOf(commitB));
  const ops = lab.world.faults.calls.slice(before).map(({ op }) => op);

  expect(ops.indexOf('pools.patch')).toBeGreaterThan(-1);
  expect(ops.indexOf('argocd.projects')).toBeGreaterThan(ops.indexOf('pools.patch'));
});

/** A push has led to a sync that runs. */
async function synced(lab: GuardLab): Promise<void> {
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  await lab.pass(2);
  if (!lab.looks(commitB)) throw new Error('the guard is closed');
  await lab.deliver(lab.operationOf('Running'));
}

describe('a guarded Application that is a step of a sequence', () => {
  const step = 'nodes@prod';
  const sequences = {
    virt: Sequence.parse({
      clusters: ['prod'],
      steps: {
        storage: { kind: 'subscription', name: 'odf-operator', wave: 5 },
        nodes: { kind: 'application', name: 'nodes', wave: 10 },
      },
    }),
  };
  const at = '2026-03-02T09:00:00.000Z';
  const waiting: SequenceRecord = {
    ...emptySequenceRecord,
    items: { 'storage@prod': { state: 'unhealthy', since: at, value: 'installing', begunAt: at } },
  };
  const itsTurn: SequenceRecord = {
    ...waiting,
    items: { ...waiting.items, [step]: { state: 'unhealthy', since: at, value: 'OutOfSync', begunAt: at } },
  };

  function inSequence(first: SequenceRecord | 'unreachable') {
    let record = first;
    const lab = guardLab({
      sequences,
      sequenceRecords: {
        load: async () => {
          if (record === 'unreachable') throw new Transient('no answer');
          return { text: sequenceRecordText(record), resourceVersion: '1' };
        },
        save: async () => undefined,
        remove: async () => undefined,
      },
    });
    return {
      lab,
      becomes(next: SequenceRecord | 'unreachable') {
        record = next;
      },
    };
  }

  async function pushed(lab: GuardLab): Promise<void> {
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    await lab.pass(2);
  }

  test('[S2-15] [N-6] stays closed until its turn has come, though its pools are confirmed paused', async () => {
    const { lab, becomes } = inSequence(waiting);
    await pushed(lab);
    const [paused, isClosed] = [lab.pool().paused, lab.isClosed()];
    becomes(itsTurn);
    await lab.pass(60);

    expect([paused, isClosed, lab.isClosed()]).toEqual([true, true, false]);
  });

  test('[S2-15] [N-6] stays closed when its turn has come, until its pools are confirmed paused', async () => {
    const { lab } = inSequence(itsTurn);
    await lab.tick();

    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(4);
    const unconfirmed = lab.isClosed();
    lab.confirms();
    await lab.pass(2);

    expect([unconfirmed, lab.isClosed()]).toEqual([true, false]);
  });

  test.each([
    ['skipped', { ...waiting, skipped: { [step]: { who: 'anna', why: 'by hand', at } } }],
    ['of an aborted sequence', { ...waiting, aborted: { who: 'anna', why: 'no', at } }],
  ])('[S2-15] [N-22] waits for its pools alone: %s', async (_, record) => {
    const { lab } = inSequence(record);

    await pushed(lab);

    expect(lab.isClosed()).toBe(false);
  });

  test('[S2-19] stays closed while its sequence cannot be read, and the page says so', async () => {
    const { lab } = inSequence('unreachable');

    await pushed(lab);
    await lab.tick();

    expect(lab.isClosed()).toBe(true);
    const [view] = await lab.ports.views.list();
    expect(JSON.stringify(view)).toContain('sequence virt could not be read: no answer');
  });

  test('[S2-19] [N-6] [N-30] stays closed while its sequence cannot be read, which is told as long as it would sync, also for a later commit', async () => {
    const { lab, becomes } = inSequence(itsTurn);
    const told = () =>
      lab.world.tables.incidents
        .all()
        .filter(({ key, state }) => key.kind === 'guard-stuck' && state === 'firing')
        .flatMap(({ trouble }) => trouble?.findings ?? []);
    await lab.tick();
    becomes('unreachable');
    await lab.deliver(lab.pushOf(commitB));
    lab.looks(commitB);
    await lab.pass(3600);
    const during = told();
    const before = [lab.isClosed(), lab.pool().paused];
    becomes(itsTurn);
    await lab.pass(62);
    lab.confirms();
    await lab.pass(62);

    expect(before).toEqual([true, false]);
    expect(during.map(({ code }) => code)).toEqual(['G2']);
    expect(during[0]?.sentence).toContain('sequence virt could not be read: no answer');
    expect(during[0]?.sentence).toContain('the record of its sequence, which says whether its turn has come');
    expect([told(), lab.isClosed()]).toEqual([[], false]);
  });

  test.each([
    ['whose sequence cannot be read', 'unreachable' as const, 'the record of its sequence', ['G2']],
    ['whose turn has not come, which its sequence tells', waiting, 'its turn in its sequence', []],
  ])(
    '[S2-19] [N-6] [N-30] a sync by hand of one that affects no pool any more, and %s, is shown to wait',
    async (...all) => {
      const [, record, need, codes] = all;
      const { lab, becomes } = inSequence(itsTurn);
      await lab.tick();
      becomes(record);
      lab.world.argocd.change('nodes', { resources: [] });
      lab.asksFor(commitB);
      await lab.pass(1200);
      const told = lab.world.tables.incidents
        .all()
        .filter(({ key, state }) => key.kind === 'guard-stuck' && state === 'firing')
        .flatMap(({ trouble }) => trouble?.findings.map(({ code }) => code) ?? []);
      const [view] = await lab.ports.views.list();

      expect(lab.isClosed()).toBe(true);
      expect(told).toEqual(codes);
      expect(view?.guards?.map((guard) => waitOfGuard(guard)?.threshold)).toEqual([expect.stringContaining(need)]);
    },
  );

  test('[S2-15] pauses no pool for a sync that nobody asked for before its turn', async () => {
    const { lab, becomes } = inSequence(waiting);
    await lab.tick();
    lab.looks(commitB);

    await lab.pass(120);
    const before = lab.pool().paused;
    becomes(itsTurn);
    await lab.pass(120);

    expect([before, lab.pool().paused]).toEqual([false, true]);
  });
});

describe('guards of a cluster that was taken out of the configuration', () => {
  /** As they were left by cluster `old`, to which the Application is deployed. */
  async function leftByOld(
    change: Partial<Pick<Configuration, 'clusters' | 'argocd'>> = {},
    { tickedHoursAgo = 24, isTakenOver = true } = {},
  ) {
    const lab = guardLab();
    await lab.tick();
    const [view, stored] = await Promise.all([lab.ports.views.load('prod'), lab.ports.checkpoints.load('prod')]);
    const { record, ...project } = lab.world.argocd.project('default');
    if (view === undefined || record.kind !== 'guards') throw new Error('the lab guards nothing');
    const guards = record.guards.map((guard) => ({ ...guard, cluster: 'old' }));
    lab.world.argocd.putProject({ ...project, record: { kind: 'guards', guards } });
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'old' } });
    const tickedAt = new Date(lab.world.clock.now().getTime() - tickedHoursAgo * 3_600_000).toISOString();
    await lab.ports.views.save({ ...view, cluster: 'old' });
    await lab.ports.checkpoints.save({
      ...emptyCheckpoint('old'),
      guards: true,
      clusterId: isTakenOver ? stored?.clusterId : 'aaaaaaaa',
      guardIds: isTakenOver ? undefined : [stored?.clusterId ?? '', 'aaaaaaaa'],
      tickedAt,
    });
    Object.assign(lab.ports, { configuration: { ...lab.ports.configuration, ...change } });
    return lab;
  }

  test.each([
    ['', true],
    [', also those of a cluster that was installed anew', false],
  ])('[N-6] [N-30] are taken away, once, and the timeline says so%s', async (_, isTakenOver) => {
    const lab = await leftByOld({}, { isTakenOver });
    const left = lab.world.argocd.project('default');

    await lab.pass(3600);
    const [isClosed, guard] = [lab.isClosed(), lab.guard()];
    const { resourceVersion } = lab.world.argocd.project('default');
    lab.world.argocd.putProject({ ...left, resourceVersion });
    await lab.pass(3600);

    expect([isClosed, guard]).toEqual([false, undefined]);
    expect(JSON.stringify(lab.world.tables.timeline.all())).toContain(
      'the guard of openshift-gitops/nodes is taken away: its cluster is no longer in poolkeeper.yaml',
    );
    expect(lab.isClosed()).toBe(true);
  });

  test('[N-6] stay while another version of the configuration may still have it', async () => {
    const lab = await leftByOld({}, { tickedHoursAgo: 0 });

    await lab.pass(1500);

    expect(lab.isClosed()).toBe(true);
  });

  test('[N-6] stay until its Application is guarded under the new name of the cluster', async () => {
    const { clusters, argocd } = guardLab().ports.configuration;
    const lab = await leftByOld({
      clusters: clusters.flatMap((each) => [each, { ...each, name: 'new' }]),
      argocd: argocd.map((each) => ({ ...each, destinations: [{ name: 'old', cluster: 'new' }] })),
    });

    await lab.pass(3600);
    const before = lab.guard();
    const { record, ...project } = lab.world.argocd.project('default');
    const guards = record.kind === 'guards' ? record.guards : [];
    const renamed = guards.map((guard) => ({ ...guard, cluster: 'new' }));
    lab.world.argocd.putProject({ ...project, record: { kind: 'guards', guards: [...guards, ...renamed] } });
    await lab.pass(3600);

    expect(before).toMatchObject({ cluster: 'old' });
    expect(lab.guard()).toMatchObject({ cluster: 'new' });
    expect(lab.isClosed()).toBe(true);
  });

  /** Cluster prod is called `new` from now on. */
  function rename(lab: GuardLab, pools?: Configuration['clusters'][number]['pools']) {
    const { configuration, cluster } = lab.ports;
    const clusters = configuration.clusters.map((each) => ({ ...each, name: 'new', pools: pools ?? each.pools }));
    const argocd = configuration.argocd.map((each) => ({ ...each, cluster: 'new' }));
    Object.assign(lab.ports, { cluster: () => cluster('prod'), configuration: { ...configuration, clusters, argocd } });
    return async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        lab.world.clock.advance(60);
        lab.confirms();
        lab.compares();
        await lab.deliver(makeTick({ cluster: 'new', why: 'clock' }, lab.world.clock.now()));
      }
    };
  }

  test('[N-6] [N-30] go with a renaming by which its Application affects no pool with the level any more', async () => {
    const lab = guardLab();
    await lab.tick();
    const look = rename(lab, { gpu: { ...defaultPoolSettings, protection: 'guard' } });

    await look(6);

    expect([lab.isClosed(), lab.guard()]).toEqual([false, undefined]);
  });

  test('[N-6] are taken over by its new name, also while a sync runs through one', async () => {
    const lab = guardLab();
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.confirms();
    lab.looks(commitB);
    await lab.tick();
    lab.looks(commitB);
    const isOpen = !lab.isClosed();
    const look = rename(lab);

    await look(6);
    const during = [lab.isClosed(), lab.pool().paused];
    lab.ends('Succeeded');
    await look(6);

    expect([isOpen, during]).toEqual([true, [false, true]]);
    expect([lab.isClosed(), lab.guard()?.cluster, lab.pool().paused]).toEqual([true, 'new', false]);
  });
});
