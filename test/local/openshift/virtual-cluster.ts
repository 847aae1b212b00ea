import type { MachineConfigPool, Node } from '../../../local/openshift/api-server/cluster-objects.ts';
import { events, machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../local/openshift/machine-config/node-annotations.ts';
import {
  type ClusterOptions,
  type SimulatedCluster,
  startCluster,
} from '../../../local/openshift/simulated-cluster.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** A cluster on a clock that stands still, and the questions that tests ask it. */
export interface VirtualCluster extends SimulatedCluster {
  readonly clock: VirtualClock;
  pool(name?: string): MachineConfigPool;
  node(name: string): Node;
  condition(
    type: string,
    pool?: string,
  ): { status: string; reason?: string; message?: string; lastTransitionTime?: string | null };
  patchPool(change: (pool: MachineConfigPool) => void, name?: string): MachineConfigPool;
  pause(paused?: boolean): MachineConfigPool;
  /** Seconds since `mark` was last called. */
  seconds(): number;
  mark(): void;
  /** Moves on until it holds; answers the seconds since `mark`. */
  until(reached: () => boolean, limitSeconds?: number): Promise<number>;
  /** Names of the nodes whose desired configuration is not the one that they have. */
  inFlight(): string[];
  /** Reasons and messages of all events about an object. */
  eventsOf(name: string): { reason: string; message: string; type: string }[];
}

export function virtualCluster(options: Partial<ClusterOptions> = {}): VirtualCluster {
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  const cluster = startCluster({ clock, speed: 1, seed: 1, ...options });
  const { registry } = cluster;
  let markedMs = clock.now().getTime();
  const seconds = () => (clock.now().getTime() - markedMs) / 1000;
  const pool = (name = 'worker') => found(registry.get(machineConfigPools, name), name);
  const patchPool = (change: (pool: MachineConfigPool) => void, name = 'worker') =>
    registry.modify(machineConfigPools, { name, namespace: '' }, change, { manager: 'poolkeeper' });
  return {
    ...cluster,
    clock,
    pool,
    node: (name) => found(registry.get(nodes, name), name),
    condition: (type, name) =>
      found(
        pool(name).status?.conditions?.find((each) => each.type === type),
        type,
      ),
    patchPool,
    pause: (paused = true) => patchPool(({ spec }) => Object.assign(spec, { paused })),
    seconds,
    mark: () => {
      markedMs = clock.now().getTime();
    },
    async until(reached, limitSeconds = 600) {
      await clock.advanceUntil(reached, limitSeconds * 1000);
      return seconds();
    },
    inFlight: () =>
      registry
        .list(nodes)
        .filter((node) => annotationOf(node, 'desiredConfig') !== annotationOf(node, 'currentConfig'))
        .map(({ metadata }) => metadata.name),
    eventsOf: (name) =>
      registry
        .list(events)
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message, type }) => ({ reason, message, type })),
  };
}

/** A settled cluster with one pool of workers, long after anything happened in it. */
export async function quietWorkers(count: number, maxUnavailable: number | string): Promise<VirtualCluster> {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker', maxUnavailable });
  cluster.builder.addNodes({ pool: 'worker', names: Array.from({ length: count }, (_, index) => `worker-${index}`) });
  await cluster.clock.advance(60_000);
  cluster.mark();
  return cluster;
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`there is no ${name}`);
  return value;
}
