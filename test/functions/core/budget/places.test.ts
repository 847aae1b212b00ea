import { describe, expect, test } from 'vitest';
import { noPlaces, type Place, type Places } from '../../../../functions/core/budget/place.ts';
import { type BudgetQuestion, rollingPools, seenRolling, takePlace } from '../../../../functions/core/budget/places.ts';
import { Budget } from '../../../../functions/core/configuration/budget.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';

const now = new Date('2026-03-02T12:00:00Z');
const pending = { target: { name: 'rendered-worker-bbb', sources: [] } };

function aPlace(change: Partial<Place> = {}): Place {
  return {
    cluster: 'prod-us',
    pool: 'worker',
    nodes: 1,
    since: '2026-03-02T11:00:00.000Z',
    until: '2026-03-03T11:00:00.000Z',
    ...change,
  };
}

function question(change: Partial<BudgetQuestion> = {}): BudgetQuestion {
  return {
    cluster: 'prod-eu',
    budget: {},
    pools: [aPool()],
    clusters: ['prod-eu', 'prod-us', 'edge'],
    now,
    ...change,
  };
}

function places(...taken: readonly Place[]): Places {
  return { version: 3, taken, nodes: { 'prod-us': 10, edge: 7 } };
}

function answer(budget: object, before: Places, change: Partial<BudgetQuestion> = {}) {
  return takePlace(
    before,
    aPool({ ...pending, ...change.pools?.[0] }),
    question({ ...change, budget: Budget.parse(budget) }),
  ).answer;
}

describe('[N-10] a pool that asks for a place of the budget', () => {
  test.each([
    ['no limit', {}, places(aPlace(), aPlace({ pool: 'infra' })), 'taken'],
    ['one of two pools of all clusters', { fleet: { pools: 2 } }, places(aPlace()), 'taken'],
    ['two of two pools of all clusters', { fleet: { pools: 2 } }, places(aPlace(), aPlace({ pool: 'infra' })), 'full'],
    ['a pool of another cluster, and one of one of this', { pools: 1 }, places(aPlace()), 'taken'],
    [
      'a pool of this cluster, and one of one of this',
      { pools: 1 },
      places(aPlace({ cluster: 'prod-eu', pool: 'infra' })),
      'full',
    ],
    ['one other cluster of one', { fleet: { clusters: 1 } }, places(aPlace()), 'full'],
    [
      'a second pool of the only cluster that rolls',
      { fleet: { clusters: 1 } },
      places(aPlace({ cluster: 'prod-eu', pool: 'infra' })),
      'taken',
    ],
    ['10 % of 20 nodes, one of which rolls', { fleet: { nodes: '10%' } }, places(aPlace()), 'taken'],
    ['10 % of 20 nodes, two of which roll', { fleet: { nodes: '10%' } }, places(aPlace({ nodes: 2 })), 'full'],
    ['1 % of 20 nodes, none of which rolls', { fleet: { nodes: '1%' } }, places(), 'taken'],
    ['10 % of the 3 nodes of its cluster', { nodes: '10%' }, places(aPlace({ nodes: 5 })), 'taken'],
  ])('%s: it is %s', (_, budget, before, kind) => {
    expect(answer(budget, before).kind).toBe(kind);
  });

  test('says what rolls instead, since when, and what makes room', () => {
    expect(answer({ fleet: { clusters: 1 } }, places(aPlace()))).toEqual({
      kind: 'full',
      overrun: {
        why: 'pools of at most 1 cluster may roll at once: prod-us/worker (since 2026-03-02T11:00:00.000Z)',
        value: 'pools of 1 cluster rolling',
        threshold: 'fewer than 1',
        opens: 'one of these clusters is done',
      },
    });
  });

  test('says how a pool that alone is too large fits', () => {
    const large = aPool({ ...pending, maxUnavailable: '3' });

    expect(answer({ fleet: { nodes: '10%' } }, places(), { pools: [large] })).toEqual({
      kind: 'full',
      overrun: {
        why: 'at most 10% of the 20 nodes of all clusters, 2, may be updated at once, and pool worker alone updates 3',
        value: '3 nodes of this pool at once',
        threshold: 'at most 2',
        opens: 'maxUnavailable of pool worker is at most 2, or poolkeeper.yaml has a larger share',
      },
    });
  });

  test('keeps the place that it has as if it were new, whatever the limits are by now', () => {
    const own = aPlace({ cluster: 'prod-eu' });

    const asked = takePlace(places(own, aPlace()), aPool(pending), question({ budget: { fleet: { pools: 1 } } }));

    expect(asked).toMatchObject({
      answer: { kind: 'taken' },
      places: {
        taken: [{ ...own, since: now.toISOString(), until: '2026-03-03T12:00:00.000Z' }, aPlace()],
      },
    });
  });

  test.each([
    ['as many nodes as before', '2', { fleet: { pools: 1, nodes: '10%' } }, 'taken'],
    ['fewer', '1', { fleet: { pools: 1, nodes: '10%' } }, 'taken'],
    ['more, and there is room for them', '3', { fleet: { nodes: '20%' } }, 'taken'],
    ['more than there is room for', '3', { fleet: { nodes: '10%' } }, 'full'],
  ])('and wants %s: it is %4$s', (_, maxUnavailable, budget, kind) => {
    const own = aPlace({ cluster: 'prod-eu', nodes: 2 });
    const pool = aPool({ ...pending, maxUnavailable });

    const asked = takePlace(places(own, aPlace()), pool, question({ budget: Budget.parse(budget) }));

    expect(asked.answer.kind).toBe(kind);
    expect(asked.places.taken).toHaveLength(2);
  });

  test('takes it for as many nodes as are still away, where it may take fewer by now', () => {
    const counts = { ...aPool().counts, unavailable: 2 };
    const own = aPlace({ cluster: 'prod-eu', nodes: 3 });

    const asked = takePlace(places(own), aPool({ ...pending, counts }), question());

    expect(asked.places.taken.map(({ nodes }) => nodes)).toEqual([2]);
  });

  test('has a later one than before, whatever the clocks: each pass knows its own again', () => {
    const own = aPlace({ cluster: 'prod-eu', since: '2026-03-02T12:00:03.000Z' });

    const asked = takePlace(places(own), aPool(pending), question());

    expect(asked.answer).toEqual({ kind: 'taken', since: '2026-03-02T12:00:03.001Z', instead: own.since });
  });

  test('does not wait for places that have ended', () => {
    const old = aPlace({ until: '2026-03-02T12:00:00.000Z' });

    expect(answer({ fleet: { pools: 1 } }, places(old)).kind).toBe('taken');
  });

  test('[N-30] waits an hour for a cluster that is no longer configured: it may only be missing, or renamed', () => {
    const budget = Budget.parse({ fleet: { pools: 1 } });
    const askedAt = (minute: number, before: Places) =>
      takePlace(before, aPool(pending), question({ budget, now: new Date(now.getTime() + minute * 60_000) }));

    const first = askedAt(0, places(aPlace({ cluster: 'gone' })));
    const second = askedAt(59, first.places);

    expect([first.answer.kind, second.answer.kind]).toEqual(['full', 'full']);
    expect(askedAt(60, second.places).answer.kind).toBe('taken');
  });

  test('takes it for a day: a pass may die before its pool is seen rolling', () => {
    const { places: after } = takePlace(noPlaces, aPool(pending), question());

    expect(after).toEqual({
      version: 0,
      taken: [{ ...aPlace({ cluster: 'prod-eu' }), since: now.toISOString(), until: '2026-03-03T12:00:00.000Z' }],
      nodes: { 'prod-eu': 3 },
    });
  });
});

describe('[N-10] what a pass saw rolling', () => {
  const rolling = aPool({ ...pending, paused: false });
  const none = { rolling: [], unknown: [], took: [], lookedAt: '2026-03-02T11:59:50.000Z' };
  const own = aPlace({ cluster: 'prod-eu' });
  const recent = { ...own, since: '2026-03-02T11:57:21.000Z' };
  const took = { pool: 'worker', since: recent.since, instead: undefined };
  const kept = (seen: Partial<Parameters<typeof seenRolling>[1]>, ...taken: readonly Place[]) =>
    seenRolling(places(...taken), { ...none, ...seen }, question()).taken;

  test('is counted, whoever began it', () => {
    expect(kept({ rolling: [rolling] })).toEqual([
      { cluster: 'prod-eu', pool: 'worker', nodes: 1, since: now.toISOString(), until: '2026-03-03T12:00:00.000Z' },
    ]);
  });

  test('counts as many nodes as it takes now; one that is paused as many as it has let go', () => {
    const sized = aPool({ ...pending, paused: false, maxUnavailable: '2' });
    const ending = { ...sized, paused: true, counts: { ...sized.counts, unavailable: 1 } };
    const nodesOf = (pool: typeof sized, ...taken: readonly Place[]) =>
      kept({ rolling: [pool] }, ...taken).map(({ nodes }) => nodes);

    expect([nodesOf(sized), nodesOf(sized, own), nodesOf(sized, { ...own, nodes: 3 })]).toEqual([[2], [2], [2]]);
    expect([nodesOf(ending), nodesOf(ending, { ...own, nodes: 3 })]).toEqual([[1], [3]]);
  });

  test('gives the place back as old as it was, where it has not let the pool go after all', () => {
    const instead = '2026-03-02T11:58:00.000Z';

    expect(kept({ took: [{ ...took, instead }] }, recent)).toEqual([{ ...recent, since: instead }]);
  });

  test('keeps its place for a day from now', () => {
    expect(kept({ rolling: [rolling] }, recent)).toEqual([{ ...recent, until: '2026-03-03T12:00:00.000Z' }]);
  });

  describe('a pool whose resume was not answered', () => {
    const inDoubt = { unknown: ['worker'], inDoubt: ['worker'] };
    const waiting = aPool({ ...pending, paused: true });
    const full = { kind: 'full', overrun: { value: 'no answer' } };

    test('keeps its place from then on, and has no other by it while it is paused', () => {
      const [place] = kept(inDoubt, own);
      const asked = takePlace(places(...kept(inDoubt, own)), waiting, question());

      expect(place).toEqual({ ...own, since: now.toISOString(), inDoubt: true });
      expect(asked).toMatchObject({ answer: full, places: { taken: [place] } });
    });

    test.each([
      ['149 s later', '2026-03-02T12:02:29.000Z', 1],
      ['150 s later', '2026-03-02T12:02:30.000Z', 0],
    ])('seen paused %s: %s, %i place left', (__, lookedAt, left) => {
      const doubted = kept(inDoubt, own);

      expect(kept({ lookedAt }, ...doubted)).toHaveLength(left);
    });

    test('is like any other once it is seen rolling, or not paused', () => {
      const doubted = kept(inDoubt, own);
      const asked = takePlace(places(...doubted), rolling, question());

      expect(kept({ rolling: [rolling] }, ...doubted)).toEqual([
        { ...own, since: now.toISOString(), until: '2026-03-03T12:00:00.000Z' },
      ]);
      expect(asked.answer).toMatchObject({ kind: 'taken' });
      expect(asked.places.taken[0]).not.toHaveProperty('inDoubt');
    });
  });

  test.each([
    ['a pool that rolled and is done', {}, own, 0],
    ['a pool that another pass may still let go', {}, recent, 1],
    ['a pool that this pass has not let go after all', { took: [took] }, recent, 0],
    [
      'the same, for which another pass has taken the place since',
      { took: [{ ...took, since: own.since }] },
      recent,
      1,
    ],
    ['the same, whose place another pass had just before', { took: [{ ...took, instead: recent.since }] }, recent, 1],
    ['a pool that cannot be parsed', { unknown: ['worker'] }, own, 1],
    ['a pool of another cluster', {}, aPlace(), 1],
  ])('%s has %o, %o: %i place left', (_, seen, place, left) => {
    expect(kept(seen, place)).toHaveLength(left);
  });

  test('a pool that was paused in mid-rollout counts until its nodes are back', () => {
    const counts = { machines: 3, updated: 1, ready: 2, unavailable: 1, degraded: 0 };
    const paused = aPool({ ...pending, paused: true, counts });

    expect(rollingPools([paused], ['worker'])).toEqual([paused]);
    expect(rollingPools([paused], [])).toEqual([]);
    const back = { ...paused, counts: { ...counts, unavailable: 0 } };
    expect(rollingPools([back], ['worker'])).toEqual([]);
    expect(rollingPools([{ ...back, generation: back.observedGeneration + 1 }], ['worker'])).toHaveLength(1);
  });

  test('[N-30] a pool of image mode counts while its nodes are taken to another image, with the same rendered config', () => {
    const message = 'All nodes are updating to MachineConfig rendered-worker-aaa / Image registry.example/os@sha256:bb';
    const conditions = [aCondition({ type: 'Updating', status: 'True', message })];
    const { counts } = aPool();
    const rolling = aPool({ conditions, counts: { ...counts, updated: counts.machines - 1 } });

    expect(rollingPools([rolling], [])).toEqual([rolling]);
    expect(rollingPools([{ ...rolling, counts: { ...rolling.counts, degraded: 1 } }], [])).toEqual([]);
    expect(rollingPools([{ ...rolling, counts }], [])).toEqual([]);
  });
});
