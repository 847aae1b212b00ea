import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import type {
  NodeSubject,
  NodeSymptom,
  PoolSubject,
  PoolSymptom,
} from '../../../../functions/core/diagnose/subject.ts';
import type { Answer, Question } from '../../../../functions/core/findings/question.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { poolSelects } from '../../../../functions/core/openshift/selector.ts';
import type { ObjectReader } from '../../../../functions/ports/cluster.ts';
import { aPool } from '../../../fakes/builders.ts';

/** A little cluster in memory: objects in the API server's own JSON, answered by path, label and field selector, a
 *  page at a time. */
export interface World {
  readonly nodes: readonly Json[];
  readonly pods: readonly Json[];
  readonly budgets: readonly Json[];
  readonly machines: readonly Json[];
  readonly events: readonly Json[];
  readonly machineConfigs: readonly Json[];
  readonly replicaSets: readonly Json[];
  /** Objects of any other kind, by the path of their list without namespace or of the object itself. */
  readonly others: Readonly<Record<string, readonly Json[]>>;
  /** Paths that cannot be read, with the reason. */
  readonly refused: readonly { readonly path: RegExp; readonly why: string }[];
  /** Lists of more items than these, or than these of one namespace, are larger than may be read. */
  readonly tooLarge?: { readonly path: RegExp; readonly items: number; readonly namespace?: string };
  /** Logs by the name of their pod; a pod without one has an empty one. */
  readonly logs?: Readonly<Record<string, string>>;
  /** Lists are answered in full objects even where a table is asked for, as a lesser server does. */
  readonly withoutTables: boolean;
}

export type Json = { readonly [key: string]: unknown };

export const now = '2026-03-02T10:30:00.000Z';
export const oldConfig = 'rendered-worker-aaa';
export const newConfig = 'rendered-worker-bbb';

export function aWorld(change: Partial<World> = {}): World {
  return {
    nodes: [],
    pods: [],
    budgets: [],
    machines: [],
    events: [],
    machineConfigs: [],
    replicaSets: [],
    others: {},
    refused: [],
    withoutTables: false,
    ...change,
  };
}

/** ISO instant so many minutes before `now`. */
export function minutesAgo(minutes: number): string {
  return new Date(Date.parse(now) - minutes * 60_000).toISOString();
}

export interface WorldLooker extends ObjectReader {
  readonly asked: readonly Question[];
}

export function readerOver(world: World): WorldLooker {
  const asked: Question[] = [];
  return {
    asked,
    read: async (question) => {
      asked.push(question);
      return answerOf(world, question);
    },
  };
}

function answerOf(world: World, question: Question): Answer {
  const readAt = new Date(now);
  const refused = world.refused.find(({ path }) => path.test(question.path));
  if (refused !== undefined) return { kind: 'failed', why: refused.why, readAt };
  const log = /\/pods\/(?<pod>[^/]+)\/log$/.exec(question.path)?.groups?.['pod'];
  if (log !== undefined) return { kind: 'found', body: world.logs?.[log] ?? '', readAt };
  const found = resource(world, question.path);
  if (found === undefined) return { kind: 'absent', readAt };
  const { items, name } = found;
  if (name !== undefined) {
    const body = items.find((item) => meta(item).name === name);
    return body === undefined ? { kind: 'absent', readAt } : { kind: 'found', body, readAt };
  }
  const body = listBody(world, items, question);
  const { path, items: most, namespace } = world.tooLarge ?? {};
  const isLarge = (item: Json) => namespace === undefined || meta(item).namespace === namespace;
  if (
    most !== undefined &&
    path?.test(question.path) &&
    (body['items'] as readonly Json[]).filter(isLarge).length > most
  )
    return { kind: 'failed', why: 'the answer is too large', readAt, isTooLarge: true };
  return { kind: 'found', body, readAt };
}

interface Resource {
  readonly items: readonly Json[];
  readonly name: string | undefined;
}

function resource(world: World, path: string): Resource | undefined {
  const routes: readonly (readonly [RegExp, readonly Json[]])[] = [
    [/^\/api\/v1\/nodes(?:\/(?<name>[^/]+))?$/, world.nodes],
    [/^\/api\/v1(?:\/namespaces\/(?<namespace>[^/]+))?\/pods(?:\/(?<name>[^/]+))?$/, world.pods],
    [/^\/api\/v1(?:\/namespaces\/(?<namespace>[^/]+))?\/events$/, world.events],
    [/^\/apis\/policy\/v1(?:\/namespaces\/(?<namespace>[^/]+))?\/poddisruptionbudgets$/, world.budgets],
    [/^\/apis\/apps\/v1\/namespaces\/(?<namespace>[^/]+)\/replicasets\/(?<name>[^/]+)$/, world.replicaSets],
    [/^\/apis\/machineconfiguration.openshift.io\/v1\/machineconfignodes\/(?<name>[^/]+)$/, world.machines],
    [/^\/apis\/machineconfiguration.openshift.io\/v1\/machineconfigs(?:\/(?<name>[^/]+))?$/, world.machineConfigs],
  ];
  const others = world.others[path];
  if (others !== undefined) return { items: others, name: undefined };
  const parent = world.others[path.slice(0, path.lastIndexOf('/'))];
  if (parent !== undefined) return { items: parent, name: decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)) };
  for (const [pattern, items] of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const { namespace, name } = match.groups ?? {};
    return {
      items:
        namespace === undefined
          ? items
          : items.filter((item) => meta(item).namespace === decodeURIComponent(namespace)),
      name: name === undefined ? undefined : decodeURIComponent(name),
    };
  }
  return undefined;
}

function listBody(world: World, items: readonly Json[], { query, form }: Question): Json {
  const fitting = items.filter(
    (item) => fitsLabels(meta(item).labels ?? {}, query['labelSelector']) && fitsFields(item, query['fieldSelector']),
  );
  const from = Number(query['continue'] ?? 0);
  const end = from + Number(query['limit'] ?? fitting.length);
  const page = fitting.slice(from, end);
  const metadata = { continue: fitting.length > end ? `${end}` : '' };
  if (form === 'table' && !world.withoutTables) return { kind: 'Table', metadata, ...tableOf(page) };
  return { kind: 'List', metadata, items: page };
}

function tableOf(nodes: readonly Json[]): Json {
  return {
    columnDefinitions: ['Name', 'Status', 'Roles', 'Age', 'Version', 'OS-Image', 'Kernel-Version'].map((name) => ({
      name,
      type: 'string',
    })),
    rows: nodes.map((node) => {
      const ready =
        at(node, 'status', 'conditions').find((each: Json) => each['type'] === 'Ready')?.['status'] === 'True';
      const cordoned = at(node, 'spec')['unschedulable'] === true;
      return {
        cells: [
          meta(node).name,
          `${ready ? 'Ready' : 'NotReady'}${cordoned ? ',SchedulingDisabled' : ''}`,
          '',
          '',
          '',
          at(node, 'status', 'nodeInfo')['osImage'] ?? '<unknown>',
          at(node, 'status', 'nodeInfo')['kernelVersion'] ?? '<unknown>',
        ],
      };
    }),
  };
}

/** `a=b,c in (d,e),f notin (g),h,!i`, as the API server reads it. */
function fitsLabels(labels: Readonly<Record<string, string>>, selector: string | undefined): boolean {
  if (selector === undefined || selector === '') return true;
  return selector.split(/,(?![^(]*\))/).every((part) => {
    const set = /^(\S+) (in|notin) \(([^)]*)\)$/.exec(part);
    if (set !== null) {
      const [, key = '', operator, values = ''] = set;
      const has = values.split(',').includes(labels[key] ?? '\0');
      return operator === 'in' ? has : !has;
    }
    if (part.startsWith('!')) return !(part.slice(1) in labels);
    const [key = '', ...value] = part.split('=');
    return part.includes('=') ? labels[key] === value.join('=') : key in labels;
  });
}

function fitsFields(item: Json, selector: string | undefined): boolean {
  if (selector === undefined) return true;
  return selector.split(',').every((part) => {
    const [path = '', value = ''] = part.split('=');
    return String(at(item, ...path.split('.'))) === value;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a test's own making
function at(item: Json, ...path: readonly string[]): any {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a test's own making
  return path.reduce<any>((value, key) => value?.[key] ?? '', item);
}

function meta(item: Json): {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
} {
  return at(item, 'metadata');
}

/** A worker that runs the old configuration, Ready, not cordoned. */
export function aLiveNode(
  name: string,
  change: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Json[];
    readonly ready?: { readonly status: string; readonly message: string; readonly lastTransitionTime?: string };
    readonly conditions?: readonly Json[];
    readonly managedFields?: readonly Json[];
    readonly role?: string;
    readonly nodeInfo?: Json;
  } = {},
): Json {
  const mco = (key: string) => `machineconfiguration.openshift.io/${key}`;
  const { role = 'worker' } = change;
  const config = role === 'worker' ? oldConfig : `rendered-${role}-aaa`;
  const annotations = {
    currentConfig: config,
    desiredConfig: config,
    state: 'Done',
    desiredDrain: `uncordon-${oldConfig}`,
    lastAppliedDrain: `uncordon-${oldConfig}`,
    ...change.annotations,
  };
  const ready = change.ready ?? { status: 'True', message: 'kubelet is posting ready status' };
  return {
    metadata: {
      name,
      uid: `uid-node-${name}`,
      labels: {
        [`node-role.kubernetes.io/${role}`]: '',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...change.labels,
      },
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [mco(key), value])),
      managedFields: change.managedFields ?? [],
    },
    spec: { unschedulable: change.unschedulable ?? false, taints: change.taints ?? [] },
    status: {
      conditions: [
        { type: 'Ready', reason: '', lastTransitionTime: minutesAgo(600), ...ready },
        ...(change.conditions ?? []),
      ],
      nodeInfo: { bootID: `boot-${name}`, ...change.nodeInfo },
    },
  };
}

/** The same node while the MCO drains it: targeted, asked for, cordoned. */
export function aDrainingNode(name: string, change: Parameters<typeof aLiveNode>[1] = {}): Json {
  return aLiveNode(name, {
    unschedulable: true,
    taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: minutesAgo(12) }],
    ...change,
    annotations: {
      state: 'Working',
      desiredConfig: newConfig,
      desiredDrain: `drain-${newConfig}`,
      ...change.annotations,
    },
  });
}

/** What the node lifecycle controller puts on a cordoned node whose kubelet is silent, a reboot included. */
export function silentFor(minutes: number): readonly Json[] {
  const timeAdded = minutesAgo(minutes);
  return [
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: minutesAgo(12) },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded },
  ];
}

export function aMaster(name: string): Json {
  return aLiveNode(name, {
    role: 'master',
    taints: [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }],
    annotations: { currentConfig: 'rendered-master-aaa', desiredConfig: 'rendered-master-aaa' },
  });
}

/** A running, ready pod of Deployment `app` in namespace shop. */
export function aPod(
  name: string,
  change: {
    readonly namespace?: string;
    readonly node?: string;
    readonly app?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly owner?: Json | null;
    readonly ready?: boolean;
    readonly phase?: string;
    readonly spec?: Json;
    readonly metadata?: Json;
    readonly conditions?: readonly Json[];
    readonly containers?: readonly Json[];
    readonly initContainers?: readonly Json[];
    readonly startTime?: string;
  } = {},
): Json {
  const app = change.app ?? 'web';
  const ready = change.ready ?? true;
  const owner =
    change.owner === undefined
      ? { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-5d5f6c7b8`, controller: true }
      : change.owner;
  return {
    metadata: {
      name,
      namespace: change.namespace ?? 'shop',
      uid: `uid-pod-${change.namespace ?? 'shop'}-${name}`,
      labels: { app, 'pod-template-hash': '5d5f6c7b8', ...change.labels },
      ownerReferences: owner === null ? [] : [owner],
      ...change.metadata,
    },
    spec: { ...(change.node === undefined ? {} : { nodeName: change.node }), ...change.spec },
    status: {
      phase: change.phase ?? 'Running',
      startTime: change.startTime ?? minutesAgo(900),
      conditions: change.conditions ?? [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: minutesAgo(14) },
      ],
      ...(change.initContainers === undefined ? {} : { initContainerStatuses: change.initContainers }),
      containerStatuses: change.containers ?? [
        { name: 'main', ready, restartCount: 0, state: { running: { startedAt: minutesAgo(900) } } },
      ],
    },
  };
}

/** The pod of the machine-config-controller. */
export function aController(ready: boolean): Json {
  return aPod('machine-config-controller-x', {
    namespace: 'openshift-machine-config-operator',
    labels: { 'k8s-app': 'machine-config-controller' },
    owner: null,
    node: 'master-1',
    ready,
  });
}

/** A pod that no node takes, in the scheduler's words. */
export function aPendingPod(name: string, message: string, change: Parameters<typeof aPod>[1] = {}): Json {
  return aPod(name, {
    phase: 'Pending',
    ready: false,
    containers: [],
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    ...change,
  });
}

/** The ReplicaSet of Deployment `app` in namespace shop, with all its pods. */
export function aReplicaSet(replicas: number, app = 'web'): Json {
  return { metadata: { name: `${app}-5d5f6c7b8`, namespace: 'shop' }, spec: { replicas }, status: { replicas } };
}

/** Two of two pods needed, by minAvailable, selecting app=web in shop. */
export function aBudget(
  name: string,
  change: {
    readonly namespace?: string;
    readonly spec?: Json;
    readonly status?: Json;
    readonly metadata?: Json;
  } = {},
): Json {
  return {
    metadata: {
      name,
      namespace: change.namespace ?? 'shop',
      uid: `uid-pdb-${name}`,
      generation: 1,
      ...change.metadata,
    },
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } }, ...change.spec },
    status: {
      expectedPods: 2,
      desiredHealthy: 2,
      currentHealthy: 2,
      disruptionsAllowed: 0,
      observedGeneration: 1,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
      ...change.status,
    },
  };
}

/** What the MCO keeps of a node's update since OpenShift 4.19. */
export function aMachine(name: string, conditions: readonly Json[]): Json {
  return { metadata: { name }, status: { conditions } };
}

/** A drain that fails with this error. */
export function drainFailing(name: string, error: string, since = minutesAgo(12)): Json {
  return aMachine(name, [
    {
      type: 'Drained',
      status: 'Unknown',
      reason: 'UpdateExecutedCordoned',
      message: `Error: Node Drain has not succeeded. Error is: ${error}`,
      lastTransitionTime: since,
    },
  ]);
}

export function refused(pod: string, namespace = 'shop'): string {
  return `error when evicting pods/"${pod}" -n "${namespace}": global timeout reached: 1m30s`;
}

export function accepted(pod: string, namespace = 'shop'): string {
  return `error when waiting for pod "${pod}" in namespace "${namespace}" to terminate: global timeout reached: 1m30s`;
}

export function anEvent(
  about: { readonly kind: string; readonly name: string },
  reason: string,
  message: string,
  change: { readonly namespace?: string; readonly type?: string; readonly at?: string } = {},
): Json {
  return {
    metadata: { name: `${about.name}.${reason}`, namespace: change.namespace ?? 'openshift-machine-config-operator' },
    involvedObject: about,
    type: change.type ?? 'Warning',
    reason,
    message,
    lastTimestamp: change.at ?? minutesAgo(3),
  };
}

/** Worker pool in mid-rollout to the new configuration. */
export function aRollingPool(change: Partial<Pool> = {}): Pool {
  return aPool({
    target: { name: newConfig, sources: ['00-worker', '99-worker-ssh', '99-worker-chrony'] },
    current: { name: oldConfig, sources: ['00-worker', '99-worker-ssh'] },
    counts: { machines: 3, updated: 0, ready: 0, unavailable: 1, degraded: 0 },
    ...change,
  });
}

function nodesOf(world: World): readonly Node[] {
  return world.nodes.map(nodeOf);
}

/** The nodes of the pool as the pass would hand them on. */
export function membersIn(world: World, pool: Pool): readonly Node[] {
  return nodesOf(world).filter((node) => poolSelects(pool.nodeSelector, node.labels));
}

export function nodeSubject(world: World, name: string, symptom: NodeSymptom, pool = aRollingPool()): NodeSubject {
  const node = nodesOf(world).find((each) => each.name === name);
  if (node === undefined) throw new Error(`no node ${name} in this world`);
  return {
    kind: 'node',
    cluster: 'prod',
    pool,
    nodes: membersIn(world, pool),
    node,
    symptom,
    since: minutesAgo(12),
    readAt: now,
  };
}

export function poolSubject(world: World, symptom: PoolSymptom, pool = aRollingPool()): PoolSubject {
  return {
    kind: 'pool',
    cluster: 'prod',
    pool,
    nodes: membersIn(world, pool),
    symptom,
    since: minutesAgo(12),
    readAt: now,
  };
}
