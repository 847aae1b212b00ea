import { describe, expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { fillIn } from '../../../functions/shell/configuration/fill-in.ts';
import { anApplication, fakeArgoCd } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, type LabOptions, tickOf } from './keep-lab.ts';

interface Fleet {
  readonly lab: KeepLab;
  readonly edge: ReturnType<typeof fakeArgoCd>;
  /** The other Argo CD does not answer any more. */
  cutOff(): void;
}

/** Beside cluster `prod` with its Argo CD a cluster `edge` with one of its own, filled in as the file is. */
function fleet(
  options: LabOptions = {},
  destinations: KeepPorts['configuration']['argocd'][number]['destinations'] = [],
): Fleet {
  const lab = keepLab(options);
  const edge = fakeArgoCd({});
  let isCutOff = false;
  const { configuration } = lab.ports;
  const both = fillIn(
    {
      ...configuration,
      clusters: configuration.clusters.flatMap((each) => [
        each,
        { ...each, name: 'edge', api: { ...each.api, server: 'https://edge.example.com:6443' } },
      ]),
      argocd: configuration.argocd.flatMap((each) => [each, { ...each, name: 'edge', cluster: 'edge', destinations }]),
    },
    new Map(),
  );
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: both,
    argocd: async (name) => {
      if (name !== 'edge') return lab.world.argocd;
      if (isCutOff) throw new Transient('edge does not answer');
      return edge;
    },
  };
  const deliver: KeepLab['deliver'] = (event) => keep(event, ports);
  async function pass(seconds: number): Promise<void> {
    const { clock } = lab.world;
    const end = clock.now().getTime() + seconds * 1000;
    while (clock.now().getTime() < end) {
      clock.set(new Date(clock.now().getTime() + 60_000));
      lab.world.work.take();
      await deliver(tickOf(clock.now()));
    }
  }
  return {
    lab: { ...lab, deliver, pass },
    edge,
    cutOff: () => {
      isCutOff = true;
    },
  };
}

/** A sync of the Application of `prod`, from its begin to its end. */
async function syncs({ lab }: Fleet): Promise<void> {
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.pools.observe('worker');
  await lab.pass(120);
  expect(lab.pool().paused).toBe(true);
  lab.ends('Succeeded');
}

describe('an Argo CD of another cluster that does not answer', () => {
  test.each([0, 600])(
    '[N-30] [S0-7] keeps no pool paused and hides no sweep, where it deploys nothing (after %d s)',
    async (seconds) => {
      const world = fleet();
      await world.lab.pass(seconds);
      world.cutOff();

      await syncs(world);
      await world.lab.pass(3600);

      expect(world.lab.pool().paused).toBe(false);
      expect(world.lab.troubles()).toEqual([]);
    },
  );

  test('[S0-27] keeps them paused where it deploys to this cluster', async () => {
    const world = fleet();
    const destination = { server: '', name: 'prod' };
    world.edge.put(anApplication({ argocd: 'edge', name: 'far', uid: 'far', destination }));
    await world.lab.pass(600);
    world.cutOff();

    await syncs(world);
    await world.lab.pass(3600);

    expect(world.lab.pool().paused).toBe(true);
    expect(world.lab.troubles()).toContain('sweep-overdue');
  });

  test.each([
    { server: 'https://api.inside.example.com:6443', cluster: 'prod' },
    { server: 'https://127.0.0.1:6443', cluster: 'prod' },
    { name: 'prod', cluster: 'prod' },
  ])(
    '[S0-27] keeps them paused where it was never listed, and the file says that it deploys here: %j',
    async (here) => {
      const world = fleet({}, [here]);
      world.cutOff();

      await syncs(world);
      await world.lab.pass(3600);

      expect(world.lab.pool().paused).toBe(true);
    },
  );

  test('[S0-27] [N-30] keeps them paused where its part of the routing table was lost', async () => {
    const world = fleet();
    await world.lab.pass(600);
    world.cutOff();
    await syncs(world);
    const { routes } = world.lab.ports;
    const load = routes.load.bind(routes);
    Object.assign(routes, {
      load: async (argocd: string) => {
        const stored = await load(argocd);
        return stored && argocd === 'edge' ? { ...stored, listedAt: '', routes: [], sets: [] } : stored;
      },
    });

    await world.lab.pass(600);

    expect(world.lab.pool().paused).toBe(true);
  });

  test('[S0-27] keeps them paused while the routing table cannot be read', async () => {
    const world = fleet();
    await world.lab.pass(600);
    world.cutOff();
    await syncs(world);
    world.lab.world.faults.failAll(['routes.load'], new Transient('throttled'));

    await world.lab.pass(600);

    expect(world.lab.pool().paused).toBe(true);
  });
});
