import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlaneAddress } from './control-plane.ts';
import { type Kube, type KubeObject, KubeRefusal } from './kube.ts';
import { paths } from './paths.ts';
import { annotation } from './pool-rules.ts';

/**
 * A STAND-IN for the part of the Machine Config Operator that drains: it cordons and says in annotations and in the
 * MachineConfigNode what the real controller says. The drain itself is real: `kubectl drain` is the same library, and
 * evicts through the API server's eviction with its refusals. Only its times are short.
 */
export interface NodeDrain {
  /** The first error, in the drain library's own words. */
  readonly refused: Promise<string>;
  /** Settles when nothing is left on the node that has to go. */
  readonly drained: Promise<void>;
  /** Ends after the attempt that goes on. What is written stays. */
  readonly stop: () => Promise<void>;
}

export interface DrainOptions {
  readonly kube: Kube;
  readonly kubectl: string;
  readonly address: ControlPlaneAddress;
  readonly node: string;
  readonly pool: string;
  /** The rendered config that the node is to get. */
  readonly config: string;
  /** Whom it is done as; default: the administrator, whom the API server never makes wait. */
  readonly as?: string | undefined;
  /** One attempt. Really 90 s; an eviction that is refused is tried again after 5 s, so it lasts at least so long. */
  readonly attemptSeconds?: number;
  /** Between two attempts. Really a minute. */
  readonly retryMs?: number;
}

const fieldManager = 'machine-config-controller';

/** Asks for a drain as the daemon of the node does, and does it as the controller does, until it is done or stopped. */
export function startNodeDrain(options: DrainOptions): NodeDrain {
  const { kube, node, config, retryMs = 1_000 } = options;
  const stopped = new AbortController();
  const refused = Promise.withResolvers<string>();
  const drained = Promise.withResolvers<void>();
  const asked = `drain-${config}`;

  const loop = (async () => {
    await annotate(options, { desired: config, state: 'Working', desiredDrain: asked });
    await kube.patch(`${paths.nodes}/${node}`, { spec: { unschedulable: true } }, { fieldManager });
    while (!stopped.signal.aborted) {
      // As the real one: while it tries again, nothing names the pods that stood in its way.
      await tell(
        options,
        'Unknown',
        `Draining node. The drain will not be complete until desired drainer ${asked} matches current drainer `,
      );
      const error = await attempt(options, stopped.signal);
      if (stopped.signal.aborted) return;
      if (error === undefined) {
        await annotate(options, { lastAppliedDrain: asked });
        await tell(
          options,
          'True',
          `Drained node. The drain is complete as the desired drainer matches current drainer: ${asked}`,
        );
        return drained.resolve();
      }
      await tell(
        options,
        'Unknown',
        `Error: Node Drain has not succeeded. Error is: ${error} The drain will not be complete until desired drainer ${asked} matches current drainer `,
      );
      refused.resolve(error);
      await pause(retryMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  loop.catch((cause: unknown) => {
    refused.reject(cause);
    drained.reject(cause);
  });
  // Whoever waits for one of the two hears of a failure; nobody has to wait for both.
  refused.promise.catch(() => undefined);
  drained.promise.catch(() => undefined);
  return {
    refused: refused.promise,
    drained: drained.promise,
    stop: async () => {
      stopped.abort();
      await loop.catch(() => undefined);
    },
  };
}

/** One `kubectl drain`. Answers its error as the library gave it, or undefined when the node is empty. */
function attempt(
  { kubectl, address, node, as, attemptSeconds = 2 }: DrainOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const flags = ['--force', '--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${attemptSeconds}s`];
  const whom = as === undefined ? [] : ['--as', as];
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  execFile(
    kubectl,
    ['--kubeconfig', address.kubeconfig, 'drain', node, ...flags, ...whom],
    { signal },
    (cause, _out, said) => {
      if (cause === null || signal.aborted) return resolve(undefined);
      const error = /due to error: ?([\s\S]*?), continuing command/.exec(said)?.[1];
      if (error === undefined) return reject(new Error(`kubectl drain ${node}: ${said}`, { cause }));
      resolve(error);
    },
  );
  return promise;
}

type Key = keyof typeof annotation;

async function annotate({ kube, node }: DrainOptions, values: Readonly<Partial<Record<Key, string>>>): Promise<void> {
  const annotations = Object.fromEntries(Object.entries(values).map(([key, value]) => [annotation[key as Key], value]));
  await kube.patch(`${paths.nodes}/${node}`, { metadata: { annotations } }, { fieldManager });
}

/** The condition Drained of the MachineConfigNode. */
async function tell(
  { kube, node, pool, config }: DrainOptions,
  status: 'True' | 'Unknown',
  message: string,
): Promise<void> {
  const path = `${paths.machineConfigNodes}/${node}`;
  const found = (await kube.find(path)) ?? (await create(kube, { node, pool, config }));
  const before = found.status?.conditions?.find(({ type }: { readonly type: string }) => type === 'Drained');
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const drained = {
    type: 'Drained',
    status,
    reason: 'UpdateExecutedDrained',
    message,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : at,
  };
  const body = { status: { configVersion: { desired: config }, conditions: [drained] } };
  await kube.patch(`${path}/status`, body, { fieldManager });
}

async function create(
  kube: Kube,
  { node, pool, config }: Pick<DrainOptions, 'node' | 'pool' | 'config'>,
): Promise<KubeObject> {
  const draft = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name: node },
    spec: { node: { name: node }, pool: { name: pool }, configVersion: { desired: config } },
  };
  return kube.post(paths.machineConfigNodes, draft).catch((cause: unknown) => {
    if (cause instanceof KubeRefusal && cause.reason === 'AlreadyExists')
      return kube.get(`${paths.machineConfigNodes}/${node}`);
    throw cause;
  });
}
