import { expect, test } from 'vitest';
import type { WorkEvent } from '../../../events/index.ts';
import { Crashed } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { type GuardLab, guardLab } from './guard-lab.ts';
import { commitB } from './keep-lab.ts';

/** A world whose Argo CD is as hasty as it may be: it syncs at the instant at which a window goes. What must never be
 *  is noted after every call of the process, whether it lives on or not. */
function watchedLab() {
  const lab = guardLab();
  const wrong: string[] = [];
  const { argocd } = lab.world;
  let wasClosed = lab.isClosed();
  const isRunning = () => argocd.get('nodes').operation?.phase === 'Running';
  const look = () => {
    const isClosed = lab.isClosed();
    const { paused, generation, observedGeneration } = lab.pool();
    if (!isClosed && lab.guard() !== undefined && !(paused && observedGeneration >= generation))
      wrong.push('open without a confirmed pause');
    if (isClosed && !wasClosed && isRunning()) wrong.push('closed in the middle of a sync');
    wasClosed = isClosed;
  };
  lab.world.faults.on(() => ({ kind: 'meanwhile', act: look }));
  return { lab, wrong, look, isRunning };
}

type Watched = ReturnType<typeof watchedLab>;

async function surviving(lab: GuardLab, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    if (!(cause instanceof Crashed)) throw cause;
    lab.world.faults.restart();
  }
}

/** As a queue does: what a dead worker had is delivered again. */
async function deliver({ lab, look }: Watched, event: WorkEvent): Promise<void> {
  let isDone = false;
  while (!isDone) {
    await surviving(lab, async () => {
      await lab.deliver(event);
      isDone = true;
    });
    look();
  }
}

/** A push, the sync that follows, and its end; one worker, which may die at any effect. */
async function play(watched: Watched, phase: 'Succeeded' | 'Failed', lasts: number): Promise<void> {
  const { lab, look, isRunning } = watched;
  const ticks = async (times: number) => {
    for (let tick = 0; tick < times; tick += 1) {
      lab.world.clock.advance(60);
      lab.compares();
      await surviving(lab, () => lab.tick());
      look();
    }
  };
  await ticks(2);
  await deliver(watched, lab.pushOf(commitB));
  lab.confirms();
  await ticks(2);
  expect(lab.looks(commitB)).toBe(true);
  look();
  await deliver(watched, lab.operationOf('Running'));
  await ticks(lasts);
  expect(isRunning()).toBe(true);
  lab.ends(phase);
  await deliver(watched, lab.operationOf(phase));
  await ticks(5);
}

const ends = ['Succeeded', 'Failed'] as const;

test.each(ends)(
  '[N-6] a worker that dies between any two effects leaves a guard closed or its sync going, and no pool resumes through it: %s',
  async (phase) => {
    const undisturbed = watchedLab();
    await play(undisturbed, phase, 2);
    const effects = undisturbed.lab.world.faults.effects();
    expect(undisturbed.wrong).toEqual([]);
    expect(effects).toBeGreaterThan(15);

    for (let effect = 0; effect < effects; effect += 1) {
      for (const when of ['before', 'after'] as const) {
        const watched = watchedLab();
        watched.lab.world.faults.crashAtEffect(effect, when);
        await play(watched, phase, 2);

        expect(watched.wrong, `crash ${when} effect ${effect}`).toEqual([]);
        expect([watched.lab.isClosed(), watched.lab.pool().paused], `crash ${when} effect ${effect}`).toEqual([
          undisturbed.lab.isClosed(),
          undisturbed.lab.pool().paused,
        ]);
      }
    }
    expect(undisturbed.lab.isClosed()).toBe(true);
  },
);

test('[N-6] workers that die again and again leave no guard open without a confirmed pause, and none closed in mid-sync', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 6 }),
      fc.constantFrom('before' as const, 'after' as const),
      fc.constantFrom(...ends),
      fc.integer({ min: 0, max: 4 }),
      async (deaths, when, phase, lasts) => {
        const watched = watchedLab();
        for (const effect of deaths) watched.lab.world.faults.crashAtEffect(effect, when);
        await play(watched, phase, lasts);
        expect(watched.wrong).toEqual([]);
        expect(watched.lab.isClosed()).toBe(true);
      },
    ),
    { numRuns: runs(40) },
  );
});
