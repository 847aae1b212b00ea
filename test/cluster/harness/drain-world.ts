import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { clusterReader } from '../../../functions/adapters/kubernetes/object-reader.ts';
import { clusterPools } from '../../../functions/adapters/kubernetes/pools.ts';
import type { Diagnosis } from '../../../functions/core/diagnose/diagnosis.ts';
import { recording } from '../../../local/snapshot/recording-client.ts';
import type { Reading } from '../../../local/snapshot/snapshot.ts';
import { type DrainQuestion, explainDrain } from '../../corpus/explain-drain.ts';
import { type Draft, type KubeObject, KubeRefusal } from './kube.ts';
import type { Kubelets, NodeDraft } from './kubelets.ts';
import type { Lab } from './lab.ts';
import { startNodeDrain } from './node-drain.ts';
import { pool } from './objects.ts';
import { collectionOf, paths } from './paths.ts';
import { annotation } from './pool-rules.ts';
import { until } from './until.ts';

/** How long workloads may take to get where a test wants them, milliseconds: seconds on a quiet machine. */
const settledWithinMs = 60_000;

export interface Workload {
  readonly name?: string;
  readonly kind?: 'Deployment' | 'StatefulSet';
  readonly replicas: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** What the pods have besides one container, a second of grace and the selector of this world. */
  readonly pod?: Readonly<Record<string, unknown>>;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly finalizers?: readonly string[];
  /** How many of the pods are waited for, ready. Default: all. */
  readonly untilReady?: number;
}

/** A namespace, a pool and nodes of one test alone, in a cluster that others use at the same time: its pods ask for
 *  its nodes. */
export interface DrainWorld {
  readonly name: string;
  readonly lab: Lab;
  readonly kubelets: Kubelets;
  /** Full name of a node of this world. */
  readonly nodeName: (node: string) => string;
  readonly node: (node: string, draft?: Omit<NodeDraft, 'name'>) => Promise<void>;
  readonly deploy: (workload: Workload) => Promise<void>;
  readonly create: (object: Draft) => Promise<KubeObject>;
  /** A budget for the pods with `app: web`, once its controller has counted them. */
  readonly budget: (spec: Readonly<Record<string, unknown>>, name?: string) => Promise<void>;
  readonly pods: () => Promise<readonly KubeObject[]>;
  /** Waits for pods of this world. */
  readonly untilPods: (what: string, holds: (pods: readonly KubeObject[]) => boolean) => Promise<void>;
  /** Drains a node until the first attempt has failed, as the administrator or somebody else, and gives the error of
   *  the drain library. */
  readonly drain: (node: string, as?: string) => Promise<string>;
  /** Begins to drain a node, and stops before the first attempt has failed: nothing names a pod yet. */
  readonly beginDrain: (node: string) => Promise<void>;
  /** Drains a node to its end. */
  readonly drainAll: (node: string) => Promise<void>;
  /** What Poolkeeper says of the node, by its own reads of the API server, and what these were. */
  readonly diagnose: (node: string) => Promise<Diagnosed>;
  readonly end: () => Promise<void>;
}

export interface Diagnosed {
  readonly diagnosis: Diagnosis;
  readonly asked: DrainQuestion;
  /** What was read, in order. */
  readonly readings: readonly Reading[];
}

export interface WorldParts {
  readonly lab: Lab;
  readonly kubelets: Kubelets;
  readonly connection: ClusterConnection;
}

export async function openWorld(name: string, { lab, kubelets, connection }: WorldParts): Promise<DrainWorld> {
  const { kube } = lab;
  const nodes: string[] = [];
  const clusterObjects: string[] = [];
  const startedAt = new Date();
  const nodeName = (node: string) => `${name}-${node}`;
  const podsPath = paths.in(name).pods;
  await kube.post(paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await kube.post(paths.pools, pool({ name, roles: [name] }));

  const pods = () => kube.list(podsPath);
  const untilPods: DrainWorld['untilPods'] = async (what, holds) => {
    await until(async () => holds(await pods()), settledWithinMs, `${name}: ${what}`);
  };

  async function create(object: Draft): Promise<KubeObject> {
    const collection = collectionOf(object);
    const created = await kube.post(collection, object);
    if (created.metadata.namespace === undefined) clusterObjects.push(`${collection}/${created.metadata.name}`);
    return created;
  }

  function begin(node: string, as?: string) {
    return startNodeDrain({
      kube,
      kubectl: lab.toolchain.kubectl,
      address: lab.controlPlane,
      node: nodeName(node),
      pool: name,
      config: rendered(name, 'new'),
      as,
    });
  }

  return {
    name,
    lab,
    kubelets,
    nodeName,
    pods,
    untilPods,
    create,
    node: async (node, draft = {}) => {
      const role = { 'node-role.kubernetes.io/worker': '', [`node-role.kubernetes.io/${name}`]: '' };
      nodes.push(nodeName(node));
      await kubelets.add({
        ...draft,
        name: nodeName(node),
        labels: { world: name, ...role, ...draft.labels },
        annotations: {
          [annotation.current]: rendered(name, 'old'),
          [annotation.desired]: rendered(name, 'old'),
          [annotation.state]: 'Done',
          ...draft.annotations,
        },
      });
    },
    deploy: async ({ untilReady, ...workload }) => {
      await create(workloadOf(name, workload));
      const app = workload.name ?? 'web';
      const wanted = untilReady ?? workload.replicas;
      await untilPods(`${wanted} ready pods of ${app}`, (all) => all.filter(isReady).filter(of(app)).length >= wanted);
    },
    budget: async (spec, budget = 'web') => {
      const selector = { matchLabels: { app: 'web' } };
      const metadata = { name: budget, namespace: name };
      await create({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { selector, ...spec } });
      const path = `${paths.in(name).budgets}/${budget}`;
      await until(
        // One that cannot be counted has a condition and no generation.
        async () => (await kube.get(path)).status?.conditions?.length > 0,
        settledWithinMs,
        `${name}: the budget ${budget} to be counted`,
      );
    },
    drain: async (node, as) => {
      const drain = begin(node, as);
      const outcome = await Promise.race([drain.refused, drain.drained]);
      await drain.stop();
      if (outcome === undefined) throw new Error(`${name}: nothing stopped the drain of ${nodeName(node)}`);
      return outcome;
    },
    beginDrain: async (node) => {
      const drain = begin(node);
      const asked = `${paths.machineConfigNodes}/${nodeName(node)}`;
      await until(
        async () => (await kube.find(asked))?.status?.conditions,
        settledWithinMs,
        `${name}: a drain to begin`,
      );
      await drain.stop();
    },
    drainAll: (node) => begin(node).drained,
    diagnose: async (node) => {
      const now = new Date();
      const { client, readings } = recording(connection.client, () => new Date());
      const observed = { pools: clusterPools(client), reader: clusterReader(client, () => new Date()) };
      const asked = { pool: name, node: nodeName(node), since: startedAt.toISOString(), readAt: now.toISOString() };
      const diagnosis = await explainDrain(observed, asked);
      return { diagnosis, asked, readings: readings() };
    },
    end: async () => {
      for (const path of clusterObjects.toReversed()) await kube.delete(path);
      for (const kind of ['deployments', 'statefulsets']) {
        for (const object of await kube.list(`/apis/apps/v1/namespaces/${name}/${kind}`))
          await kube.delete(`/apis/apps/v1/namespaces/${name}/${kind}/${object.metadata.name}`);
      }
      for (const pod of await pods()) await endPod(pod);
      await kube.delete(`${paths.namespaces}/${name}`);
      for (const node of nodes) {
        await kubelets.remove(node);
        await kube.delete(`${paths.machineConfigNodes}/${node}`);
      }
      await kube.delete(`${paths.pools}/${name}`);
    },
  };

  async function endPod(pod: KubeObject): Promise<void> {
    const path = `${podsPath}/${pod.metadata.name}`;
    if (pod.metadata['finalizers'] !== undefined)
      await kube.patch(path, { metadata: { finalizers: null } }).catch(() => undefined);
    // A policy of the test holds for a moment after it is gone.
    const isDeleted = () =>
      kube.delete(`${path}?gracePeriodSeconds=0`).then(
        () => true,
        (cause: unknown) => {
          if (cause instanceof KubeRefusal) return false;
          throw cause;
        },
      );
    await until(isDeleted, settledWithinMs, `${name}: ${path} to be deleted`);
  }
}

function rendered(name: string, which: string): string {
  return `rendered-${name}-${which}`;
}

/** A workload whose pods carry `app: web`, and end within a second. */
export function workloadOf(
  namespace: string,
  { name = 'web', kind = 'Deployment', replicas, labels, pod = {}, container = {}, finalizers }: Workload,
): Draft {
  const own = { workload: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: own },
      ...(kind === 'StatefulSet' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {}),
      template: {
        metadata: { labels: { app: 'web', ...own, ...labels }, ...(finalizers && { finalizers }) },
        spec: {
          nodeSelector: { world: namespace },
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'app', image: 'example.com/app', ...container }],
          ...pod,
        },
      },
    },
  };
}

/** Each pod on a node of its own. */
export const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  },
} as const;

export function isReady({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: holds }: { readonly type: string; readonly status: string }) =>
      type === 'Ready' && holds === 'True',
  );
}

function of(workload: string): (pod: KubeObject) => boolean {
  return ({ metadata }) => metadata.labels?.['workload'] === workload;
}
