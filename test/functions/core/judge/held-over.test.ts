import { describe, expect, test } from 'vitest';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, aPool } from '../../../fakes/builders.ts';
import { aLiveNode, aWorld, minutesAgo, now } from '../diagnose/world.ts';
import { kinds, type Passed, passAfter, passOver } from './pass-over.ts';

const target = { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] };
const counts = { machines: 2, updated: 0, ready: 0, unavailable: 1, degraded: 0 };
const silent = {
  status: 'Unknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: minutesAgo(60),
};

/** The change waits, and a cordoned node takes the place of all others. */
const stalled = aPool({ target, counts });

function heldSince(at: string, hold: Partial<Hold> = {}): Pool {
  const holds = [aHold({ since: at, ...hold })];
  const record = { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: at, holds } } as const;
  return aPool({ target, counts, paused: true, record });
}

/** A pass each minute.
 *  @param poolAt as it is then; the minutes are counted from the first pass */
async function minutes(count: number, poolAt: (minute: number, at: string) => Pool): Promise<readonly Passed[]> {
  const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { unschedulable: true })] });
  const passes: Passed[] = [];
  for (let minute = 0; minute < count; minute += 1) {
    const at = new Date(Date.parse(now) + minute * 60_000).toISOString();
    const pools = [poolAt(minute, at)];
    passes.push(await passOver({ world, pools, at, firstSeen: passes.at(-1)?.firstSeen ?? {} }));
  }
  return passes;
}

function firstTold(passes: readonly Passed[]): number {
  return passes.findIndex((each) => kinds(each).includes('worker/no-progress'));
}

function isUnseen({ unseen }: Passed): boolean {
  return isInBlindSpot(unseen, { cluster: 'prod', pool: 'worker', kind: 'no-progress' });
}

describe('a rollout that stands still, in a pool that syncs hold now and then', () => {
  test('[N-12] [N-30] is told by the time in which it could have moved', async () => {
    const alone = await minutes(15, () => stalled);
    const beside = await minutes(30, (minute, at) => (minute % 3 === 2 ? heldSince(at) : stalled));

    expect([firstTold(alone), firstTold(beside)]).toEqual([10, 15]);
  });

  test('[N-12] [N-29] is neither ended nor told anew by a hold, and ends if the pool is paused for long', async () => {
    const began = new Date(Date.parse(now) + 12 * 60_000).toISOString();
    const passes = await minutes(270, (minute) => (minute < 12 ? stalled : heldSince(began)));

    const [told, held, long] = [passes[11], passes[13], passes[269]].flatMap((each) => each ?? []);
    expect(
      [told, held, long].map((each) => each && [kinds(each).includes('worker/no-progress'), isUnseen(each)]),
    ).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  test('[N-12] [N-29] counts anew for another change', async () => {
    const other = aPool({ target: { ...target, name: 'rendered-worker-ccc' }, counts });

    const passes = await minutes(15, (minute, at) => (minute < 7 ? stalled : minute === 7 ? heldSince(at) : other));

    expect(firstTold(passes)).toBe(-1);
  });
});

test.each([
  ['not paused', aPool({ target, counts })],
  ['paused', aPool({ target, counts, paused: true })],
  ['held by a run', heldSince(minutesAgo(70), { id: 'rollout/upgrade', kind: 'rollout' })],
])('[N-12] [N-29] a node that is lost is told, whatever waits for its pool: %s', async (_, pool) => {
  const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent })] });

  expect(kinds(await passAfter(60, { world, pools: [pool] }))).toContain('worker/node-lost');
});
