import { describe, expect, test } from 'vitest';
import type { Operation, OperationResult } from '../../../functions/core/argocd/application.ts';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { emptyRecord } from '../../../functions/core/openshift/pool-record.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aMachineConfig, anApplication, anOperation, aPool } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab } from './keep-lab.ts';

const nights = [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3 * 3600, timeZone: 'UTC' })];
const days = [Window.parse({ ...nights[0], schedule: '0 9 * * *' })];
const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

/** What a sync says of a MachineConfig. */
function aResult(word: string, change: Partial<OperationResult> = {}): OperationResult {
  const [result] = anOperation().results;
  if (result === undefined) throw new Error('there is one');
  const name = change.name ?? result.name;
  return { ...result, message: `machineconfig.machineconfiguration.openshift.io/${name} ${word}`, ...change };
}

/** So many seconds from now, in whole seconds. */
function atSecond({ world }: KeepLab, seconds = 0): string {
  return `${new Date(world.clock.now().getTime() + seconds * 1000).toISOString().slice(0, 19)}Z`;
}

interface Sync extends Partial<Operation> {
  readonly word?: string;
  /** When the MachineConfig was written last, in seconds from the sync. */
  readonly written?: number;
}

/** A person's sync of half a second, without a push, that began three seconds ago. */
function syncsUnseen(lab: KeepLab, { word = 'serverside-applied', written = 0, ...change }: Sync = {}): void {
  lab.syncs(commitA, { startedBy: 'admin' });
  lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: atSecond(lab, written) }));
  lab.ends('Succeeded', { results: [aResult(word)], ...change });
  lab.world.clock.advance(3);
}

/** A person's sync that goes on and on. */
async function begins(lab: KeepLab, name: string): Promise<void> {
  lab.syncs(commitA, { startedBy: 'admin' }, name);
  await isNotified(lab, name, 'Running');
}

/** Somebody holds the pool for that long. */
async function holds(lab: KeepLab, seconds: number): Promise<void> {
  const now = lab.world.clock.now();
  const until = new Date(now.getTime() + seconds * 1000);
  const { paused, record } = addManualHold(lab.pool(), until, { who: 'anna', why: 'disks', now });
  if (paused === undefined || !record) throw new Error('it was not paused');
  await lab.world.pools.patchPool(lab.pool(), { paused, record });
}

/** Argo CD's notification of its end. */
function isNotified(lab: KeepLab, name = 'nodes', phase = 'Succeeded'): Promise<void> {
  const event = lab.operationOf(phase);
  return lab.deliver({ ...event, data: { ...event.data, name } });
}

const happened = (lab: KeepLab) => lab.told().filter((each) => ['pool.paused', 'pool.resumed'].includes(each));

const readsOf = ({ world }: KeepLab) => world.faults.calls.filter(({ op }) => op === 'pools.machineConfigs').length;

describe('a sync without a push that is over before anybody looked', () => {
  test.each(['serverside-applied', 'replaced', 'configured'])(
    '[N-8] [S0-1] pauses the pool for the MachineConfig that it has written, once, until its window opens: %s',
    async (word) => {
      const lab = keepLab({ windows: nights });
      await lab.tick();
      syncsUnseen(lab, { word });

      await lab.deliver(lab.operationOf('Running'));
      await isNotified(lab);
      lab.world.pools.observe('worker');
      lab.world.pools.change('worker', 'machine-config-controller', { target: next });
      await isNotified(lab);
      await lab.pass(3600);
      const before = [lab.pool().paused, happened(lab)];
      await lab.pass(11 * 3600);

      expect(before).toEqual([true, ['pool.paused']]);
      expect(lab.pool().paused).toBe(false);
      expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed']);
    },
  );

  test('[N-8] [N-30] pauses once and not again, however often and for whatever end it is shown', async () => {
    const lab = keepLab({ windows: days, policy: { renderSettleSeconds: 1 } });
    await lab.tick();
    syncsUnseen(lab);
    for (let look = 0; look < 8; look += 1) {
      await isNotified(lab);
      lab.world.pools.observe('worker');
      lab.world.clock.advance(2);
      // Written by hand: it has ended just now.
      lab.ends('Succeeded', { finishedAt: atSecond(lab), results: [aResult('configured')] });
    }
    await lab.pass(120);

    expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed']);
  });

  test('[N-8] [N-30] the same operation does not pause it again after its resume', async () => {
    const lab = keepLab({ windows: days, policy: { renderSettleSeconds: 1 } });
    await lab.tick();
    syncsUnseen(lab, { written: 1, finishedAt: undefined });
    lab.ends('Succeeded', { results: [aResult('configured')], finishedAt: atSecond(lab, -3) });
    for (let look = 0; look < 8; look += 1) {
      await lab.deliver(lab.operationOf(look === 0 ? 'Running' : 'Succeeded'));
      lab.world.pools.observe('worker');
      lab.world.clock.advance(2);
    }

    expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed']);
  });

  test('[N-8] [N-30] nor does one that was held for', async () => {
    const lab = keepLab({ windows: days, policy: { renderSettleSeconds: 1 } });
    await lab.tick();
    lab.syncs(commitA, { startedBy: 'admin' });
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(2);
    lab.world.pools.observe('worker');
    lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: atSecond(lab) }));
    lab.ends('Succeeded', { results: [aResult('serverside-applied')] });
    for (let look = 0; look < 8; look += 1) {
      await isNotified(lab);
      lab.world.pools.observe('worker');
      lab.world.clock.advance(2);
    }

    expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed']);
  });

  test('[N-8] [S0-1] a second operation right after it is one of its own', async () => {
    const lab = keepLab({ windows: days, policy: { renderSettleSeconds: 1 } });
    await lab.tick();
    syncsUnseen(lab);
    await isNotified(lab);
    lab.world.pools.observe('worker');
    await lab.pass(60);
    syncsUnseen(lab, { partial: true });
    await isNotified(lab);

    expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed', 'pool.paused']);
  });

  test('[N-8] [N-1] resumes by itself if nothing is rendered for it', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.tick();
    syncsUnseen(lab);
    await isNotified(lab);
    const paused = lab.pool().paused;
    lab.world.pools.observe('worker');

    await lab.pass(600);

    expect([paused, lab.pool().paused]).toEqual([true, false]);
    expect(happened(lab)).toEqual(['pool.paused', 'pool.resumed']);
  });

  test.each([
    ['unchanged', 0],
    ['unchanged', -10],
    ['serverside-applied', -1],
  ])(
    '[N-8] [S0-1] of which only self-heal is shown, which synced it once more, pauses the pool: %s, %i s before',
    async (word, written) => {
      const lab = keepLab({ windows: nights });
      await lab.tick();
      syncsUnseen(lab, { word, written, partial: true, startedBy: undefined });

      await isNotified(lab);
      await isNotified(lab);
      await lab.pass(600);

      expect(happened(lab)).toEqual(['pool.paused']);
    },
  );

  const labels = { 'machineconfiguration.openshift.io/role': 'infra' };
  test.each<[string, (lab: KeepLab) => void]>([
    [
      'that self-heal left unchanged, and that was written long before',
      (lab) => syncsUnseen(lab, { word: 'unchanged', written: -11, partial: true, startedBy: undefined }),
    ],
    [
      'that a person synced alone, and that was written before',
      (lab) => syncsUnseen(lab, { word: 'unchanged', written: -1, partial: true }),
    ],
    ['that was written before it began', (lab) => syncsUnseen(lab, { written: -1 })],
    ['that was written after it had ended', (lab) => syncsUnseen(lab, { written: 2 })],
    ['that it left unchanged', (lab) => syncsUnseen(lab, { word: 'unchanged' })],
    ['that it does not name', (lab) => syncsUnseen(lab, { results: [aResult('configured', { name: '99-other' })] })],
    ['that it did not apply', (lab) => syncsUnseen(lab, { results: [aResult('', { status: 'SyncFailed' })] })],
    ['that it pruned', (lab) => syncsUnseen(lab, { results: [aResult('pruned', { status: 'Pruned' })] })],
    [
      'that is a KubeletConfig',
      (lab) => syncsUnseen(lab, { results: [aResult('created', { kind: 'KubeletConfig' })] }),
    ],
    ['that it only tried', (lab) => syncsUnseen(lab, { dryRun: true })],
    ['if it failed', (lab) => syncsUnseen(lab, { phase: 'Failed' })],
    [
      'that another pool selects',
      (lab) => {
        lab.world.pools.put({ ...lab.pool(), target: { name: 'rendered-worker-1', sources: ['00-worker'] } });
        syncsUnseen(lab);
        lab.world.pools.putMachineConfig(aMachineConfig({ labels, changedAt: atSecond(lab, -3) }));
      },
    ],
    [
      'that nobody may read',
      (lab) => {
        syncsUnseen(lab);
        lab.world.faults.failAll(['pools.machineConfigs']);
      },
    ],
    [
      'whose rollout must have begun long ago',
      (lab) => {
        syncsUnseen(lab);
        lab.world.clock.advance(60);
      },
    ],
    [
      'of which it says by hand that it took days',
      (lab) => {
        syncsUnseen(lab, { written: -3600, startedAt: '2026-02-01T00:00:00Z' });
      },
    ],
  ])('[N-8] [N-30] pauses nothing for a MachineConfig %s', async (_, sync) => {
    const lab = keepLab({ windows: nights });
    await lab.tick();
    sync(lab);

    await isNotified(lab);
    await lab.tick();

    expect(lab.pool().paused).toBe(false);
    expect(lab.told()).not.toContain('pool.paused');
  });

  test('[N-8] [N-1] of what it has written, pauses the pools that this reaches, and no other', async () => {
    const lab = keepLab({ windows: nights });
    const infra = { ...emptyPool('infra'), target: { name: 'rendered-infra-1', sources: ['99-infra'] } };
    lab.world.pools.put(infra);
    lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-infra', labels: { role: 'infra' } }));
    const results = [aResult('serverside-applied'), aResult('configured', { name: '99-infra' })];
    syncsUnseen(lab, { results });

    await isNotified(lab);

    expect([lab.pool().paused, lab.pool('infra').paused]).toEqual([true, false]);
  });

  test('[N-8] [S0-1] pauses the pool for a MachineConfig that is new', async () => {
    const lab = keepLab({ windows: nights });
    lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-new', changedAt: atSecond(lab) }));
    syncsUnseen(lab, { written: -60, results: [aResult('created', { name: '99-new' })] });

    await isNotified(lab);

    expect(lab.pool().paused).toBe(true);
  });

  test('[N-8] [N-30] pauses no more pools than one Application may hold', async () => {
    const lab = keepLab({ windows: nights, policy: { poolsPerApplication: 2 } });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names)
      lab.world.pools.put({ ...emptyPool(name), machineConfigSelector: lab.pool().machineConfigSelector });
    syncsUnseen(lab);

    await isNotified(lab);
    await isNotified(lab);

    expect([...names, 'worker'].filter((name) => lab.pool(name).paused)).toEqual(['a', 'b']);
  });

  test('[N-8] [N-17] who started it is not known at GitHub, also beside a push of others', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE github:dev'], needed: 1, excludePusher: true });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    syncsUnseen(lab);
    lab.world.argocd.change('nodes', { automated: false });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.pushers).toEqual(['']);
  });

  test('[N-8] [N-17] nor where the pool waits already for the approval of what others have pushed', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE github:dev'], needed: 1, excludePusher: true });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    lab.world.pools.observe('worker');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    await lab.pass(60);
    lab.ends('Succeeded');
    await isNotified(lab);
    lab.world.clock.advance(5);
    await isNotified(lab);
    const before = lab.record()?.release?.pushers;

    syncsUnseen(lab);
    await isNotified(lab);
    const { length } = lab.world.pools.patches;
    await isNotified(lab);
    // Nor does a later one begin the wait for the approval anew.
    lab.world.clock.advance(40);
    syncsUnseen(lab);
    await isNotified(lab);

    expect([before, lab.record()?.release?.pushers]).toEqual([['dev'], ['dev', '']]);
    expect(lab.world.pools.patches).toHaveLength(length);
    expect(happened(lab)).toEqual(['pool.paused']);
  });

  test('[N-8] [S0-14] leaves a pool alone that a person has resumed since it was written', async () => {
    const lab = keepLab({ windows: nights });
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });
    syncsUnseen(lab, { finishedAt: atSecond(lab, 3) });
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    lab.world.clock.advance(1);

    await isNotified(lab);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-8] [S0-14] leaves a pool alone that a person has resumed within the hour', async () => {
    const lab = keepLab({ windows: nights });
    const letGo = { at: '2026-03-02T09:50:00Z', by: 'kubectl-patch', config: 'rendered-worker-aaa' };
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...emptyRecord, letGo } } });
    syncsUnseen(lab);

    await isNotified(lab);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-8] [S0-14] leaves the pause of a person alone, also beside a pool that it pauses', async () => {
    const lab = keepLab({ windows: nights });
    const { machineConfigSelector } = lab.pool();
    lab.world.pools.put({ ...emptyPool('infra'), machineConfigSelector });
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });
    lab.world.clock.advance(60);
    syncsUnseen(lab);

    await isNotified(lab);

    expect([lab.record()?.pause, lab.record('infra')?.pause]).toEqual([undefined, 'ours']);
  });

  test.each([
    ['a sync which still runs', 'long'],
    ['a hold that still lasts', 'manual'],
  ])(
    '[N-8] [S0-14] [S0-15] leaves a pool alone that a person has resumed under %s, for an hour and no longer',
    async (_, kind) => {
      const lab = keepLab({ windows: nights });
      lab.world.argocd.put(anApplication({ name: 'long', uid: 'uid-long' }));
      if (kind === 'long') await begins(lab, 'long');
      else await holds(lab, 24 * 3600);
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
      await lab.pass(3000);
      syncsUnseen(lab);

      await isNotified(lab);

      expect(lab.record()).not.toHaveProperty('release');
      const before = happened(lab).length;

      await lab.pass(2 * 3600);
      syncsUnseen(lab);
      await isNotified(lab);
      lab.world.pools.observe('worker');
      lab.world.pools.change('worker', 'machine-config-controller', { target: next });
      await lab.pass(600);

      expect(lab.pool().paused).toBe(true);
      expect(happened(lab).slice(before)).toEqual(['pool.paused']);
      expect(lab.record()?.holds).toMatchObject([{ overruled: { by: 'kubectl-patch' } }]);
    },
  );

  test('[N-8] [S0-15] [N-1] is not what a person has resumed the pool under, whenever that ends', async () => {
    const lab = keepLab({ windows: nights });
    await begins(lab, 'nodes');
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(2 * 3600);
    lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: atSecond(lab) }));
    lab.ends('Succeeded', { results: [aResult('configured')] });
    await isNotified(lab);
    lab.world.clock.advance(2);
    await isNotified(lab);

    expect(lab.record()).toMatchObject({ holds: [], last: { did: 'overridden' } });
    expect(happened(lab)).toEqual(['pool.paused']);
  });

  test('[N-8] [S0-15] [S0-1] pauses the pool though one of another Application, overruled, ends in the same moment', async () => {
    const lab = keepLab({ windows: nights });
    lab.world.argocd.put(anApplication({ name: 'long', uid: 'uid-long' }));
    await begins(lab, 'long');
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(2 * 3600);
    const before = happened(lab).length;
    syncsUnseen(lab);
    lab.ends('Succeeded', { results: [] }, 'long');
    await isNotified(lab, 'long');
    lab.world.clock.advance(2);
    await isNotified(lab);

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [] });
    expect(happened(lab).slice(before)).toEqual(['pool.paused']);
  });

  test('[N-8] [S0-1] is no reason to wait less for a push that has come since', async () => {
    const lab = keepLab({ windows: nights });
    syncsUnseen(lab);

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitB }]);
  });

  test('[N-8] [S1-14] forgets a resume that has degraded nothing', async () => {
    const lab = keepLab({ windows: nights });
    const resumedAt = '2026-03-01T09:50:00Z';
    lab.world.pools.change('worker', 'poolkeeper', {
      record: { kind: 'record', record: { ...emptyRecord, resumedAt } },
    });
    syncsUnseen(lab);

    await isNotified(lab);

    expect(lab.record()).toMatchObject({ pause: 'ours' });
    expect(lab.record()).not.toHaveProperty('resumedAt');
  });

  test.each<[string, Parameters<typeof keepLab>[0]]>([
    [
      'that is paused for what is disruptive alone',
      { pools: { worker: { ...defaultPoolSettings, pauseFor: 'disruptive' } } },
    ],
    ['that is only observed', { pools: { worker: { ...defaultPoolSettings, protection: 'observe' } } }],
  ])('[N-8] [N-1] leaves a pool alone %s, and reads nothing for it', async (_, options) => {
    const lab = keepLab({ windows: nights, ...options });
    syncsUnseen(lab);
    lab.world.faults.forget();

    await isNotified(lab);

    expect(lab.pool().paused).toBe(false);
    expect(readsOf(lab)).toBe(0);
  });

  test('[N-8] [S0-1] leaves a pool alone whose emergency lane is open', async () => {
    const lab = keepLab({ windows: nights });
    const at = lab.world.clock.now();
    const until = new Date(at.getTime() + 3600_000).toISOString();
    const emergency = { who: 'ann', why: 'CVE-2026-1234', since: at.toISOString(), until };
    lab.world.pools.change('worker', 'poolkeeper', {
      record: { kind: 'record', record: { ...emptyRecord, emergency } },
    });
    syncsUnseen(lab);

    await isNotified(lab);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-1] [N-30] costs no read where no pool has a gate that decides, nor where it is paused, and one in all for a thousand', async () => {
    const free = keepLab();
    const paused = keepLab({ windows: nights });
    paused.world.pools.change('worker', 'kubectl-patch', { paused: true });
    const many = keepLab({ windows: nights });
    for (const lab of [free, paused, many]) {
      syncsUnseen(lab);
      const { operation } = lab.world.argocd.get('nodes');
      for (let each = 0; each < 1000; each += 1)
        lab.world.argocd.put(
          anApplication({
            name: `app-${each}`,
            uid: `app-${each}`,
            operation: operation && { ...operation, results: [aResult('configured', { name: `99-${each}` })] },
          }),
        );
      lab.world.faults.forget();
      await lab.tick();
    }

    expect([free, paused, many].map(readsOf)).toEqual([0, 0, 1]);
    expect(many.pool().paused).toBe(true);
  });

  test('[N-1] [N-30] is looked at once, however many pools and Applications there are', async () => {
    const lab = keepLab({ windows: nights });
    const { argocd, pools } = lab.world;
    const { machineConfigSelector } = lab.pool();
    syncsUnseen(lab);
    const { operation } = argocd.get('nodes');
    for (let each = 0; each < 20; each += 1) {
      pools.put({ ...emptyPool(`pool-${each}`), machineConfigSelector });
      argocd.put(anApplication({ name: `app-${each}`, uid: `app-${each}`, operation }));
    }
    let looks = 0;
    const changedAt = atSecond(lab, -3);
    pools.putMachineConfig({
      ...aMachineConfig(),
      get changedAt() {
        looks += 1;
        return changedAt;
      },
    });

    await lab.tick();

    expect(lab.pool('pool-0').paused).toBe(true);
    expect(looks).toBeLessThan(20);
  });

  test('[N-8] [S0-5] is found as well where it ends while its pause loses a race to another writer', async () => {
    const lab = keepLab({ windows: nights });
    await lab.tick();
    const { pools, reader, renderings } = lab.world;
    // Its pass reads the MachineConfig, which no pool lists, before it is written.
    pools.put({ ...lab.pool(), target: { name: 'rendered-worker-1', sources: ['00-worker'] } });
    lab.syncs(commitA, { startedBy: 'admin' });
    let isFirst = true;
    const patchPool: typeof pools.patchPool = async (pool, change) => {
      if (isFirst) {
        isFirst = false;
        pools.putMachineConfig(aMachineConfig({ changedAt: atSecond(lab) }));
        lab.ends('Succeeded', { results: [aResult('serverside-applied')] });
        pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: emptyRecord } });
      }
      return pools.patchPool(pool, change);
    };

    await keep(lab.operationOf('Running'), {
      ...lab.ports,
      cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }),
    });

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ holds: [], pause: 'ours' });
  });
});

describe('a push whose sync is over before anybody looked', () => {
  test.each(['serverside-applied', 'replaced'])(
    '[N-8] [S0-1] pauses the pool also for what is applied with one word, changed or not, if it has changed: %s',
    async (word) => {
      const lab = keepLab({ windows: nights });
      await lab.tick();
      const push = lab.pushOf(commitB);
      syncsUnseen(lab, { word, revisions: [commitB] });

      await lab.deliver(push);

      expect(lab.pool().paused).toBe(true);
    },
  );
});

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
