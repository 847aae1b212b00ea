import { expect, test } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { commitB, keepLab } from './keep-lab.ts';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 3600 });

test('[N-8] [S0-1] a push pauses its pool at any time, and it resumes when its window opens, not before', async () => {
  const lab = keepLab({ windows: [fromNoon] });

  await lab.deliver(lab.pushOf(commitB));
  const paused = lab.pool().paused;
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(110 * 60);
  const beforeNoon = lab.pool().paused;
  const [view] = await lab.ports.views.list();
  await lab.pass(20 * 60);

  expect(paused).toBe(true);
  expect(beforeNoon).toBe(true);
  expect(JSON.stringify(view)).toContain('when its window does, at 2026-03-02T12:00:00.000Z');
  expect(lab.pool().paused).toBe(false);
  expect(lab.told()).toContain('pool.resumed');
});

test('[N-8] a window that closes pauses nothing: what has begun goes on', async () => {
  const lab = keepLab({ windows: [fromNoon] });

  await lab.pass(4 * 3600);

  expect(lab.pool().paused).toBe(false);
  expect(lab.told()).not.toContain('pool.paused');
});

test.each([
  ['within a week, is not told as paused too long', '2026-03-06', false],
  ['after more than a week, is', '2026-03-20', true],
])('[N-8] [S0-9] a pool that only waits for a window that opens %s', async (_, from, isTold) => {
  const opening = Window.parse({ kind: 'allow', from, to: '2026-04-01' });
  const lab = keepLab({ windows: [opening], policy: { pausedAtMostSeconds: 1800 } });

  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(3600);

  expect(lab.pool().paused).toBe(true);
  expect(lab.troubles().includes('paused-too-long')).toBe(isTold);
});
