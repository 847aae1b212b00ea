import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from './control-plane.ts';
import { type Kube, type KubeObject, KubeRefusal } from './kube.ts';
import { paths } from './paths.ts';
import { annotation, judgePool, type NodeState, poolOfNode, selects, targets } from './pool-rules.ts';

/**
 * A STAND-IN for the Machine Config Operator's render controller, node controller and daemons, none of which runs here.
 * It keeps what Poolkeeper relies on: `observedGeneration` follows; `spec.configuration` follows the MachineConfigs; a
 * pool that is not paused rolls its nodes, at most maxUnavailable at a time; one pass reads `paused` once, at its
 * start; conditions and counts are those of a real controller. It does not merge Ignition, drain, reboot or keep the
 * real delays.
 */
export interface PoolObserver {
  readonly stop: () => Promise<void>;
}

export interface PoolObserverOptions {
  /** From a changed set of MachineConfigs to the new `spec.configuration`, milliseconds. Really 5 s. */
  readonly renderDelayMs?: number;
  /** From a new `spec.configuration`, or from the end of a pause, to the first node targeted, milliseconds, of all
   *  pools or of each. Really 5 s. */
  readonly targetDelayMs?: number | ((pool: string) => number);
  /** From a node's target to its being done, milliseconds. Really minutes. */
  readonly nodeTakesMs?: number;
  /** How the update of a node ends; always well by default. */
  readonly outcome?: (node: string, config: string) => Outcome;
}

/** `stuck` leaves the node at work for ever, as a blocked drain does. */
export type Outcome = 'done' | 'stuck' | { readonly degraded: string };

/** How long after somebody else's write a lost conflict is tried again, milliseconds. */
const conflictPauseMs = 20;

/** It looks at least so often even when no watch tells it of a change, milliseconds. */
const resyncMs = 2_000;

/** Its name in managedFields is the real controller's. */
const fieldManager = 'machine-config-controller';

/** Starts the stand-in and comes back when it has seen every pool once. */
export async function startPoolObserver(
  controlPlane: ControlPlane,
  options: PoolObserverOptions = {},
): Promise<PoolObserver> {
  const account = 'system:serviceaccount:openshift-machine-config-operator:machine-config-controller';
  const kube = controlPlane.kubeAs(
    controlPlane.tokenFor({ name: account, groups: ['system:masters', 'system:serviceaccounts'] }),
  );
  const passes = new Passes(kube, options);
  const bell = new Bell();
  const stopped = new AbortController();
  const watches = [paths.pools, paths.machineConfigs, paths.nodes].map((path) =>
    watchAgain(kube, path, bell, stopped.signal),
  );
  let dueMs = await passes.run();
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      await bell.wait(Math.min(dueMs, resyncMs));
      dueMs = await passes.run().catch((cause: unknown) => {
        if (!stopped.signal.aborted) console.error('pool observer:', cause);
        return resyncMs;
      });
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      bell.ring();
      await Promise.all([loop, ...watches]);
      kube.close();
    },
  };
}

/** Rings at every change of a collection. An API server ends a watch now and then. */
async function watchAgain(kube: Kube, path: string, bell: Bell, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await kube.watch(path, () => bell.ring(), stopped).catch(() => bell.wait(resyncMs));
  }
}

/** Something to wait at until it rings; a ring while nobody waits is kept. */
class Bell {
  #rung = false;
  #wake: () => void = () => undefined;

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  async wait(limitMs: number): Promise<void> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limitMs);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    this.#rung = false;
  }
}

/** One pass after the other over all pools and nodes; between passes it keeps only when it saw what begin. */
class Passes {
  readonly #kube: Kube;
  readonly #options: Required<PoolObserverOptions>;
  /** Key of something pending -> when it was first seen, milliseconds. */
  readonly #since = new Map<string, number>();
  #dueMs = resyncMs;

  constructor(kube: Kube, options: PoolObserverOptions) {
    this.#kube = kube;
    this.#options = { renderDelayMs: 100, targetDelayMs: 100, nodeTakesMs: 100, outcome: () => 'done', ...options };
  }

  /** Does one pass, and says after how many milliseconds something pending will be due. */
  async run(): Promise<number> {
    this.#dueMs = resyncMs;
    const [pools, configs, nodes] = await Promise.all([
      this.#kube.list(paths.pools),
      this.#kube.list(paths.machineConfigs),
      this.#kube.list(paths.nodes),
    ]);
    for (const pool of pools) {
      const mine = nodes.filter((node) => poolOfNode(node, pools)?.metadata.name === pool.metadata.name);
      await this.#sync(pool, configs, mine).catch((cause: unknown) => this.#afterConflict(cause));
    }
    return this.#dueMs;
  }

  async #sync(pool: KubeObject, configs: readonly KubeObject[], nodes: readonly KubeObject[]): Promise<void> {
    const rendered = await this.#render(pool, configs);
    const states: NodeState[] = [];
    for (const node of nodes) states.push(await this.#work(node, rendered));
    await this.#target(rendered, states);
    await this.#report(rendered, states);
  }

  /** A conflict is somebody else's write, and an absent object somebody's deletion: the next pass reads them. */
  #afterConflict(cause: unknown): void {
    if (!(cause instanceof KubeRefusal && [404, 409].includes(cause.status))) throw cause;
    this.#dueMs = Math.min(this.#dueMs, conflictPauseMs);
  }

  /** Keeps `spec.configuration` in line with the MachineConfigs the pool selects. */
  async #render(pool: KubeObject, configs: readonly KubeObject[]): Promise<KubeObject> {
    const { name } = pool.metadata;
    const sources = configs.filter((config) => selects(pool.spec.machineConfigSelector, config.metadata.labels));
    const hash = createHash('md5').update(JSON.stringify(sources.map((config) => [config.metadata.name, config.spec])));
    const configuration = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      name: `rendered-${name}-${hash.digest('hex')}`,
      source: sources.map((config) => ({
        apiVersion: config.apiVersion,
        kind: config.kind,
        name: config.metadata.name,
      })),
    };
    if (pool.spec.configuration?.name === configuration.name) return pool;
    if (!this.#waited(`render ${name}`, configuration.name, this.#options.renderDelayMs)) return pool;
    await this.#createRendered(pool, configuration.name);
    const update = { ...pool, spec: { ...pool.spec, configuration } };
    return this.#kube.put(`${paths.pools}/${name}?fieldManager=${fieldManager}`, update);
  }

  async #createRendered(pool: KubeObject, name: string): Promise<void> {
    const rendered = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: {
        name,
        annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'stand-in' },
        ownerReferences: [
          {
            apiVersion: pool.apiVersion,
            kind: pool.kind,
            name: pool.metadata.name,
            uid: pool.metadata.uid,
            controller: true,
          },
        ],
      },
      spec: { config: { ignition: { version: '3.4.0' } } },
    };
    await this.#kube.post(paths.machineConfigs, rendered).catch((cause: unknown) => {
      if (!(cause instanceof KubeRefusal && cause.reason === 'AlreadyExists')) throw cause;
    });
  }

  /** The daemon's part: a new node takes the pool's configuration as it comes, a targeted one works and ends. */
  async #work(node: KubeObject, pool: KubeObject): Promise<NodeState> {
    const target: string | undefined = pool.spec.configuration?.name;
    const { name, annotations = {} } = node.metadata;
    const desired = annotations[annotation.desired];
    if (desired === undefined) {
      if (target === undefined) return { node };
      return { node: await this.#annotate(name, { current: target, desired: target, state: 'Done' }) };
    }
    if (desired === annotations[annotation.current]) return { node };
    if (annotations[annotation.state] === 'Done') return { node: await this.#annotate(name, { state: 'Working' }) };
    if (
      annotations[annotation.state] !== 'Working' ||
      !this.#waited(`node ${name}`, desired, this.#options.nodeTakesMs)
    )
      return { node };
    const outcome = this.#options.outcome(name, desired);
    if (outcome === 'stuck') return { node };
    if (outcome === 'done')
      return { node: await this.#annotate(name, { current: desired, state: 'Done', reason: '' }) };
    return { node: await this.#annotate(name, { state: 'Degraded', reason: outcome.degraded }) };
  }

  /** The node controller's part: gives further nodes the pool's configuration unless the pool, as read, is paused. */
  async #target(pool: KubeObject, states: NodeState[]): Promise<void> {
    const config: string | undefined = pool.spec.configuration?.name;
    const key = pool.spec.paused === true ? 'paused' : String(config);
    const { targetDelayMs } = this.#options;
    const delayMs = typeof targetDelayMs === 'number' ? targetDelayMs : targetDelayMs(pool.metadata.name);
    const waited = this.#waited(`target ${pool.metadata.name}`, key, delayMs);
    if (config === undefined || pool.spec.paused === true || !waited) return;
    for (const state of targets(pool, states))
      state.node = await this.#annotate(state.node.metadata.name, { desired: config });
  }

  async #report(pool: KubeObject, states: readonly NodeState[]): Promise<void> {
    const status: unknown = JSON.parse(JSON.stringify(judgePool(pool, states, new Date())));
    if (isDeepStrictEqual(status, pool.status)) return;
    await this.#kube.put(`${paths.pools}/${pool.metadata.name}/status?fieldManager=${fieldManager}`, {
      ...pool,
      status,
    });
  }

  async #annotate(
    node: string,
    values: Readonly<Partial<Record<keyof typeof annotation, string>>>,
  ): Promise<KubeObject> {
    const annotations = Object.entries(values).map(([key, value]) => [
      annotation[key as keyof typeof annotation],
      value,
    ]);
    return this.#kube.patch(
      `${paths.nodes}/${node}`,
      { metadata: { annotations: Object.fromEntries(annotations) } },
      { fieldManager },
    );
  }

  /** Whether something has been the same for so long. */
  #waited(what: string, value: string, delayMs: number): boolean {
    const key = `${what} ${value}`;
    for (const other of this.#since.keys())
      if (other.startsWith(`${what} `) && other !== key) this.#since.delete(other);
    const since = this.#since.get(key) ?? performance.now();
    this.#since.set(key, since);
    const restMs = since + delayMs - performance.now();
    if (restMs > 0) this.#dueMs = Math.min(this.#dueMs, restMs);
    return restMs <= 0;
  }
}
