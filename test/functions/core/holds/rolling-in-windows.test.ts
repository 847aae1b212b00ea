import { expect, test } from 'vitest';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decidePool } from '../../../../functions/core/holds/decide.ts';
import { freezeManually } from '../../../../functions/core/holds/manual-freeze.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aPool, aRecord, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { isOpenAtMinute } from '../windows/minute-calendar.ts';
import { aSnapshot } from './a-snapshot.ts';

const stepMinutes = 10;
/** The slowest node, in minutes: what the pool's history says, too. */
const slow = 30;
const steps = (5 * 24 * 60) / stepMinutes;

interface Year {
  readonly windows: readonly Window[];
  /** Steps after the first of the changes at which they are configured; undefined: they were before. */
  readonly configured: number | undefined;
  /** Day of the year from which five days are looked at. */
  readonly from: number;
  /** Steps at which a change is rendered, and at which somebody freezes the pool for some hours. */
  readonly changes: readonly number[];
  readonly freezes: readonly { readonly at: number; readonly hours: number }[];
}

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');
const anyYear: fc.Arbitrary<Year> = fc.record({
  windows: fc
    .tuple(
      fc.record({
        kind: fc.constant('allow'),
        schedule: fc.constantFrom('0 22 * * 2', '0 6 * * *', '30 20 * * 1-5', '0 8 1,15 * *', '0 */6 * * 0'),
        durationSeconds: fc.integer({ min: 2, max: 10 }).map((halfHours) => halfHours * 1800),
        timeZone: zone,
      }),
      fc.option(
        fc.record({
          kind: fc.constant('deny'),
          schedule: fc.constantFrom('0 0 * * 6', '0 21 * * *', '0 12 * * 1-3'),
          durationSeconds: fc.integer({ min: 1, max: 12 }).map((hours) => hours * 3600),
          timeZone: zone,
        }),
        { nil: undefined },
      ),
    )
    .map((drafts) => drafts.flatMap((draft) => (draft === undefined ? [] : [Window.parse(draft)]))),
  configured: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  from: fc.integer({ min: 0, max: 340 }),
  changes: fc.array(fc.nat(steps - 1), { minLength: 1, maxLength: 4 }),
  freezes: fc.array(fc.record({ at: fc.nat(steps - 1), hours: fc.integer({ min: 1, max: 60 }) }), { maxLength: 3 }),
});

/** More than a window has time for. */
const machines = 12;

/** Pool worker and the MCO: one node at a time, each as slow as it may be. */
class World {
  pool: Pool = aPool({ counts: { machines, updated: machines, ready: machines, unavailable: 0, degraded: 0 } });
  /** Until when a node is on its way; undefined: none is. */
  busyUntil: number | undefined;
  frozenUntil = 0;
  renders = 0;

  /** Steps in a row in which a node could have begun, and none did. */
  idleSteps = 0;
  windows: readonly Window[] = [];

  render(now: Date): void {
    this.renders += 1;
    const release = { since: now.toISOString(), finishedAt: now.toISOString(), machineConfigs: [], why: 'synced' };
    this.pool = {
      ...this.pool,
      paused: true,
      target: { name: `rendered-worker-${this.renders}`, sources: [] },
      counts: { ...this.pool.counts, updated: 0 },
      record: { kind: 'record', record: aRecord({ holds: this.holds(), release, pausedSince: now.toISOString() }) },
    };
  }

  freeze(now: Date, hours: number): void {
    const until = new Date(now.getTime() + hours * 3_600_000);
    this.frozenUntil = Math.max(this.frozenUntil, until.getTime());
    const who = `ann${this.renders}-${now.getTime()}`;
    const { record, paused } = freezeManually(this.pool, { scope: 'pool', until }, { who, why: 'storage', now });
    if (record === undefined || record === null) throw new Error('the freeze was not taken');
    this.pool = { ...this.pool, paused: paused ?? this.pool.paused, record: { kind: 'record', record } };
  }

  /** One pass of Poolkeeper. */
  pass(now: Date): void {
    const { action } = decidePool(this.pool, this.snapshot(), now);
    if (action.kind === 'none') return;
    const paused = action.kind === 'record' ? this.pool.paused : action.kind === 'pause';
    this.pool = { ...this.pool, paused, record: { kind: 'record', record: action.record } };
  }

  /** The MCO. True: a node begins now. */
  roll(now: Date): boolean {
    const { counts, target, current } = this.pool;
    if (this.busyUntil !== undefined && now.getTime() >= this.busyUntil) {
      this.busyUntil = undefined;
      const updated = Math.min(counts.machines, counts.updated + 1);
      this.pool = {
        ...this.pool,
        counts: { ...counts, updated },
        current: updated === counts.machines ? target : current,
      };
    }
    if (this.pool.paused || this.busyUntil !== undefined || !this.isPending()) return false;
    this.busyUntil = now.getTime() + slow * 60_000;
    return true;
  }

  isPending(): boolean {
    return this.pool.target.name !== this.pool.current.name;
  }

  private holds() {
    return this.pool.record.kind === 'record' ? this.pool.record.record.holds : [];
  }

  private snapshot(): Snapshot {
    const evidence = {
      ...noEvidence,
      controllers: seen([]),
      images: noImages,
      versionUpdate: seen({ kind: 'none' as const }),
      drains: seen({ touched: 0, obstacles: [], unread: [] }),
      pace: seen({ slow }),
    };
    const pools = [this.pool];
    const { settings, ...snapshot } = aSnapshot({ pools, evidence: new Map([['worker', evidence]]) });
    return { ...snapshot, settings: { ...settings, windows: this.windows } };
  }
}

function lookAt(world: World, begins: boolean, now: Date): void {
  const mayBegin = isOpenAtMinute(world.windows, now) && now.getTime() >= world.frozenUntil;
  if (begins) {
    const last = new Date(now.getTime() + (slow - 1) * 60_000);
    const ends = isOpenAtMinute(world.windows, last);
    expect({ now, mayBegin, ends }).toEqual({ now, mayBegin: true, ends: true });
  }
  const isIdle = mayBegin && world.isPending() && !begins && world.busyUntil === undefined;
  world.idleSteps = isIdle ? world.idleSteps + 1 : 0;
  // Before the end of a window there may be too little time for one more node.
  expect(world.idleSteps * stepMinutes).toBeLessThanOrEqual(slow + stepMinutes);
}

test('[N-8] [N-9] [N-21] property: over days of windows, also configured in mid-rollout, zones and freezes, no node begins outside, is still on its way when the window closes, or is forgotten', () => {
  fc.assert(
    fc.property(anyYear, ({ windows, configured, from, changes, freezes }) => {
      const world = new World();
      const [first = 0] = changes;
      const since = configured === undefined ? 0 : first + configured;
      for (let step = 0; step < steps; step += 1) {
        const now = new Date(Date.UTC(2026, 0, 1 + from) + step * stepMinutes * 60_000);
        if (step >= since) world.windows = windows;
        if (changes.includes(step)) world.render(now);
        for (const { hours } of freezes.filter(({ at }) => at === step)) world.freeze(now, hours);
        world.pass(now);
        lookAt(world, world.roll(now), now);
      }
    }),
    { numRuns: 2 },
  );
});
