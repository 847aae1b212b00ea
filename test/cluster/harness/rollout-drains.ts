import type { ControlPlaneAddress } from './control-plane.ts';
import type { Kube, KubeObject } from './kube.ts';
import { type NodeDrain, startNodeDrain } from './node-drain.ts';
import { paths } from './paths.ts';
import type { Outcome } from './pool-observer.ts';
import { annotation, poolOfNode } from './pool-rules.ts';

/** The drains of whole rollouts, for `startPoolObserver`: what it targets is drained first, and uncordoned when that
 *  is done. */
export interface RolloutDrains {
  /** For the observer's option of this name: a node is at work until it has been drained and uncordoned. */
  readonly outcome: (node: string, config: string) => Outcome;
  readonly stop: () => Promise<void>;
}

export interface RolloutDrainsOptions {
  readonly kube: Kube;
  readonly kubectl: string;
  readonly address: ControlPlaneAddress;
}

/** How often it looks for nodes that the observer has set to work, milliseconds. */
const everyMs = 250;

export function startRolloutDrains({ kube, kubectl, address }: RolloutDrainsOptions): RolloutDrains {
  const begun = new Map<string, NodeDrain>();
  const done = new Set<string>();
  const key = (node: string, config: string) => `${node} ${config}`;

  async function look(): Promise<void> {
    const [nodes, pools] = await Promise.all([kube.list(paths.nodes), kube.list(paths.pools)]);
    for (const node of nodes) {
      const { name, annotations = {} } = node.metadata;
      const config = annotations[annotation.desired] ?? '';
      const isAtWork = annotations[annotation.state] === 'Working' && annotations[annotation.current] !== config;
      if (!isAtWork || begun.has(key(name, config))) continue;
      const pool = poolOfNode(node, pools)?.metadata.name ?? '';
      const drain = startNodeDrain({ kube, kubectl, address, node: name, pool, config });
      begun.set(key(name, config), drain);
      drain.drained.then(() => release(node, config)).catch(() => undefined);
    }
  }

  async function release({ metadata: { name } }: KubeObject, config: string): Promise<void> {
    const [asked, path] = [`uncordon-${config}`, `${paths.nodes}/${name}`];
    const by = { fieldManager: 'machine-config-controller' };
    await kube.patch(path, { metadata: { annotations: { [annotation.desiredDrain]: asked } } }, by);
    await kube.patch(path, { spec: { unschedulable: null } }, by);
    await kube.patch(path, { metadata: { annotations: { [annotation.lastAppliedDrain]: asked } } }, by);
    done.add(key(name, config));
  }

  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined);
  }, everyMs);
  return {
    outcome: (node, config) => (done.has(key(node, config)) ? 'done' : 'stuck'),
    stop: async () => {
      clearInterval(timer);
      await looking;
      await Promise.all([...begun.values()].map((drain) => drain.stop()));
    },
  };
}
