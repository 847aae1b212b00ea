import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { aCondition, aMachineConfig, anApplication, anOperation, aPool, naming } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const nights = [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3 * 3600, timeZone: 'UTC' })];
const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

/** A sync of half a second, whose push and notifications come so many seconds after its end. */
async function lookAfter(lab: KeepLab, seconds: number, message?: string): Promise<void> {
  await lab.tick();
  const push = lab.pushOf(commitB);
  lab.syncs(commitB);
  const [result] = anOperation().results;
  lab.ends('Succeeded', result === undefined || message === undefined ? {} : { results: [{ ...result, message }] });
  lab.world.clock.advance(seconds);
  await lab.deliver(push);
  await lab.deliver(lab.operationOf('Succeeded'));
}

describe('a sync that is over before anybody looked', () => {
  test('[N-8] [S0-1] pauses the pool in the seconds before its rollout, and it resumes when its window opens', async () => {
    const lab = keepLab({ windows: nights });
    await lookAfter(lab, 3);
    lab.world.pools.observe('worker');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });

    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.last?.why).toBe(
      'the sync of openshift-gitops/nodes was over before the pool could be paused for it; it is paused now, so that its gates decide about what that brings',
    );
    const [view] = await lab.world.tables.views.list();
    expect(view?.pools[0]?.closedGates.map(({ gate }) => gate)).toContain('window');

    await lab.pass(11 * 3600);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).toContain('was over before the pool could be paused');
  });

  test('[N-8] [N-1] pauses nothing where it has written nothing, or was noticed long after its rollout had begun', async () => {
    const unchanged = keepLab({ windows: nights });
    const late = keepLab({ windows: nights });

    await lookAfter(unchanged, 3, 'machineconfig.machineconfiguration.openshift.io/99-worker-ssh unchanged');
    await lookAfter(late, 60);

    expect(unchanged.told()).not.toContain('pool.paused');
    expect(late.told()).not.toContain('pool.paused');
  });

  test('[N-8] pauses nothing where nothing decides about changes, nor once it has been resumed for it', async () => {
    const free = keepLab();
    await lookAfter(free, 3);
    const open = keepLab({ windows: [Window.parse({ ...nights[0], schedule: '0 9 * * *' })] });
    await lookAfter(open, 3);
    open.world.pools.observe('worker');
    await open.pass(25);

    await open.deliver(open.operationOf('Succeeded'));

    expect(free.told()).not.toContain('pool.paused');
    expect(open.told().filter((each) => each.startsWith('pool.'))).toEqual(['pool.paused', 'pool.resumed']);
  });

  test('[N-8] [N-30] pauses no more pools than one Application may hold, also once a part of them is paused', async () => {
    const lab = keepLab({ windows: nights, policy: { poolsPerApplication: 2 } });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) lab.world.pools.put(emptyPool(name));
    lab.world.argocd.change('nodes', naming(names.join(), { mayRemove: true }));

    await lookAfter(lab, 3);
    await lab.deliver(lab.pushOf(commitB));

    expect(names.filter((name) => lab.pool(name).paused)).toEqual(['a', 'b']);
  });

  test('[N-8] [N-30] pauses once, whatever time it is said to have ended at', async () => {
    const lab = keepLab({
      windows: [Window.parse({ ...nights[0], schedule: '0 9 * * *' })],
      policy: { renderSettleSeconds: 5 },
    });
    await lab.tick();
    const push = lab.pushOf(commitB);
    lab.syncs(commitB);
    lab.ends('Succeeded', { finishedAt: new Date(lab.world.clock.now().getTime() + 29_000).toISOString() });
    for (let look = 0; look < 30; look += 1) {
      lab.world.clock.advance(2);
      lab.world.pools.observe('worker');
      await lab.deliver(push);
    }

    expect(lab.told().filter((each) => each === 'pool.paused')).toHaveLength(1);
  });

  test.each([
    ['left unchanged', { message: 'machineconfig.machineconfiguration.openshift.io/99-infra unchanged' }],
    ['did not prune', { status: 'PruneSkipped', message: 'ignored (requires pruning)' }],
  ])('[N-8] [N-1] leaves a pool alone of which it %s what its Application manages', async (_, result) => {
    const lab = keepLab({ windows: nights });
    lab.world.pools.put({ ...emptyPool('infra'), target: { name: 'rendered-infra-1', sources: ['99-infra'] } });
    const [written] = anOperation().results;
    if (written === undefined) throw new Error('there is one');
    await lab.tick();
    lab.syncs(commitB);
    lab.ends('Succeeded', { results: [written, { ...written, name: '99-infra', ...result }] });
    lab.world.clock.advance(3);

    await lab.deliver(lab.pushOf(commitB));

    expect([lab.pool().paused, lab.pool('infra').paused]).toEqual([true, false]);
  });

  test.each(['serverside-applied', 'replaced'])(
    '[N-8] [N-1] pauses nothing for what its result says of everything, changed or not: %s',
    async (word) => {
      const lab = keepLab({ windows: nights });

      await lookAfter(lab, 3, `machineconfig.machineconfiguration.openshift.io/99-worker-ssh ${word}`);

      expect(lab.told()).not.toContain('pool.paused');
    },
  );

  test.each([
    ['a new MachineConfig', { name: '99-new' }, [true, false]],
    ['a deleted one that no pool lists any more', { status: 'Pruned', name: '99-old' }, [false, false]],
    ['a KubeletConfig', { kind: 'KubeletConfig', name: 'max-pods' }, [true, false]],
  ])('[N-8] [N-1] pauses no other pool for %s', async (_, result, paused) => {
    const lab = keepLab({ windows: nights });
    const infra = { 'machineconfiguration.openshift.io/role': 'infra' };
    lab.world.pools.put({ ...emptyPool('infra'), machineConfigSelector: { matchLabels: infra } });
    lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-new' }));
    lab.world.renderings.putChooser({ kind: 'KubeletConfig', name: 'max-pods', selector: workers });
    lab.world.pools.put({ ...lab.pool(), labels: workers.matchLabels });
    const [written] = anOperation().results;
    if (written === undefined) throw new Error('there is one');
    const object = { ...written, message: 'created', ...result };
    await lab.tick();
    const { group, kind, namespace, name } = object;
    lab.world.argocd.change('nodes', { resources: [{ group, kind, namespace, name, status: 'Synced' }] });
    lab.syncs(commitB);
    lab.ends('Succeeded', { results: [object] });
    lab.world.clock.advance(3);

    await lab.deliver(lab.pushOf(commitB));

    expect([lab.pool().paused, lab.pool('infra').paused]).toEqual(paused);
  });

  test('[N-8] [S0-14] leaves a pool alone that a person has resumed since, whoever had paused it', async () => {
    const lab = keepLab({ windows: nights });
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });
    lab.syncs(commitB);
    lab.ends('Succeeded');
    lab.world.clock.advance(3);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['without a push', undefined],
    ['of another commit than that of the push', commitC],
  ])('[N-8] [N-30] pauses nothing %s', async (_, pushed) => {
    const lab = keepLab({ windows: nights });
    await lab.tick();
    lab.syncs(commitB);
    lab.ends('Succeeded');
    lab.world.clock.advance(3);
    lab.world.argocd.change('nodes', { automated: false });

    if (pushed !== undefined) await lab.deliver(lab.pushOf(pushed));
    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.tick();

    expect(lab.told()).not.toContain('pool.paused');
  });

  test('[N-8] [N-17] who pushed it does not approve it', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE github:dev'], needed: 1, excludePusher: true });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lookAfter(lab, 3);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.pushers).toEqual(['dev']);
  });

  const twoApprovers = Approve.parse({
    by: ['slack:U0000ALICE github:dev', 'slack:U0000EVE github:eve'],
    needed: 1,
    excludePusher: true,
  });

  test.each<[string, { readonly isOver?: true; readonly seconds: number; readonly ended: number }]>([
    ['waits for its approval', { isOver: true, seconds: 300, ended: 0 }],
    ['is held for another sync', { seconds: 60, ended: 0 }],
    ['has been paused for another one since', { seconds: 1, ended: -3 }],
  ])('[N-8] [N-17] who pushed it does not approve it with others where the pool %s', async (_, scene) => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve: twoApprovers } } });
    const { argocd, clock, pools } = lab.world;
    const repoURL = 'https://github.com/acme/others';
    const sources = anApplication().sources.map((source) => ({ ...source, repoURL }));
    argocd.put(anApplication({ name: 'others', uid: 'uid-others', sources }));

    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    pools.observe('worker');
    pools.change('worker', 'machine-config-controller', { target: next });
    if (scene.isOver) lab.ends('Succeeded');
    await lab.pass(scene.seconds);
    const at = new Date(clock.now().getTime() + scene.ended * 1000).toISOString();
    const operation = anOperation({ revisions: [commitC], startedAt: at, finishedAt: at });
    argocd.change('others', { operation, sync: { status: 'Synced', revisions: [commitC] } });
    clock.advance(3);

    const repository = { htmlUrl: repoURL, fullName: 'acme/others', defaultBranch: 'main' };
    const push = lab.pushOf(commitC, { pusher: 'eve', repository });
    await lab.deliver(push);
    const { length } = pools.patches;
    await lab.deliver(push);
    const written = pools.patches.length - length;
    if (!scene.isOver) lab.ends('Succeeded');
    await lab.pass(120);

    expect(written).toBe(0);
    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.pushers?.toSorted()).toEqual(['dev', 'eve']);
  });

  test.each([
    ['was missed', false],
    ['was seen', true],
  ])('[N-8] [N-17] a push that comes after its sync %s is not one of somebody else besides', async (_, isSeen) => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve: twoApprovers } } });
    const { argocd, clock, pools } = lab.world;
    await lab.tick();
    lab.syncs(commitB);
    if (isSeen) await lab.deliver(lab.operationOf('Running'));
    pools.observe('worker');
    pools.putMachineConfig(aMachineConfig({ changedAt: clock.now().toISOString() }));
    pools.change('worker', 'machine-config-controller', { target: next });
    lab.ends('Succeeded');
    clock.advance(2);
    await lab.deliver(lab.operationOf('Succeeded'));
    const released = lab.record()?.release;
    clock.advance(5);

    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);

    expect(released?.pushers).toEqual(['']);
    expect(lab.record()?.release).toEqual(released);
    expect(lab.pool().paused).toBe(true);

    const at = clock.now().toISOString();
    argocd.change('nodes', {
      operation: anOperation({ revisions: [commitC], startedAt: at, finishedAt: at }),
      sync: { status: 'Synced', revisions: [commitC] },
    });
    clock.advance(2);
    await lab.deliver(lab.pushOf(commitC, { pusher: 'eve' }));

    expect(lab.record()?.release?.pushers).toEqual(['', 'eve']);
  });

  test('[N-8] [N-17] who pushed nothing that waits may approve it', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve: twoApprovers } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    lab.world.pools.observe('worker');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.clock.advance(5);
    lab.world.argocd.change('nodes', { automated: false });

    await lab.deliver(lab.pushOf(commitC, { pusher: 'eve' }));
    await lab.deliver(lab.operationOf('Succeeded'));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.pushers).toEqual(['dev']);
  });

  test('[N-8] [S1-14] a pool that is degraded since its resume, and that it pauses, still holds the others back', async () => {
    const lab = keepLab({ windows: nights });
    const at = '2026-03-02T09:50:00Z';
    lab.world.pools.change('worker', 'poolkeeper', {
      target: next,
      counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 1 },
      conditions: [
        aCondition({ type: 'NodeDegraded', status: 'True' }),
        aCondition({ type: 'Degraded', status: 'True' }),
      ],
      record: { kind: 'record', record: { v: 1, holds: [], last: { did: 'resumed', at, why: 'synced' } } },
    });

    await lookAfter(lab, 3);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.resumedAt).toBe(at);
  });
});

const workers = { matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };

/** Of no node. */
function emptyPool(name: string): Pool {
  return aPool({
    name,
    uid: `uid-${name}`,
    machineConfigSelector: { matchLabels: { role: name } },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    counts: { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 },
  });
}
