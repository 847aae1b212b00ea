import { describe, expect, test } from 'vitest';
import type { WorkEvent } from '../../../events/index.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { Crashed } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { commitA, commitB, type KeepLab, keepLab } from './keep-lab.ts';

/** What must come out the same, whatever happened on the way. */
function endState(lab: KeepLab) {
  return {
    paused: lab.pool().paused,
    holds: lab.record()?.holds ?? [],
    did: lab.record()?.last?.did,
    races: lab.world.tables.races.all().map(({ verdict, missedNodes }) => ({ verdict, missedNodes })),
    told: [...new Set(lab.told())].toSorted(),
    timeline: [...new Set(lab.world.tables.timeline.all().map((entry) => entry.type))].toSorted(),
  };
}

/** Delivers as a queue does: a worker that dies gets the event again. */
async function deliverAgain(lab: KeepLab, event: WorkEvent): Promise<void> {
  for (;;) {
    try {
      return await lab.deliver(event);
    } catch (cause) {
      if (!(cause instanceof Crashed)) throw cause;
      lab.world.faults.restart();
    }
  }
}

async function tickAgain(lab: KeepLab, times: number): Promise<void> {
  for (let tick = 0; tick < times; tick += 1) {
    lab.world.clock.advance(60);
    await lab.tick().catch((cause: unknown) => {
      if (!(cause instanceof Crashed)) throw cause;
      lab.world.faults.restart();
    });
  }
}

/** A push, its sync, its success, and time for the gates; one worker, which may die at any effect. */
async function playSync(lab: KeepLab, end: 'Succeeded' | 'Failed'): Promise<void> {
  const { clock, pools } = lab.world;
  await deliverAgain(lab, lab.pushOf(commitB));
  pools.observe('worker');
  clock.advance(2);
  await deliverAgain(lab, recheckOf(lab));
  lab.syncs(commitB);
  await deliverAgain(lab, lab.operationOf('Running'));
  clock.advance(5);
  lab.ends(end);
  await deliverAgain(lab, lab.operationOf(end));
  await tickAgain(lab, 4);
}

function recheckOf(lab: KeepLab): WorkEvent {
  return { ...lab.operationOf('Running'), id: 'again' };
}

describe('a crash between any two effects', () => {
  test.each(['Succeeded', 'Failed'] as const)('of a sync that %s ends where an undisturbed run ends', async (end) => {
    const undisturbed = keepLab();
    await playSync(undisturbed, end);
    const effects = undisturbed.world.faults.effects();
    expect(effects).toBeGreaterThan(15);

    for (let effect = 0; effect < effects; effect += 1) {
      for (const when of ['before', 'after'] as const) {
        const lab = keepLab();
        lab.world.faults.crashAtEffect(effect, when);
        await playSync(lab, end);

        expect(endState(lab), `crash ${when} effect ${effect}`).toEqual(endState(undisturbed));
      }
    }
  });
});

describe('events that come twice, late, in another order, or never', () => {
  const names = ['push', 'running', 'running again', 'succeeded', 'pool changed'] as const;

  /** Plays one sync by the clock; the events only hint at it and arrive when `arrivals` says (seconds), or not at
   *  all. */
  async function play(
    arrivals: readonly { readonly name: (typeof names)[number]; readonly at: number }[],
  ): Promise<KeepLab> {
    const lab = keepLab();
    const push = lab.pushOf(commitB);
    const events: Record<(typeof names)[number], () => WorkEvent> = {
      push: () => push,
      running: () => lab.operationOf('Running'),
      'running again': () => lab.operationOf('Running'),
      succeeded: () => lab.operationOf('Succeeded'),
      'pool changed': () => clusterSeen(lab),
    };
    const world = [
      { at: 3, act: () => lab.syncs(commitB) },
      { at: 4, act: () => lab.world.pools.observe('worker') },
      { at: 8, act: () => lab.ends('Succeeded') },
    ];
    const steps = [...world, ...arrivals.map(({ name, at }) => ({ at, act: () => lab.deliver(events[name]()) }))];
    let now = 0;
    for (const step of steps.toSorted((a, b) => a.at - b.at)) {
      await lab.pass(step.at - now);
      now = step.at;
      await step.act();
    }
    await lab.pass(1800 - now);
    return lab;
  }

  test('[S0-17] [N-2] a sync that is over leaves the same end, whatever became of its events', async () => {
    const arrivals = fc.array(fc.record({ name: fc.constantFrom(...names), at: fc.integer({ min: 0, max: 900 }) }), {
      maxLength: 30,
    });

    await fc.assert(
      fc.asyncProperty(arrivals, async (some) => {
        const lab = await play(some);

        expect(lab.pool().paused).toBe(false);
        expect(lab.record()?.holds ?? []).toEqual([]);
        const pauses = lab.world.pools.patches.filter(({ change }) => change.paused === true);
        const resumes = lab.world.pools.patches.filter(({ change }) => change.paused === false);
        expect(pauses.length).toBeLessThanOrEqual(1);
        expect(resumes.length).toBe(pauses.length);
      }),
      { numRuns: runs(150) },
    );
  });

  test('[S0-17] every event ten times over in shuffled order makes one pause and one resume', async () => {
    const order = fc.shuffledSubarray(
      names.flatMap((name) => Array.from({ length: 10 }, () => name)),
      { minLength: 50, maxLength: 50 },
    );

    await fc.assert(
      fc.asyncProperty(order, async (shuffled) => {
        const lab = await play(shuffled.map((name, index) => ({ name, at: Math.floor(index / 5) })));

        const ids = lab.world.bus.published.map((event) => `${event.type} ${event.id}`);
        expect([...new Set(ids)].filter((id) => /pool\.(paused|resumed)/.test(id))).toHaveLength(2);
        expect(lab.pool().paused).toBe(false);
      }),
      { numRuns: runs(40) },
    );
  });

  test('[S0-17] a push redelivered an hour after its sync pauses nothing', async () => {
    const lab = keepLab();
    await playSync(lab, 'Succeeded');
    const patches = lab.world.pools.patches.length;
    lab.world.clock.advance(3600);
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] } });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.world.pools.patches).toHaveLength(patches);
  });
});

describe('a table that was lost', () => {
  test('[N-2] holds survive it: they stand on the pool', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.tables.wipe();
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.tick();

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'syncing' }] });

    lab.ends('Succeeded');
    await lab.pass(180);

    expect(lab.pool().paused).toBe(false);
  });
});

function clusterSeen(lab: KeepLab): WorkEvent {
  const at = lab.world.clock.now().toISOString();
  return {
    specversion: '1.0',
    type: 'poolkeeper.cluster.seen.v1',
    id: `seen/${at}`,
    source: '/poolkeeper/receive-cluster',
    time: at,
    data: { cluster: 'prod', kind: 'MachineConfigPool', name: 'worker', what: 'update', receivedAt: at },
  };
}

describe('tables that are away', () => {
  const tables = [
    'memories.load',
    'memories.save',
    'races.load',
    'races.save',
    'incidents.load',
    'views.save',
  ] as const;

  test('[N-2] without any table a push still pauses, and a sync still holds and lets go', async () => {
    const lab = keepLab();
    lab.world.faults.failAll([...tables, 'timeline.append', 'views.load']);

    await expect(lab.deliver(lab.pushOf(commitB))).rejects.toThrow('made to fail');
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'expected' }] });

    lab.world.clock.advance(3);
    lab.syncs(commitB);
    await expect(lab.tick()).rejects.toThrow('made to fail');
    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);

    lab.ends('Succeeded');
    // Its record may be lost, and the table might have said so: it waits for that, but not for ever.
    for (const seconds of [30, 60, 900]) {
      lab.world.clock.advance(seconds);
      await expect(lab.tick()).rejects.toThrow('made to fail');
    }
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-2] a view that cannot be stored fails no pass, also of a cluster that cannot be read', async () => {
    const lab = keepLab();
    lab.world.faults.failAll(['views.save']);

    await lab.deliver(lab.pushOf(commitB));
    expect(lab.record()?.pause).toBe('ours');

    lab.world.faults.failAll(['pools.list']);
    await lab.tick();
  });

  test('[N-2] what was not told while the table was away is told when it is back', async () => {
    const lab = keepLab();
    const heal = lab.world.faults.failAll([...tables, 'timeline.append']);
    await lab.deliver(lab.pushOf(commitB)).catch(() => undefined);
    heal();

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.told().filter((type) => type === 'pool.paused')).toHaveLength(1);
  });
});

describe('an Argo CD that does not answer', () => {
  test('an Argo CD instance that does not answer keeps no other from being protected', async () => {
    const lab = twoInstances('dev');

    await expect(lab.deliver(lab.pushOf(commitB))).rejects.toThrow('dev is away');

    expect(lab.record()?.pause).toBe('ours');
  });

  test('a pool does not resume while an Argo CD that serves its cluster cannot be asked', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    const heal = lab.world.faults.failAll(['argocd.list']);

    await lab.pass(600);
    expect(lab.pool().paused).toBe(true);

    heal();
    await lab.pass(70);
    expect(lab.pool().paused).toBe(false);
  });
});

/** The lab with a second Argo CD, which is away. */
function twoInstances(name: string): KeepLab {
  const lab = keepLab();
  const [hub] = lab.ports.configuration.argocd;
  if (hub === undefined) throw new Error('the lab has no Argo CD');
  const configuration = { ...lab.ports.configuration, argocd: [{ ...hub, name }, hub] };
  const ports = {
    ...lab.ports,
    configuration,
    argocd: async (asked: string) => {
      if (asked === name) throw new Transient(`${name} is away`);
      return lab.world.argocd;
    },
  };
  return { ...lab, ports, deliver: (event) => keep(event, ports) };
}
