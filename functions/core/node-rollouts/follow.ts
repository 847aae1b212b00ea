import { configOfChange } from '../openshift/change-name.ts';
import { isChangingConfig, type Node } from '../openshift/node.ts';
import { isBeforeReboot, type NodeRollout, runningChange, stepOf } from '../openshift/node-rollout.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { advanceRollout, beginRollout, endRollout, unseenRollout } from './advance-rollout.ts';
import { type Before, beforeOf, hasChanged, type KnownNodes, knownNode, knownOf } from './known-nodes.ts';
import type { NodeReading } from './node-reading.ts';
import { type NodeReboot, rebootsAfter } from './node-reboots.ts';
import { noPace, type Pace, withRollout } from './pace.ts';
import type { PoolMark } from './pool-mark.ts';

/** Node state of a cluster kept between passes. */
export interface ClusterRollouts {
  readonly cluster: string;
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  /** Updates in progress. */
  readonly open: readonly NodeRollout[];
  /** By pool. */
  readonly paces: Readonly<Record<string, Pace>>;
  /** What was last observed of each node; absent: nothing is known. */
  readonly known?: KnownNodes | undefined;
  /** Rollouts that ended and may not have been published yet: the next pass publishes them, under ids that do not
   *  depend on the pass. Absent: none. */
  readonly untold?: readonly NodeRollout[] | undefined;
  /** Nodes that were away lately; absent: none. */
  readonly reboots?: readonly NodeReboot[] | undefined;
}

export function noRollouts(cluster: string): ClusterRollouts {
  return { cluster, version: 0, open: [], paces: {} };
}

/** The nodes of one pool that were read in this pass. */
export interface ListedPool {
  readonly pool: string;
  readonly nodes: readonly Node[];
  /** Rendered config that the pool takes its nodes to; undefined while it is paused or at rest. */
  readonly rollsTo?: string | undefined;
}

export interface PoolNodes extends ListedPool {
  /** By node name, for those that were read in detail. */
  readonly looks: ReadonlyMap<string, NodeReading>;
  /** Why the pool got this rendered config; empty if unknown. */
  readonly causesOf: (rendered: string) => readonly Cause[];
}

export interface Followed {
  readonly rollouts: ClusterRollouts;
  /** Rollouts to publish: those that ended in this pass, after those that an earlier one did not get to. */
  readonly ended: readonly NodeRollout[];
  readonly changed: boolean;
}

/** What else is known when the nodes are looked at. */
export interface Knowledge {
  readonly readAt: string;
  /** How the pools stood at the last pass, by name. */
  readonly marks?: Readonly<Record<string, PoolMark>>;
  /** Names of all nodes of the cluster, if they were listed: what is known of others is dropped. */
  readonly everyNode?: ReadonlySet<string> | undefined;
  /** Names of nodes that exist and could not be parsed: they are as they were. */
  readonly unreadable?: ReadonlySet<string> | undefined;
}

/** Applies one pass. Pools whose nodes were not read keep their rollouts. */
export function follow(before: ClusterRollouts, seen: readonly PoolNodes[], knowledge: Knowledge): Followed {
  const { cluster } = before;
  const readPools = new Set(seen.map(({ pool }) => pool));
  const looked = firstOfEach(seen);
  const found = new Set(looked.map(({ node }) => node.name));
  const rest = before.open.filter(({ node }) => !found.has(node));
  const isUnread = ({ pool, node }: NodeRollout) => !readPools.has(pool) || knowledge.unreadable?.has(node) === true;
  const unread = rest.filter(isUnread);
  const gone = rest
    .filter((rollout) => !isUnread(rollout))
    .map((rollout) => endRollout(rollout, 'gone', { at: knowledge.readAt, told: false }));
  const advanced = [...looked.flatMap((one) => followNode(one, before, knowledge)), ...gone];
  const endedNow = advanced.filter((rollout) => rollout.ended !== undefined);
  const ended = [...(before.untold ?? []), ...endedNow];
  const open = [...unread, ...advanced.filter((rollout) => rollout.ended === undefined)];
  const paces = endedNow.reduce<Record<string, Pace>>(
    (all, rollout) => {
      all[rollout.pool] = withRollout(all[rollout.pool] ?? noPace, rollout);
      return all;
    },
    { ...before.paces },
  );
  const known = knownNow(looked, before.known, knowledge.everyNode);
  const untold = ended.length === 0 ? {} : { untold: ended };
  const away = rebootsAfter(before.reboots ?? [], endedNow, knowledge.readAt);
  const reboots = away.length === 0 ? {} : { reboots: away };
  return {
    rollouts: { cluster, version: before.version, open, paces, known, ...untold, ...reboots },
    ended,
    changed: ended.length > 0 || !isSame(before.open, open) || !isSame(before.known ?? {}, known),
  };
}

/** One node and the pool that it was listed for. */
interface LookedAt extends Omit<PoolNodes, 'nodes'> {
  readonly node: Node;
}

/** A node that changed pools between two lists is in both: the first counts. */
function firstOfEach(seen: readonly PoolNodes[]): readonly LookedAt[] {
  const all = seen.flatMap(({ nodes, ...pool }) => nodes.map((node) => ({ ...pool, node })));
  return [...new Map(all.toReversed().map((one) => [one.node.name, one])).values()].toReversed();
}

function followNode(
  { pool, node, looks, causesOf }: LookedAt,
  { cluster, open, known }: ClusterRollouts,
  { readAt, marks = {} }: Knowledge,
): readonly NodeRollout[] {
  const rollout = open.find((each) => each.node === node.name);
  const before = beforeOf(node, pool, { known, rollout, marks });
  // They are of a config: why there is another image for the same one is not known.
  const causes = isChangingConfig(node) ? causesOf(node.desiredConfig) : [];
  const observed = { cluster, pool, node, readAt, look: looks.get(node.name), causes };
  const advanced = rollout && nextOf(rollout, observed);
  if (advanced !== undefined && advanced.ended === undefined) return [advanced];
  const isTold = advanced?.ended?.how === 'done';
  const isOtherConfig = before !== undefined && configOfChange(before.config) !== node.currentConfig;
  const missed = { ...observed, causes: isOtherConfig ? causesOf(node.currentConfig) : [] };
  const unseen = !isTold && before && hasChanged(node, before) ? unseenRollout(missed, before) : undefined;
  const boot = hasChanged(node, before) ? undefined : before?.boot;
  return [advanced, unseen, beginRollout(observed, boot)].filter((each) => each !== undefined);
}

/** An update ends with the pool in which it began, unless the node had arrived before it left. */
function nextOf(rollout: NodeRollout, observed: Parameters<typeof advanceRollout>[1]): NodeRollout {
  const hasLeft = rollout.pool !== observed.pool && runningChange(observed.node) !== rollout.to;
  return hasLeft
    ? endRollout(rollout, 'gone', { at: observed.readAt, told: false })
    : advanceRollout(rollout, observed);
}

function knownNow(
  looked: readonly LookedAt[],
  known: KnownNodes = {},
  everyNode: ReadonlySet<string> | undefined,
): KnownNodes {
  const kept = Object.entries(known).filter(([name]) => everyNode === undefined || everyNode.has(name));
  const now = looked.flatMap(({ pool, node, looks, rollsTo }) => {
    if (node.currentConfig === '') return [];
    const isToCome = rollsTo !== undefined && rollsTo !== node.currentConfig;
    const boot = looks.get(node.name)?.bootId ?? knownOf(known, node)?.boot;
    return [[node.name, knownNode(pool, node, isToCome ? boot : undefined)] as const];
  });
  return Object.fromEntries([...kept, ...now]);
}

/** Nodes worth a detailed read: first those at which it settles something (a boot id before and after, the times of an
 *  end), then those that have been updating the longest, then those that are to be updated and whose boot id is not
 *  known: by it a reboot is noticed that happens between two passes. */
export function nodesToRead(
  { open, known }: ClusterRollouts,
  { pool, nodes, rollsTo }: ListedPool,
  marks: Readonly<Record<string, PoolMark>>,
  limit: number,
): readonly Node[] {
  const rollouts = new Map(open.map((each) => [each.node, each]));
  const urgency = (node: Node) => {
    const rollout = rollouts.get(node.name);
    const before = beforeOf(node, pool, { known, rollout, marks });
    if (rollout === undefined && stepOf(node) === undefined && !hasChanged(node, before))
      return isAwaited(node, before) ? 2 : 3;
    if (rollout === undefined || rollout.step !== stepOf(node)) return 0;
    return rollout.boots.length === 0 && isBeforeReboot(rollout, rollout.step) ? 0 : 1;
  };
  const isAwaited = ({ currentConfig }: Node, before: Before | undefined) =>
    rollsTo !== undefined && currentConfig !== '' && currentConfig !== rollsTo && before?.boot === undefined;
  const begunAt = (node: Node) => rollouts.get(node.name)?.begun.at ?? '~';
  return nodes
    .map((node) => ({ node, rank: urgency(node) }))
    .filter(({ rank }) => rank < 3)
    .toSorted(
      (a, b) => a.rank - b.rank || compare(begunAt(a.node), begunAt(b.node)) || compare(a.node.name, b.node.name),
    )
    .slice(0, limit)
    .map(({ node }) => node);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
