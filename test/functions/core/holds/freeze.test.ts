import { describe, expect, test } from 'vitest';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decide } from '../../../../functions/core/holds/decide.ts';
import { openLane } from '../../../../functions/core/holds/manual-emergency.ts';
import { freezeManually, thawManually } from '../../../../functions/core/holds/manual-freeze.ts';
import { type ManualChange, recordOf } from '../../../../functions/core/holds/manual-hold.ts';
import type { PoolPlan } from '../../../../functions/core/holds/plan.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { coversCluster, freezeId, scopeOfFreeze } from '../../../../functions/core/openshift/freeze.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { holdsOf, type PoolRecord, readRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aSnapshot } from './a-snapshot.ts';

const start = new Date('2026-03-02T10:00:00Z');
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const iso = (minutes: number) => at(minutes).toISOString();

function snapshotOf(pools: readonly Pool[]): Snapshot {
  const evidence = new Map(pools.map(({ name }) => [name, { ...noEvidence, controllers: seen([]), images: noImages }]));
  return aSnapshot({ pools, evidence });
}

/** Everything that the pass wants is written. */
function passOver(pools: readonly Pool[], now: Date): readonly Pool[] {
  return decide(snapshotOf(pools), now).map(written);
}

function written({ pool, action }: PoolPlan): Pool {
  if (action.kind === 'none') return pool;
  const paused = action.kind === 'record' ? pool.paused : action.kind === 'pause';
  return pooled(pool, paused, action.record);
}

function pooled(pool: Pool, paused: boolean, record: PoolRecord): Pool {
  const pausedBy = paused === pool.paused ? pool.pausedBy : { manager: 'poolkeeper', at: start.toISOString() };
  // As stored: what a reader does not know would be gone.
  return { ...pool, paused, pausedBy, record: readRecord(JSON.stringify(record)) };
}

function byHand(pool: Pool, { paused, record }: ManualChange): Pool {
  return record === undefined ? pool : pooled(pool, paused ?? pool.paused, record ?? { v: 1, holds: [] });
}

const kindOf = (pool: Pool, others: readonly Pool[] = [], now: Date = start) =>
  decide(snapshotOf([pool, ...others]), now)[0]?.action.kind;

const ours = (record: Partial<PoolRecord>) =>
  pooled(aPool(), true, { v: 1, pause: 'ours', pausedSince: iso(-60), holds: [], ...record });

const minutes = fc.integer({ min: -120, max: 240 });
const someHold: fc.Arbitrary<Hold> = fc
  .record({
    kind: fc.constantFrom('sync', 'manual', 'freeze', 'freeze'),
    who: fc.constantFrom('ann', 'bob', 'eve'),
    since: fc.integer({ min: -300, max: -121 }),
    until: minutes,
    scope: fc.constantFrom('pool', 'cluster', 'fleet'),
  })
  .map(({ kind, who, since, until, scope }) => ({
    id: kind === 'freeze' ? freezeId(scope, who) : kind === 'sync' ? `sync/hub/gitops/${who}` : `manual/${who}`,
    kind,
    who,
    why: 'because',
    since: iso(since),
    until: iso(until),
    ...(kind === 'sync' ? { phase: 'syncing' as const } : {}),
  }));
const someHolds = fc.uniqueArray(someHold, { selector: ({ id }) => id, maxLength: 6 });
const someLane = fc.option(
  minutes.map((until) => ({ who: 'ann', why: 'CVE', since: iso(-130), until: iso(until) })),
  {
    nil: undefined,
  },
);

const isCounted = ({ kind, until }: Hold, now: Date) => kind === 'sync' || Date.parse(until) > now.getTime();

describe('the id of a freeze', () => {
  test.each([
    ['freeze/pool/ann', 'pool', false],
    ['freeze/cluster/system:serviceaccount:ops/bot', 'cluster', true],
    ['freeze/fleet/ann', 'fleet', true],
    ['freeze/moon/ann', undefined, false],
    ['manual/cluster/ann', undefined, false],
  ])('[N-21] %s is for %s', (id, scope, covers) => {
    expect([scopeOfFreeze(id), coversCluster(id)]).toEqual([scope, covers]);
  });
});

describe('whatever is on the record', () => {
  test('[N-21] a freeze resumes nothing that did not resume without it', () => {
    fc.assert(
      fc.property(someHolds, someLane, (holds, emergency) => {
        const pool = ours({ holds, ...(emergency === undefined ? {} : { emergency }) });
        const frozen = byHand(
          pool,
          freezeManually(pool, { scope: 'cluster', until: at(300) }, { who: 'zoe', why: 'stop', now: start }),
        );
        const isOpen = emergency !== undefined && Date.parse(emergency.until) > start.getTime();
        if (kindOf(frozen) === 'resume') expect([isOpen, kindOf(pool)]).toEqual([true, 'resume']);
      }),
    );
  });

  test('[N-21] a thaw resumes nothing that another hold keeps', () => {
    fc.assert(
      fc.property(someHolds, fc.option(fc.constantFrom('ann', 'bob'), { nil: undefined }), (holds, of) => {
        const pool = ours({ holds });
        const change = thawManually(pool, { scope: 'cluster', of }, { who: 'zoe', why: 'go', now: start });
        const kept = holds.filter((each) => each.kind !== 'freeze' || (of !== undefined && each.who !== of));
        expect(change.paused).toBeUndefined();
        expect(kindOf(byHand(pool, change)) === 'resume').toBe(!kept.some((hold) => isCounted(hold, start)));
      }),
    );
  });

  test('[N-21] an emergency passes freezes and no other hold, and never resumes a pause that is not ours', () => {
    fc.assert(
      fc.property(someHolds, fc.boolean(), (holds, isOurs) => {
        const pool = isOurs
          ? ours({ holds })
          : { ...ours({ holds, pause: 'foreign' }), pausedBy: { manager: 'kubectl', at: iso(-60) } };
        const opened = byHand(pool, openLane(pool, at(60), { who: 'zoe', why: 'CVE', now: start }));
        const kept = holds.filter(({ kind }) => kind !== 'freeze').some((hold) => isCounted(hold, start));
        expect(kindOf(opened) === 'resume').toBe(isOurs && !kept);
      }),
    );
  });

  test('[N-21] [N-29] an emergency names who still holds the pool, and nobody whose hold a person has overruled', () => {
    const sync = { kind: 'sync', why: 'x', since: iso(-60), until: iso(60) } as const;
    const overruled = { ...sync, id: 'sync/nodes', who: 'nodes', overruled: { at: iso(-30), by: 'bob' } };
    const standing = { ...sync, id: 'sync/apps', who: 'apps' };
    const frozen = { ...sync, id: 'freeze/pool/ann', kind: 'freeze', who: 'ann' } as const;
    const said = (holds: readonly Hold[]) =>
      openLane(ours({ holds: [...holds] }), at(60), { who: 'zoe', why: 'CVE', now: start }).said;

    expect(said([overruled, frozen])).toBe('resumes once the gates that an emergency does not pass are open');
    expect(said([overruled, standing, frozen])).toBe('stays paused as long as apps holds it');
  });

  test('[N-21] [N-29] an emergency of a pool that a run holds says that the run takes its nodes', () => {
    const run = {
      id: 'rollout/upgrade',
      kind: 'rollout',
      who: 'run upgrade',
      why: 'x',
      since: iso(-60),
      until: iso(60),
    };
    const sync = { ...run, id: 'sync/apps', kind: 'sync', who: 'apps' } as const;
    const said = (...holds: readonly Hold[]) =>
      openLane(ours({ holds: [...holds] }), at(60), { who: 'zoe', why: 'CVE', now: start }).said;

    expect(said({ ...run, kind: 'rollout' })).toBe(
      'stays paused: run upgrade takes its nodes, one after another, once the gates that an emergency does not pass are open',
    );
    expect(said({ ...run, kind: 'rollout', canary: 'canary' })).toMatch(
      /are open and nothing keeps pool canary, which they move to, paused: .* poolkeeper emergency --pool canary --for 1h --reason "\.\.\."$/,
    );
    expect(said({ ...run, kind: 'rollout' }, sync)).toBe('stays paused as long as apps holds it');
  });

  test('[N-21] more time frees, and never holds again what only time freed', () => {
    fc.assert(
      fc.property(someHolds, minutes, fc.nat(200), (holds, now, later) => {
        const pool = ours({ holds });
        const idsAt = (when: number) =>
          holdsOf(written(decide(snapshotOf([pool]), at(when))[0] ?? expect.fail())).map(({ id }) => id);
        expect(idsAt(now)).toEqual(expect.arrayContaining(idsAt(now + later)));
      }),
    );
  });

  test('[N-21] [N-19] of what it decided once, it wants nothing again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(someHolds, someLane), { minLength: 1, maxLength: 3 }), (all) => {
        const pools = all.map(([holds, emergency], index) => ({
          ...ours({ holds, ...(emergency === undefined ? {} : { emergency }) }),
          name: `pool-${index}`,
        }));
        const settled = passOver(passOver(pools, start), start);
        expect(passOver(settled, start)).toEqual(settled);
      }),
    );
  });
});

describe('pools of one cluster', () => {
  type Deed = { readonly kind: 'freeze' | 'thaw' | 'pass'; readonly pools: readonly number[]; readonly skew: number };
  const deed: fc.Arbitrary<Deed> = fc.record({
    kind: fc.constantFrom('freeze', 'thaw', 'pass'),
    pools: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
    // Nobody's clock is right.
    skew: fc.integer({ min: -10, max: 10 }),
  });

  test('[N-21] come to agree on the last word, whichever of them it reached', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 12 }), (deeds) => {
        let pools: readonly Pool[] = [0, 1, 2].map((index) => ({ ...aPool(), name: `pool-${index}` }));
        let isFrozen = false;
        for (const [minute, { kind, pools: chosen, skew }] of deeds.entries()) {
          if (kind === 'pass') {
            // It writes to some of the pools and dies.
            const after = passOver(pools, at(minute));
            pools = pools.map((pool, index) => (chosen.includes(index) ? (after[index] ?? pool) : pool));
            continue;
          }
          const request = { who: 'ann', why: 'stop', now: at(minute + skew) };
          // As the command does: everything has been brought to one word before the next is spoken.
          pools = settledAt(pools, at(minute));
          const carriers = pools.filter((pool) => recordOf(pool).holds.length > 0).length;
          if (kind === 'thaw' && carriers === 0) continue;
          isFrozen = kind === 'freeze';
          pools = pools.map((pool, index) =>
            chosen.includes(index)
              ? byHand(
                  pool,
                  kind === 'freeze'
                    ? freezeManually(pool, { scope: 'cluster', until: at(10_000) }, request)
                    : thawManually(pool, { scope: 'cluster' }, request),
                )
              : pool,
          );
        }
        const settled = settledAt(pools, at(deeds.length + 60));
        expect(settled.map(({ paused }) => paused)).toEqual(settled.map(() => isFrozen));
      }),
    );
  });

  function settledAt(pools: readonly Pool[], now: Date): readonly Pool[] {
    return [1, 2, 3].reduce((all) => passOver(all, now), pools);
  }
});

describe('[N-30] whoever may write one pool', () => {
  const filled = (holds: readonly Hold[]) => ({ ...ours({ holds: [...holds] }), name: 'filled' });
  const many = Array.from({ length: 400 }, (_, index): Hold => {
    const who = `eve-${index}`;
    return { id: freezeId('cluster', who), kind: 'freeze', who, why: 'x', since: iso(-10), until: iso(60 + index) };
  });

  test('does not fill the records of all others with freezes: the longest twenty count for them', () => {
    const [, other] = passOver([filled(many), aPool()], start);

    expect(other?.paused).toBe(true);
    expect(holdsOf(other ?? aPool()).map(({ who }) => who)).toEqual(
      many
        .slice(-20)
        .toReversed()
        .map(({ who }) => who),
    );
    expect(passOver([filled(many), other ?? aPool()], start)[1]).toEqual(other);
  });

  test.each(['who', 'why'] as const)(
    'does not make the records of others too long by a freeze with a long %s',
    (field) => {
      const long = 'x'.repeat(100_000);
      const freeze = { ...(many[0] ?? expect.fail()), [field]: long };

      expect(kindOf(aPool(), [filled([freeze])])).toBe('none');
    },
  );
});

test('[N-21] a record that an earlier version wrote is read, and one with freezes too', () => {
  const freeze = { id: 'freeze/cluster/ann', kind: 'freeze', who: 'ann', why: 'x', since: iso(0), until: iso(9) };
  const thaw = { id: 'freeze/fleet/bob', at: iso(0), by: 'bob', why: 'y', until: iso(9), here: true };
  const emergency = { who: 'ann', why: 'CVE', since: iso(0), until: iso(9) };
  const record = { v: 1, holds: [freeze], thawed: [thaw], emergency };

  expect(readRecord('{"v":1,"holds":[]}')).toEqual({ kind: 'record', record: { v: 1, holds: [] } });
  expect(readRecord(JSON.stringify(record))).toEqual({ kind: 'record', record });
});
