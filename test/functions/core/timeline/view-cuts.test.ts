import { describe, expect, test } from 'vitest';
import { fittingBody, largestBodyBytes } from '../../../../functions/adapters/aws/body.ts';
import { StoredView } from '../../../../functions/adapters/aws/stored/view.ts';
import { foreignLimits } from '../../../../functions/core/text/foreign-text.ts';
import { isShortened } from '../../../../functions/core/timeline/few-holds.ts';
import type { ClusterView, HoldView, PoolView } from '../../../../functions/core/timeline/view.ts';
import { cutsOfPools, viewCuts } from '../../../../functions/core/timeline/view-cuts.ts';
import { aGateView, aPoolView, aView } from '../../../fakes/index.ts';
import { fc, runs } from '../../../property.ts';
import { fullView } from './full-view.ts';

const [since, until] = ['2026-03-02T09:00:00.000Z', '2026-03-02T11:00:00.000Z'];

/** As the adapter stores it and reads it back. */
function stored(view: ClusterView): ClusterView {
  return StoredView.parse(JSON.parse(bodyOf(view)));
}

function bodyOf(view: ClusterView): string {
  return fittingBody(view, viewCuts(largestBodyBytes));
}

function sync(who: string, change: Partial<HoldView> = {}): HoldView {
  return { id: `sync/hub/${who}`, kind: 'sync', who, why: 'it syncs', phase: 'syncing', since, until, ...change };
}

const freeze: HoldView = { ...sync('anna'), id: 'freeze/*/anna', kind: 'freeze', phase: '', why: 'quarter end' };

function poolsOf(count: number, poolOf: (nth: number) => Partial<PoolView>): readonly PoolView[] {
  return Array.from({ length: count }, (_, nth) => aPoolView({ name: `p${nth}`, ...poolOf(nth) }));
}

describe('a view for which there is little room', () => {
  const letters = fc.constantFrom('x', 'ä', '漢', '\u0001', '\ud800', '"');

  test('[N-30] [S0-2] fits whatever stands in it, and what is not there is counted', () => {
    const sizes = fc.record({
      letter: letters,
      name: fc.integer({ min: 0, max: foreignLimits.name }),
      text: fc.constantFrom(0, 10, 500, foreignLimits.resultMessage),
      items: fc.integer({ min: 0, max: 12 }),
      holds: fc.integer({ min: 0, max: 30 }),
      pools: fc.integer({ min: 0, max: 40 }),
      poolName: fc.integer({ min: 5, max: foreignLimits.name }),
      isEmergency: fc.boolean(),
      unparsed: fc.constantFrom(0, 2, 60, 3_000),
    });

    fc.assert(
      fc.property(sizes, (size) => {
        const body = bodyOf(fullView(size));
        const { pools, poolsLeftOut, unreadablePools = [] } = StoredView.parse(JSON.parse(body));
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(largestBodyBytes);
        const named = pools.length + unreadablePools.length;
        expect(named + (poolsLeftOut?.all ?? 0)).toBe(size.pools + size.unparsed);
        expect(unreadablePools.length).toBeGreaterThanOrEqual(Math.min(size.unparsed, 50));
        for (const { holds } of pools) {
          expect(holds.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(size.holds);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('[N-30] of two hundred pools at their worst all are there, with what people would resume past', () => {
    const size = {
      letter: '漢',
      name: 320,
      text: 500,
      items: 3,
      holds: 40,
      pools: 200,
      poolName: 211,
      isEmergency: false,
    };

    const { pools, poolsLeftOut } = stored(fullView(size));

    expect([pools.length, poolsLeftOut]).toEqual([200, undefined]);
    expect(pools.every(({ paused, degraded, counts }) => paused && degraded && counts.machines === 3)).toBe(true);
    const { holds, closedGates } = pools[199] ?? aPoolView();
    expect(holds.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(40);
    expect(holds.map(({ kind }) => kind)).toContain('freeze');
    expect(closedGates[0]).toMatchObject({ gate: 'approval', approves: 'r'.repeat(330) });
  });

  test('[N-30] [S0-2] 25 Applications with the longest names on fifty-one pools leave every pool and every freeze there', () => {
    const long = (nth: number) => `${'t'.repeat(62)}${nth % 3}/${'a'.repeat(251)}${nth + 10}`;
    const holds = Array.from({ length: 25 }, (_, nth) => sync(long(nth), { why: '漢'.repeat(200) }));
    const pools = poolsOf(51, (nth) => ({ paused: true, holds: nth === 50 ? [...holds, freeze] : holds }));

    const view = stored(aView({ pools }));

    expect([view.pools.length, view.poolsLeftOut]).toEqual([51, undefined]);
    const last = view.pools.at(-1)?.holds ?? [];
    expect([last[0], last.at(-1)?.who]).toEqual([freeze, '22 more']);
    const ids = last.filter(({ more }) => more === undefined).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter(isShortened)).toHaveLength(3);
    expect(ids.filter((id) => holds.some((hold) => hold.id === id))).toEqual([]);
  });

  test('[S0-2] holds of people are named after all others are only counted, and each phase for itself', () => {
    const holds = [
      ...Array.from({ length: 300 }, (_, nth) => sync(`tenant/${'a'.repeat(250)}${nth}`)),
      sync('other/failed', { phase: 'failed' }),
      sync('other/failed-too', { phase: 'failed' }),
      { ...freeze, id: 'manual/ben', kind: 'manual', who: 'ben' },
      freeze,
    ];
    const pools = poolsOf(190, () => ({ paused: true, holds, message: '漢'.repeat(200), degraded: true }));

    const view = stored(aView({ pools }));

    expect(view.pools.at(-1)?.holds.map(({ who, phase }) => [who, phase])).toEqual([
      ['anna', ''],
      ['ben', ''],
      ['300 more', 'syncing'],
      ['2 more', 'failed'],
    ]);
  });

  test('[N-30] of thousands of pools those stay that need people, and the others are counted by their state', () => {
    const needy = new Map<number, Partial<PoolView>>([
      [4_997, { paused: true, pauseOf: 'foreign' }],
      [4_998, { degraded: true }],
      [4_999, { paused: true, pauseOf: 'ours', holds: [freeze] }],
    ]);
    const held = { paused: true, pauseOf: 'ours', holds: [sync('tenant/x')] };
    const pools = poolsOf(5_000, (nth) => needy.get(nth) ?? (nth % 2 === 0 ? held : {}));

    const { pools: kept, poolsLeftOut } = stored(aView({ pools }));

    expect(kept.slice(-3).map(({ name }) => name)).toEqual(['p4997', 'p4998', 'p4999']);
    expect(kept.length).toBeGreaterThan(400);
    expect(poolsLeftOut).toMatchObject({ all: 5_000 - kept.length, degraded: 0 });
    const paused = kept.filter((pool) => pool.paused).length + (poolsLeftOut?.paused ?? 0);
    expect(paused).toBe(pools.filter((pool) => pool.paused).length);
  });

  test('[N-29] what was counted once is counted truly when the view is stored again', () => {
    const holds = Array.from({ length: 60 }, (_, nth) => sync(`tenant/${'a'.repeat(250)}${nth}`));
    const once = stored(aView({ pools: poolsOf(700, () => ({ paused: true, holds })) }));

    const again = stored({ ...once, pools: [...once.pools, ...poolsOf(700, () => ({ holds }))] });

    expect(again.pools.length + (again.poolsLeftOut?.all ?? 0)).toBe(1_400);
    expect(again.pools[0]?.holds.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(60);
  });

  test('[S0-20] [N-30] that a person keeps a pool paused by annotation is never left out', () => {
    const view = aView({ pools: poolsOf(1, () => ({ paused: true, keptPaused: 'anna: '.padEnd(200, '漢') })) });

    for (const cut of cutsOfPools()) expect(cut(view).pools[0]?.keptPaused).toMatch(/^anna|^…/);
  });

  test('[N-30] [N-17] who pushed takes no room of pools: as many of them are named as there is room for', () => {
    const excludes = Array.from({ length: 100 }, (_, nth) => `slack:U${nth} `.padEnd(400, 'g'));
    const approval = aGateView({ gate: 'approval', approves: 'rendered-worker-1', excludes });
    const view = aView({ pools: poolsOf(60, () => ({ paused: true, closedGates: [approval] })) });

    const { pools, poolsLeftOut } = stored(view);

    expect([pools.length, poolsLeftOut]).toEqual([60, undefined]);
    const kept = pools[0]?.closedGates[0]?.excludes ?? [];
    expect(kept).toEqual(excludes.slice(0, kept.length));
  });

  test('a gate for which there is no room is named, and half a command is none', () => {
    const gates = ['window', 'wave', 'quiet', 'health', 'budget', 'ticket', 'approval'].map((gate) =>
      aGateView({ gate, why: '漢'.repeat(300), how: `oc ${'x'.repeat(4_000)}` }),
    );

    const [pool] = stored(aView({ pools: poolsOf(80, () => ({ paused: true, closedGates: gates })) })).pools;

    expect(pool?.closedGates.map(({ gate }) => gate)).toEqual([
      'approval',
      'window',
      'wave',
      'quiet',
      'health',
      'budget and ticket',
    ]);
    expect(pool?.closedGates.every(({ how }) => how === undefined)).toBe(true);
  });
});
