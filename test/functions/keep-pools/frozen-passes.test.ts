import { expect, test } from 'vitest';
import type { WorkEvent } from '../../../events/index.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { ClusterPorts, KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

/** Is asked before and after each call; as long as it does not answer, the process is frozen. */
type Freeze = () => Promise<void>;

/** The port, each call of which that has a promise for an answer may be frozen. */
function freezing<Port extends object>(port: Port, freeze: Freeze): Port {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const call = () => Reflect.apply(value, target, args);
        // What the last pass left in memory is no call.
        return key === 'last'
          ? call()
          : freeze()
              .then(call)
              .then((answer: unknown) => freeze().then(() => answer));
      };
    },
  });
}

function freezingPorts(ports: KeepPorts, freeze: Freeze): KeepPorts {
  const cluster = async (name: string): Promise<ClusterPorts> => {
    const { pools, reader, renderings, ...rest } = await ports.cluster(name);
    const calls = { pools: freezing(pools, freeze), renderings: freezing(renderings, freeze) };
    return { ...rest, ...calls, reader: freezing(reader, freeze) };
  };
  const argocd = async (name: string): Promise<ArgoCd> => freezing(await ports.argocd(name), freeze);
  const tables = {
    checkpoints: freezing(ports.checkpoints, freeze),
    incidents: freezing(ports.incidents, freeze),
    nodeRollouts: freezing(ports.nodeRollouts, freeze),
    races: freezing(ports.races, freeze),
    routes: freezing(ports.routes, freeze),
    timeline: freezing(ports.timeline, freeze),
    views: freezing(ports.views, freeze),
  };
  return { ...ports, ...tables, cluster, argocd, bus: freezing(ports.bus, freeze), work: freezing(ports.work, freeze) };
}

interface Scene {
  readonly begin: (lab: KeepLab) => Promise<WorkEvent>;
  /** What happens while the process is frozen. */
  readonly meanwhile: (lab: KeepLab) => Promise<void>;
}

async function syncs(lab: KeepLab, commit: string): Promise<void> {
  await lab.deliver(lab.pushOf(commit));
  lab.world.pools.observe('worker');
  lab.syncs(commit);
  await lab.pass(60);
}

const scenes: Readonly<Record<string, Scene>> = {
  'a push, which another one handles meanwhile': {
    begin: async (lab) => lab.pushOf(commitB),
    meanwhile: async (lab) => {
      await syncs(lab, commitB);
      await lab.pass(240);
    },
  },
  'the beginning of a sync, which ends meanwhile': {
    begin: async (lab) => {
      lab.syncs(commitB);
      return lab.operationOf('Running');
    },
    meanwhile: async (lab) => {
      await lab.pass(120);
      lab.ends('Succeeded');
      await lab.pass(240);
    },
  },
  'the end of a sync, after which the next begins meanwhile': {
    begin: async (lab) => {
      await syncs(lab, commitB);
      lab.ends('Succeeded');
      lab.world.clock.advance(5);
      return lab.operationOf('Succeeded');
    },
    meanwhile: async (lab) => {
      await lab.pass(60);
      await syncs(lab, commitC);
      await lab.pass(180);
    },
  },
};

/** @param nth the call, before and after which are two, in which it freezes
 *  @returns whether it came to that */
async function play({ begin, meanwhile }: Scene, nth: number) {
  const lab = keepLab();
  await lab.tick();
  const event = await begin(lab);
  let call = 0;
  let isFrozen = false;
  const freeze = async () => {
    call += 1;
    if (call !== nth) return;
    isFrozen = true;
    await meanwhile(lab);
  };
  const isSyncing = () => lab.world.argocd.get('nodes').operation?.phase === 'Running';
  await keep(event, freezingPorts(lab.ports, freeze)).catch(() => undefined);
  const thawed = lab.pool().paused || !isSyncing();
  await lab.pass(60);
  const soon = lab.pool().paused || !isSyncing();
  lab.world.pools.observe('worker');
  if (isSyncing()) lab.ends('Succeeded');
  await lab.pass(1200);
  const end = { paused: lab.pool().paused, holds: lab.record()?.holds ?? [], troubles: lab.troubles() };
  return { isFrozen, isSafe: thawed && soon, end };
}

test.each(Object.entries(scenes))(
  '[N-30] [N-3] a process that is frozen for minutes in any of its calls over %s resumes no pool under a sync, and leaves nothing behind',
  async (_, scene) => {
    const wrong: unknown[] = [];
    let calls = 0;
    for (let nth = 1; ; nth += 1) {
      const { isFrozen, isSafe, end } = await play(scene, nth);
      if (!isFrozen) break;
      calls = nth;
      if (!isSafe || end.paused || end.holds.length + end.troubles.length > 0) wrong.push({ nth, isSafe, end });
    }

    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(20);
  },
);
