import type { TroubleKind } from '../../functions/core/findings/trouble.ts';
import { Snapshot } from '../../local/snapshot/snapshot.ts';
import { aWorld, type Json, newConfig, now, oldConfig, type World } from '../functions/core/diagnose/world.ts';

/** A cluster in which a pool does not get on, or seems not to, and why. */
export interface Situation {
  /** Short, in kebab-case. */
  readonly id: string;
  /** One sentence: what is the matter. */
  readonly title: string;
  readonly origin: Origin;
  readonly expected: Expected;
  readonly snapshot: Snapshot;
  /** What it is made of; undefined for a recording. */
  readonly scene: Scene | undefined;
}

export type Origin =
  /** Recorded with `poolkeeper record`. */
  | { readonly kind: 'recorded'; readonly from: string }
  /** Put together after what people reported or what the source or documentation of the component says. */
  | { readonly kind: 'built after'; readonly url: string };

export type Expected = 'nothing' | Cause;

export interface Cause {
  readonly pool: string;
  readonly kind: TroubleKind;
  /** Code of the root cause. */
  readonly code: string;
  /** Its subject, `Kind namespace/name`. */
  readonly about: string;
  /** Other pools of which the same is told. */
  readonly alsoOf?: readonly string[];
  /** What whoever explains it must name: each of these. */
  readonly named: readonly string[];
}

export interface Scene {
  readonly world: World;
  /** MachineConfigPools as the API server has them. */
  readonly pools: readonly Json[];
  readonly firstSeen?: Readonly<Record<string, string>>;
  readonly waitsForRender?: readonly string[];
}

export interface SituationDraft {
  readonly id: string;
  readonly title: string;
  /** Address of what it is built after. */
  readonly after: string;
  readonly expected: Expected;
  readonly world: Partial<World>;
  readonly pools?: readonly Json[];
  readonly firstSeen?: Readonly<Record<string, string>>;
  readonly waitsForRender?: readonly string[];
}

export function situation({ id, title, after, expected, ...draft }: SituationDraft): Situation {
  const world = aWorld(draft.world);
  const scene: Scene = {
    world,
    pools: draft.pools ?? [aRollingPoolObject(world)],
    ...(draft.firstSeen === undefined ? {} : { firstSeen: draft.firstSeen }),
    ...(draft.waitsForRender === undefined ? {} : { waitsForRender: draft.waitsForRender }),
  };
  return {
    id,
    title,
    origin: { kind: 'built after', url: after },
    expected,
    scene,
    snapshot: snapshotOfScene(scene),
  };
}

const mco = '/apis/machineconfiguration.openshift.io/v1';

/** A little cluster, written down whole. */
export function snapshotOfScene({ world, pools, firstSeen = {}, waitsForRender = [] }: Scene): Snapshot {
  const lists: Readonly<Record<string, readonly Json[]>> = {
    [`${mco}/machineconfigpools`]: pools,
    '/api/v1/nodes': world.nodes,
    '/api/v1/pods': world.pods,
    '/api/v1/events': world.events,
    '/apis/policy/v1/poddisruptionbudgets': world.budgets,
    '/apis/apps/v1/replicasets': world.replicaSets,
    [`${mco}/machineconfignodes`]: world.machines,
    [`${mco}/machineconfigs`]: world.machineConfigs,
    ...world.others,
  };
  return Snapshot.parse({
    v: 1,
    cluster: 'prod',
    takenAt: now,
    whole: true,
    firstSeen,
    waitsForRender,
    readings: Object.entries(lists).map(([path, items]) => ({
      path,
      readAt: now,
      answer: { kind: 'found', body: JSON.parse(JSON.stringify({ items })) },
    })),
  });
}

export interface PoolDraft {
  readonly name?: string;
  readonly current?: string;
  readonly target?: string;
  readonly paused?: boolean;
  readonly maxUnavailable?: number | string;
  readonly conditions?: readonly Json[];
  readonly counts?: Partial<Record<'machines' | 'updated' | 'ready' | 'unavailable' | 'degraded', number>>;
  readonly metadata?: Json;
  readonly role?: string;
}

/** A MachineConfigPool at rest, with all of its nodes updated. */
export function aPoolObject(draft: PoolDraft = {}): Json {
  const { name = 'worker', current = oldConfig, target = current, role = name } = draft;
  const counts = { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0, ...draft.counts };
  const conditions = new Map<unknown, Json>(
    ['Updated', 'Updating', 'Degraded', 'NodeDegraded', 'RenderDegraded'].map((type) => [
      type,
      { type, status: type === 'Updated' ? 'True' : 'False', lastTransitionTime: '2026-03-02T10:00:00Z' },
    ]),
  );
  for (const each of draft.conditions ?? [])
    conditions.set(each['type'], { lastTransitionTime: '2026-03-02T10:10:00Z', ...each });
  return {
    metadata: {
      name,
      uid: `uid-pool-${name}`,
      resourceVersion: '1',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: {},
      ...draft.metadata,
    },
    spec: {
      paused: draft.paused ?? false,
      maxUnavailable: draft.maxUnavailable ?? 1,
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: '' } },
      configuration: { name: target, source: sourcesOf(target === current ? [] : ['99-worker-chrony']) },
    },
    status: {
      observedGeneration: 4,
      configuration: { name: current, source: sourcesOf([]) },
      machineCount: counts.machines,
      updatedMachineCount: counts.updated,
      readyMachineCount: counts.ready,
      unavailableMachineCount: counts.unavailable,
      degradedMachineCount: counts.degraded,
      conditions: [...conditions.values()],
    },
  };
}

function sourcesOf(more: readonly string[]) {
  return ['00-worker', '99-worker-ssh', ...more].map((name) => ({ name }));
}

/** The worker pool in mid-rollout, with the conditions and counts that the MCO would give it for these nodes: what a
 *  failing node says is quoted in NodeDegraded, in the MCO's own form. */
export function aRollingPoolObject({ nodes }: Pick<World, 'nodes'>, draft: PoolDraft = {}): Json {
  const failing = nodes.filter((node) => ['Degraded', 'Unreconcilable'].includes(annotation(node, 'state')));
  const quotes = failing.map(
    (node) => `Node ${nameOf(node)} is reporting: ${JSON.stringify(annotation(node, 'reason'))}`,
  );
  const degraded = failing.length === 0 ? [] : degradedConditions(quotes.join(', '), failing.length);
  const target = draft.target ?? newConfig;
  const updated = nodes.filter((node) => annotation(node, 'currentConfig') === target).length;
  return aPoolObject({
    target,
    ...draft,
    conditions: [
      { type: 'Updated', status: 'False' },
      { type: 'Updating', status: 'True', message: `All nodes are updating to MachineConfig ${target}` },
      ...degraded,
      ...(draft.conditions ?? []),
    ],
    counts: {
      machines: nodes.length,
      updated,
      ready: updated,
      unavailable: nodes.filter(isAway).length,
      degraded: failing.length,
      ...draft.counts,
    },
  });
}

function degradedConditions(message: string, count: number): readonly Json[] {
  return [
    {
      type: 'NodeDegraded',
      status: 'True',
      reason: `${count} nodes are reporting degraded status on sync`,
      message,
    },
    { type: 'Degraded', status: 'True', message },
  ];
}

/** As the MCO counts. Source: MCO pkg/controller/common/layered_node_state.go `CheckNodeReady`. */
function isAway(node: Json): boolean {
  const { spec, status } = node as {
    readonly spec: { readonly unschedulable?: boolean };
    readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
  };
  return (
    spec.unschedulable === true ||
    status.conditions.some(
      ({ type, status: is }) =>
        (type === 'Ready' && is !== 'True') ||
        (['DiskPressure', 'NetworkUnavailable'].includes(type) && is !== 'False'),
    )
  );
}

export function nameOf(object: Json): string {
  return (object as { readonly metadata: { readonly name: string } }).metadata.name;
}

export function annotation(object: Json, key: string): string {
  const { annotations } = (object as { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } })
    .metadata;
  return annotations?.[`machineconfiguration.openshift.io/${key}`] ?? '';
}
