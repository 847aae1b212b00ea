import { createRegistry, type Registry } from './api-server/registry.ts';
import type { Clock } from './clock.ts';
import type { ConfigDaemons } from './machine-config/config-daemon.ts';
import { startMachineConfigOperator } from './machine-config/machine-config-operator.ts';
import { timings as measured, type Timings } from './machine-config/timings.ts';
import { startOperatorLifecycle } from './operators/operator-lifecycle.ts';
import { createPace, type Pace } from './pace.ts';
import { createRandom, type Random } from './random.ts';
import { startDisruptionController } from './workloads/disruption-controller.ts';
import { startEventExpiry } from './workloads/event-expiry.ts';
import { startGarbageCollector } from './workloads/garbage-collector.ts';
import { startJobController } from './workloads/job-controller.ts';
import { type Kubelets, startKubelets } from './workloads/kubelet.ts';
import { startNodeTaints } from './workloads/node-taints.ts';
import { startScheduler } from './workloads/scheduler.ts';
import { startWorkloadControllers } from './workloads/workload-controllers.ts';
import { type ClusterBuilder, createClusterBuilder } from './world/cluster-builder.ts';
import { installPlatform } from './world/platform.ts';

export interface ClusterOptions {
  readonly clock: Clock;
  /** How many times faster than a real cluster. */
  readonly speed: number;
  /** Equal seeds make equal names and ids. */
  readonly seed: number;
  readonly timings?: Partial<Timings>;
}

/** An OpenShift cluster in this process, without an HTTP server. */
export interface SimulatedCluster {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
  readonly builder: ClusterBuilder;
  readonly kubelets: Kubelets;
  readonly daemons: ConfigDaemons;
  stop(): void;
}

export function startCluster({ clock, speed, seed, timings = {} }: ClusterOptions): SimulatedCluster {
  const pace = createPace(clock, speed);
  const random = createRandom(seed);
  const registry = createRegistry({ pace, random });
  const parts = { registry, pace };
  startNodeTaints(parts);
  startGarbageCollector(parts);
  startEventExpiry(parts);
  startWorkloadControllers(parts);
  startJobController(parts);
  startDisruptionController(parts);
  startScheduler(parts);
  startOperatorLifecycle(parts);
  const kubelets = startKubelets({ ...parts, random, rebootMs: timings.rebootMs ?? measured.rebootMs });
  const daemons = startMachineConfigOperator({ ...parts, reboot: (nodeName) => kubelets.reboot(nodeName), timings });
  installPlatform({ ...parts, clusterId: random.uid() });
  return {
    registry,
    pace,
    random,
    builder: createClusterBuilder({ ...parts, random }),
    kubelets,
    daemons,
    stop: () => pace.stop(),
  };
}
