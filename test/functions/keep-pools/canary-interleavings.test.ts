import { describe, expect, it } from 'vitest';
import { fc, runs } from '../../property.ts';
import { aRunPlan } from '../core/node-turns/run-builder.ts';
import { CanaryWorld, type Keeper } from './canary-world.ts';

type Step = (world: CanaryWorld, keepers: (Keeper | undefined)[]) => void | Promise<void>;

const ruleLabel = 'rule.poolkeeper.dev/move.poolkeeper';

function said(world: CanaryWorld) {
  return { who: 'ops', why: 'decided', at: world.now.toISOString() };
}

function nodeAt(world: CanaryWorld, index: number): string {
  return [...world.nodes.keys()][index % world.nodes.size] ?? '';
}

const index = fc.nat({ max: 20 });

/** Steps by their names, which a counterexample shows. */
function weighted(weight: number, name: string, arbitrary: fc.Arbitrary<readonly [string, Step]>) {
  const shown = (step: Step, about: string) => Object.assign(step, { [fc.toStringMethod]: () => `${name}${about}` });
  return { weight, arbitrary: arbitrary.map(([about, step]) => shown(step, about === '' ? '' : ` ${about}`)) };
}

const steps = fc.oneof(
  // Two keepers may be at it at once; either may die between any two effects.
  weighted(
    50,
    'keeper',
    fc.nat({ max: 1 }).map((which) => [
      `${which}`,
      async (world, keepers) => {
        const keeper = keepers[which] ?? world.keeper();
        keepers[which] = (await keeper.step()) ? keeper : undefined;
      },
    ]),
  ),
  weighted(
    3,
    'death',
    fc.nat({ max: 1 }).map((which) => [
      `${which}`,
      (_, keepers) => {
        keepers[which] = undefined;
      },
    ]),
  ),
  weighted(
    12,
    'mco',
    index.map((at) => [`${at}`, (world) => world.mco(at)]),
  ),
  weighted(
    10,
    'Job',
    fc
      .tuple(index, fc.constantFrom('complete' as const, 'complete' as const, 'failed' as const))
      .map(([at, state]) => [`${at} ${state}`, (world) => world.endJob(at, state)]),
  ),
  weighted(4, 'minute', fc.constant(['', (world: CanaryWorld) => world.passMinute()])),
  weighted(
    2,
    'cordon',
    index.map((at) => [
      `${at}`,
      (world) => {
        const node = world.nodes.get(nodeAt(world, at))?.node;
        if (node?.state === 'Done') world.change(node.name, { cordoned: !node.cordoned });
      },
    ]),
  ),
  weighted(
    2,
    'hold',
    index.map((at) => [
      `${at}`,
      (world) => {
        const [name, { holdLabel }] = [nodeAt(world, at), world.plan.run];
        const isHeld = Object.hasOwn(world.nodes.get(name)?.node.labels ?? {}, holdLabel);
        world.label(name, { [holdLabel]: isHeld ? null : '' });
      },
    ]),
  ),
  // Who brings a node to the canary has it updated without Jobs.
  weighted(
    2,
    'taken back',
    index.map((at) => [
      `${at}`,
      (world) => {
        const [isExcluding, name] = [world.plan.run.canary?.exclude === true, nodeAt(world, at)];
        if (!isExcluding) world.label(name, { isCanary: null });
        // Outside of its turn it would be a label of theirs.
        else if (world.record.turns[name]?.step === 'gone') world.label(name, { [ruleLabel]: '' });
      },
    ]),
  ),
  weighted(
    3,
    'selector',
    fc
      .constantFrom('their own' as const, 'as wanted' as const)
      .map((kind) => [kind, (world) => world.edit('storage', kind)]),
  ),
  weighted(1, 'the canary as wanted', fc.constant(['', (world: CanaryWorld) => world.edit('canary', 'as wanted')])),
  weighted(1, 'no note', fc.constant(['', (world: CanaryWorld) => world.removeNote()])),
  weighted(
    2,
    'run',
    fc
      .constantFrom('pause' as const, 'go-on' as const)
      .map((kind) => [kind, (world) => world.ask({ kind, said: said(world) })]),
  ),
  weighted(
    2,
    'run',
    fc
      .tuple(index, fc.constantFrom('retry' as const, 'skip' as const))
      .map(([at, kind]) => [
        `${kind} ${at}`,
        (world) => world.ask({ kind, node: nodeAt(world, at), said: said(world) }),
      ]),
  ),
);

async function played(world: CanaryWorld, all: readonly Step[]): Promise<CanaryWorld> {
  const keepers: (Keeper | undefined)[] = [];
  for (const step of all) await step(world, keepers);
  // Whoever is still at it ends: late writes count too.
  for (const keeper of keepers) if (keeper !== undefined) while (await keeper.step());
  return world;
}

/** People take back what they did. */
function tidied(world: CanaryWorld): CanaryWorld {
  const { holdLabel } = world.plan.run;
  for (const name of world.nodes.keys()) {
    world.label(name, { [holdLabel]: null });
    if (world.nodes.get(name)?.node.state === 'Done') world.change(name, { cordoned: false });
  }
  world.putBack();
  return world;
}

const rules = { move: { retries: 1 } };
const ways = [
  ['isCanary Exists', { mode: 'canary', canary: { name: 'canary' } }],
  ['canary.exclude', { mode: 'canary', canary: { name: 'canary', exclude: true } }],
] as const;

describe('runs in mode canary under any interleaving of keepers, crashes, the MCO, Jobs and people', () => {
  it.each(ways)(
    '[S4-8] [S4-12] [S4-14] [S4-19] [S4-23] %s: rules before the update, no more nodes than allowed, no reboot twice, every clean-up, and all is as it was',
    async (_, how) => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 200 }), async (all) => {
          const world = tidied(
            await played(new CanaryWorld(aRunPlan(rules, how, ['storage', 'worker']), ['w1', 'w2']), all),
          );
          world.ask({ kind: 'go-on', said: said(world) });
          await world.settle(() => world.isDone);
          world.checkCleanUps();

          expect(world.wrong).toEqual([]);
          expect(world.left).toEqual([]);
          expect(world.isDone).toBe(true);
        }),
        { numRuns: runs(25) },
      );
    },
  );

  it.each(ways)(
    '[S4-21] [N-22] %s, aborted at any moment: what was begun is cleaned up, and all is as it was',
    async (_, how) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(steps, { maxLength: 150 }),
          fc.array(steps, { maxLength: 50 }),
          async (one, other) => {
            const abort: Step = (world) => world.ask({ kind: 'abort', said: said(world) });
            const plan = aRunPlan(rules, how, ['storage', 'worker']);
            const world = tidied(await played(new CanaryWorld(plan, ['w1', 'w2']), [...one, abort, ...other]));
            await world.settle(() => world.left.length === 0);
            world.checkCleanUps();

            expect(world.wrong).toEqual([]);
            expect(world.left).toEqual([]);
          },
        ),
        { numRuns: runs(100) },
      );
    },
  );

  it.each(ways)(
    '[S4-8] [S4-21] %s: a selector that somebody writes between any two effects is never written over',
    async (_, how) => {
      for (let at = 0; at < 24; at += 1) {
        const world = new CanaryWorld(aRunPlan({ move: {} }, how, ['storage', 'worker']), []);
        const keepers: (Keeper | undefined)[] = [];
        for (let effects = 0; effects < 48; effects += 1) {
          if (effects === at) world.edit('storage', 'their own');
          const keeper = keepers[0] ?? world.keeper();
          keepers[0] = (await keeper.step()) ? keeper : undefined;
        }
        world.putBack();
        world.ask({ kind: 'abort', said: said(world) });
        await world.settle(() => world.left.length === 0);

        expect([at, world.wrong, world.left]).toEqual([at, [], []]);
      }
    },
  );

  it.each(ways)(
    '[S4-8] [S4-14] [S4-21] %s: a look that stands still at any effect, and goes on when the run has ended, leaves nothing behind',
    async (_, how) => {
      for (let at = 1; at < 40; at += 1) {
        const world = new CanaryWorld(aRunPlan({ move: {} }, how, ['storage', 'worker']), []);
        let keeper = world.keeper();
        for (let effects = 0; effects < at; effects += 1) if (!(await keeper.step())) keeper = world.keeper();
        world.ask({ kind: 'abort', said: said(world) });
        await world.settle(() => world.left.length === 0);
        while (await keeper.step());
        // A note without anything behind it is taken away by the next looks.
        await world.settle(() => world.left.length === 0);

        expect([at, world.wrong, world.left]).toEqual([at, [], []]);
      }
    },
  );
});
