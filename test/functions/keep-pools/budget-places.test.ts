import { afterEach, describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type FakePools, fakePools } from '../../fakes/fake-pools.ts';
import { aPool, aRecord } from '../../fakes/index.ts';
import { keepLab } from './keep-lab.ts';
import { type RunLab, runLab } from './run-lab.ts';

const names = ['edge', 'prod'] as const;
type Name = (typeof names)[number];

/** Pools worker of two clusters, of a hundred nodes each, that wait for nothing but the budget. */
function fleetLab(budget: object) {
  const lab = keepLab();
  const { clock, faults } = lab.world;
  const [only] = lab.ports.configuration.clusters;
  if (only === undefined) throw new Error('the lab has a cluster');
  const clusters = names.map((name) => ({ ...only, name, budget: Budget.parse(budget) }));
  const pools = { edge: fakePools({ clock: clock.now, faults }), prod: fakePools({ clock: clock.now, faults }) };
  for (const name of names) pools[name].put(waiting());
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, clusters, argocd: [] },
    cluster: async (name) => ({
      pools: name === 'edge' ? pools.edge : pools.prod,
      reader: lab.world.reader,
      renderings: lab.world.renderings,
    }),
  };
  const tick = async (name: Name, seconds = 60) => {
    clock.advance(seconds);
    await keep(makeTick({ cluster: name, why: 'clock' }, clock.now()), ports);
  };
  return {
    faults,
    pools,
    tick,
    ticks: async (name: Name, times: number) => {
      for (let at = 0; at < times; at += 1) await tick(name);
    },
    rolling: () => names.filter((name) => isRolling(pools[name])),
    timeline: async () => (await lab.ports.timeline.latest(200)).map(({ text }) => text),
    taken: async () => (await lab.world.tables.budgetPlaces.load()).taken,
  };
}

function isRolling(pools: FakePools): boolean {
  const { paused, target, current } = pools.get('worker');
  return !paused && target.name !== current.name;
}

function waiting(maxUnavailable = '1') {
  const at = '2026-03-02T09:00:00Z';
  const release = { since: at, finishedAt: at, machineConfigs: [], why: 'synced' };
  return aPool({
    name: 'worker',
    maxUnavailable,
    paused: true,
    target: { name: 'rendered-worker-bbb', sources: [] },
    counts: { machines: 100, updated: 0, ready: 100, unavailable: 0, degraded: 0 },
    record: { kind: 'record', record: aRecord({ holds: [], release, pausedSince: '2026-03-02T09:30:00Z' }) },
  });
}

/** A day before the lab begins. */
const longAgo = '2026-03-01T09:30:00Z';
const noAnswer = new Transient('no answer', { kind: 'unreachable' });
const serverError = new Transient('PATCH: 504', { kind: 'unreachable', isAnswered: true });
const webhookDown = 'Internal error occurred: failed calling webhook "a.example": connection refused';
const unreadableAnswer = new Transient('cannot be parsed at spec', { kind: 'invalid' });

describe('[N-10] the place of a pool whose resume failed', () => {
  test.each([
    ['nothing answered', noAnswer],
    ['a server behind it failed', serverError],
    ['the answer cannot be read', unreadableAnswer],
  ])('stays where nobody knows whether it was resumed: %s', async (_, error) => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    fleet.faults.failNth('pools.patch', 1, { when: 'after', error });

    await fleet.tick('edge').catch(() => undefined);
    await fleet.tick('prod', 20);

    expect(fleet.rolling()).toEqual(['edge']);
  });

  test('stays while its API server stays away', async () => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    fleet.faults.failNth('pools.patch', 1, { when: 'after' });
    await fleet.tick('edge').catch(() => undefined);

    for (let minutes = 0; minutes < 60; minutes += 1) {
      const back = fleet.faults.failAll(['pools.list']);
      await fleet.tick('edge', 30).catch(() => undefined);
      back();
      await fleet.tick('prod', 30);
    }

    expect(fleet.rolling()).toEqual(['edge']);
  });

  test.each([
    ['it may not', new Transient('PATCH: 403', { kind: 'forbidden', isAnswered: true })],
    ['a webhook is down', new Transient(`PATCH: 500, ${webhookDown}`, { kind: 'unreachable', isAnswered: true })],
  ])('ends in the same pass where the API server refused it, for as long as it does: %s', async (_, error) => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    const again = fleet.faults.failAll(['pools.patch'], error);
    const taken = [];
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await fleet.tick('edge').catch(() => undefined);
      taken.push(...(await fleet.taken()));
    }
    again();
    await fleet.tick('prod');

    expect(taken).toEqual([]);
    expect(fleet.rolling()).toEqual(['prod']);
  });
});

describe('[N-10] a cluster that can be read and whose API server answers no resume for an hour', () => {
  type Fleet = ReturnType<typeof fleetLab>;
  const inVain = async ({ faults, tick }: Fleet) => {
    const again = faults.failAll(['pools.patch'], serverError);
    await tick('edge', 30).catch(() => undefined);
    again();
  };
  const minutes = async (fleet: Fleet, times: number, first: Name) => {
    const looks = [() => inVain(fleet), () => fleet.tick('prod', 30)];
    const inOrder = first === 'edge' ? looks : looks.toReversed();
    for (let at = 0; at < times; at += 1) for (const look of inOrder) await look();
  };
  const isDone = ({ pools }: Fleet, name: Name) =>
    pools[name].change('worker', 'machine-config-controller', { current: pools[name].get('worker').target });

  test.each(names)(
    'gives its place to another within minutes, and goes after that; looked at first: %s',
    async (first) => {
      const fleet = fleetLab({ fleet: { pools: 1 } });
      await inVain(fleet);

      await minutes(fleet, 6, first);
      const afterMinutes = fleet.rolling();
      await minutes(fleet, 54, first);
      isDone(fleet, 'prod');
      await fleet.ticks('prod', 1);
      await fleet.ticks('edge', 5);

      expect(afterMinutes).toEqual(['prod']);
      expect(fleet.rolling()).toEqual(['edge']);
    },
  );

  test('asks again every few minutes where nobody else waits, and goes within five minutes when it is answered', async () => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    fleet.pools.prod.put(aPool());
    let asked = 0;
    for (let at = 0; at < 60; at += 1) {
      fleet.faults.forget();
      await inVain(fleet);
      await fleet.tick('prod', 30);
      asked += fleet.faults.calls.filter(({ op }) => op === 'pools.patch').length;
    }
    await fleet.ticks('edge', 5);

    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(20);
    expect(fleet.rolling()).toEqual(['edge']);
  });
});

describe('a pool with a budget whose resume is not answered, for as long as it is paused too long', () => {
  test('[N-10] [N-16] is told once, by the gate that keeps it paused in all other looks', async () => {
    const fleet = fleetLab({ fleet: { pools: 1 } });
    const release = { since: longAgo, finishedAt: longAgo, machineConfigs: [], why: 'synced' };
    const record = aRecord({ holds: [], release, pausedSince: longAgo });
    fleet.pools.prod.put({ ...waiting(), record: { kind: 'record', record } });
    fleet.faults.failAll(['pools.patch'], serverError);

    for (let at = 0; at < 12; at += 1) await fleet.tick('prod').catch(() => undefined);

    const told = (await fleet.timeline()).filter((text) => text.startsWith('PK-1'));
    expect(told).toEqual(['PK-1 opened: paused too long, waiting for its gates']);
  });
});

describe('[N-10] the place of a pool counts as many nodes as it takes', () => {
  test('where its maxUnavailable was raised on the way', async () => {
    const fleet = fleetLab({ fleet: { nodes: '10%' } });
    fleet.pools.prod.put({ ...waiting('10'), target: { name: 'rendered-worker-aaa', sources: [] } });
    await fleet.tick('prod');
    await fleet.tick('edge');
    fleet.pools.edge.change('worker', 'argocd-controller', { maxUnavailable: '15' });
    await fleet.tick('edge');

    fleet.pools.prod.put(waiting('10'));
    await fleet.ticks('prod', 5);

    expect(fleet.rolling()).toEqual(['edge']);
  });

  test('where it was lowered on the way, and the nodes are not back', async () => {
    const fleet = fleetLab({ nodes: '50%' });
    fleet.pools.edge.put(waiting('20'));
    await fleet.tick('edge');
    const away = async (unavailable: number) => {
      const counts = { machines: 100, updated: 0, ready: 100 - unavailable, unavailable, degraded: 0 };
      fleet.pools.edge.change('worker', 'machine-config-controller', { counts });
      await fleet.tick('edge');
      return (await fleet.taken()).map(({ nodes }) => nodes);
    };

    fleet.pools.edge.change('worker', 'argocd-controller', { maxUnavailable: '5' });
    const counted = [await away(20), await away(12), await away(3)];

    expect(counted).toEqual([[20], [12], [5]]);
  });

  test('and one that is paused with a larger maxUnavailable on the way asks anew, and takes no more until then', async () => {
    const fleet = fleetLab({ nodes: '5%' });
    await fleet.tick('edge');
    const began = fleet.rolling();
    const counts = { machines: 100, updated: 3, ready: 99, unavailable: 1, degraded: 0 };
    fleet.pools.edge.put({ ...waiting('50'), target: { name: 'rendered-worker-ccc', sources: [] }, counts });

    await fleet.ticks('edge', 5);

    expect([began, fleet.rolling()]).toEqual([['edge'], []]);
    expect((await fleet.taken()).map(({ nodes }) => nodes)).toEqual([1]);
  });
});

test('[N-10] a pool that is paused on the way keeps its place until the MCO has seen that: a node may have gone just before', async () => {
  const fleet = fleetLab({ fleet: { pools: 1 } });
  const byMco = (change: object) => fleet.pools.edge.change('worker', 'machine-config-controller', change);
  await fleet.tick('edge');
  fleet.pools.edge.change('worker', 'kubectl-patch', { paused: true });
  await fleet.tick('edge', 200);
  const counts = { machines: 100, updated: 3, ready: 99, unavailable: 1, degraded: 0 };
  byMco({ counts });
  fleet.pools.edge.observe('worker');
  await fleet.tick('edge');
  await fleet.tick('prod');
  const whileAway = fleet.rolling();

  byMco({ counts: { ...counts, ready: 100, unavailable: 0 } });
  await fleet.tick('edge');
  await fleet.tick('prod');

  expect(whileAway).toEqual([]);
  expect(fleet.rolling()).toEqual(['prod']);
});

describe('[N-10] [N-16] the place of a pool with a run', () => {
  let run: RunLab | undefined;

  afterEach(async () => {
    await run?.stop();
    run = undefined;
  });

  const placesOf = async ({ lab }: RunLab) => (await lab.world.tables.budgetPlaces.load()).taken;

  test.each([
    ['a run', {}],
    ['none', { section: { rules: {}, targets: {}, runs: {} } }],
  ])('is taken when a person resumes it past the run, with %s', async (_, more) => {
    run = await runLab({ budget: Budget.parse({ fleet: { pools: 1 } }), clusters: ['prod-us'], ...more });
    const { clock, openshift, tick } = run;
    await tick();
    await run.change();
    openshift.registry.modify(
      machineConfigPools,
      { name: 'worker', namespace: '' },
      ({ spec }) => Object.assign(spec, { paused: false }),
      { manager: 'kubectl-patch' },
    );
    const known: (readonly string[])[] = [];
    for (let at = 0; at < 3; at += 1) {
      await clock.advance(25_000);
      await tick();
      known.push((await placesOf(run)).map(({ pool }) => pool));
    }

    expect(known).toEqual([['worker'], ['worker'], ['worker']]);
  });

  test('grows with the nodes that it takes at once, before any of them goes', async () => {
    const nodes = Array.from({ length: 8 }, (_, at) => `worker-${at}`);
    run = await runLab({ nodes, budget: Budget.parse({ fleet: { nodes: '90%' } }), clusters: ['prod-us'] });
    const { tick, clock, configure, seen } = run;
    const times = (what: string) => seen.filter((each) => each.endsWith(what)).length;
    await tick();
    await run.change();
    await run.until(() => times('goes') > 0);
    configure((nodeTurns) => ({
      ...nodeTurns,
      runs: Object.fromEntries(Object.entries(nodeTurns.runs).map(([name, each]) => [name, { ...each, atOnce: 4 }])),
    }));
    let mostAway = 0;
    const uncounted: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      await clock.advance(20_000);
      await tick();
      const away = times('goes') - times('is back');
      const counted = (await placesOf(run)).reduce((sum, each) => sum + each.nodes, 0);
      mostAway = Math.max(mostAway, away);
      if (away > counted) uncounted.push(`${away} away, ${counted} counted`);
    }

    expect(mostAway).toBeGreaterThan(1);
    expect(uncounted).toEqual([]);
  });
});
