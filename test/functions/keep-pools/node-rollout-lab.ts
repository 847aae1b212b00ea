import { makeTick } from '../../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import type { PoolView } from '../../../functions/core/timeline/view.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { startApiServer } from '../../../local/openshift/api-server/api-server.ts';
import { machineConfigLog } from '../../../local/openshift/machine-config/daemon-log.ts';
import { type FakeWorld, fakeMetrics, fakeWorld } from '../../fakes/index.ts';
import type { VirtualCluster } from '../../local/openshift/virtual-cluster.ts';

/** keep-pools over a simulated cluster, through the real adapters and HTTP, on the cluster's own clock; the tables
 *  are in memory. */
export interface StoryLab {
  readonly world: FakeWorld;
  readonly ports: KeepPorts;
  /** One tick of the clock. */
  tick(): Promise<void>;
  /** A tick every so many seconds until it holds. */
  until(
    reached: () => boolean | Promise<boolean>,
    options?: { readonly everySeconds?: number; readonly limitMinutes?: number },
  ): Promise<void>;
  /** As people see it. */
  pool(): Promise<PoolView>;
  timeline(): readonly string[];
  /** GETs by path without query since the last call. */
  calls(): readonly string[];
  close(): Promise<void>;
}

export async function storyLab(cluster: VirtualCluster): Promise<StoryLab> {
  const token = 'story-token';
  const now = () => cluster.clock.now();
  const server = await startApiServer({
    registry: cluster.registry,
    clock: cluster.clock,
    token,
    port: 0,
    gitVersion: 'v1.34.4',
    podLog: (namespace, name) => machineConfigLog(cluster.registry, namespace, name),
  });
  const connection = connectCluster({
    ...systemRuntime,
    server: server.url,
    token: async () => token,
    userAgent: 'test',
    clock: now,
  });
  const world = fakeWorld(now());
  const calls: string[] = [];
  const counted = countedOver(connection, calls);
  const ports: KeepPorts = {
    configuration: {
      clusters: [
        {
          name: 'prod',
          api: { server: server.url, ca: undefined, tokenSecret: 'prod', skipTLSVerify: false },
          policy: defaultPolicy,
          pools: {},
        },
      ],
      argocd: [
        {
          name: 'hub',
          cluster: 'prod',
          namespaces: ['openshift-gitops'],
          controllerNamespace: 'openshift-gitops',
          destinations: [],
        },
      ],
      alerts: {
        targets: [{ kind: 'outbox', name: 'outbox', filter: { clusters: [], pools: [], severities: [], causes: [] } }],
        statusUrl: undefined,
      },
    },
    cluster: async () => counted,
    argocd: async () => world.argocd,
    ...world.tables,
    tickets: { ask: async () => ({ status: 404, value: undefined }) },
    calendarServers: { read: async () => ({ kind: 'unchanged' }) },
    work: world.work,
    alerts: world.alerts,
    bus: world.bus,
    clock: now,
    sleep: () => new Promise(() => {}),
    wait: async () => {},
    yieldToEventLoop: async () => {},
    logger: world.logger,
    metrics: fakeMetrics(),
  };
  const tick = () => keep(makeTick({ cluster: 'prod', why: 'clock' }, now()), ports);

  return {
    world,
    ports,
    tick,
    async until(reached, { everySeconds = 60, limitMinutes = 60 } = {}) {
      for (let passed = 0; passed < limitMinutes * 60; passed += everySeconds) {
        await tick();
        if (await reached()) return;
        await cluster.clock.advance(everySeconds * 1000);
      }
      throw new Error(`not reached within ${limitMinutes} min: ${reached}`);
    },
    async pool() {
      const [view] = await world.tables.views.list();
      const found = view?.pools.find(({ name }) => name === 'worker');
      if (found === undefined) throw new Error('no pass has seen the pool');
      return found;
    },
    timeline: () => world.tables.timeline.all().map(({ text }) => text),
    calls: () => calls.splice(0),
    async close() {
      await connection.close();
      await server.stop();
      cluster.stop();
    },
  };
}

function countedOver({ pools, reader, renderings }: ClusterConnection, calls: string[]) {
  return {
    renderings,
    pools: {
      ...pools,
      listPools: () => {
        calls.push('pools');
        return pools.listPools();
      },
      listNodes: (selector: Parameters<typeof pools.listNodes>[0]) => {
        calls.push('nodes');
        return pools.listNodes(selector);
      },
      readMachineConfigs: (names: readonly string[]) => {
        calls.push('machineconfigs');
        return pools.readMachineConfigs(names);
      },
    },
    reader: {
      read: (question: Parameters<typeof reader.read>[0]) => {
        calls.push(question.path);
        return reader.read(question);
      },
    },
  };
}
