import { drainingSincePath, leftPath, usedUpPath } from '../diagnose/rules.ts';
import { everyFinding } from '../findings/chain.ts';
import { evidence, ref } from '../findings/make-finding.ts';
import type { Finding, Severity, Trouble } from '../findings/trouble.ts';
import { rolloutText } from '../node-rollouts/rollout-text.ts';
import { isBehind } from '../openshift/node.ts';
import { isRequiredForUpgrade } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { degradedAlone } from './degraded-alone.ts';
import { budgetFact, nodeFacts, podFact, unmetFact, waitingFact } from './facts.ts';
import { unavailableSeconds } from './find-subjects.ts';
import { blockerText, causeText, claimOf, errorWords, lostText } from './headlines.ts';
import { undrainablePool } from './held-back.ts';
import type { JudgeInput } from './input.ts';
import { classOf, makeTrouble } from './make-trouble.ts';
import { misplacedNodes } from './misplaced-nodes.ts';
import { lookAfterSeconds } from './phases.ts';
import type { BusyNode, PoolState } from './pool-state.ts';

/** The MCO itself marks a node Degraded when its drain has failed for an hour. */
const mcoDrainSeconds = 3600;
/** A pool stalled for this long is no mere delay. */
const stallEscalatesSeconds = 4 * 3600;
/** S11 is a node that answers but accepts no pods: missing all the same. */
const lostCodes = ['S2', 'S3', 'S11'];
const drainCodes = ['D0', 'D1', 'D2', 'D3'];

/** A busy node with its finding. */
interface Looked extends BusyNode {
  readonly findings: readonly Finding[];
}

/** The troubles of the nodes of one pool: at most one of each kind. */
export function nodeTroubles(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const looked = state.busy.map((busy) => lookedAt(state, busy, input));
  return [
    ...drainBlocked(
      state,
      looked.filter((each) => isBlockedDrain(each, state, input)),
      input,
    ),
    ...nodeDegraded(
      state,
      looked.filter((each) => each.symptom === 'failing' && !isDrain(each)),
      input,
    ),
    ...degradedAlone(state, input),
    ...nodeLost(state, lostNodes(state, looked, input), input),
    ...noProgress(state, looked, input),
  ];
}

function lookedAt(state: PoolState, busy: BusyNode, { diagnoses }: JudgeInput): Looked {
  const findings = diagnoses.get(`${state.pool.name}/node/${busy.node.name}`)?.findings ?? [];
  const since = busy.symptom === 'draining' ? drainingSince(busy.since, findings) : busy.since;
  return { ...busy, findings: findings.map((found) => withCourse(found, busy)), since };
}

/** Adds the course of the update, for the thread of the message. */
function withCourse(found: Finding, { node, rollout }: BusyNode): Finding {
  if (rollout === undefined || found.subject.name !== node.name) return found;
  const course = evidence(ref('Node', node.name), 'course of its update', rolloutText(rollout), rollout.progressedAt);
  return { ...found, evidence: [...found.evidence, course] };
}

/** The MachineConfigNode records when the drain began, even if no pass observed it. */
function drainingSince(since: string, findings: readonly Finding[]): string {
  const told = valueAt(drainingSincePath, findings);
  return told === undefined || Number.isNaN(Date.parse(told)) ? since : (earliest([since, told]) ?? since);
}

function valueAt(path: string, findings: readonly Finding[]): string | undefined {
  return findings.flatMap(({ evidence }) => evidence).find((each) => each.path === path)?.value;
}

function isDrain({ symptom, findings }: Looked): boolean {
  return symptom === 'draining' || findings.some(({ code }) => drainCodes.includes(code));
}

/** The daemon gave up (N14), the drain takes longer than it may, or it is blocked by a cause that never heals. */
function isBlockedDrain(looked: Looked, { stuckAfter }: PoolState, { now }: JudgeInput): boolean {
  if (!isDrain(looked)) return false;
  if (looked.symptom === 'failing') return true;
  return secondsSince(looked.since, now) >= stuckAfter.drainSeconds || classOf(looked.findings) === 'structural';
}

function drainBlocked(state: PoolState, drains: readonly Looked[], input: JudgeInput): readonly Trouble[] {
  if (drains.length === 0) return [];
  const findings = drains.flatMap((each) => each.findings);
  const names = drains.map(({ node }) => node.name);
  const claim = claimOf(drains);
  const since = oldest(drains);
  const late = secondsSince(since, input.now) >= mcoDrainSeconds || drains.some(({ symptom }) => symptom === 'failing');
  const waiting = findings.length > 0 && findings.every((each) => rootCodes(each).every((code) => code === 'T1'));
  const severity: Severity = late ? 'high' : waiting ? 'info' : 'warning';
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: state.pool.name, kind: 'drain-blocked' },
      severity,
      headline: `${names.length === 1 ? 'drain' : 'drains'} of ${claim.names} ${blockerText(findings)}${claim.others}`,
      since,
      findings,
      facts: nodeFacts(state, stuck(names, since, input), [...budgetFact(findings), ...podFact(findings)]),
    }),
  ];
}

function nodeDegraded(state: PoolState, failing: readonly Looked[], input: JudgeInput): readonly Trouble[] {
  if (failing.length === 0) return [];
  const findings = failing.flatMap((each) => each.findings);
  const names = failing.map(({ node }) => node.name);
  const reasons = failing.map(({ node }) => node.reason);
  const read = new Set(failing.filter((each) => each.findings.length > 0).map(({ node }) => node.reason));
  const claim = claimOf(failing, ({ node }) => node.reason !== '' && read.has(node.reason));
  const since = oldest(failing);
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: state.pool.name, kind: 'node-degraded' },
      severity: isRequiredForUpgrade(state.pool) ? 'critical' : 'high',
      headline: `${claim.names} degraded: ${causeText(findings)}${errorWords(reasons, findings)}${claim.others}`,
      since,
      findings,
      facts: nodeFacts(state, stuck(names, since, input), waitingFact(state, names)),
    }),
  ];
}

interface LostNode {
  readonly finding: Finding;
  readonly since: string;
}

/** Unready nodes: stuck in their update for too long, or found when a pool was stalled or short of nodes. Of one that
 *  fails this is told with its failure, but for S11. */
function lostNodes(state: PoolState, looked: readonly Looked[], { diagnoses, now }: JudgeInput): readonly LostNode[] {
  const onTheirWay = looked
    .filter(({ symptom }) => symptom !== 'failing' && symptom !== 'draining')
    .flatMap(({ findings, since }) => findings.map((finding) => ({ finding, since })));
  const { pool, stalledSince, unavailableSince } = state;
  const inPool = (symptom: string, since: string | undefined) =>
    since === undefined
      ? []
      : (diagnoses.get(`${pool.name}/${symptom}`)?.findings ?? []).map((finding) => ({ finding, since }));
  const missing = [...inPool('stalled', stalledSince), ...inPool('unavailable', unavailableSince)];
  const failing = new Set(looked.filter(({ symptom }) => symptom === 'failing').map(({ node }) => node.name));
  const lostIn = ({ finding, since }: LostNode) =>
    everyFinding(finding)
      .filter((each) => isLost(each) && (each.code === 'S11' || !failing.has(each.subject.name)))
      .map((each) => ({ finding: each, since: readySince(each) ?? since }));
  const lost = [
    ...onTheirWay.flatMap(lostIn),
    ...missing.flatMap(lostIn).filter(({ finding }) => isMissingLong(finding, state, now)),
  ];
  return lost.filter((each, index) => lost.findIndex((other) => isSameNode(other, each)) === index);
}

/** By the time of this node: its pool may wait for, or lack another one, as a cordoned one, for weeks, and one that
 *  joins is not ready at once. */
function isMissingLong(found: Finding, { nodes }: PoolState, now: Date): boolean {
  const since = readySince(found) ?? byName(nodes, found.subject.name)?.createdAt;
  return since === undefined || secondsSince(since, now) >= unavailableSeconds;
}

function isSameNode(a: LostNode, b: LostNode): boolean {
  return a.finding.subject.name === b.finding.subject.name;
}

function readySince(found: Finding): string | undefined {
  return found.evidence.find(({ path }) => path === 'status.conditions[Ready].lastTransitionTime')?.value;
}

function nodeLost(state: PoolState, lost: readonly LostNode[], input: JudgeInput): readonly Trouble[] {
  if (lost.length === 0) return [];
  const findings = lost.map(({ finding }) => finding);
  const names = findings.map(({ subject }) => subject.name);
  const since = oldest(lost);
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: state.pool.name, kind: 'node-lost' },
      severity: isRequiredForUpgrade(state.pool) ? 'critical' : 'high',
      headline: lostText(findings),
      since,
      findings,
      facts: nodeFacts(state, stuck(names, since, input), unmetFact(state, stuck(names, since, input))),
    }),
  ];
}

/** Something should move and does not, and no node is lost. A cordon alone is no rollout: a change must be pending. */
function noProgress(state: PoolState, looked: readonly Looked[], input: JudgeInput): readonly Trouble[] {
  const { now } = input;
  const slow = looked.filter(
    ({ symptom, since, findings }) =>
      symptom !== 'failing' &&
      symptom !== 'draining' &&
      secondsSince(since, now) >= lookAfterSeconds(symptom, state.stuckAfter) &&
      !findings.some(isLost),
  );
  if (slow.length > 0) return [slowNodes(state, slow, input)];
  const stalled = stalledPool(state, input);
  if (stalled.length > 0) return stalled;
  const undrainable = undrainablePool(state, input);
  return undrainable.length > 0 ? undrainable : misplacedNodes(state, input);
}

function slowNodes(state: PoolState, slow: readonly Looked[], input: JudgeInput): Trouble {
  const names = slow.map(({ node }) => node.name);
  const since = oldest(slow);
  const findings = slow.flatMap((each) => each.findings);
  const claim = claimOf(slow);
  return makeTrouble({
    key: { cluster: input.cluster, pool: state.pool.name, kind: 'no-progress' },
    severity: escalated(since, input),
    headline: `no progress on ${claim.names}: ${causeText(findings)}${claim.others}`,
    since,
    findings,
    facts: nodeFacts(state, stuck(names, since, input), unmetFact(state, stuck(names, since, input))),
  });
}

function stalledPool(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const since = state.stalledSince;
  if (since === undefined || secondsSince(since, input.now) < state.stuckAfter.pickupSeconds) return [];
  const findings = input.diagnoses.get(`${state.pool.name}/stalled`)?.findings ?? [];
  const causes = findings.flatMap(({ because }) => because);
  const usedUp = valueAt(usedUpPath, findings);
  const left = valueAt(leftPath, findings);
  // Otherwise lost nodes are not what it waits for, or not told yet.
  const areLost = causes.every((each) => isLost(each) && isMissingLong(each, state, input.now));
  if ((usedUp ?? left) !== undefined && areLost) return [];
  const waiting = state.nodes.filter((node) => isBehind(node, state.pool)).map(({ name }) => name);
  const names = usedUp === undefined ? waiting.toSorted() : causes.map(({ subject }) => subject.name);
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: state.pool.name, kind: 'no-progress' },
      severity: escalated(since, input),
      headline: `rollout stalled: ${stallText(causes, { usedUp, left })}`,
      since,
      findings,
      facts: nodeFacts(state, stuck(names, since, input)),
    }),
  ];
}

/** @param stop the nodes that stop it, as S12 says; neither: none does, as far as it is known */
function stallText(
  causes: readonly Finding[],
  { usedUp, left }: { readonly usedUp: string | undefined; readonly left: string | undefined },
): string {
  if (usedUp !== undefined) return `maxUnavailable is used up by ${usedUp}`;
  if (left !== undefined) return `all that is left is cordoned or not ready: ${left}`;
  const others = causes.filter(({ subject }) => subject.kind !== 'Node');
  return others.length === 0 ? 'no node is updating' : causeText(others);
}

function escalated(since: string, { now }: JudgeInput): Severity {
  return secondsSince(since, now) >= stallEscalatesSeconds ? 'high' : 'warning';
}

function isLost({ code }: Finding): boolean {
  return lostCodes.includes(code);
}

function rootCodes(found: Finding): readonly string[] {
  return found.because.length === 0 ? [found.code] : found.because.flatMap(rootCodes);
}

function oldest(all: readonly { readonly since: string }[]): string {
  return earliest(all.map(({ since }) => since)) ?? '';
}

function stuck(names: readonly string[], since: string, { now }: JudgeInput) {
  return { names, since, now: now.toISOString() };
}
