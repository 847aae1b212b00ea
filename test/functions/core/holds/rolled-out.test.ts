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
import { aHold, aPool, aRecord, noImages } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

const now = new Date('2026-03-02T12:00:00.000Z');
const at = now.toISOString();
const [before, after] = ['rendered-worker-aaa', 'rendered-worker-bbb'] as const;
const target = { name: after, sources: ['00-worker', '99-worker-ssh'] };
const earlier: RolledOut = { change: 'rendered-worker-ccc', at: '2026-03-02T11:00:00.000Z' };
const begun: RolledOut = { change: after, at: earlier.at, before: { ...earlier, at: '2026-03-02T10:00:00Z' } };
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
      'one of the same change, which was let go when its rollout began',
      withRecord({ pause: 'ours', release: waits, rolledOut: begun }, paused),
      begun,
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
      'nodes are on their way back',
      { target: { name: before, sources: [] }, counts: { ...aPool().counts, updated: 2 } },
      earlier,
    ],
  ])('is what its nodes have taken unasked: %s', (_, change, rolledOut) => {
    const pool = withRecord({ rolledOut: earlier }, change);

    expect(rolledOutLast(pool, snapshotOf(pool), now)).toEqual(rolledOut);
  });

  test.each<readonly [string, Partial<Pool>, Partial<PoolRecord>, RolledOut | undefined]>([
    ['a node has it', {}, {}, { change: after, at, before: earlier }],
    ['its nodes were not counted since', { generation: 6 }, {}, undefined],
    ['no node has it', { counts: { ...aPool().counts, updated: 0 } }, {}, undefined],
    [
      'a person resumed it before that was rendered',
      { counts: { ...aPool().counts, updated: 0 } },
      { letGo: { at: '2026-03-02T11:10:00Z', by: 'ann', config: before } },
      { change: after, at, before: earlier },
    ],
  ])('is what is pending on a pool that is not paused, where %s, which is written at once, and once', (...row) => {
    const [, change, record, rolledOut] = row;
    const counts = { ...aPool().counts, updated: 1 };
    const pool = withRecord(
      { pause: undefined, rolledOut: earlier, ...record },
      { generation: 5, observedGeneration: 5, counts, ...change },
    );
    const action = decided(pool);
    const written = action && { ...pool, record: { kind: 'record' as const, record: action.record } };

    expect(action?.record.rolledOut).toEqual(rolledOut);
    expect(written && decided(written)).toBeUndefined();
  });

  test('is not what is pending in the look that pauses the pool', () => {
    const counts = { ...aPool().counts, updated: 1 };
    const pool = withRecord(
      { pause: undefined, holds: [aHold({ kind: 'manual', until: '2026-03-03T12:00:00Z' })], rolledOut: earlier },
      { counts },
    );

    expect(decided(pool)).toMatchObject({ kind: 'pause', record: { rolledOut: earlier } });
  });

  test('is what a person has let go, also in the look that pauses the pool again', () => {
    const letGo = { at: '2026-03-02T11:59:00Z', by: 'ann', config: after };
    const hold = aHold({ kind: 'manual', until: '2026-03-03T12:00:00Z' });
    const pool = withRecord({ pause: undefined, holds: [hold], rolledOut: earlier, letGo });
    const noted = { change: after, at: letGo.at, before: earlier };

    expect(decided(pool)).toMatchObject({ kind: 'pause', record: { rolledOut: noted } });
  });

  test.each<readonly [string, RolledOut, RolledOut]>([
    ['counts as of now, and once', { ...begun, at: '2026-03-02T18:00:00.000Z' }, { change: after, at }],
    [
      'counts as it is within five minutes',
      { ...begun, at: '2026-03-02T12:05:00.000Z' },
      { ...begun, at: '2026-03-02T12:05:00.000Z' },
    ],
  ])('later than our clock, as after that was set back, %s', (_, ahead, rolledOut) => {
    const pool = withRecord(
      { pause: 'ours', holds: [aHold({ until: '2026-03-03T12:00:00Z' })], rolledOut: ahead },
      paused,
    );
    const published = { worker: aRecord({ rolledOut: ahead }) };
    const action = decided(pool, { published });
    const known = action?.record.rolledOut ?? ahead;
    const written = withRecord({ pause: 'ours', holds: [aHold()], rolledOut: known }, paused);
    const later = new Date('2026-03-02T12:02:00.000Z');

    expect(known).toEqual(rolledOut);
    expect(rolledOutLast(written, snapshotOf(written, { published }), later)).toEqual(rolledOut);
  });

  test('is the config to which a run has let a node go, whatever the pool wants by now, written at once, and once', () => {
    const hold = aHold({ kind: 'rollout', id: 'rollout/upgrade', until: '2026-03-03T12:00:00Z' });
    const pool = withRecord({ pause: 'ours', holds: [hold], rolledOut: earlier }, paused);
    const since = '2026-03-02T11:58:00Z';
    const [own, other] = [after, 'rendered-worker-ddd'].map((config) => {
      const nodesLetGo = new Map([['worker', { since, last: { since, target: config } }]]);
      const action = decided(pool, { nodesLetGo });
      const written = action && { ...pool, record: { kind: 'record' as const, record: action.record } };
      return [action?.kind, action?.record.rolledOut, written && decided(written, { nodesLetGo })];
    });

    expect(own).toEqual(['record', { change: after, at: since, before: earlier }, undefined]);
    expect(other).toEqual(['record', { change: 'rendered-worker-ddd', at: since, before: earlier }, undefined]);
  });

  test('is not what a run had let a node go to before that', () => {
    const hold = aHold({ kind: 'rollout', id: 'rollout/upgrade', until: '2026-03-03T12:00:00Z' });
    const pool = withRecord({ pause: 'ours', holds: [hold], rolledOut: earlier }, paused);
    const since = '2026-03-02T10:58:00Z';
    const nodesLetGo = new Map([['worker', { since, last: { since, target: after } }]]);

    expect(decided(pool, { nodesLetGo })?.record.rolledOut).toEqual(earlier);
  });
});
