import type { NodeSubject, PoolSubject, PoolSymptom, Subject } from '../diagnose/subject.ts';
import { condition, isTrue } from '../openshift/pool.ts';
import { secondsSince } from '../text/instant.ts';
import { seenValue } from '../text/observed.ts';
import type { ObservedCluster } from './input.ts';
import { lookAfterSeconds } from './phases.ts';
import { type PoolState, poolStates } from './pool-state.ts';

/** Nodes of a pool that are diagnosed in one pass, beside the last of each symptom. The rest are counted: they nearly
 *  always share a cause. */
const nodesPerPool = 5;
/** Seconds after which an unready node outside any rollout is serious. Source: `oc adm upgrade status`, node
 *  assessment. */
export const unavailableSeconds = 300;
/** Seconds. The MCO renders 5 s after a change; after this long it will not. */
export const unrenderedSeconds = 120;

/** Seconds. Building and pushing an operating system image takes about ten minutes, a large one longer. */
export const buildSeconds = 90 * 60;

/** What needs a diagnosis now: of a pool the five nodes that have been stuck the longest, of each symptom the one that
 *  has been the longest and the one that was last, and what concerns the whole pool. Whoever blocks the drains of five
 *  nodes does not leave it unknown why another one fails, or what blocks the drain that comes next. */
export function findSubjects(observed: ObservedCluster): readonly Subject[] {
  const { states } = poolStates(observed);
  const pools = states.map(({ pool }) => pool);
  return states.flatMap((state) => [...poolSubjects(state, observed), ...nodeSubjects(state, pools, observed)]);
}

function nodeSubjects(
  state: PoolState,
  pools: NodeSubject['pools'],
  { cluster, now, known }: ObservedCluster,
): readonly NodeSubject[] {
  const due = state.busy.filter(
    ({ symptom, since }) => secondsSince(since, now) >= lookAfterSeconds(symptom, state.stuckAfter),
  );
  const ofSymptoms = [...Map.groupBy(due, ({ symptom }) => symptom).values()].flatMap((nodes) => [
    ...nodes.slice(0, 1),
    ...nodes.slice(-1),
  ]);
  // Those of one symptom stay, whatever comes and goes of another one.
  const asked = new Set([...due.slice(0, nodesPerPool), ...ofSymptoms]);
  return [...asked].map(({ node, symptom, since, rollout }) => ({
    kind: 'node',
    cluster,
    pool: state.pool,
    nodes: state.nodes,
    pools,
    node,
    symptom,
    since,
    rollout,
    readAt: now.toISOString(),
    applications: seenValue(known),
  }));
}

function poolSubjects(state: PoolState, { cluster, now, known }: ObservedCluster): readonly PoolSubject[] {
  const { pool, nodes, stalledSince, unavailableSince, unrenderedSince } = state;
  const subject = (symptom: PoolSymptom, since: string | undefined): PoolSubject => ({
    kind: 'pool',
    cluster,
    pool,
    nodes,
    symptom,
    since: since ?? now.toISOString(),
    readAt: now.toISOString(),
    applications: seenValue(known),
  });
  const lasted = (since: string | undefined, seconds: number) =>
    since !== undefined && secondsSince(since, now) >= seconds;
  return [
    ...(isTrue(pool, 'RenderDegraded') ? [subject('render', condition(pool, 'RenderDegraded')?.since)] : []),
    ...(isTrue(pool, 'ImageBuildDegraded') ? [subject('build', condition(pool, 'ImageBuildDegraded')?.since)] : []),
    ...(lasted(state.buildSince, buildSeconds) ? [subject('build', state.buildSince)] : []),
    ...(lasted(stalledSince, state.stuckAfter.pickupSeconds) ? [subject('stalled', stalledSince)] : []),
    ...(lasted(unrenderedSince, unrenderedSeconds) ? [subject('unrendered', unrenderedSince)] : []),
    ...(lasted(unavailableSince, unavailableSeconds) ? [subject('unavailable', unavailableSince)] : []),
  ];
}
