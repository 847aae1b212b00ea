import { describe, expect, it } from 'vitest';
import { rests, type TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { fc, runs } from '../../../property.ts';
import { aRunPlan } from './run-builder.ts';
import { RunWorld } from './run-world.ts';

type Step = (world: RunWorld, keepers: (Generator<void, void> | undefined)[]) => void;

function said(world: RunWorld) {
  return { who: 'ops', why: 'decided', at: world.now.toISOString() };
}

function aNodeOf(world: RunWorld, index: number) {
  return [...world.nodes.values()][index % world.nodes.size];
}

/** Two keepers may be at it at once; either may die between any two effects. */
const keeperSteps = fc.nat({ max: 1 }).map(
  (which): Step =>
    (world, keepers) => {
      const keeper = keepers[which] ?? world.keeper();
      keepers[which] = keeper.next().done === true ? undefined : keeper;
    },
);

const crashes = fc.nat({ max: 1 }).map(
  (which): Step =>
    (_, keepers) => {
      keepers[which] = undefined;
    },
);

const held = { 'poolkeeper.dev/hold': '' };

const index = fc.nat({ max: 20 });

const steps = fc.oneof(
  { weight: 30, arbitrary: keeperSteps },
  { weight: 3, arbitrary: crashes },
  {
    weight: 12,
    arbitrary: index.map(
      (at): Step =>
        (world) =>
          world.mco(at),
    ),
  },
  {
    weight: 10,
    arbitrary: fc.tuple(index, fc.constantFrom('complete' as const, 'complete' as const, 'failed' as const)).map(
      ([at, state]): Step =>
        (world) =>
          world.endJob(at, state),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Step>((world) => world.passMinute()) },
  {
    weight: 2,
    arbitrary: index.map(
      (at): Step =>
        (world) => {
          const node = aNodeOf(world, at);
          if (node !== undefined && node.state === 'Done') world.change(node, { cordoned: !node.cordoned });
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('pause' as const, 'go-on' as const).map(
      (kind): Step =>
        (world) =>
          world.ask({ kind, said: said(world) }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(index, fc.constantFrom('retry' as const, 'skip' as const)).map(
      ([at, kind]): Step =>
        (world) =>
          world.ask({ kind, node: aNodeOf(world, at)?.name ?? '', said: said(world) }),
    ),
  },
);

const moves = fc.constant<Step>((world) => {
  world.target = 'rendered-worker-cccccccc';
});

/** A node joins the other pool, where somebody holds it. */
const joins = index.map(
  (at): Step =>
    (world) => {
      const node = aNodeOf(world, at);
      if (node?.pool === 'worker' && rests(node)) world.change(node, { pool: 'infra', labels: held });
    },
);

function played(world: RunWorld, all: readonly Step[]): RunWorld {
  const keepers: (Generator<void, void> | undefined)[] = [];
  for (const step of all) step(world, keepers);
  // Whoever is still at it ends: late writes count too.
  for (const keeper of keepers) if (keeper !== undefined) for (const _ of keeper);
  return world;
}

/** People let it go on, and uncordon and free what they cordoned and held. */
function ended(world: RunWorld): RunWorld {
  world.ask({ kind: 'go-on', said: said(world) });
  for (const node of world.nodes.values())
    if (node.state === 'Done') world.change(node, { cordoned: false, labels: {} });
  world.settle();
  world.checkCleanUps();
  return world;
}

const rules = { move: { retries: 1 }, silence: { onFailure: 'ignore' as const }, tell: { onFailure: 'skip' as const } };

describe('runs under any interleaving of keepers, crashes, the MCO, Jobs and people', () => {
  it.each([1, 2])(
    '[S4-12] [S4-14] [S4-19] [S4-23] with %i at once: rules before the update, no more nodes than allowed, no reboot twice, every clean-up, no early resume',
    (atOnce) => {
      fc.assert(
        fc.property(fc.array(steps, { maxLength: 250 }), (all) => {
          const world = ended(played(new RunWorld(aRunPlan(rules, { atOnce }), ['w1', 'w2', 'w3', 'w4']), all));

          expect(world.wrong).toEqual([]);
          expect(world.isDone).toBe(true);
        }),
        { numRuns: runs(150) },
      );
    },
  );

  it('[S4-37] the pool is rendered anew at any moment: no early resume, and every node ends at the new config', () => {
    fc.assert(
      fc.property(
        fc.array(steps, { maxLength: 150 }),
        fc.array(steps, { maxLength: 150 }),
        moves,
        (one, other, move) => {
          const world = ended(played(new RunWorld(aRunPlan(rules), ['w1', 'w2', 'w3']), [...one, move, ...other]));

          expect(world.wrong).toEqual([]);
          expect(world.isDone).toBe(true);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('[S4-21] [S4-23] [S4-28] a node joins another pool of the run at any moment, and is held there: no pool is let go past it', () => {
    const all = fc.array(fc.oneof({ weight: 14, arbitrary: steps }, { weight: 1, arbitrary: joins }), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(fc.nat({ max: 25 }), all, (minutes, then) => {
        const world = new RunWorld(aRunPlan({ move: {} }, {}, ['infra', 'worker']), ['w1', 'w2'], { i1: 'infra' });
        for (let minute = 0; minute < minutes; minute += 1) world.minute();
        ended(played(world, then));

        expect(world.wrong).toEqual([]);
        expect(world.isDone).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('[S4-21] [S4-23] [S4-28] a node joins another pool of the run between any two effects, and is held there: its pool stays paused', () => {
    for (let at = 0; at < 120; at += 1) {
      const world = new RunWorld(aRunPlan({ move: {} }, {}, ['worker', 'infra']), ['w1', 'w2'], { i1: 'infra' });
      let effects = 0;
      const onEffect = () => {
        const node = world.nodes.get('w2');
        if (effects === at && node !== undefined && rests(node)) world.change(node, { pool: 'infra', labels: held });
        effects += 1;
      };
      for (let minutes = 0; minutes < 20; minutes += 1) world.minute(onEffect);
      ended(world);

      expect([at, world.wrong]).toEqual([at, []]);
      expect([at, world.isDone]).toEqual([at, true]);
    }
  });

  it.each<[string, Partial<TurnNode>, Partial<TurnNode>]>([
    ['held', { labels: held }, { labels: {} }],
    ['moved to another pool', { pool: 'infra' }, { pool: 'worker' }],
    ['cordoned', { cordoned: true }, { cordoned: false }],
  ])(
    '[S4-4] [S4-23] [S4-39] a node is %s between any two effects: it does not go, and has its turn when that is over',
    (_, change, back) => {
      for (let at = 0; at < 40; at += 1) {
        const world = new RunWorld(aRunPlan({ move: {} }), ['w1', 'w2']);
        let effects = 0;
        const onEffect = () => {
          const node = world.nodes.get('w1');
          if (effects === at && node !== undefined) world.change(node, change);
          effects += 1;
        };
        for (let minutes = 0; minutes < 12; minutes += 1) world.minute(onEffect);
        const node = world.nodes.get('w1');
        // A node that joins a pool that was let go is the MCO's.
        if (node !== undefined && world.paused) world.change(node, back);
        world.settle();
        world.checkCleanUps();

        expect([at, world.wrong]).toEqual([at, []]);
        expect([at, world.isDone]).toEqual([at, true]);
      }
    },
  );

  it('[S4-19] [S4-37] a keeper that was about to let a node go, and does so when all is over, takes it nowhere', () => {
    const world = new RunWorld(aRunPlan({}), ['w1']);
    const late = world.keeper();
    while (world.record.turns['w1']?.step !== 'gone') expect(late.next().done).toBe(false);

    world.target = 'rendered-worker-cccccccc';
    world.settle();
    for (const _ of late);

    expect(world.wrong).toEqual([]);
    expect(world.nodes.get('w1')).toMatchObject({ currentConfig: world.target, desiredConfig: world.target });
  });

  it('[S4-20] [S4-21] aborted at any moment, an end comes though no Job ends, no node comes back and nothing can be seen', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 120 }), fc.boolean(), (all, isBlind) => {
        const abort: Step = (world) => world.ask({ kind: 'abort', said: said(world) });
        const world = played(new RunWorld(aRunPlan(rules), ['w1', 'w2', 'w3']), [...all, abort]);
        world.isBlind = isBlind;
        for (let hours = 0; hours < 40 && world.record.endedAt === undefined; hours += 1) {
          world.seconds += 3600;
          for (const _ of world.keeper());
        }

        expect(world.record.endedAt).toBeDefined();
      }),
      { numRuns: runs(100) },
    );
  });

  it('[S4-21] [N-22] aborted at any moment: what was begun is cleaned up, and the pool is let go', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 150 }), fc.array(steps, { maxLength: 60 }), (one, other) => {
        const abort: Step = (world) => world.ask({ kind: 'abort', said: said(world) });
        const world = played(new RunWorld(aRunPlan(rules), ['w1', 'w2', 'w3']), [...one, abort, ...other]);
        world.settle();
        world.checkCleanUps();

        expect(world.wrong).toEqual([]);
        expect(world.paused).toBe(false);
      }),
      { numRuns: runs(150) },
    );
  });
});
