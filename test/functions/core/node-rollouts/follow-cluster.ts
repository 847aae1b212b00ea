import { connectCluster } from '../../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import {
  type ClusterRollouts,
  follow,
  nodesToRead,
  noRollouts,
} from '../../../../functions/core/node-rollouts/follow.ts';
import { lookAtNode, type NodeReading } from '../../../../functions/core/node-rollouts/node-reading.ts';
import type { NodeRollout } from '../../../../functions/core/openshift/node-rollout.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { startApiServer } from '../../../../local/openshift/api-server/api-server.ts';
import type { VirtualCluster } from '../../../local/openshift/virtual-cluster.ts';

export interface Follower {
  /** Looks once at the nodes of the pool. */
  look(): Promise<void>;
  /** Looks every so many seconds until it holds. */
  until(
    reached: () => boolean,
    options?: { readonly everySeconds?: number; readonly limitMinutes?: number },
  ): Promise<void>;
  readonly ended: readonly NodeRollout[];
  rollouts(): ClusterRollouts;
  /** Looks that changed something. */
  changes(): number;
  close(): Promise<void>;
}

/** Follows a simulated cluster through the real adapters, over HTTP, as passes do. */
export async function followCluster(cluster: VirtualCluster): Promise<Follower> {
  const clock = () => cluster.clock.now();
  const token = 'follower';
  const server = await startApiServer({
    registry: cluster.registry,
    clock: cluster.clock,
    token,
    port: 0,
    gitVersion: 'v1.34.4',
  });
  const connection = connectCluster({
    ...systemRuntime,
    server: server.url,
    token: async () => token,
    userAgent: 'test',
    clock,
  });
  const selector = { matchLabels: { 'node-role.kubernetes.io/worker': '' } };
  const ended: NodeRollout[] = [];
  let rollouts = noRollouts('sim');
  let changes = 0;

  async function look(): Promise<void> {
    const readAt = clock();
    const { items: nodes } = await connection.pools.listNodes(selector);
    const looks = new Map<string, NodeReading>();
    for (const node of nodesToRead(rollouts, { pool: 'worker', nodes }, {}, 10)) {
      const inquiry = () => lookAtNode(node, { hasMachine: true });
      looks.set(node.name, await inquireAll(inquiry, connection.reader, { maxCalls: 2, readAt }));
    }
    const pool = { pool: 'worker', nodes, looks, causesOf: () => [] };
    const followed = follow(rollouts, [pool], { readAt: readAt.toISOString() });
    const { untold: _, ...rest } = followed.rollouts;
    rollouts = rest;
    ended.push(...followed.ended);
    if (followed.changed) changes += 1;
  }

  return {
    look,
    async until(reached, { everySeconds = 5, limitMinutes = 30 } = {}) {
      for (let passed = 0; passed < limitMinutes * 60; passed += everySeconds) {
        await look();
        if (reached()) return;
        await cluster.clock.advance(everySeconds * 1000);
      }
      throw new Error(`not reached within ${limitMinutes} min: ${reached}`);
    },
    ended,
    rollouts: () => rollouts,
    changes: () => changes,
    async close() {
      await connection.close();
      await server.stop();
      cluster.stop();
    },
  };
}
