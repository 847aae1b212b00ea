import { describe, expect, it } from 'vitest';
import { rolloutsOf, runsAtWork } from '../../../../functions/core/node-turns/pool-rollouts.ts';
import { emptyRunRecord, type RunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, aPool } from '../../../fakes/builders.ts';
import { aRunPlan, newConfig, now, oldConfig } from './run-builder.ts';

const said = { who: 'ops', why: 'not today', at: now.toISOString() };

/** Pool worker with a change that waits, and the hold of a run. */
function heldBy(run: string | undefined): Pool {
  const holds = run === undefined ? [] : [aHold({ id: `rollout/${run}`, kind: 'rollout' })];
  return aPool({
    paused: run !== undefined,
    target: { name: newConfig, sources: [] },
    current: { name: oldConfig, sources: [] },
    record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: now.toISOString(), holds } },
  });
}

const upgrade = aRunPlan();
const later = { ...upgrade, name: 'later' };

function wantsOf(pool: Pool, records: Readonly<Record<string, RunRecord>>) {
  const question = { plans: [upgrade, later], pools: [pool], update: 'none' as const };
  return rolloutsOf({ ...question, records: new Map(Object.entries(records)) }).get('worker');
}

const turn: Turn = {
  pool: 'worker',
  target: newConfig,
  round: '1-bbbbbbbb',
  step: 'after',
  since: now.toISOString(),
  ran: ['poolkeeper/move'],
  cleaned: [],
  attempt: 1,
};

describe('which run holds which pool', () => {
  it('[S4-28] a run holds its pool while a node has its turn, although every node is at the target', () => {
    const done = { ...emptyRunRecord, pools: { worker: { target: newConfig, done: newConfig } } };

    expect(wantsOf(heldBy('upgrade'), { upgrade: { ...done, turns: { w1: turn } } })?.wants).toBe('hold');
    expect(wantsOf(heldBy('upgrade'), { upgrade: { ...done, turns: { w1: { ...turn, step: 'done' } } } })?.wants).toBe(
      'let go',
    );
  });

  it('[S4-21] [S4-22] a run that was aborted lets go of the pools that it holds, and keeps no other run from them', () => {
    const aborted = { ...emptyRunRecord, aborted: said, endedAt: said.at };

    expect(wantsOf(heldBy('upgrade'), { upgrade: aborted })).toMatchObject({ run: 'upgrade', wants: 'let go' });
    expect(wantsOf(heldBy(undefined), { upgrade: aborted, later: emptyRunRecord })).toMatchObject({
      run: 'later',
      wants: 'hold',
    });
  });

  it('[S4-28] a pool that is no target any more stays held while one of its nodes has its turn, also from other runs', () => {
    const without = { ...upgrade, pools: ['infra'] };
    const held = (step: Turn['step']) => {
      const records = new Map([['upgrade', { ...emptyRunRecord, turns: { w1: { ...turn, step } } }]]);
      const question = { plans: [without, later], pools: [heldBy('upgrade')], update: 'none' as const };
      return rolloutsOf({ ...question, records }).get('worker');
    };

    expect(runsAtWork([without], [heldBy('upgrade')])).toEqual([without]);
    expect(held('before')).toMatchObject({ run: 'upgrade', wants: 'hold' });
    expect(held('done')?.run).not.toBe('upgrade');
  });
});
