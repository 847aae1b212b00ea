import type { ObservedApplication } from '../../core/argocd/application.ts';
import { protectionOf } from '../../core/configuration/protection.ts';
import type { Subject } from '../../core/diagnose/subject.ts';
import type { UnreadableItem } from '../../core/findings/listed.ts';
import { changeToApprove } from '../../core/gates/change-to-approve.ts';
import { type Evidence, noEvidence } from '../../core/gates/evidence.ts';
import { type GateView, isOfWindow } from '../../core/gates/gate-view.ts';
import { unreadForRender } from '../../core/gates/rendered.ts';
import { waitedForInWindows } from '../../core/gates/wave.ts';
import { gateQuestion, isOverdueBehindHold } from '../../core/holds/gate-question.ts';
import { isHeldBrieflyBesideRuns } from '../../core/holds/held-briefly.ts';
import { rolledOutLast } from '../../core/holds/rolled-out.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { behindWindows } from '../../core/judge/behind-windows.ts';
import { findSubjects } from '../../core/judge/find-subjects.ts';
import { observedOf, syncHoldsOf } from '../../core/judge/held-applications.ts';
import type { AwaitedApproval, Behind, ObservedCluster, ObservedPool, SweepState } from '../../core/judge/input.ts';
import { judge } from '../../core/judge/judge.ts';
import { isUnlisted, unreadableNow } from '../../core/judge/unreadable-objects.ts';
import { wantsNodes } from '../../core/judge/wants-nodes.ts';
import type { PendingChange } from '../../core/machine-config/pending-change.ts';
import type { ClusterRollouts } from '../../core/node-rollouts/follow.ts';
import { minutesPerNodeOf, nodePacesOf } from '../../core/node-rollouts/pace.ts';
import { mayHaveJoined, pausedNow } from '../../core/node-rollouts/pauses.ts';
import { marksOf, mayHaveChanged, poolMark } from '../../core/node-rollouts/pool-mark.ts';
import { isManaged, refusingPools, settingsOf } from '../../core/openshift/managed-pools.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import { isAtRest, isRequiredForUpgrade, type Pool } from '../../core/openshift/pool.ts';
import { recordIn } from '../../core/openshift/pool-record.ts';
import type { Cause } from '../../core/openshift/render-cause.ts';
import type { VersionUpdate } from '../../core/openshift/version-update.ts';
import type { Race } from '../../core/races/race.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { notAsked, seen, seenValue } from '../../core/text/observed.ts';
import { oncePer } from '../../core/text/once-per.ts';
import { viewOf } from '../../core/timeline/view-of.ts';
import { waitsOf } from '../../core/timeline/waits-of.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import { type PerformedPool, whyStillLost } from '../act/write-pool.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { closedGatesOf, gatesAheadOf, isUnasked } from '../node-turns/kept-runs.ts';
import type { FollowedPass } from '../pass-state.ts';
import { readBreakGlassExemptions } from '../read/read-break-glass.ts';
import { type ReadNodes, readEveryNode, readNodes, withoutNodesOf } from '../read/read-nodes.ts';
import { readOperatorParts } from '../read/read-operator-parts.ts';
import { readPending } from '../read/read-pending.ts';
import { readUpdateOf } from '../read/read-version-update.ts';
import { argocdsOf, knownApplications } from '../route/known-applications.ts';
import { attachLogs } from './attach-logs.ts';
import { diagnoseAll } from './diagnose-all.ts';
import { type Following, followNodes, loadRollouts } from './follow-nodes.ts';
import { readLostControllers } from './read-lost-controllers.ts';
import { readOverdueLocks } from './read-overdue-locks.ts';
import { settleIncidents } from './settle-incidents.ts';
import type { Watched } from './watched.ts';

/** Finds what is wrong, explains it with as few reads as possible, and updates the incidents. */
export async function watch(pass: FollowedPass): Promise<Watched> {
  const { snapshot, observation, performed, raced, cluster, ports, now } = pass;
  const { settings } = snapshot;
  const { checkpoint, swept } = observation;
  const { races } = raced;
  const needed = new Set(performed.flatMap(({ pool }) => (needsNodes(pool, pass) ? [pool.name] : [])));
  // Before the nodes: what is known of them must not be newer than what is compared with it.
  const stored = needed.size > 0 || swept ? await loadRollouts(settings.name, ports) : undefined;
  const nodesOf = oncePer((pool: Pool) => readNodes(pool, cluster.pools));
  const reading = { snapshot, checkpoint, pools: performed.map(({ pool }) => pool), needed, nodesOf };
  const pending = await readPending(reading, cluster, ports);
  const asks = await awaitedApprovals(pass, stored);
  const looked = await Promise.all(
    performed.map(async (each) => {
      const { pool } = each;
      const nodes = needed.has(pool.name) ? await nodesOf(pool) : nothingRead;
      return observePool(each, nodes, pending[pool.name], pass);
    }),
  );
  const pools = looked.map(({ observed }) => ({ ...observed, approval: asks.get(observed.pool.name) }));
  const [everyNode, operatorParts] = await Promise.all([
    swept || mustListNodesAgain(pass) ? readEveryNode(cluster.pools) : nothingRead,
    swept
      ? readOperatorParts({ reader: cluster.reader, before: checkpoint.operatorParts }, ports)
      : checkpoint.operatorParts,
  ]);
  noteUnread([...looked.map(({ observed }) => observed.nodes), everyNode.nodes], pass);
  const ofPools = looked.flatMap((each) => each.unreadable);
  const unreadable = unreadableAfter(pass, everyNode, ofPools);
  const members = membersByPool(pools);
  const followed =
    stored &&
    (await followNodes(
      {
        stored,
        pools,
        unreadablePools: snapshot.unreadablePools ?? [],
        everyNode: withoutNodesOf(snapshot.unreadablePools, everyNode.nodes),
        ...namesOf(everyNode, ofPools),
        marks: marksOf(checkpoint),
        causesOf: (pool, rendered) => causesOf([pending[pool], checkpoint.pending?.[pool]], rendered),
        now,
      },
      cluster,
      ports,
    ));
  const rollouts = followed?.rollouts ?? stored;
  const observed: ObservedCluster = {
    cluster: settings.name,
    now,
    policy: settings.policy,
    pools: seen(pools, now),
    firstSeen: checkpoint.firstSeen,
    rollouts: followed === undefined ? notAsked : seen(followed.rollouts, now),
    // Nodes of a pool that cannot be parsed would look as if they were in none.
    everyNode: snapshot.unreadablePools === undefined ? everyNode.nodes : notAsked,
    known: notAsked,
    argocds: argocdsOf(settings.name, ports),
  };
  const refusing = refusingPools(settings);
  const judgement = judge({
    ...observed,
    diagnoses: await explained(await subjectsOf(observed, ports), cluster, ports),
    applications: snapshot.applications,
    controllers: await readLostControllers(heldApplications(pass), settings.policy, ports),
    races,
    unreadRaces: raced.failure?.message,
    breakGlass: await readBreakGlassExemptions({ snapshot, swept }, cluster),
    misses: 0,
    lastGoodReadAt: checkpoint.lastGoodReadAt,
    unreadable,
    sweep: sweepState(pass),
    sequences: pass.sequences.problems,
    lostWindows: pass.sequences.lost,
    overdueLocks: await readOverdueLocks(pass.scope, ports),
    guardedPools: namesOfGuarded(pools, snapshot),
    refusingPools: refusing,
    guards: pass.guards.look,
    runs: pass.runs.problems,
    runProgress: pass.runs.progress,
  });
  // A lost node is judged only past the time its step may take: a rollout explains none of them away, least of all the
  // one it waits for.
  const { reader } = cluster;
  const seenNow = { applications: snapshot.applications, refusing, pools: pools.map(({ pool }) => pool) };
  const settling = { settings, judgement, told: checkpoint.toldIncidents, now, reader, seen: seenNow };
  const { events, told, failure } = await settleIncidents(settling, ports);
  return {
    events,
    toldIncidents: told,
    failure,
    firstSeen: judgement.firstSeen,
    unreadable,
    followed,
    paces: rollouts === undefined ? checkpoint.paces : nodePacesOf(rollouts.paces),
    marks: marksNow(pools, { needed, followed, now }),
    pauses: { ...pausesOf(snapshot.unreadablePools, checkpoint), ...pausesNow(pools, members, checkpoint) },
    pending,
    nodes: members,
    gatesAhead: new Map(looked.map(({ observed: { pool }, gatesAhead }) => [pool.name, gatesAhead])),
    operatorParts,
    unread: new Set(pools.flatMap(({ pool, nodes }) => (nodes.kind === 'unreadable' ? [pool.name] : []))),
  };
}

/** Nodes that could not be listed are asked for by each tick, so that only what lasts is told, and its end is seen. */
function mustListNodesAgain({ scope, observation: { checkpoint } }: FollowedPass): boolean {
  return scope.maySweep && (checkpoint.unreadable ?? []).some((object) => object.kind === 'Node' && isUnlisted(object));
}

/** An incident says so only once it has lasted: what is known of them stays as it is. */
function noteUnread(all: readonly ObservedPool['nodes'][], { scope, ports }: FollowedPass): void {
  const unread = all.find((nodes) => nodes.kind === 'unreadable');
  if (unread?.kind !== 'unreadable') return;
  ports.logger.warn('nodes could not be read', { cluster: scope.cluster.name, why: unread.why });
}

/** The nodes of a pool are read only if something points to them. */
function needsNodes(pool: Pool, { observation: { checkpoint }, raced }: FollowedPass): boolean {
  return (
    wantsNodes(pool, checkpoint.firstSeen) ||
    missedNodes(pool, raced.races) ||
    checkpoint.following?.includes(pool.name) === true ||
    mayHaveChanged(pool, marksOf(checkpoint)[pool.name]) ||
    mayHaveJoined(pool, checkpoint.pauses?.[pool.name])
  );
}

/** The pools that wait for people, or did until this pass. How long the rollout would take is read only for them. */
async function awaitedApprovals(
  { performed, snapshot, runs, ports, now }: FollowedPass,
  stored: ClusterRollouts | undefined,
): Promise<ReadonlyMap<string, AwaitedApproval>> {
  const evidenceOf = (pool: string) => runs.gates.get(pool)?.evidence ?? snapshot.evidence.get(pool) ?? noEvidence;
  const closedAs = (each: PerformedPool, name: string) => closedGatesOf(each, runs).find(({ gate }) => gate === name);
  const gateOf = (each: PerformedPool) => closedAs(each, 'approval');
  const waiting = performed.filter(
    (each) => evidenceOf(each.pool.name).approvals.kind === 'seen' || gateOf(each) !== undefined,
  );
  if (waiting.length === 0) return new Map();
  const rollouts = stored ?? (await loadRollouts(snapshot.settings.name, ports));
  const found = waiting.flatMap((each): readonly (readonly [string, AwaitedApproval])[] => {
    const { pool } = each;
    const { approve } = settingsOf(snapshot.settings, pool.name);
    const { approvals, images } = evidenceOf(pool.name);
    if (approve === undefined) return [];
    const unseen = [approvals, images].find(({ kind }) => kind !== 'seen');
    if (approvals.kind !== 'seen' || images.kind !== 'seen')
      return [[pool.name, { kind: 'unreadable', why: unseen?.kind === 'unreadable' ? unseen.why : 'not read' }]];
    const run = runs.gates.get(pool.name)?.run;
    const pace = rollouts?.paces[pool.name];
    const minutesPerNode = pace === undefined ? undefined : minutesPerNodeOf(pace);
    const gate = gateOf(each);
    const asked = changeToApprove(pool, images.value);
    const change = asked.kind === 'known' ? asked.change : undefined;
    const said = { approvals: approvals.value, rolledOut: rolledOutLast(pool, snapshot, now) };
    const windowOpensAt = (closedAs(each, 'window') ?? closedAs(each, 'fit'))?.opensAt;
    return [[pool.name, { kind: 'asked', approve, ...said, change, minutesPerNode, gate, windowOpensAt, run }]];
  });
  return new Map(found);
}

/** Those whose syncs hold pools. */
function namesOfGuarded(pools: readonly ObservedPool[], { settings }: Snapshot): readonly string[] {
  return pools.map(({ pool }) => pool.name).filter((name) => protectionOf(settingsOf(settings, name)).guardsSyncs);
}

function heldApplications({ performed, snapshot }: FollowedPass): readonly ObservedApplication[] {
  const holds = performed.flatMap(({ pool }) => syncHoldsOf({ pool }));
  return holds.flatMap((hold) => observedOf(hold, snapshot.applications) ?? []);
}

/** When the pool resumes by itself, if nothing is known to keep it but its window, or that its rollout does not fit.
 *  A gate that could not be read has a time of its own, after which it is told. */
function windowOpensAt(closed: readonly GateView[]): string | undefined {
  const [first, ...others] = closed.filter(({ unread, isUnseen }) => unread !== true && isUnseen !== true);
  return first !== undefined && isOfWindow(first) && others.length === 0 ? first.opensAt : undefined;
}

/** Pools of lower waves for which it waits, if nothing else is known to keep it but windows. */
function behindOf(pool: Pool, closed: readonly GateView[], { snapshot, runs, now }: FollowedPass): Behind | undefined {
  const waitedFor = waitedForInWindows(gateQuestion(recordIn(pool), pool, snapshot, now));
  const { pausedAtMostSeconds } = snapshot.settings.policy;
  const isHeld = isUnasked(pool, runs) || isHeldBrieflyBesideRuns(pool, pausedAtMostSeconds, now);
  return behindWindows(closed, waitedFor, isHeld);
}

/** Nothing is known to keep it, and whether its window does could not be read. */
function isWindowUnseen(closed: readonly GateView[]): boolean {
  const asked = closed.filter(({ unread }) => unread !== true);
  return asked.every(({ isUnseen }) => isUnseen === true) && asked.some(({ gate }) => gate === 'window');
}

interface LookedAtPool {
  readonly observed: ObservedPool;
  readonly gatesAhead: readonly GateView[];
  readonly unreadable: readonly UnreadableItem[];
}

/** One pool as input of the judgement. */
async function observePool(
  performed: PerformedPool,
  { nodes, unreadable }: ReadNodes,
  change: PendingChange | undefined,
  pass: FollowedPass,
): Promise<LookedAtPool> {
  const { pool, plan, failure } = performed;
  const { snapshot, cluster, runs, now } = pass;
  const gates = closedGatesOf({ pool, plan }, runs);
  const gatesAhead = gatesAheadOf(pool, pass);
  const view = viewOf(pool, { settings: snapshot.settings, gates, gatesAhead, races: [], now });
  const isClosed = (name: string) => gates.some(({ gate }) => gate === name);
  // It may be open, and counts for nothing before it is read.
  const isRead = (name: string) => gates.some(({ gate, unread }) => gate === name && unread !== true);
  const observed: ObservedPool = {
    pool,
    change,
    overLimit: plan.overLimit,
    refusedPause: plan.action.kind === 'pause' ? failure?.message : undefined,
    unreadRecord: unreadRecord(pool, snapshot),
    lostRecord: whyStillLost(performed),
    people: settingsOf(snapshot.settings, pool.name).approve?.by,
    waitsForRender: isClosed('rendered'),
    unreadRender: unreadRender(pool, snapshot),
    waitsForHealth: isClosed('health'),
    windowOpensAt: windowOpensAt(gates),
    behind: pool.paused ? behindOf(pool, gates, pass) : undefined,
    isWindowUnseen: isWindowUnseen(gates),
    isUnasked: isUnasked(pool, runs),
    hasNodesBehind: hasNodesBehind(snapshot.evidence.get(pool.name)),
    rests: protectionOf(settingsOf(snapshot.settings, pool.name)).rests,
    blocks: pool.paused && isRequiredForUpgrade(pool) ? await updateUnderWay(cluster.reader, now) : undefined,
    waits: {
      now: waitsOf(view, snapshot.settings.name).now.filter(({ kind, name }) => kind !== 'gate' || isRead(name)),
      isOverdue: gates.some(({ overdue }) => overdue === true) || isOverdueBehindHold(plan, pool, snapshot, now),
    },
    undrainable: plan.gates.some(({ gate }) => gate === 'drainable')
      ? obstaclesOf(snapshot.evidence.get(pool.name))
      : undefined,
    nodes: withoutNodesOf(snapshot.unreadablePools, nodes),
  };
  return { observed, gatesAhead, unreadable };
}

/** Those that have just joined wait for nothing. Undefined: not known, as while a hold keeps its gates from being
 *  asked, or while its images cannot be read. */
function hasNodesBehind({ nodesBehind, images }: Evidence = noEvidence): boolean | undefined {
  if (nodesBehind.kind !== 'seen') return undefined;
  if (nodesBehind.value.some(({ hasJustJoined }) => !hasJustJoined)) return true;
  return images.kind === 'seen' ? false : undefined;
}

/** Of a pool that would be paused with another one. */
function unreadRecord(pool: Pool, { settings }: Snapshot): string | undefined {
  const { record } = pool;
  return record.kind === 'unreadable' && isManaged(settings, { ...pool, record: { kind: 'none' } })
    ? record.why
    : undefined;
}

function unreadRender({ target, record }: Pool, { unreadMachineConfigs }: Snapshot): string | undefined {
  if (record.kind !== 'record') return undefined;
  const [unread] = unreadForRender({ target }, record.record.release, unreadMachineConfigs);
  return unread && `MachineConfig ${unread[0]}: ${unread[1]}`;
}

/** Undefined also where that cannot be read: the age of the pause is told in any case. */
async function updateUnderWay(reader: ObjectReader, now: Date): Promise<VersionUpdate | undefined> {
  const read = seenValue(await readUpdateOf(reader, now));
  return read?.kind === 'under way' ? read.update : undefined;
}

const nothingRead: ReadNodes = { nodes: notAsked, unreadable: [] };

/** A sweep is tried by ticks only. */
function sweepState({ observation, scope, now }: FollowedPass): SweepState | undefined {
  if (!scope.maySweep) return undefined;
  const { checkpoint, swept, sweepFailure } = observation;
  const at = now.toISOString();
  return { since: swept ? at : (checkpoint.sweptAt ?? checkpoint.sweepDueSince), triedUntil: at, why: sweepFailure };
}

/** Nodes are listed completely by sweeps, and by ticks after a failed list. */
function unreadableAfter(
  { observation, now }: FollowedPass,
  everyNode: ReadNodes,
  ofPools: readonly UnreadableItem[],
): Watched['unreadable'] {
  const { complete, items } = observation.unreadable;
  const listed = everyNode.nodes.kind === 'seen' ? [...complete, 'Node'] : [...complete];
  const sighting = { complete: new Set(listed), items: [...items, ...everyNode.unreadable, ...ofPools] };
  return unreadableNow(observation.checkpoint.unreadable ?? [], sighting, now);
}

function namesOf(
  everyNode: ReadNodes,
  ofPools: readonly UnreadableItem[],
): Pick<Following, 'names' | 'unreadableNodes'> {
  const named = [...everyNode.unreadable, ...ofPools].filter((item) => !isUnlisted(item));
  const unreadableNodes = new Set(named.map(({ name }) => name));
  const all = everyNode.nodes.kind === 'seen' ? everyNode.nodes.value.map(({ name }) => name) : undefined;
  return { names: all && new Set([...all, ...unreadableNodes]), unreadableNodes };
}

function obstaclesOf({ drains }: Evidence = noEvidence): ObservedPool['undrainable'] {
  return drains.kind === 'seen' ? { ...drains, value: drains.value.obstacles } : drains;
}

/** Of a change that has been rolled out since the last pass, that pass knew the causes. */
function causesOf(changes: readonly (PendingChange | undefined)[], rendered: string): readonly Cause[] {
  return changes.find((change) => change?.to === rendered)?.causes ?? [];
}

/** Marks of the pools of which everything is known, if it gets stored. */
function marksNow(
  pools: readonly ObservedPool[],
  { needed, followed, now }: { readonly needed: ReadonlySet<string>; readonly now: Date } & Pick<Watched, 'followed'>,
): Watched['marks'] {
  const known = pools.filter(
    ({ pool, nodes }) => !needed.has(pool.name) || (followed !== undefined && nodes.kind === 'seen'),
  );
  return Object.fromEntries(known.map(({ pool }) => [pool.name, poolMark(pool, now.toISOString())]));
}

function membersByPool(pools: readonly ObservedPool[]): Watched['nodes'] {
  const all = pools.map(({ pool }) => pool);
  return new Map(
    pools.flatMap(({ pool, nodes }) =>
      nodes.kind === 'seen' ? [[pool.name, membersOf(pool, all, nodes.value)] as const] : [],
    ),
  );
}

function pausesNow(
  pools: readonly ObservedPool[],
  members: Watched['nodes'],
  { pauses = {} }: Checkpoint,
): Watched['pauses'] {
  return Object.fromEntries(
    pools.flatMap(({ pool }) => {
      const now = pausedNow(pool, pauses[pool.name], members.get(pool.name));
      return now === undefined ? [] : [[pool.name, now]];
    }),
  );
}

/** Of pools that cannot be parsed: as they were. */
function pausesOf(pools: Snapshot['unreadablePools'] = [], { pauses = {} }: Checkpoint): Watched['pauses'] {
  return Object.fromEntries(Object.entries(pauses).filter(([pool]) => pools.includes(pool)));
}

/** Seconds. A whole pass has a minute on AWS. If many nodes are stuck and the API server is slow, some are reported
 *  without a cause: a pass that is cut off reports nothing. */
const explainWithin = 20;

async function explained(subjects: readonly Subject[], { reader }: ClusterPorts, { logger, clock }: KeepPorts) {
  const begun = clock().toISOString();
  const isLate = () => secondsSince(begun, clock()) > explainWithin;
  return attachLogs(subjects, await diagnoseAll(subjects, reader, { logger, isLate }), reader);
}

/** The subjects to diagnose, with what the routing tables know about objects that findings may name; nothing is loaded
 *  while nothing is wrong. */
async function subjectsOf(observed: ObservedCluster, ports: KeepPorts): Promise<readonly Subject[]> {
  if (findSubjects(observed).length === 0) return [];
  return findSubjects({ ...observed, known: seen(await knownApplications(observed.cluster, ports)) });
}

/** Nodes that a pause missed are followed until they have arrived. */
function missedNodes(pool: Pool, races: readonly Race[]): boolean {
  return !isAtRest(pool) && races.some((race) => race.pool === pool.name && race.missedNodes.length > 0);
}
