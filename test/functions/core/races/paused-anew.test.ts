import { describe, expect, test } from 'vitest';
import { isInFlight, type Node } from '../../../../functions/core/openshift/node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { advanceRace, type RaceFacts } from '../../../../functions/core/races/judge-race.ts';
import { joinRaces, pauseNow, type Race } from '../../../../functions/core/races/race.ts';
import { aNode, aPool, aRace, aRecord } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { raceFacts } from './race-facts.ts';

const since = '2026-03-02T10:00:00.000Z';
const operation = '2026-03-02T10:00:01Z';
const before = 'rendered-worker-aaa';
const changed = 'rendered-worker-bbb';
const target = { name: before, sources: [] };

/** At so many seconds past ten. */
function at(second: number): string {
  return new Date(Date.parse(since) + second * 1000).toISOString();
}

function paused(by: 'ours' | 'foreign', second: number, generation: number, observedGeneration = generation): Pool {
  const record = aRecord(by === 'ours' ? { pause: 'ours', pausedSince: at(second) } : { pause: 'foreign' });
  const { pausedSince: _, ...others } = record;
  const manager = by === 'ours' ? 'poolkeeper' : 'kubectl-edit';
  return aPool({
    paused: true,
    pausedBy: { manager, at: at(Math.floor(second)) },
    generation,
    observedGeneration,
    target,
    record: { kind: 'record', record: by === 'ours' ? record : others },
  });
}

function facts(change: Partial<RaceFacts> = {}): RaceFacts {
  return raceFacts({ pool: paused('ours', 0.4, 4), operation, now: new Date(at(5)), ...change });
}

function raced(...seen: readonly Partial<RaceFacts>[]): Race {
  const race = seen.reduce<Race | undefined>((race, change) => advanceRace(race, facts(change)), undefined);
  if (race === undefined) throw new Error('nothing was seen');
  return race;
}

const targeted = aNode({ name: 'worker-1', desiredConfig: changed, targetedAt: at(32) });
const foreignConfirmed = { pool: paused('foreign', 0, 4), nodes: [], now: new Date(at(5)) };

const moves = ['lift', 'foreign', 'observe', 'target', 'render', 'pass', 'stale pass'] as const;
type Move = (typeof moves)[number] | 'last pass';

/** A pool with one node during one sync, the MCO, somebody else who pauses, and passes that pause whenever they find it
 *  unpaused. */
function aWorld() {
  let pool = aPool({ paused: false, generation: 3, observedGeneration: 3, target });
  let nodes: readonly Node[] = [aNode({ name: 'worker-1', currentConfig: before, desiredConfig: before })];
  let pausedAtGeneration = 0;
  let seconds = 0;
  let stored: Race | undefined;

  function pause(by: 'ours' | 'foreign'): void {
    const { generation, observedGeneration } = pool;
    pool = { ...paused(by, seconds, generation + 1, observedGeneration), target: pool.target };
    pausedAtGeneration = pool.generation;
  }

  function pass(known: Race | undefined, isOver: boolean): void {
    const isPausing = !pool.paused;
    if (isPausing) pause('ours');
    const pauseGeneration = isPausing ? pool.generation : undefined;
    const now = new Date(at(seconds));
    const race = advanceRace(known, facts({ pool, pauseGeneration, nodes, isOver, now, confirmWithinSeconds: 9e6 }));
    stored = stored === undefined ? race : joinRaces(stored, race);
  }

  const play: Readonly<Record<Move, () => void>> = {
    lift: () => {
      if (pool.paused) pool = { ...pool, paused: false, generation: pool.generation + 1 };
    },
    foreign: () => {
      if (!pool.paused) pause('foreign');
    },
    observe: () => {
      pool = { ...pool, observedGeneration: pool.generation };
    },
    render: () => {
      pool = { ...pool, generation: pool.generation + 1, target: { name: changed, sources: [] } };
    },
    target: () => {
      // The node controller goes by what it has observed.
      const isFree = !pool.paused || pool.observedGeneration < pausedAtGeneration;
      if (isFree && pool.target.name === changed)
        nodes = nodes.map((node) => ({ ...node, desiredConfig: changed, targetedAt: at(seconds) }));
    },
    pass: () => pass(stored, false),
    'stale pass': () => {
      const stale = stored;
      pass(stored, false);
      pass(stale, false);
    },
    'last pass': () => pass(stored, true),
  };
  return {
    play: (move: Move) => {
      seconds += 10;
      play[move]();
    },
    isConfirmed: () => stored !== undefined && pauseNow(stored).confirmedAt !== undefined,
    isObserved: () => pool.observedGeneration >= pausedAtGeneration,
    race: () => stored,
    nodes: () => nodes,
  };
}

describe('[S0-23] [N-29] a pool that is paused anew within one hold', () => {
  test('is unconfirmed until the MCO has observed that pause', () => {
    const anew = { pool: paused('ours', 40.2, 6, 5), pauseGeneration: 6, now: new Date(at(41)) };

    expect(raced(foreignConfirmed)).toMatchObject({ confirmedAt: at(5) });
    expect(raced(foreignConfirmed, anew)).toMatchObject({
      pausedAt: at(40.2),
      pauseGeneration: 6,
      confirmedAt: undefined,
    });
  });

  test('[S0-5] is late by the nodes that were targeted in between', () => {
    const anew = { pool: paused('ours', 40.2, 6), nodes: [targeted], now: new Date(at(44)) };

    expect(raced(foreignConfirmed, anew)).toMatchObject({
      verdict: 'late',
      missedNodes: ['worker-1'],
      firstTargetedAt: at(32),
      confirmedAt: at(44),
    });
  });

  test('was never observed if its generation was not, whatever was observed of the pause before', () => {
    const unconfirmed = { pool: paused('ours', 0.4, 4, 3), pauseGeneration: 4 };
    const anew = { pool: paused('ours', 20, 6, 5), nodes: [] };

    expect(raced(unconfirmed, anew).confirmedAt).toBeUndefined();
  });

  test('by others counts too, once its generation shows that the pause was lifted in between', () => {
    const ours = { pool: paused('ours', 0.4, 4), pauseGeneration: 4, nodes: [] };

    expect(raced(ours, { pool: paused('foreign', 30, 6), nodes: [targeted] }).verdict).toBe('late');
    expect(raced(ours, { pool: paused('foreign', 30, 5), nodes: [targeted] })).toEqual(raced(ours));
  });

  test('after its verdict keeps the verdict, and is confirmed for itself', () => {
    const judged = { ...foreignConfirmed, isOver: true };
    const anew = { pool: paused('ours', 40.2, 6, 5), pauseGeneration: 6, now: new Date(at(41)) };
    const observed = { pool: paused('ours', 40.2, 6), now: new Date(at(44)) };

    expect(pauseNow(raced(judged, anew))).toMatchObject({ pausedAt: at(40.2), confirmedAt: undefined });
    expect(pauseNow(raced(judged, anew, observed))).toMatchObject({ pausedAt: at(40.2), confirmedAt: at(44) });
    expect(raced(judged, anew, observed)).toMatchObject({ ...raced(judged), verdict: 'early' });
  });

  test('for others, after a person overruled this hold, says nothing about it', () => {
    const anew = { pool: paused('ours', 40.2, 6), nodes: [targeted], isHeld: false, now: new Date(at(44)) };

    expect(raced(foreignConfirmed, anew)).toEqual(raced(foreignConfirmed));
  });

  test('[property] no pause is confirmed by the observation of another, and no node targeted between two is forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...moves), { maxLength: 14 }), (steps) => {
        const world = aWorld();
        world.play('pass');
        for (const step of steps) {
          world.play(step);
          if (step.endsWith('pass') && world.isConfirmed()) expect(world.isObserved()).toBe(true);
        }
        for (const step of ['pass', 'observe', 'last pass'] as const) world.play(step);

        expect(world.race()?.verdict === 'late').toBe(world.nodes().some(isInFlight));
      }),
    );
  });
});

describe('[S0-23] two overlapping passes, one of which knows of a later pause', () => {
  const earlier = aRace({ verdict: undefined, appliedAt: undefined });
  const later: Race = {
    ...earlier,
    pausedAt: '2026-03-02T10:00:40.200Z',
    pauseGeneration: 6,
    confirmedAt: undefined,
    isPausedAnew: true,
  };

  test('join to the later pause, whichever comes last, and its confirmation is its own', () => {
    for (const joined of [joinRaces(earlier, later), joinRaces(later, earlier)])
      expect(joined).toMatchObject({ pausedAt: later.pausedAt, pauseGeneration: 6, confirmedAt: undefined });
  });

  test('[N-28] join to the pause that was judged, and to the later one beside it', () => {
    const judged: Race = { ...earlier, verdict: 'early' };

    for (const joined of [joinRaces(judged, later), joinRaces(later, judged)]) {
      expect(joined).toMatchObject({ verdict: 'early', pausedAt: earlier.pausedAt, confirmedAt: earlier.confirmedAt });
      expect(pauseNow(joined)).toMatchObject({ pausedAt: later.pausedAt, confirmedAt: undefined });
    }
  });
});
