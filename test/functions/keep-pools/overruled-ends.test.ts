import { describe, expect, test } from 'vitest';
import type { OperationResult } from '../../../functions/core/argocd/application.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { aMachineConfig, anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, type KeepLab, keepLab } from './keep-lab.ts';

const night = [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3 * 3600, timeZone: 'UTC' })];

/** Argo CD's whole seconds. */
function atSecond({ world }: KeepLab, later = 0): string {
  return `${new Date(world.clock.now().getTime() + later * 1000).toISOString().slice(0, 19)}Z`;
}

function notify(lab: KeepLab, name: string, phase = 'Succeeded'): Promise<void> {
  const event = lab.operationOf(phase);
  return lab.deliver({ ...event, id: `${event.id} ${name}`, data: { ...event.data, name } });
}

function applied(name: string, word = 'serverside-applied'): readonly OperationResult[] {
  const message = `machineconfig.machineconfiguration.openshift.io/99-${name} ${word}`;
  return anOperation()
    .results.slice(0, 1)
    .map((result) => ({ ...result, name: `99-${name}`, message }));
}

/** Syncs that still run, in spite of which a person resumed the pool two hours ago. Its window is closed. */
async function overruledSyncs(count: number): Promise<{ readonly lab: KeepLab; readonly names: readonly string[] }> {
  const lab = keepLab({ windows: night });
  const names = Array.from({ length: count }, (_, nth) => `app-${nth}`);
  for (const name of names) lab.world.argocd.put(anApplication({ name, uid: `uid-${name}` }));
  await lab.tick();
  for (const name of names) lab.syncs(commitA, { startedBy: 'admin' }, name);
  for (const name of names) await notify(lab, name, 'Running');
  lab.world.pools.observe('worker');
  await lab.pass(60);
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(2 * 3600);
  expect(lab.record()?.holds.map(({ overruled }) => overruled?.by)).toEqual(names.map(() => 'kubectl-patch'));
  return { lab, names };
}

/** What it has applied is written by the API server now; Argo CD's clock may run ahead. */
function endsNow(lab: KeepLab, name: string, ahead = 0): void {
  lab.world.pools.putMachineConfig(aMachineConfig({ name: `99-${name}`, changedAt: atSecond(lab) }));
  lab.ends('Succeeded', { results: applied(name), finishedAt: atSecond(lab, ahead) }, name);
  lab.world.clock.advance(1);
}

describe('what a sync applied that somebody overruled stays decided when it ends', () => {
  test('[S0-15] [S0-14] also of a dozen syncs that end at once', async () => {
    const { lab, names } = await overruledSyncs(12);
    for (const name of names) endsNow(lab, name);

    await lab.tick();
    lab.world.clock.advance(5);
    for (const name of names) await notify(lab, name);
    await lab.pass(30);

    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
  });

  test.each([5, 20])("[S0-15] [S0-14] also where Argo CD's clock runs %s s ahead", async (ahead) => {
    const { lab } = await overruledSyncs(1);
    endsNow(lab, 'app-0', ahead);
    await lab.tick();

    for (let seconds = 0; seconds < 60; seconds += 5) {
      lab.world.clock.advance(5);
      await notify(lab, 'app-0');
    }

    expect(lab.pool().paused).toBe(false);
  });

  test.each([2, 8])('[S0-15] [S0-14] also when self-heal applies it once more %s s later', async (later) => {
    const { lab } = await overruledSyncs(1);
    endsNow(lab, 'app-0');
    await notify(lab, 'app-0');
    lab.world.clock.advance(later - 1);
    lab.syncs(commitA, { startedBy: undefined, partial: true }, 'app-0');
    lab.ends('Succeeded', { results: applied('app-0', 'unchanged') }, 'app-0');
    lab.world.clock.advance(1);

    await notify(lab, 'app-0');

    expect(lab.pool().paused).toBe(false);
  });
});

/** One of something new that was over in a second, so that no look saw it. */
function syncsUnseen(lab: KeepLab, name: string): void {
  lab.syncs(commitA, { startedBy: 'admin' }, name);
  lab.world.clock.advance(1);
  lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-new', changedAt: atSecond(lab) }));
  lab.ends('Succeeded', { results: applied('new') }, name);
  lab.world.clock.advance(1);
}

describe('what began after that was decided by nobody', () => {
  test('[S0-15] [N-30] also of the same Application, between two looks', async () => {
    const { lab } = await overruledSyncs(1);
    lab.ends('Failed', { message: 'terminated' }, 'app-0');
    lab.world.clock.advance(1);
    syncsUnseen(lab, 'app-0');

    await notify(lab, 'app-0');
    lab.world.clock.advance(2);
    await notify(lab, 'app-0');

    expect(lab.pool().paused).toBe(true);
  });

  test.each(['hub', 'tenant-argo'])(
    '[S0-15] [N-30] also while what had no room is overruled together, of Argo CD %s',
    async (argocd) => {
      const { lab } = await overruledSyncs(1);
      const now = lab.world.clock.now().getTime();
      const [at, until] = [now - 3600_000, now + 3600_000].map((each) => new Date(each).toISOString());
      const record = lab.record();
      if (record === undefined || at === undefined || until === undefined) throw new Error('no record');
      const together = { id: `set/${argocd}//others`, kind: 'sync', who: 'more', why: 'no room' } as const;
      const hold = {
        ...together,
        since: at,
        until,
        phase: 'expected',
        overruled: { at, by: 'kubectl-patch' },
      } as const;
      const holds = [...record.holds, hold];
      await lab.world.pools.patchPool(lab.pool(), { paused: undefined, record: { ...record, holds } });
      lab.world.argocd.put(anApplication({ name: 'app-1', uid: 'uid-app-1' }));
      syncsUnseen(lab, 'app-1');

      await notify(lab, 'app-1');

      expect(lab.pool().paused).toBe(true);
    },
  );
});

describe('a freeze that the emergency lane passes', () => {
  /** A pool in its lane, frozen or not. */
  async function inLane(isFrozen: boolean): Promise<KeepLab> {
    const lab = keepLab();
    const asked = () => ({ who: 'anna', why: 'disks', now: lab.world.clock.now() });
    const write = async ({ paused, record }: ReturnType<typeof openLane>) => {
      if (record) await lab.world.pools.patchPool(lab.pool(), { paused, record });
    };
    const until = new Date('2026-03-03T10:00:00Z');
    if (isFrozen) await write(freezeManually(lab.pool(), { scope: 'pool', until }, asked()));
    await write(openLane(lab.pool(), new Date('2026-03-02T14:00:00Z'), asked()));
    lab.world.pools.observe('worker');
    await lab.pass(120);
    return lab;
  }

  test('[N-21] [N-29] keeps nothing waiting for longer: the pool is looked at as soon after a sync as without one', async () => {
    const seconds: number[] = [];
    for (const isFrozen of [false, true]) {
      const lab = await inLane(isFrozen);
      lab.syncs(commitA, { startedBy: 'admin' });
      await notify(lab, 'nodes', 'Running');
      lab.world.pools.observe('worker');
      await lab.pass(5);
      lab.ends('Succeeded');
      await notify(lab, 'nodes');
      let waited = 0;
      for (; lab.pool().paused && waited < 100; waited += 1) await lab.pass(1);
      seconds.push(waited);
    }

    expect(seconds[1]).toBe(seconds[0]);
  });

  test('[N-21] [N-29] a resume of a pool that is not paused changes nothing', async () => {
    const lab = await inLane(true);

    const change = resumeManually(lab.pool(), { who: 'bob', why: 'too', now: lab.world.clock.now() });

    expect(change).toEqual({ paused: undefined, record: undefined, said: 'was not paused' });
  });
});
