import type { KubeObject } from './kube.ts';

/** The rules of the stand-in, as functions of objects; their numbers and words are those a real controller was seen
 *  to use. */

const prefix = 'machineconfiguration.openshift.io';
export const annotation = {
  current: `${prefix}/currentConfig`,
  desired: `${prefix}/desiredConfig`,
  state: `${prefix}/state`,
  reason: `${prefix}/reason`,
  desiredDrain: `${prefix}/desiredDrain`,
  lastAppliedDrain: `${prefix}/lastAppliedDrain`,
} as const;

export interface NodeState {
  node: KubeObject;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

/** A label selector as the operator reads it: an absent or empty one selects nothing. */
export function selects(selector: Selector | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return false;
  if (!Object.entries(matchLabels).every(([key, value]) => labels[key] === value)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && values.includes(value);
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    return operator === 'Exists' ? value !== undefined : value === undefined;
  });
}

/** The one pool a node counts in: master before a custom pool before worker; none when two custom pools want it. */
export function poolOfNode(node: KubeObject, pools: readonly KubeObject[]): KubeObject | undefined {
  const mine = pools.filter((pool) => selects(pool.spec.nodeSelector, node.metadata.labels));
  const custom = mine.filter((pool) => !['master', 'worker'].includes(pool.metadata.name));
  if (custom.length > 1) return undefined;
  return mine.find((pool) => pool.metadata.name === 'master') ?? custom[0] ?? mine[0];
}

/** The nodes to give the pool's configuration next, in number what maxUnavailable leaves. */
export function targets(pool: KubeObject, states: readonly NodeState[]): readonly NodeState[] {
  const config = pool.spec.configuration?.name;
  const broken = states.filter((state) => isUnavailable(state) || isFailing(state)).length;
  const candidates = states.filter((state) => read(state, 'desired') !== config && isReady(state));
  return candidates.slice(0, Math.max(0, capacity(pool, states.length) - broken));
}

/** maxUnavailable in nodes: 1 when it is not said, percentages rounded down, never less than 1. */
function capacity(pool: KubeObject, count: number): number {
  const wanted: number | string = pool.spec.maxUnavailable ?? 1;
  const nodes = typeof wanted === 'number' ? wanted : Math.floor((Number.parseInt(wanted, 10) * count) / 100);
  return Math.max(1, nodes);
}

/** The whole status of a pool, observed now. */
export function judgePool(pool: KubeObject, states: readonly NodeState[], now: Date): Record<string, unknown> {
  const { spec, status = {}, metadata } = pool as KubeObject & { spec: KubeObject; status?: Record<string, unknown> };
  const config = spec['configuration'] as { name: string } | undefined;
  if (config === undefined) return { ...status, observedGeneration: metadata.generation };
  const updated = states.filter((state) => isUpdated(state, config.name));
  const ready = updated.filter(isReady);
  const degraded = states.filter(isDegraded);
  const unavailable = states.filter(isUnavailable);
  const done = ready.length === states.length && unavailable.length === 0;
  const words = conditionWords(config.name, { done, paused: spec['paused'] === true, degraded });
  return {
    ...status,
    observedGeneration: metadata.generation,
    configuration: done ? config : status['configuration'],
    machineCount: states.length,
    updatedMachineCount: updated.length,
    readyMachineCount: ready.length,
    unavailableMachineCount: unavailable.length,
    degradedMachineCount: degraded.length,
    conditions: mergeConditions((status['conditions'] ?? []) as readonly Condition[], words, now),
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

type Words = Readonly<Record<string, readonly [holds: boolean, message: string, reason?: string]>>;

interface Verdict {
  readonly done: boolean;
  readonly paused: boolean;
  readonly degraded: readonly NodeState[];
}

function conditionWords(config: string, { done, paused, degraded }: Verdict): Words {
  const message = degraded
    .map((state) => `Node ${state.node.metadata.name} is reporting: ${JSON.stringify(read(state, 'reason') ?? '')}`)
    .join(', ');
  const waiting = paused
    ? `Pool is paused; will not update to MachineConfig ${config}`
    : `All nodes are updating to MachineConfig ${config}`;
  const nodes = `${degraded.length} nodes are reporting degraded status on sync`;
  return {
    RenderDegraded: [false, ''],
    NodeDegraded: degraded.length > 0 ? [true, message, nodes] : [false, ''],
    Degraded: [degraded.length > 0, message],
    Updated: [done, done ? `All nodes are updated with MachineConfig ${config}` : ''],
    Updating: [!done && !paused, done ? '' : waiting],
  };
}

/** A condition's transition time moves only with its status; conditions of other writers stay. */
function mergeConditions(before: readonly Condition[], words: Words, now: Date): Condition[] {
  const at = `${now.toISOString().slice(0, 19)}Z`;
  const others = before.filter(({ type }) => words[type] === undefined);
  const own = Object.entries(words).map(([type, [holds, message, reason = '']]) => {
    const status = holds ? 'True' : 'False';
    const old = before.find((condition) => condition.type === type);
    return { type, status, reason, message, lastTransitionTime: old?.status === status ? old.lastTransitionTime : at };
  });
  return [...others, ...own];
}

function isUpdated(state: NodeState, config: string): boolean {
  return read(state, 'current') === config && read(state, 'desired') === config && read(state, 'state') === 'Done';
}

function isDegraded(state: NodeState): boolean {
  return ['Degraded', 'Unreconcilable'].includes(read(state, 'state') ?? '');
}

/** An update that failed; a node that drifted while idle is degraded without failing. */
function isFailing(state: NodeState): boolean {
  return read(state, 'current') !== read(state, 'desired') && isDegraded(state);
}

/** Not ready for work, or neither done nor failing: at work, or drifted. */
function isUnavailable(state: NodeState): boolean {
  const done = read(state, 'current') === read(state, 'desired') && read(state, 'state') === 'Done';
  return !isReady(state) || (!done && !isFailing(state));
}

/** A node here has no kubelet: without a Ready condition it passes for ready. */
function isReady({ node }: NodeState): boolean {
  const conditions = (node.status?.conditions ?? []) as { type: string; status: string }[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return node.spec?.unschedulable !== true && (ready === undefined || ready.status === 'True');
}

function read({ node }: NodeState, key: keyof typeof annotation): string | undefined {
  return node.metadata.annotations?.[annotation[key]];
}
