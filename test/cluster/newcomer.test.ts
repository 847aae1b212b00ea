import { expect, test } from 'vitest';
import { playNewcomer } from '../bench/newcomer.ts';

test('[N-32] [C-9] with a fresh clone and what the README and npm start print, a newcomer gets to a page, a message, an own push that pauses a pool, why, status and an own cluster', async () => {
  const reached = await playNewcomer({
    flags: ['--scenario', 'degraded', '--port', '0', '--speed', '100'],
    installs: false,
  });

  expect(reached.map(({ what, saw }) => [what, saw])).toEqual([
    ['a clone', 'poolkeeper'],
    ['the first page', expect.stringContaining('Poolkeeper')],
    ['the first message', expect.stringContaining('PK-1 cannot be rendered')],
    ['the end of the demo', 'Demo finished'],
    ['its own push', 'pushed'],
    ['the pool paused for it', expect.stringContaining('ours')],
    // On a slow machine the sync may be over by now.
    ['why', expect.stringMatching(/worker: (?:not )?paused/)],
    ['status', expect.stringContaining('worker')],
    ["an own cluster's page", expect.stringContaining('Poolkeeper')],
  ]);
});
