import { describe, expect, test } from 'vitest';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import { resumeManually } from '../../../../functions/core/holds/manual-hold.ts';
import { rolledOutLast } from '../../../../functions/core/holds/rolled-out.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import type { PoolRecord, RolledOut } from '../../../../functions/core/openshift/pool-record.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aCondition, aHold, aPool, aRecord, noImages } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

const now = new Date('2026-03-02T12:00:00.000Z');
const at = now.toISOString();
const [before, after] = ['rendered-worker-aaa', 'rendered-worker-bbb'] as const;
const target = { name: after, sources: ['00-worker', '99-worker-ssh'] };
const earlier: RolledOut = { change: 'rendered-worker-ccc', at: '2026-03-02T11:00:00.000Z' };
const alice = 'slack:U0000ALICE';

function withRecord(change: Partial<PoolRecord>, pool: Partial<Pool> = {}): Pool {
  const record = aRecord({ holds: [], ...change });
  return aPool({
    target,
    pausedBy: { manager: 'poolkeeper', at: '2026-03-02T11:30:00Z' },
    record: { kind: 'record', record },
    ...pool,
  });
}

/** Nothing but the approvals is in the way. */
const evidence = {
  ...noEvidence,
  images: noImages,
  nodesBehind: seen([]),
  controllers: seen([]),
  openGuards: seen([]),
  versionUpdate: seen({ kind: 'none' as const }),
  drains: seen({ touched: 0, obstacles: [], unread: [] }),
};

/** People approve what it rolls out, and Alice has. */
function snapshotOf(pool: Pool, change: Partial<Snapshot> = {}): Snapshot {
  const { settings } = aSnapshot({ pools: [pool] });
  const approve = Approve.parse({ by: [alice] });
  const said = { cluster: 'prod', pool: 'worker', config: after, who: alice, name: '', reason: '' };
  const approvals = seen([{ ...said, verb: 'approve' as const, at: '2026-03-02T11:59:00Z' }]);
  return aSnapshot({
    pools: [pool],
    settings: { ...settings, pools: { worker: { ...defaultPoolSettings, approve } } },
    evidence: new Map([['worker', { ...evidence, approvals }]]),
    ...change,
  });
}

function decided(pool: Pool, change: Partial<Snapshot> = {}) {
  const { action } = decidePool(pool, snapshotOf(pool, change), now);
  return action.kind === 'none' ? undefined : action;
}

const paused = { paused: true } as const;
const waits = { since: at, finishedAt: '2026-03-02T11:50:00Z', machineConfigs: [], why: 'Argo CD synced' };
const overrides = { paused: false, pausedBy: { manager: 'kubectl-patch', at: '2026-03-02T11:59:30Z' } };

describe('[S3-14] what was let go last of a pool whose changes people approve', () => {
  test.each<readonly [string, Pool, RolledOut]>([
    ['a resume of ours', withRecord({ pause: 'ours', release: waits }, paused), { change: after, at }],
    [
      'one after that of another change',
      withRecord({ pause: 'ours', release: waits, rolledOut: earlier }, paused),
      { change: after, at, before: earlier },
    ],
    [
      'one of the same change, which keeps what was before that',
      withRecord(
        {
          pause: 'ours',
          release: waits,
          rolledOut: { change: after, at: earlier.at, before: { ...earlier, at: '2026-03-02T10:00:00Z' } },
        },
        paused,
      ),
      { change: after, at, before: { ...earlier, at: '2026-03-02T10:00:00Z' } },
    ],
    ['a resume by a person', withRecord({ pause: 'ours', holds: [aHold()] }, overrides), { change: after, at }],
  ])('is noted with %s, and nothing is written twice', (_, pool, rolledOut) => {
    const action = decided(pool);
    const written = action && { ...pool, paused: false, record: { kind: 'record' as const, record: action.record } };

    expect(action?.record.rolledOut).toEqual(rolledOut);
    expect(written && decided({ ...written, pausedBy: { manager: 'poolkeeper', at } })).toBeUndefined();
  });

  test('is not noted where nobody approves, and carried on where nobody does any more', () => {
    const { settings } = aSnapshot({ pools: [] });
    const [none, known] = [{}, { rolledOut: earlier }].map((noted) =>
      decided(withRecord({ pause: 'ours', release: waits, ...noted }, paused), { settings }),
    );

    expect([none?.kind, none?.record.rolledOut]).toEqual(['resume', undefined]);
    expect([known?.kind, known?.record.rolledOut]).toEqual(['resume', earlier]);
  });

  test('is kept by the record of a person, and by that which was published of a pool without one', () => {
    const pool = withRecord({ pause: 'ours', holds: [aHold()], rolledOut: earlier }, paused);
    const request = { who: 'ann', why: 'it breaks', now };
    const lost = aPool({ ...paused, target });
    const published = { worker: aRecord({ rolledOut: earlier }) };

    expect(resumeManually(pool, request).record?.rolledOut).toEqual(earlier);
    expect(rolledOutLast(lost, snapshotOf(lost, { published }), now)).toEqual(earlier);
  });

  test.each<readonly [string, Partial<Pool>, RolledOut]>([
    ['all nodes have another', { target: { name: before, sources: [] } }, { change: before, at, before: earlier }],
    [
      'all nodes had another before the next was pending',
      { conditions: [aCondition({ since: '2026-03-02T11:30:00Z' })], counts: { ...aPool().counts, updated: 0 } },
      { change: before, at: '2026-03-02T11:30:00Z', before: earlier },
    ],
    [
      'what is pending was so before that',
      { conditions: [aCondition({ since: '2026-03-02T10:30:00Z' })], counts: { ...aPool().counts, updated: 0 } },
      earlier,
    ],
    [
      'nodes are on their way back',
      { target: { name: before, sources: [] }, counts: { ...aPool().counts, updated: 2 } },
      earlier,
    ],
  ])('is what its nodes have taken unasked: %s', (_, change, rolledOut) => {
    const pool = withRecord({ rolledOut: earlier }, change);

    expect(rolledOutLast(pool, snapshotOf(pool), now)).toEqual(rolledOut);
  });

  test('is what a run has let a node go to, which is written at once, and once', () => {
    const hold = aHold({ kind: 'rollout', id: 'rollout/upgrade', until: '2026-03-03T12:00:00Z' });
    const pool = withRecord({ pause: 'ours', holds: [hold], rolledOut: earlier }, paused);
    const nodesLetGo = new Map([['worker', '2026-03-02T11:58:00Z']]);
    const action = decided(pool, { nodesLetGo });
    const written = action && { ...pool, record: { kind: 'record' as const, record: action.record } };

    expect(action).toMatchObject({ kind: 'record', record: { rolledOut: { change: after, at, before: earlier } } });
    expect(written && decided(written, { nodesLetGo })).toBeUndefined();
  });
});
