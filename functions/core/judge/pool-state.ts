import { type Policy, type StuckAfter, tickSeconds } from '../configuration/policy.ts';
import type { NodeSymptom } from '../diagnose/subject.ts';
import { isDrainTimeout, parseNodeDegraded, readNodeReason } from '../diagnose/text.ts';
import type { TroubleKind } from '../findings/trouble.ts';
import type { Wait } from '../gates/wait.ts';
import { isHeldBrieflyBesideRuns } from '../holds/held-briefly.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { ClusterRollouts } from '../node-rollouts/follow.ts';
import { stuckAfterOf } from '../node-rollouts/pace.ts';
import { membersOf } from '../openshift/membership.ts';
import { isBehind, isGoingOn, isToBeDrained, mayBeRetargeted, type Node } from '../openshift/node.ts';
import { type NodeRollout, wantedChange } from '../openshift/node-rollout.ts';
import {
  condition,
  hasPendingChange,
  isDegradedByNodes,
  isTrue,
  mayHaveNodesBehind,
  type Pool,
} from '../openshift/pool.ts';
import { earliest, isPast, secondsSince } from '../text/instant.ts';
import { seenValue } from '../text/observed.ts';
import { awayClock, takesApiAlong } from './away-with-api.ts';
import { windowsAhead } from './behind-windows.ts';
import { type Clock, startClock } from './clock.ts';
import { stalledOver, unrenderedOver } from './held-over.ts';
import type { ObservedCluster, ObservedNodes, ObservedPool } from './input.ts';
import { isAnyMisplaced, type Misplaced, misplacedIn } from './misplaced.ts';
import { pausedAgainSince } from './paused-again.ts';
import { symptomOf } from './phases.ts';
import { unseenWindowClock, wantsNodes, windowClock } from './wants-nodes.ts';

/** A pool as observed in one pass, with our own clock for everything that takes time. */
export interface PoolState {
  readonly pool: Pool;
  /** Members; empty if they were not read. */
  readonly nodes: readonly Node[];
  /** Why the nodes were not observed; undefined: they were, or the pool is at rest and its counts suffice. */
  readonly unseen: string | undefined;
  /** Nodes that are updating or failing, the longest first. */
  readonly busy: readonly BusyNode[];
  /** Since when a change has been pending without a pause and without any node updating, or failing on that change. */
  readonly stalledSince: string | undefined;
  /** Since when more nodes have been unavailable than those that are updating or failing count for. */
  readonly unavailableSince: string | undefined;
  /** Since when the pool has said that it is degraded while none of its nodes is failing. */
  readonly degradedAloneSince: string | undefined;
  /** Troubles that lasted when something began to hold the pool, and are judged again when nothing does. */
  readonly heldOver: readonly TroubleKind[];
  /** Since when an applied change has not reached the render, without an error from the MCO. */
  readonly unrenderedSince: string | undefined;
  /** Since when an image-mode pool has been waiting for its operating system image, without a reported failure. */
  readonly buildSince: string | undefined;
  /** Nodes not updated by the pool that selects them; undefined: not all nodes were read in this pass. */
  readonly misplaced: Misplaced | undefined;
  /** Since when there have been such nodes, including passes that do not read them. */
  readonly misplacedSince: string | undefined;
  /** Since when a change, or nodes that have another config, have been waiting behind a pause. */
  readonly pendingSince: string | undefined;
  /** Since when they have been waiting behind pauses that follow each other too soon for any node; undefined: they are
   *  not. */
  readonly pausedAgainSince: string | undefined;
  /** The change that is pending or rolling out. */
  readonly change: PendingChange | undefined;
  /** How long each step may take here: the policy, or longer if the pool's own history says so. */
  readonly stuckAfter: StuckAfter;
  readonly undrainable: ObservedPool['undrainable'];
  readonly waitsForHealth: boolean;
  /** When the window opens that it waits for, or until when it waits behind pools of lower waves that do, or roll. */
  readonly windowOpensAt: string | undefined;
  readonly behind: ObservedPool['behind'];
  readonly blocks: ObservedPool['blocks'];
  readonly rests: ObservedPool['rests'];
  readonly waits: ObservedPool['waits'];
}

export interface BusyNode {
  readonly node: Node;
  readonly symptom: NodeSymptom;
  /** ISO instant of the first evidence of this symptom for this target, or of the last progress if its rollout is
   *  followed. Each step forward restarts the clock. */
  readonly since: string;
  readonly rollout: NodeRollout | undefined;
}

export interface PoolStates {
  readonly states: readonly PoolState[];
  readonly firstSeen: Readonly<Record<string, string>>;
}

/** Reads and advances the clocks: a key is kept as long as its condition is observed or could not be observed. */
export function poolStates(observed: ObservedCluster): PoolStates {
  if (observed.pools.kind !== 'seen') return { states: [], firstSeen: observed.firstSeen };
  const clock = startClock(observed);
  const pools = observed.pools.value.map(({ pool }) => pool);
  const states = observed.pools.value.map((each) => stateOf(each, pools, clock, observed));
  const windowAheadOf = windowsAhead(states, observed.policy.pausedAtMostSeconds, observed.now);
  return {
    states: states.map((state) => ({ ...state, windowOpensAt: windowAheadOf(state) })),
    firstSeen: clock.firstSeen(),
  };
}

function stateOf(
  each: ObservedPool,
  pools: readonly Pool[],
  clock: Clock,
  { rollouts, policy, everyNode }: Pick<ObservedCluster, 'rollouts' | 'policy' | 'everyNode'>,
): PoolState {
  const { pool, nodes: observed } = each;
  const known = seenValue(rollouts);
  const unseen = whyUnseen(pool, observed, clock.before);
  if (unseen !== undefined) clock.keepAll(pool.name);
  const nodes = observed.kind === 'seen' ? membersOf(pool, pools, observed.value) : nodesNamedDegraded(pool);
  const busy = nodes
    .flatMap((node) => busyNode(pool, node, clock, known))
    .map((one, _index, all) => withCondition(one, pool, all.length))
    .toSorted(oldestFirst);
  const seen = observed.kind === 'seen';
  const misplaced = everyNode.kind === 'seen' ? misplacedIn(pool, pools, everyNode.value) : undefined;
  const areMisplaced = misplaced ? isAnyMisplaced(misplaced) : clock.before[`${pool.name}|misplaced`] !== undefined;
  // After a revert during a rollout the pool's names agree while nodes still have the other config.
  const pending = hasPendingChange(pool) || nodes.some((node) => isBehind(node, pool));
  const isWaiting = hasPendingChange(pool) || nodes.some((node) => isWaitedFor(node, pool));
  const isMoving = busy.some(({ node }) => !isLeftBehind(node, pool, clock.now));
  const counted = busy.filter(({ node }) => !mayBeRetargeted(node)).length;
  noteAlone({ pool, nodes, busy }, pending, clock);
  return {
    pool,
    nodes: seen ? nodes : [],
    unseen,
    busy,
    unavailableSince: seen && pool.counts.unavailable > counted ? clock.since(pool.name, 'unavailable') : undefined,
    degradedAloneSince: aloneSince(each, busy, clock),
    ...waitingClocks(each, { isWaiting, nodes, isMoving }, { clock, policy }),
    misplaced,
    misplacedSince: areMisplaced ? clock.since(pool.name, 'misplaced') : undefined,
    ...pauseClocks(each, { pending, isMoving }, clock),
    change: hasPendingChange(pool) ? each.change : undefined,
    stuckAfter: stuckAfterOf(policy.stuckAfter, known?.paces[pool.name]),
    undrainable: each.undrainable,
    waitsForHealth: each.waitsForHealth === true,
    windowOpensAt: windowAhead(each, clock, policy),
    behind: each.behind,
    blocks: each.blocks,
    rests: each.rests,
    waits: each.waits,
  };
}

/** When the window opens that the pool waits for. While something holds the pool besides, no gate is asked, and it
 *  would wait for that window all the same: a sync of a minute does not make a day's wait for it too long. Nor does a
 *  read of its calendar that fails, unless for as many ticks as make a cluster blind. */
function windowAhead(
  { pool, windowOpensAt, isWindowUnseen, isUnasked }: ObservedPool,
  { before, keep, since, now }: Clock,
  { pausedAtMostSeconds, blindAfterMisses }: Pick<Policy, 'pausedAtMostSeconds' | 'blindAfterMisses'>,
): string | undefined {
  const key = windowClock(pool.name);
  const unseenSince = isWindowUnseen === true ? since(unseenWindowClock(pool.name)) : undefined;
  const isUnseenBriefly =
    unseenSince !== undefined && secondsSince(unseenSince, now) < (blindAfterMisses - 1) * tickSeconds;
  const isHeld = isUnasked === true || isHeldBrieflyBesideRuns(pool, pausedAtMostSeconds, now);
  const opensAt = windowOpensAt ?? (isUnseenBriefly || isHeld ? before[key] : undefined);
  if (!pool.paused || opensAt === undefined || isPast(opensAt, now)) return windowOpensAt;
  keep(key, opensAt);
  return opensAt;
}

/** Before it goes away, and nothing can be read. */
function noteAlone(
  { pool, nodes, busy }: Pick<PoolState, 'pool' | 'nodes' | 'busy'>,
  pending: boolean,
  clock: Clock,
): void {
  const isUpdating = busy.length > 0 || (pending && isFreeToMove(pool));
  const alone = isUpdating ? nodes.find(takesApiAlong) : undefined;
  if (alone !== undefined) clock.since(pool.name, ...awayClock(alone));
}

interface Waiting {
  readonly isWaiting: boolean;
  /** As far as they are known. */
  readonly nodes: readonly Node[];
  readonly isMoving: boolean;
}

/** It has failed on another change than the pool goes to, and stands still: the MCO may take any node meanwhile. */
function isLeftBehind(node: Node, pool: Pool, now: Date): boolean {
  return mayBeRetargeted(node) && isBehind(node, pool) && !isGoingOn(node, now);
}

/** The MCO has yet to take it to what the pool goes to. One that has failed on its way elsewhere, and still has that,
 *  makes no pool wait by itself, unless its own drain keeps it cordoned: the MCO takes no such node, ever. */
function isWaitedFor(node: Node, pool: Pool): boolean {
  const has = { desiredConfig: node.currentConfig, desiredImage: node.currentImage };
  const isBack = mayBeRetargeted(node) && !isBehind(has, pool);
  return isBehind(node, pool) && (!isBack || isToBeDrained(node));
}

/** What the pool waits for before any node is updated. */
function waitingClocks(
  observed: ObservedPool,
  waiting: Waiting,
  { clock, policy }: { readonly clock: Clock; readonly policy: Policy },
): Pick<PoolState, 'buildSince' | 'stalledSince' | 'unrenderedSince' | 'heldOver'> {
  const { pool } = observed;
  const stalled = stalledOver(pool, movementOf(observed, waiting), policy, clock);
  const unrendered = unrenderedOver(pool, isSilentlyUnrendered(observed), policy, clock);
  return {
    buildSince: waitsForBuild(pool) ? clock.since(pool.name, 'build', pool.target.name) : undefined,
    stalledSince: stalled.since,
    unrenderedSince: unrendered.since,
    heldOver: [
      ...(stalled.isUnseen ? (['no-progress'] as const) : []),
      ...(unrendered.isUnseen ? (['render-failed'] as const) : []),
    ],
  };
}

function movementOf(
  { pool, nodes: observed }: ObservedPool,
  { isWaiting, nodes, isMoving }: Waiting,
): 'stalled' | 'paused' | 'moving' {
  if (!isWaiting || isMoving) return 'moving';
  if (pool.paused) return 'paused';
  return observed.kind === 'seen' && isFreeToMove(pool) && nodes.length > 0 ? 'stalled' : 'moving';
}

/** What waits behind a pause, or behind one pause after another. A node that goes on its way waits for none. */
function pauseClocks(
  observed: ObservedPool,
  { pending, isMoving }: { readonly pending: boolean; readonly isMoving: boolean },
  clock: Clock,
): Pick<PoolState, 'pendingSince' | 'pausedAgainSince'> {
  const { pool } = observed;
  const isPaused = isPendingPaused(observed, pending, clock);
  const isWaiting = isPaused || (pending && !pool.paused);
  return {
    pendingSince: isPaused ? clock.since(pool.name, 'pending') : undefined,
    pausedAgainSince: pausedAgainSince(pool, isWaiting && !isMoving, clock),
  };
}

/** An applied change is missing in the render, and the MCO reports no render error. */
function isSilentlyUnrendered({ pool, waitsForRender, unreadRender }: ObservedPool): boolean {
  return waitsForRender === true && unreadRender === undefined && !isTrue(pool, 'RenderDegraded');
}

function whyUnseen(pool: Pool, observed: ObservedNodes, firstSeen: ObservedCluster['firstSeen']): string | undefined {
  if (observed.kind === 'unreadable') return observed.why;
  const wanted = observed.kind === 'not-asked' && wantsNodes(pool, firstSeen);
  return wanted ? 'its nodes were not read in this pass' : undefined;
}

/** The nodes could not be read, but the pool's condition names the failing ones and quotes their messages. */
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
  const rollout = rollouts?.open.find((each) => each.node === node.name && each.to === wantedChange(node));
  const seen = clock.since(pool.name, symptom, node.name, node.desiredConfig);
  return [{ node, symptom, rollout, since: sinceByStory(symptom, rollout) ?? sinceByReason(node, seen) }];
}

/** The daemon says of a drain how long it tried before it gave up: `failed to drain node: worker-1 after 1 hour`.
 *  Source: the MCO's pkg/daemon/drain.go. */
function sinceByReason({ reason, state }: Node, seen: string): string {
  const said = state === 'Degraded' ? readNodeReason(reason) : undefined;
  const told = said && isDrainTimeout(said) ? /^.{0,320}?\bafter (\d{1,3}) hours?\b/.exec(said.error) : null;
  return told === null ? seen : new Date(Date.parse(seen) - Number(told[1]) * 3_600_000).toISOString();
}

/** A failing node makes no progress whatever else moves. A drain is timed from its beginning: single evictions are no
 *  progress. */
function sinceByStory(symptom: NodeSymptom, rollout: NodeRollout | undefined): string | undefined {
  if (symptom === 'failing') return undefined;
  return symptom === 'draining' ? rollout?.steps.drain?.begun?.at : rollout?.progressedAt;
}

/** The condition's time is that of the first failing node: it applies to this node only if it is the only one. */
function withCondition(busy: BusyNode, pool: Pool, all: number): BusyNode {
  const degraded = condition(pool, 'NodeDegraded');
  if (busy.symptom !== 'failing' || all !== 1 || degraded?.status !== 'True') return busy;
  return { ...busy, since: earliest([busy.since, degraded.since]) ?? busy.since };
}

function oldestFirst(a: BusyNode, b: BusyNode): number {
  return Date.parse(a.since) - Date.parse(b.since) || (a.node.name < b.node.name ? -1 : 1);
}

/** Whether something waits behind the pause. Where nodes were behind, and were not read in this pass, or in image mode
 *  their images were not, nothing says that they no longer are. Whether a pool that rests has such nodes may not be
 *  readable: then it waits for that. */
function isPendingPaused(
  { pool, nodes, hasNodesBehind, waits }: ObservedPool,
  pending: boolean,
  { before }: Clock,
): boolean {
  if (!pool.paused) return false;
  if (pending || hasNodesBehind === true || waits?.now.some(isUnseenRest) === true) return true;
  const isSeen = nodes.kind === 'seen' && (hasNodesBehind === false || nodes.value.every(isWithoutImage));
  return !isSeen && mayHaveNodesBehind(pool) && before[`${pool.name}|pending`] !== undefined;
}

function isUnseenRest({ kind, name, isUnseen }: Wait): boolean {
  return kind === 'gate' && name === 'rest' && isUnseen === true;
}

function isWithoutImage({ desiredImage }: Node): boolean {
  return desiredImage === undefined;
}

/** The pool says that it is degraded, and none of its nodes was seen to be. */
function aloneSince({ pool, nodes }: ObservedPool, busy: readonly BusyNode[], clock: Clock): string | undefined {
  if (nodes.kind !== 'seen' || !isDegradedByNodes(pool)) return undefined;
  // What moves meanwhile ends nothing.
  if (busy.some(({ symptom }) => symptom === 'failing')) return undefined;
  return clock.since(pool.name, 'degraded-alone');
}

/** Neither paused nor waiting for a render or an image build, which are troubles of their own. */
function isFreeToMove(pool: Pool): boolean {
  if (pool.paused || isTrue(pool, 'RenderDegraded') || isTrue(pool, 'ImageBuildDegraded')) return false;
  return !saysBuild(pool);
}

function waitsForBuild(pool: Pool): boolean {
  return hasPendingChange(pool) && !isTrue(pool, 'ImageBuildDegraded') && saysBuild(pool);
}

/** `Pool is waiting for a new OS image build to start` and the like. Since release 4.23 a paused pool goes on to say it
 *  once the build is done. Source: machine-config-operator pkg/controller/node/status.go. */
function saysBuild(pool: Pool): boolean {
  const message = condition(pool, 'Updating')?.message ?? '';
  return /OS image build (?!completed)|build to (?:start|complete)/i.test(message);
}
