import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import { gateQuestion } from '../../../../functions/core/holds/gate-question.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { rolloutHoldId } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { emptyRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { aCondition, aHold, aPool, aRecord } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

const now = new Date('2026-03-02T10:10:00Z');

function pending(name: string): Pool {
  const record = { kind: 'record', record: aRecord({ pause: 'ours', holds: [] }) } as const;
  return aPool({ name, paused: true, target: { name: `rendered-${name}-2`, sources: [] }, record });
}

/** Held by run upgrade, whose nodes go by pool canary. */
function held(name: string): Pool {
  const hold = aHold({ id: rolloutHoldId('upgrade'), kind: 'rollout', canary: 'canary' });
  return { ...pending(name), record: { kind: 'record', record: aRecord({ pause: 'ours', holds: [hold] }) } };
}

function sick(pool: Pool): Pool {
  const { record } = pool;
  if (record.kind !== 'record') return pool;
  return {
    ...pool,
    conditions: [...pool.conditions, aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-1' })],
    record: { kind: 'record', record: { ...record.record, resumedAt: '2026-03-02T10:00:00Z' } },
  };
}

function closedOf(pool: string, pools: readonly Pool[], change: Partial<Snapshot> = {}): readonly string[] {
  const waves = { storage: 0, infra: 1, canary: 1, worker: 2 };
  const own = Object.entries(waves).map(([name, wave]) => [name, { ...defaultPoolSettings, wave }] as const);
  const { settings } = aSnapshot({ pools });
  const asked = pools.find(({ name }) => name === pool);
  if (asked === undefined) throw new Error(`there is no pool ${pool}`);
  const snapshot = aSnapshot({ pools, settings: { ...settings, pools: Object.fromEntries(own) }, ...change });
  const { closed } = askGates(gates, gateQuestion(emptyRecord, asked, snapshot, now));
  return closed.filter(({ unread }) => unread !== true).map(({ gate, why }) => `${gate}: ${why}`);
}

function goingNow(pools: readonly string[]): Pick<Snapshot, 'canaries'> {
  return { canaries: new Map([['canary', { run: 'upgrade', atOnce: 1, goals: {}, pools }]]) };
}

describe('[S4-7] [N-29] the canary of a run that holds pools', () => {
  test('waits for none of them, and for others as they do', () => {
    const pools = [held('storage'), pending('infra'), held('worker'), pending('canary')];

    const ofWorker = closedOf('canary', pools, goingNow(['worker']));

    expect(ofWorker).toEqual(['wave: pool infra of wave 1 is still paused with a change waiting']);
    expect(closedOf('canary', pools, goingNow(['storage']))).toEqual([]);
    expect(closedOf('canary', pools)).toEqual([]);
  });

  test('is waited for as the pools are whose nodes are in it', () => {
    const pools = [aPool({ name: 'storage' }), pending('infra'), held('worker'), pending('canary')];

    expect(closedOf('infra', pools, goingNow(['worker']))).toEqual([]);
    expect(closedOf('infra', pools, goingNow(['storage']))).toEqual([expect.stringMatching(/^wave: pool canary/)]);
  });

  test('goes on as the mend of one of them that is degraded, and not past another', () => {
    const broken = [pending('infra'), sick(held('worker')), pending('canary')];
    const another = [sick(pending('storage')), held('worker'), pending('canary')];

    expect(closedOf('canary', broken, goingNow(['worker']))).toEqual([expect.stringMatching(/^wave: pool infra/)]);
    expect(closedOf('infra', broken)).toContainEqual(expect.stringMatching(/^health: pool worker/));
    expect(closedOf('canary', another, goingNow(['worker']))).toContainEqual(
      expect.stringMatching(/^health: pool storage/),
    );
  });

  test('takes no turn of its own in a sequence', () => {
    const sequenceSteps = new Map([['canary', { sequence: 'rollout', id: 'canary@prod' }]]);
    const turn = { kind: 'unreadable', why: 'no answer' } as const;
    const asked = (pools: readonly Pool[]) => {
      return closedOf('canary', pools, { sequenceSteps, evidence: new Map([['canary', { ...noEvidence, turn }]]) });
    };

    expect(asked([held('worker'), pending('canary')])).toEqual([]);
    expect(asked([aPool({ name: 'worker' }), pending('canary')])).toEqual([expect.stringMatching(/^sequence/)]);
  });
});
