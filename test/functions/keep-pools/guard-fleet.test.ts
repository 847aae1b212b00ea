import { expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { anApplication, aPool, fakeWorld } from '../../fakes/index.ts';
import { guardLab } from './guard-lab.ts';
import { commitA } from './keep-lab.ts';

const clusters = Array.from({ length: 30 }, (_, index) => `prod-${index}`);

/** Clusters with a guarded Application each, all of one AppProject. */
function fleetLab() {
  const lab = guardLab();
  const { argocd } = lab.world;
  const worlds = new Map(clusters.map((name) => [name, fakeWorld('2026-03-02T10:00:00Z')]));
  for (const { pools } of worlds.values()) pools.put(aPool());
  argocd.change('nodes', { destination: { server: '', name: 'elsewhere' } });
  for (const name of clusters) {
    const sync = { status: 'Synced', revisions: [commitA] } as const;
    argocd.put(anApplication({ name: `nodes-${name}`, destination: { server: '', name }, sync }));
  }
  const { configuration } = lab.ports;
  const destinations = clusters.map((name) => ({ name, cluster: name }));
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  let ms = 0;
  Object.assign(lab.ports, {
    cluster: async (name: string) => {
      const world = worlds.get(name);
      if (world === undefined) throw new Error(`there is no cluster ${name}`);
      return { pools: world.pools, reader: world.reader, renderings: world.renderings };
    },
    configuration: {
      ...configuration,
      clusters: clusters.flatMap((name) => configuration.clusters.map((each) => ({ ...each, name }))),
      argocd: configuration.argocd.map((each) => ({ ...each, cluster: 'prod-0', destinations })),
    },
    wait: (time: number) => new Promise<void>((resolve) => waiting.push({ at: ms + time, resolve })),
  });
  /** All at once; a wait is over when nobody can go on. */
  const tick = async () => {
    const now = lab.world.clock.now();
    let isDone = false;
    const all = Promise.all(clusters.map((cluster) => lab.deliver(makeTick({ cluster, why: 'clock' }, now))));
    const ended = all.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise(setImmediate);
      const [next] = waiting.toSorted((a, b) => a.at - b.at);
      if (next === undefined) continue;
      waiting.splice(waiting.indexOf(next), 1);
      ms = next.at;
      next.resolve();
    }
    await ended;
    return ms;
  };
  return { lab, tick };
}

test('[N-6] [N-29] thirty clusters that write one AppProject at once get it written, and none is told that it cannot be', async () => {
  const { lab, tick } = fleetLab();

  const tookMs = await tick();
  lab.world.clock.advance(60);
  await tick();

  const { record } = lab.world.argocd.project('default');
  expect(record.kind === 'guards' ? record.guards.length : record).toBe(clusters.length);
  expect(lab.troubles()).toEqual([]);
  expect(tookMs).toBeLessThan(7000);
});
