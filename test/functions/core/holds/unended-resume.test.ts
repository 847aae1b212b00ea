import { expect, test } from 'vitest';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { isDegradedSinceResume } from '../../../../functions/core/gates/health.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import { closeLane, openLane } from '../../../../functions/core/holds/manual-emergency.ts';
import { freezeManually, thawManually } from '../../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange, resumeManually } from '../../../../functions/core/holds/manual-hold.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { aCondition, anApplication, anOperation, aPool, aRecord } from '../../../fakes/index.ts';
import { type Depth, depth } from '../../../property.ts';
import { aSnapshot } from './a-snapshot.ts';

/** A pool, what syncs, and when. */
interface State {
  readonly pool: Pool;
  readonly application: Partial<ReturnType<typeof anApplication>>;
  readonly now: Date;
}

const conditions = [
  aCondition({ type: 'Updated', status: 'False' }),
  aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-1' }),
];
const counts = { machines: 3, updated: 1, ready: 2, unavailable: 1, degraded: 1 };
const last = { did: 'resumed' as const, at: '2026-03-02T10:00:00.000Z', why: 'Argo CD synced' };
const target = { name: 'rendered-worker-2', sources: ['00-worker', '99-worker-ssh'] };
const pausedBy = { manager: 'poolkeeper', at: '2026-03-02T10:01:00Z' };

function withRecord(pool: Pool, record: PoolRecord): Pool {
  return { ...pool, record: { kind: 'record', record } };
}

const rolling = withRecord(aPool({ conditions, counts, target, pausedBy }), { v: 1, holds: [], last });
const takenBack = { ...aPool({ conditions, counts, pausedBy }) };

/** Degraded since Poolkeeper resumed them. */
const starts: Readonly<Record<string, Pool>> = {
  'in mid-rollout': rolling,
  'paused again, with its change reverted': withRecord(
    { ...takenBack, paused: true },
    aRecord({ holds: [], resumedAt: last.at, last: { ...last, did: 'paused' } }),
  ),
  'whose nodes are taken back': withRecord(takenBack, {
    v: 1,
    holds: [],
    last: { ...last, takesBack: takenBack.target.name },
  }),
};

type ByHand = (pool: Pool, now: Date) => ManualChange;

const asked = (now: Date) => ({ who: 'anna', why: 'it breaks nodes', now });
const until = (now: Date) => new Date(now.getTime() + 7_200_000);

const byHand: Readonly<Record<string, ByHand>> = {
  hold: (pool, now) => addManualHold(pool, until(now), asked(now)),
  resume: (pool, now) => resumeManually(pool, asked(now)),
  freeze: (pool, now) => freezeManually(pool, { scope: 'pool', until: until(now) }, asked(now)),
  thaw: (pool, now) => thawManually(pool, { scope: 'pool' }, asked(now)),
  emergency: (pool, now) => openLane(pool, until(now), asked(now)),
  'end of the emergency': (pool, now) => closeLane(pool, { now }),
};

const byOthers: Readonly<Record<string, (state: State) => Partial<State>>> = {
  'oc pauses': ({ pool, now }) => ({ pool: setBy('kubectl-patch', true, pool, now) }),
  'oc resumes': ({ pool, now }) => ({ pool: setBy('kubectl-patch', false, pool, now) }),
  'a program resumes': ({ pool, now }) => ({ pool: setBy('some-operator', false, pool, now) }),
  'a sync begins': ({ now }) => ({ application: synced('Running', now) }),
  'a sync succeeds': ({ now }) => ({ application: synced('Succeeded', now) }),
  'a sync fails': ({ now }) => ({ application: synced('Failed', now) }),
  'hours pass': ({ now }) => ({ now: new Date(now.getTime() + 9_000_000) }),
};

function setBy(manager: string, paused: boolean, pool: Pool, now: Date): Pool {
  return pool.paused === paused ? pool : { ...pool, paused, pausedBy: { manager, at: now.toISOString() } };
}

function synced(phase: 'Running' | 'Succeeded' | 'Failed', now: Date): State['application'] {
  const startedAt = now.toISOString();
  const finishedAt = phase === 'Running' ? undefined : startedAt;
  const operation = anOperation({ phase, startedAt, finishedAt });
  return { operation: { ...operation, results: phase === 'Succeeded' ? operation.results : [] } };
}

function written(pool: Pool, paused: boolean | undefined, record: PoolRecord | null | undefined, now: Date): Pool {
  if (record === undefined || record === null) return pool;
  const by = paused === undefined || paused === pool.paused ? {} : setBy('poolkeeper', paused, pool, now);
  return withRecord({ ...pool, ...by }, record);
}

function acted(act: string, state: State): State {
  const manual = byHand[act]?.(state.pool, state.now);
  if (manual !== undefined) return { ...state, pool: written(state.pool, manual.paused, manual.record, state.now) };
  return { ...state, ...byOthers[act]?.(state) };
}

const closed = Window.parse({ kind: 'allow', from: '2027-01-01', to: '2027-01-02' });

const clusters: Readonly<Record<string, (settings: Snapshot['settings']) => Snapshot['settings']>> = {
  'without gates': (settings) => settings,
  'that drops what waits for its window': (settings) => ({
    ...settings,
    windows: [closed],
    policy: { ...settings.policy, gates: { window: { afterSeconds: 3600, action: 'drop' } } },
  }),
  'that enforces its pauses': (settings) => ({ ...settings, policy: { ...settings.policy, onOverride: 'enforce' } }),
};

/** A minute later somebody looks. */
function looked({ pool, application, now: before }: State, cluster: string): State {
  const now = new Date(before.getTime() + 60_000);
  const seen = { kind: 'seen' as const, application: anApplication(application) };
  const { settings, ...rest } = aSnapshot({ pools: [pool], applications: [seen] });
  const gatesClosedSince = { worker: { window: last.at } };
  const configsGatedSince = { worker: { config: pool.target.name, since: last.at } };
  const snapshot = {
    ...rest,
    settings: clusters[cluster]?.(settings) ?? settings,
    gatesClosedSince,
    configsGatedSince,
  };
  const { action } = decidePool(pool, snapshot, now);
  if (action.kind === 'none') return { pool, application, now };
  const paused = { pause: true, resume: false, record: undefined }[action.kind];
  return { pool: written(pool, paused, action.record, now), application, now };
}

const acts = [...Object.keys(byHand), ...Object.keys(byOthers)];

/** The courses of that length, each looked at, after which the pool no longer says that it is degraded since then. */
function forgetting(state: State, cluster: string, length: Depth, past = 0): readonly string[] {
  if (!length.goesOn(past)) return [];
  return acts.flatMap((act) => {
    const afterAct = acted(act, state);
    const after = looked(afterAct, cluster);
    if (!(isDegradedSinceResume(afterAct.pool) && isDegradedSinceResume(after.pool))) return [act];
    return forgetting(after, cluster, length, past + 1).map((course) => `${act}; ${course}`);
  });
}

test.each(Object.keys(starts).flatMap((start) => Object.keys(clusters).map((cluster) => [start, cluster] as const)))(
  '[S1-14] [N-30] a degraded pool %s, in a cluster %s, holds the others in every course of people, programs and syncs',
  (start, cluster) => {
    const pool = starts[start] ?? rolling;
    expect(isDegradedSinceResume(pool)).toBe(true);

    const forgotten = forgetting(
      { pool, application: {}, now: new Date('2026-03-02T10:05:00Z') },
      cluster,
      depth(3, 4),
    );

    expect(forgotten.slice(0, 5)).toEqual([]);
  },
);

test('[S1-14] [N-29] a rollout that has ended is noted no longer with what is written next', () => {
  const record = aRecord({ pause: 'foreign', holds: [], resumedAt: last.at });
  const well = withRecord(aPool({ paused: true, target, current: target }), record);
  const now = new Date('2026-03-02T11:00:00Z');

  const held = addManualHold({ ...well, paused: false }, until(now), asked(now));

  expect(held.record).toMatchObject({ pause: 'ours' });
  expect(held.record).not.toHaveProperty('resumedAt');
});

test('[S1-14] [N-30] a degraded pool whose record is removed is known by what was published', () => {
  const pool = aPool({ conditions, counts, target, paused: true, pausedBy });
  const published = { worker: aRecord({ holds: [], resumedAt: last.at }) };

  const { action } = decidePool(pool, aSnapshot({ pools: [pool], published }), new Date('2026-03-02T11:00:00Z'));

  expect(action).toMatchObject({ kind: 'record', record: { pause: 'ours', resumedAt: last.at } });
});
