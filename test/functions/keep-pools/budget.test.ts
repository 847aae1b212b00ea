import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { type FakePools, fakePools } from '../../fakes/fake-pools.ts';
import { aCondition, aPool, aRecord } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { keepLab } from './keep-lab.ts';

const names = ['edge', 'prod', 'prod-us'] as const;

/** Three clusters with a pool each (two in prod) that wait for nothing but the budget. */
function fleetLab(budget: object) {
  const lab = keepLab();
  const { clock, faults } = lab.world;
  const [only] = lab.ports.configuration.clusters;
  if (only === undefined) throw new Error('the lab has a cluster');
  const clusters = names.map((name) => ({ ...only, name, budget: Budget.parse(budget) }));
  const pools = new Map<string, FakePools>(names.map((name) => [name, fakePools({ clock: clock.now, faults })]));
  for (const name of names) poolsOf(name).put(waiting('worker'));
  poolsOf('prod').put(waiting('infra'));
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, clusters, argocd: [] },
    cluster: async (name) => ({ pools: poolsOf(name), reader: lab.world.reader, renderings: lab.world.renderings }),
  };

  function poolsOf(name: string): FakePools {
    const found = pools.get(name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  }

  const all = () =>
    names.flatMap((name) => (name === 'prod' ? ['infra', 'worker'] : ['worker']).map((pool) => ({ name, pool })));
  const get = ({ name, pool }: { name: string; pool: string }) => poolsOf(name).get(pool);
  return {
    faults,
    clock,
    ports,
    poolsOf,
    tick: async (name: string, seconds = 60) => {
      clock.advance(seconds);
      await keep(makeTick({ cluster: name, why: 'clock' }, clock.now()), ports);
    },
    rolling: () => all().filter((each) => !get(each).paused && get(each).target.name !== get(each).current.name),
    waiting: () => all().filter((each) => get(each).paused),
    /** The MCO is done with it. */
    isDone: ({ name, pool }: { name: string; pool: string }) =>
      poolsOf(name).change(pool, 'machine-config-controller', { current: get({ name, pool }).target }),
  };
}

function waiting(name: string) {
  const release = {
    since: '2026-03-02T09:00:00Z',
    finishedAt: '2026-03-02T09:00:00Z',
    machineConfigs: [],
    why: 'synced',
  };
  return aPool({
    name,
    paused: true,
    target: { name: `rendered-${name}-bbb`, sources: [] },
    record: { kind: 'record', record: aRecord({ holds: [], release, pausedSince: '2026-03-02T09:30:00Z' }) },
  });
}

type Step =
  | { readonly kind: 'tick'; readonly name: string; readonly seconds: number }
  /** The keeper dies at one of its effects. */
  | { readonly kind: 'dying'; readonly name: string; readonly effect: number; readonly when: 'before' | 'after' }
  /** Ticks of all clusters that overlap. */
  | { readonly kind: 'together' }
  /** One of the pools that roll is done. */
  | { readonly kind: 'done'; readonly which: number };

const anyName = fc.constantFrom(...names);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('tick' as const), name: anyName, seconds: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    kind: fc.constant('dying' as const),
    name: anyName,
    effect: fc.nat(12),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
  fc.record({ kind: fc.constant('together' as const) }),
  fc.record({ kind: fc.constant('done' as const), which: fc.nat(3) }),
);

/** Met by chance once: a keeper dies after a resume, before it sees the pool rolling, and again and again, for ten
 *  minutes. */
const nearTheEnd: readonly Step[] = [
  { kind: 'dying', name: 'edge', effect: 2, when: 'before' },
  { kind: 'tick', name: 'prod-us', seconds: 139 },
  { kind: 'tick', name: 'prod-us', seconds: 341 },
  { kind: 'dying', name: 'edge', effect: 0, when: 'before' },
  { kind: 'together' },
];

/** Enough for every pool to have its turn: rollouts end, and everybody looks. */
const toTheEnd: readonly Step[] = Array.from({ length: 15 }, (): readonly Step[] => [
  ...[0, 0, 0, 0].map((which) => ({ kind: 'done' as const, which })),
  ...names.map((name) => ({ kind: 'tick' as const, name, seconds: 120 })),
]).flat();

async function play(step: Step, fleet: ReturnType<typeof fleetLab>): Promise<void> {
  switch (step.kind) {
    case 'tick':
      return fleet.tick(step.name, step.seconds);
    case 'together':
      await Promise.all(names.map((name) => fleet.tick(name, 20)));
      return;
    case 'done': {
      const pool = fleet.rolling()[step.which];
      if (pool !== undefined) fleet.isDone(pool);
      return;
    }
    case 'dying':
      fleet.faults.forget();
      fleet.faults.crashAtEffect(step.effect, step.when);
      await fleet.tick(step.name).catch(() => undefined);
      fleet.faults.restart();
      fleet.faults.forget();
  }
}

describe('[N-10] the budget of three clusters', () => {
  test('one cluster at a time: the next one goes once the one before is done', async () => {
    const fleet = fleetLab({ fleet: { clusters: 1 } });

    await fleet.tick('prod-us');
    await fleet.tick('prod');
    const first = fleet.rolling();
    fleet.isDone({ name: 'prod-us', pool: 'worker' });
    await fleet.tick('prod');
    const unseen = fleet.rolling();
    await fleet.tick('prod-us');
    await fleet.tick('prod');

    expect(first).toEqual([{ name: 'prod-us', pool: 'worker' }]);
    expect(unseen).toEqual([]);
    expect(fleet.rolling()).toEqual([
      { name: 'prod', pool: 'infra' },
      { name: 'prod', pool: 'worker' },
    ]);
  });

  test('the page says what a pool waits for', async () => {
    const fleet = fleetLab({ fleet: { pools: 1 } });

    await fleet.tick('prod-us');
    await fleet.tick('edge');
    const views = await fleet.ports.views.list();

    expect(JSON.stringify(views.find(({ cluster }) => cluster === 'edge'))).toContain(
      'at most 1 pool of all clusters may roll at once: prod-us/worker (since 2026-03-02T10:01:00.000Z)',
    );
  });

  test('a rollout that somebody else began counts too', async () => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    fleet.poolsOf('edge').change('worker', 'kubectl', { paused: false });

    await fleet.tick('edge');
    await fleet.tick('prod');

    expect(fleet.rolling()).toEqual([{ name: 'edge', pool: 'worker' }]);
  });

  test('while the table cannot be read or written no pool goes, and it is said why', async () => {
    const fleet = fleetLab({ fleet: { pools: 3 } });
    const restore = fleet.faults.failAll(['places.load'], new Transient('the table does not answer'));

    await fleet.tick('edge');
    const views = JSON.stringify(await fleet.ports.views.list());
    restore();
    const unwritable = fleet.faults.failAll(['places.save'], new Transient('the table is read-only'));
    await fleet.tick('edge');
    const before = fleet.rolling();
    unwritable();
    await fleet.tick('edge');

    expect(views).toContain('the places of the budget cannot be read: the table does not answer');
    expect(before).toEqual([]);
    expect(fleet.rolling()).toEqual([{ name: 'edge', pool: 'worker' }]);
  });

  test('a quiet tick neither reads nor writes the places', async () => {
    const fleet = fleetLab({ fleet: { pools: 5 } });
    for (const name of names) await fleet.tick(name);
    await fleet.tick('edge');
    fleet.faults.forget();

    await fleet.tick('edge');

    expect(fleet.faults.calls.filter(({ op }) => op.startsWith('places.'))).toEqual([]);
  });

  test('property: whatever the order, and wherever keepers die, never more pools roll than the budget has places', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(anyStep, { maxLength: 25 }), async (most, steps) => {
        const fleet = fleetLab({ fleet: { pools: most } });
        for (const step of [...steps, ...toTheEnd]) {
          await play(step, fleet);
          expect(fleet.rolling().length).toBeLessThanOrEqual(most);
        }
        expect(fleet.waiting()).toEqual([]);
      }),
      { numRuns: runs(60), examples: [[1, [...nearTheEnd]]] },
    );
  });
});

const inSteps = Sequence.parse({
  clusters: ['prod'],
  steps: { worker: { kind: 'pool', name: 'worker', wave: 1 }, infra: { kind: 'pool', name: 'infra', wave: 2 } },
});

test.each([
  ['of the cluster', { pools: 1 }, 2, undefined],
  ['of the fleet', { fleet: { pools: 1 } }, 2, undefined],
  ['as a later step of a sequence', { pools: 1 }, 1, { order: inSteps }],
  ['as a later step of a sequence, with a lower wave', { pools: 1 }, 0, { order: inSteps }],
])(
  '[N-29] [N-11] a degraded pool that waits for this one, and keeps its place of the budget %s, does not keep it from going',
  async (_, budget, wave, sequences) => {
    const pools = { worker: { ...defaultPoolSettings, wave: 1 }, infra: { ...defaultPoolSettings, wave } };
    const sequenceRecords = { load: async () => undefined, save: async () => undefined, remove: async () => undefined };
    const lab = keepLab({ pools, sequences, sequenceRecords });
    const { configuration } = lab.ports;
    const clusters = configuration.clusters.map((each) => ({ ...each, budget: Budget.parse(budget) }));
    const ports: KeepPorts = { ...lab.ports, configuration: { ...configuration, argocd: [], clusters } };
    const ticks = async (times: number) => {
      for (let at = 0; at < times; at += 1) {
        lab.world.clock.advance(120);
        await keep(makeTick({ cluster: 'prod', why: 'clock' }, lab.world.clock.now()), ports);
      }
    };
    const infra = waiting('infra');
    lab.world.pools.put(infra);
    await ticks(3);
    const conditions = ['Degraded', 'NodeDegraded'].map((type) => aCondition({ type, status: 'True' }));
    const counts = { ...infra.counts, unavailable: 1 };
    lab.world.pools.change('infra', 'machine-config-controller', { conditions, counts });
    await ticks(1);

    const mend = { paused: true, target: { name: 'rendered-infra-ccc', sources: [] } };
    const { record } = infra;
    if (record.kind !== 'record') throw new Error('the lab writes a record');
    const resumed = { ...record, record: { ...record.record, resumedAt: '2026-03-02T10:03:00Z' } };
    lab.world.pools.put({ ...lab.world.pools.get('infra'), ...mend, record: resumed });
    lab.world.pools.put(waiting('worker'));
    await ticks(5);

    expect(['worker', 'infra'].map((name) => lab.world.pools.get(name).paused)).toEqual([false, true]);
  },
);
