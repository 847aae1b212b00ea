import type { StuckAfter } from '../configuration/policy.ts';
import type { NodeSymptom } from '../diagnose/subject.ts';
import { parseNodeDegraded } from '../diagnose/text.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { ClusterRollouts } from '../node-rollouts/follow.ts';
import { stuckAfterOf } from '../node-rollouts/pace.ts';
import type { Node } from '../openshift/node.ts';
import type { NodeRollout } from '../openshift/node-rollout.ts';
import { condition, hasPendingChange, isTrue, type Pool } from '../openshift/pool.ts';
import { earliest } from '../text/instant.ts';
import type { ObservedCluster, ObservedNodes, ObservedPool } from './input.ts';
import { membersOf } from './members.ts';
import { isAnyMisplaced, type Misplaced, misplacedIn } from './misplaced.ts';
import { symptomOf } from './phases.ts';
import { isNodeClock, wantsNodes } from './wants-nodes.ts';

/** A pool as one pass sees it, with our own clock for everything that takes time. */
export interface PoolState {
  readonly pool: Pool;
  /** Members; empty when they were not read. */
  readonly nodes: readonly Node[];
  /** Why the nodes were not seen; undefined = they were, or the pool is at rest and its counts say enough. */
  readonly unseen: string | undefined;
  /** Nodes that are on their way or failing, the longest first. */
  readonly busy: readonly BusyNode[];
  /** A change waits, no pause holds it back and no node moves: since when. */
  readonly stalledSince: string | undefined;
  /** More nodes are missing than are on their way: since when. */
  readonly unavailableSince: string | undefined;
  /** What a sync applied does not get into the render, and the MCO says nothing of it: since when. */
  readonly unrenderedSince: string | undefined;
  /** An image-mode pool waits for its operating system image, and no failure is told: since when. */
  readonly buildSince: string | undefined;
  /** Nodes that no pool updates as people believe; undefined: not all nodes were looked at in this pass. */
  readonly misplaced: Misplaced | undefined;
  /** Since when there are such nodes, also while nobody looks at them anew. */
  readonly misplacedSince: string | undefined;
  /** A change waits behind a pause: since when. */
  readonly pendingSince: string | undefined;
  /** What waits or rolls. */
  readonly change: PendingChange | undefined;
  /** How long each step may take here: the policy, or longer where the pool's own history says so. */
  readonly stuckAfter: StuckAfter;
  readonly undrainable: ObservedPool['undrainable'];
  readonly waitsForHealth: boolean;
}

export interface BusyNode {
  readonly node: Node;
  readonly symptom: NodeSymptom;
  /** ISO instant of the first evidence of this symptom, for this target; of the last progress where its update is
   *  followed. A step forward starts the clock anew. */
  readonly since: string;
  readonly rollout: NodeRollout | undefined;
}

export interface PoolStates {
  readonly states: readonly PoolState[];
  readonly firstSeen: Readonly<Record<string, string>>;
}

/** Reads the clocks and winds them on: a key lives as long as what it stands for is seen, or could not be looked at. */
export function poolStates(observed: ObservedCluster): PoolStates {
  if (observed.pools.kind === 'unreadable') return { states: [], firstSeen: observed.firstSeen };
  const clock = startClock(observed);
  const pools = observed.pools.pools.map(({ pool }) => pool);
  const states = observed.pools.pools.map((each) => stateOf(each, pools, clock, observed));
  return { states, firstSeen: clock.firstSeen() };
}

interface Clock {
  /** Since when; now when it is seen for the first time. */
  since(...key: readonly string[]): string;
  keepAll(pool: string): void;
  /** As it was given. */
  readonly before: ObservedCluster['firstSeen'];
  firstSeen(): Readonly<Record<string, string>>;
}

function startClock({ firstSeen, now }: ObservedCluster): Clock {
  const kept = new Map<string, string>();
  const known = new Map(Object.entries(firstSeen));
  return {
    before: firstSeen,
    since: (...parts) => {
      const key = parts.join('|');
      const since = known.get(key) ?? now.toISOString();
      kept.set(key, since);
      return since;
    },
    keepAll: (pool) => {
      for (const [key, since] of known) {
        if (isNodeClock(key, pool)) kept.set(key, since);
      }
    },
    firstSeen: () => Object.fromEntries(kept),
  };
}

function stateOf(
  each: ObservedPool,
  pools: readonly Pool[],
  clock: Clock,
  { rollouts, policy, everyNode }: Pick<ObservedCluster, 'rollouts' | 'policy' | 'everyNode'>,
): PoolState {
  const { pool, nodes: observed } = each;
  const unseen = whyUnseen(pool, observed, clock.before);
  if (unseen !== undefined) clock.keepAll(pool.name);
  const nodes = observed.kind === 'seen' ? membersOf(pool, pools, observed.nodes) : nodesNamedDegraded(pool);
  const busy = nodes
    .flatMap((node) => busyNode(pool, node, clock, rollouts))
    .map((one, _index, all) => withCondition(one, pool, all.length))
    .toSorted(oldestFirst);
  const seen = observed.kind === 'seen';
  const misplaced = everyNode && misplacedIn(pool, pools, everyNode);
  const areMisplaced = misplaced ? isAnyMisplaced(misplaced) : clock.before[`${pool.name}|misplaced`] !== undefined;
  const pending = hasPendingChange(pool) || nodes.some((node) => isBehind(node, pool));
  return {
    pool,
    nodes: seen ? nodes : [],
    unseen,
    busy,
    stalledSince:
      seen && pending && isFreeToMove(pool) && busy.length === 0 && nodes.length > 0
        ? clock.since(pool.name, 'stalled', pool.target.name)
        : undefined,
    unavailableSince:
      seen && pool.counts.unavailable > busy.length && !(pending && busy.length === 0)
        ? clock.since(pool.name, 'unavailable')
        : undefined,
    ...waitingClocks(each, clock),
    misplaced,
    misplacedSince: areMisplaced ? clock.since(pool.name, 'misplaced') : undefined,
    pendingSince: pool.paused && hasPendingChange(pool) ? clock.since(pool.name, 'pending') : undefined,
    change: hasPendingChange(pool) ? each.change : undefined,
    stuckAfter: stuckAfterOf(policy.stuckAfter, rollouts?.paces[pool.name]),
    undrainable: each.undrainable,
    waitsForHealth: each.waitsForHealth === true,
  };
}

/** What the pool waits for before any node moves. */
function waitingClocks(observed: ObservedPool, clock: Clock): Pick<PoolState, 'buildSince' | 'unrenderedSince'> {
  const { name, target } = observed.pool;
  return {
    buildSince: waitsForBuild(observed.pool) ? clock.since(name, 'build', target.name) : undefined,
    unrenderedSince: isSilentlyUnrendered(observed) ? clock.since(name, 'unrendered') : undefined,
  };
}

/** What a sync applied is waited for, and the MCO does not say that it cannot render it. */
function isSilentlyUnrendered({ pool, waitsForRender }: ObservedPool): boolean {
  return waitsForRender === true && !isTrue(pool, 'RenderDegraded');
}

function whyUnseen(pool: Pool, observed: ObservedNodes, firstSeen: ObservedCluster['firstSeen']): string | undefined {
  if (observed.kind === 'unreadable') return observed.why;
  const wanted = observed.kind === 'not asked' && wantsNodes(pool, firstSeen);
  return wanted ? 'its nodes were not read in this pass' : undefined;
}

/** The nodes could not be read, but the pool's own condition names the failing ones and quotes them. */
function nodesNamedDegraded(pool: Pool): readonly Node[] {
  const told = condition(pool, 'NodeDegraded');
  if (told?.status !== 'True') return [];
  return [...parseNodeDegraded(told.message)].map(([name, reason]) => ({
    name,
    uid: '',
    labels: {},
    currentConfig: '',
    desiredConfig: '',
    state: 'Degraded',
    reason,
    desiredDrain: '',
    lastAppliedDrain: '',
    postConfigAction: '',
    targetedAt: undefined,
  }));
}

function busyNode(pool: Pool, node: Node, clock: Clock, rollouts: ClusterRollouts | undefined): readonly BusyNode[] {
  const symptom = symptomOf(node);
  if (symptom === undefined) return [];
  const rollout = rollouts?.open.find((each) => each.node === node.name && each.to === node.desiredConfig);
  const seen = clock.since(pool.name, symptom, node.name, node.desiredConfig);
  return [{ node, symptom, rollout, since: sinceByStory(symptom, rollout) ?? seen }];
}

/** A failing node stands still whatever else moves. A drain lasts from its beginning: pods that go one by one are no
 *  steps. */
function sinceByStory(symptom: NodeSymptom, rollout: NodeRollout | undefined): string | undefined {
  if (symptom === 'failing') return undefined;
  return symptom === 'draining' ? rollout?.steps.drain?.begun?.at : rollout?.progressedAt;
}

/** The condition's time is that of the first failing node of the streak: it is this node's time only when there is
 *  one. */
function withCondition(busy: BusyNode, pool: Pool, all: number): BusyNode {
  const degraded = condition(pool, 'NodeDegraded');
  if (busy.symptom !== 'failing' || all !== 1 || degraded?.status !== 'True') return busy;
  return { ...busy, since: earliest([busy.since, degraded.since]) ?? busy.since };
}

function oldestFirst(a: BusyNode, b: BusyNode): number {
  return Date.parse(a.since) - Date.parse(b.since) || (a.node.name < b.node.name ? -1 : 1);
}

/** After a revert in mid-rollout the pool's names agree while nodes still have the other config. */
function isBehind(node: Node, pool: Pool): boolean {
  return node.desiredConfig !== '' && pool.target.name !== '' && node.desiredConfig !== pool.target.name;
}

/** Neither paused nor waiting for a render or an image build, which have troubles of their own. */
function isFreeToMove(pool: Pool): boolean {
  if (pool.paused || isTrue(pool, 'RenderDegraded') || isTrue(pool, 'ImageBuildDegraded')) return false;
  return !saysBuild(pool);
}

function waitsForBuild(pool: Pool): boolean {
  return hasPendingChange(pool) && !isTrue(pool, 'ImageBuildDegraded') && saysBuild(pool);
}

/** `Pool is waiting for a new OS image build to start` and the like. Source: facts of the MCO, condition types. */
function saysBuild(pool: Pool): boolean {
  return /OS image build|build to (?:start|complete)/i.test(condition(pool, 'Updating')?.message ?? '');
}
