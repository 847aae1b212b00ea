import { expect, test } from 'vitest';
import { aMachineConfig } from '../../fakes/index.ts';
import { callsMadeBy, failures, LostAnswer, type Watch } from '../failing-calls.ts';
import { applicationOf, degraded, poolOf } from './fleet-lab.ts';
import { calls } from './keep-calls.ts';
import { commitB } from './keep-lab.ts';
import { type Scene, scenes } from './part-scenes.ts';

const role = 'machineconfiguration.openshift.io/role';

/** In the next tick a sync that affects pool gpu has begun, nothing keeps pool infra paused any more, and pool stuck is
 *  in trouble. */
async function prepared(make: () => Promise<Scene>): Promise<Scene> {
  const scene = await make();
  const { pools, argocd, clock } = scene.lab.world;
  for (const name of ['gpu', 'infra', 'stuck']) {
    pools.put(poolOf(name));
    pools.putMachineConfig(aMachineConfig({ name: `99-${name}`, labels: { [role]: name } }));
  }
  const at = clock.now().toISOString();
  const release = { since: at, finishedAt: at, machineConfigs: [], why: 'a sync has ended' };
  pools.change('infra', 'poolkeeper', {
    paused: true,
    record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } },
  });
  pools.change('stuck', 'machine-config-controller', degraded('stuck'));
  argocd.put(applicationOf('gpu'));
  scene.lab.syncs(commitB, {}, 'gpu');
  return scene;
}

/** What a failed call costs besides its own part, and why. */
const losses: Readonly<Record<string, { readonly of: 'the resume of others'; readonly because: string }>> = {
  'argocd.listProjects': { of: 'the resume of others', because: 'gate guard' },
};

/** Failures that cost nothing, of which nothing is said, and why. */
const harmless: Readonly<Record<string, string>> = {
  'cluster.sequenceRecords.remove: 403': 'a record that may not be deleted is emptied',
};

/** What nothing says at once: an incident does after five minutes. */
const saidLater: ReadonlySet<string> = new Set(['cluster.writer.create']);

/** All ways in which a call may fail, and that it is made and its answer is lost. */
const ways = {
  ...failures,
  'its answer lost': (call: string) => new LostAnswer(`PATCH ${call}: no answer within 10 s`, { kind: 'unreachable' }),
};

/** Some minutes in which calls fail, and some without. */
async function disturbed(make: () => Promise<Scene>, watch: Watch, minutes = 2) {
  const scene = await prepared(make);
  const { lab } = scene;
  const wrong: string[] = [];
  const look = () => wrong.push(...(scene.wrong?.() ?? []));
  const known = lab.world.logger.lines.length;
  await scene.tick(watch).catch(() => undefined);
  look();
  const kept = { isPaused: lab.pool('gpu').paused, isResumed: !lab.pool('infra').paused, troubles: lab.troubles() };
  for (let minute = 1; minute < minutes; minute += 1) {
    await scene.tick(watch).catch(() => undefined);
    look();
  }
  const troubles = lab.troubles();
  const lines = lab.world.logger.lines.slice(known);
  const shown = JSON.stringify([lab.world.tables.timeline.all(), await lab.world.tables.sequenceViews.list()]);
  for (let minute = 0; minute < (scene.minutes ?? 3); minute += 1) {
    await scene.tick();
    look();
  }
  const complaints = lines.filter(
    ({ level, message }) => level === 'warn' || level === 'error' || /could not/.test(message),
  );
  return { kept, wrong, end: await scene.end(), troubles, complaints: complaints.length, shown };
}

test.each(scenes)('[N-30] every call that a tick makes for %s is known', async (_, what, make) => {
  const made = new Set<string>();
  const { kept, wrong } = await disturbed(make, ({ name }) => {
    made.add(name);
    return undefined;
  });

  expect(callsMadeBy(what, calls).filter((name) => !made.has(name))).toEqual([]);
  expect(kept).toMatchObject({ isPaused: true, isResumed: true, troubles: expect.arrayContaining(['render-failed']) });
  expect(wrong).toEqual([]);
});

test.each(scenes)(
  '[N-2] [N-30] a call for %s that fails costs others neither pause nor resume nor alert, and itself nothing for good',
  async (_, what, make) => {
    const whole = await disturbed(make, () => undefined);
    for (const name of callsMadeBy(what, calls))
      for (const [way, error] of Object.entries(ways)) {
        const found = await disturbed(make, (call) => (call.name === name ? error(name) : undefined));

        const about = `${name}: ${way}`;
        // What this part is about may be told besides.
        expect(found.kept.troubles, about).toEqual(expect.arrayContaining([...whole.kept.troubles]));
        expect(found.kept.isPaused, about).toBe(true);
        expect(found.kept.isResumed, about).toBe(!(name in losses));
        expect(found.wrong, about).toEqual([]);
        expect(found.end, about).toEqual(whole.end);
        const isSaid = found.complaints > whole.complaints || found.shown.includes(name);
        if (!saidLater.has(name)) expect(isSaid, about).toBe(!(about in harmless));
      }
  },
);

test('[S2-10] [N-30] a Job of a sequence that cannot be made for long is told', async () => {
  const [, , make] = scenes.find(([, what]) => what === 'Jobs of sequences') ?? [];
  if (make === undefined) throw new Error('there is no such scene');
  for (const name of saidLater)
    for (const [way, error] of Object.entries(failures)) {
      const found = await disturbed(make, (call) => (call.name === name ? error(name) : undefined), 8);

      expect(found.troubles, `${name}: ${way}`).toContain('sequence-stuck');
    }
});
