import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Surroundings } from '../../../local/cli/command.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../local/openshift/machine-config/node-annotations.ts';
import type { ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { startReferenceWorld } from '../openshift/start-reference-world.ts';
import { createVirtualClock, type VirtualClock } from '../openshift/virtual-clock.ts';

/** The demo's cluster on a clock that tests move, with a kubeconfig for the command line. */
export interface DemoCluster {
  readonly world: ReferenceWorld;
  readonly clock: VirtualClock;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly surroundings: Surroundings;
  /** Runs a command as a person would; every clock is the cluster's. */
  run(command: Command, ...args: readonly string[]): Promise<{ readonly status: number; readonly text: string }>;
  /** Pushes, and waits until the drain of worker-2 is stuck: its first pod is evicted, its second refused. */
  untilBlocked(): Promise<void>;
  untilUpdated(): Promise<void>;
  close(): Promise<void>;
}

export async function demoCluster(): Promise<DemoCluster> {
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  const world = await startReferenceWorld({ clock });
  await clock.advance(60_000);
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-demo-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await world.openshift.writeKubeconfig(kubeconfig);
  const { registry } = world.openshift;
  const surroundings = {
    out: () => {},
    note: () => {},
    environment: { KUBECONFIG: kubeconfig },
    now: () => clock.now(),
    folders: { own: join(folder, 'checkout'), current: join(folder, 'elsewhere') },
    wait: (ms: number) => clock.advance(ms),
  };
  return {
    world,
    clock,
    folder,
    kubeconfig,
    surroundings,
    async run(command, ...args) {
      const out: string[] = [];
      const status = await command.run(args, { ...surroundings, out: (text) => out.push(text) });
      return { status, text: out.join('') };
    },
    async untilBlocked() {
      world.pushChange();
      const isDraining = () => {
        const node = registry.get(nodes, 'worker-2');
        return node?.spec.unschedulable === true && annotationOf(node, 'desiredDrain')?.startsWith('drain-') === true;
      };
      await clock.advanceUntil(isDraining, 3_600_000);
      await clock.advance(180_000);
    },
    async untilUpdated() {
      const isUpdated = () =>
        registry.get(machineConfigPools, 'worker')?.status?.conditions?.find(({ type }) => type === 'Updated')
          ?.status === 'True';
      await clock.advanceUntil(isUpdated, 3_600_000);
    },
    async close() {
      await world.openshift.stop();
      await rm(folder, { recursive: true });
    },
  };
}
