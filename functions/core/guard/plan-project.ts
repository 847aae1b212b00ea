import { type Application, isParked, isSyncing } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import type { AppProject } from './app-project.ts';
import { accepts } from './app-project.ts';
import type { AwaitedTurn, AwaitedTurns } from './awaited-turn.ts';
import { type AwaitedLook, decideGuard, type GuardDecision } from './decide-guard.ts';
import type { AlsoAffected, GuardedPush } from './guard-question.ts';
import {
  applicationOfGuard,
  type Guard,
  guardsInShare,
  guardsThatFit,
  guardsWithRoom,
  holdOfGuard,
  namesNoPool,
  sameGuards,
} from './guard-record.ts';
import { type GuardedCluster, isOfCluster } from './guarded-cluster.ts';
import { wouldSync } from './held-back-sync.ts';
import { openByHand } from './open-by-hand.ts';
import { guardsOf } from './open-guards.ts';
import { namesHeldBack, type SyncWindow, windowsAfter } from './sync-windows.ts';
import { isOthers, isOurs, type WhoseGuards } from './whose-guard.ts';

/** An Application as one pass sees it. */
export interface GuardSubject {
  readonly application: Application;
  readonly affected: readonly string[];
  readonly isGuarded: boolean;
  readonly push: GuardedPush | undefined;
}

/** The cluster to which an Application is pointed now. */
export interface Destination {
  readonly cluster: string;
  /** The window holds back a sync that Argo CD shows, which somebody may terminate; otherwise Argo CD may make one by
   *  itself as soon as the window is away. */
  readonly isSyncing: boolean;
}

export interface GuardFacts extends WhoseGuards {
  /** Applications of this cluster that this pass has read. */
  readonly subjects: readonly GuardSubject[];
  /** Applications that do not exist any more, or deploy to no cluster with guards: ids of their sync holds. */
  readonly gone: ReadonlySet<string>;
  /** Clusters by the ids of sync holds: their Applications deploy there now, where syncs are guarded, and have no guard
   *  there yet. Absent: none does. */
  readonly leaving?: ReadonlyMap<string, Destination> | undefined;
  /** Applications that were read, or for which waiting does not help: ids of their sync holds. Absent: all. */
  readonly looked?: ReadonlySet<string> | undefined;
  /** Names of all clusters of the configuration; absent: guards of others are left alone. */
  readonly configured?: ReadonlySet<string> | undefined;
  /** Applications that exist and cannot be parsed: ids of their sync holds. Absent: none. */
  readonly invalid?: ReadonlySet<string> | undefined;
  readonly pools: readonly Pool[];
  /** Why the turn of an Application in its sequence has not come, by the id of its sync hold; absent: none waits. */
  readonly notTheirTurn?: AwaitedTurns | undefined;
  readonly expectSyncWithinSeconds: number;
  readonly now: Date;
}

/** What to do with one AppProject: at most one patch. */
export interface ProjectPlan {
  readonly project: AppProject;
  /** Null: nothing changes. */
  readonly write: { readonly windows: readonly SyncWindow[]; readonly guards: readonly Guard[] } | undefined;
  readonly changes: readonly GuardChange[];
  /** Guards that a sync waits for, and why they stay closed. */
  readonly waiting: readonly WaitingGuard[];
  /** `<namespace>/<name>` of Applications whose syncs are seen to run. */
  readonly syncing: readonly string[];
  /** Applications whose guard is open, and whose sync has not begun, or that are to be compared before it opens. */
  readonly awaiting: readonly AwaitingApplication[];
  /** `<namespace>/<name>` of Applications for whose guards the record has no room. */
  readonly leftOut: readonly string[];
  /** Guards that nothing holds back, and whose pools are not all paused. */
  readonly exposed: readonly ExposedGuard[];
  /** Guards that were open several times in a row for a sync that did not come. */
  readonly unanswered: readonly UnansweredGuard[];
  /** Applications without a guard that wait for the window of one of their name. */
  readonly heldToo: readonly HeldToo[];
  /** `<namespace>/<name>` of Applications with guards of another cluster that has the name of this one. */
  readonly ofNamesakes: readonly string[];
}

export interface AwaitingApplication extends AwaitedLook {
  readonly application: Application;
}

/** It affects no pool with the level, and the window is for every Application of the name. */
export interface HeldToo {
  /** `<namespace>/<name>`. */
  readonly application: string;
  /** Guarded ones of its name. */
  readonly by: readonly string[];
}

/** Its window is away for another Application of its name. */
export interface ExposedGuard {
  /** `<namespace>/<name>`. */
  readonly application: string;
  /** Those that are not paused. */
  readonly pools: readonly string[];
  readonly why: string;
}

export interface UnansweredGuard {
  /** `<namespace>/<name>`. */
  readonly application: string;
  /** Those that it affects. */
  readonly pools: readonly string[];
  readonly times: number;
  /** ISO instant of the first time. */
  readonly since: string;
}

/** Times. Once or twice Argo CD may be busy, or compare late. */
const unansweredAtLeast = 3;

export interface GuardChange {
  /** `dropped`: somebody else took our window away, and it stands again. */
  readonly did: 'guarded' | 'opened' | 'closed' | 'dropped' | 'freed';
  readonly guard: Guard;
  readonly why: string;
}

export interface WaitingGuard {
  /** `<namespace>/<name>`. */
  readonly application: string;
  /** Where it is told with those of other AppProjects: its own, in Argo CD's own namespace. */
  readonly project?: string | undefined;
  readonly why: string;
  /** The command that opens it without Poolkeeper. */
  readonly how?: string | undefined;
  /** Pools that it affects. */
  readonly pools: readonly string[];
  /** It is its own turn in a sequence that has not come. */
  readonly isTurn: boolean;
  /** Whether a turn has come is not known: its sequence cannot be read. Absent: it is something else. */
  readonly isTurnUnread?: boolean | undefined;
  /** Cluster to which it is pointed now, whose guard it waits for; absent: it deploys to this one. */
  readonly elsewhere?: string | undefined;
  /** ISO instant until which it is not opened again for commits that Argo CD did not sync, or waits for its guard
   *  elsewhere; absent: it is another reason. */
  readonly until?: string | undefined;
}

/** Plans one project. Guards of other clusters, and of Applications that were not read, stay as they are. */
export function planProject(project: AppProject, facts: GuardFacts): ProjectPlan {
  const nothing: ProjectPlan = {
    project,
    write: undefined,
    changes: [],
    waiting: [],
    syncing: [],
    awaiting: [],
    leftOut: [],
    exposed: [],
    unanswered: [],
    heldToo: [],
    ofNamesakes: [],
  };
  const { record } = project;
  if (record.kind === 'unreadable') return nothing;
  const all = decisions(project, record.guards, facts);
  const after = guardsAfter(project, all, facts);
  const standing = guardsInShare(after.standing, record.guards, project.namespace);
  const { fit, leftOut } = guardsThatFit(standing, after.added, project.namespace);
  const guards = guardsWithRoom([...standing, ...fit]);
  const without = new Set(leftOut);
  const decided = all.filter(({ decision: { guard } }) => guard === undefined || !without.has(guard));
  const windows = windowsAfter(project.windows, windowChange(project, guards, decided, record.guards));
  const heldAfter = namesHeldBack(windows);
  const isSame = sameGuards(record.guards, guards) && JSON.stringify(windows) === JSON.stringify(project.windows);
  return {
    project,
    write: isSame ? undefined : { windows, guards },
    changes: changesOf(project, decided, windows, facts),
    waiting: [
      ...decided.flatMap((each) =>
        waitingGuards(each, () => openByHand({ ...project, windows }, each.subject.application.name), facts.now),
      ),
      ...guards.flatMap((guard) => leavingGuard({ ...project, windows }, guard, facts)),
    ],
    syncing: decided.flatMap(({ subject, decision }) => (decision.isMidSync ? [nameOf(subject.application)] : [])),
    awaiting: decided.flatMap(({ subject: { application }, decision: { awaitsLook } }) =>
      awaitsLook === undefined ? [] : [{ application, ...awaitsLook }],
    ),
    leftOut: leftOut.map(({ application }) => application),
    exposed: decided.flatMap((each) => exposedGuard(each, { guards, held: heldAfter, pools: facts.pools })),
    unanswered: decided.flatMap((each) => unansweredGuard(each, facts.now)),
    heldToo: decided.flatMap((each) => heldToo(each, { guards, held: heldAfter, facts })),
    ofNamesakes: guards.filter((guard) => isOthers(project.argocd, guard, facts)).map(({ application }) => application),
  };
}

function withId(guard: Guard, { ids: [clusterId] = [] }: GuardedCluster): Guard {
  return clusterId === undefined ? guard : { ...guard, clusterId };
}

/** Its Application deploys here. */
function asStaying({ leavingSince: _, leavingFor: __, ...guard }: Guard): Guard {
  return guard;
}

function heldToo(
  { subject: { application }, decision }: Decided,
  after: { readonly guards: readonly Guard[]; readonly held: ReadonlySet<string>; readonly facts: GuardFacts },
): readonly HeldToo[] {
  if (decision.guard !== undefined || !after.held.has(application.name)) return [];
  const { operation } = application;
  const isHeldBack = operation !== undefined && isSyncing(application) && isParked(operation);
  if (!isHeldBack && !wouldSync(application, after.facts.now)) return [];
  const others = after.guards.filter((guard) => applicationOfGuard(guard).name === application.name);
  return others.length === 0
    ? []
    : [{ application: nameOf(application), by: others.map((guard) => guard.application) }];
}

/** A pool that a person has resumed is theirs. */
function exposedGuard(
  { subject: { application, affected }, decision }: Decided,
  after: Pick<GuardFacts, 'pools'> & { readonly guards: readonly Guard[]; readonly held: ReadonlySet<string> },
): readonly ExposedGuard[] {
  const { guard, isMidSync } = decision;
  if (guard === undefined || guard.open !== undefined || isMidSync) return [];
  if (after.held.has(application.name)) return [];
  const opener = after.guards.find(
    (each) => each.open !== undefined && applicationOfGuard(each).name === application.name,
  );
  const pools = after.pools.filter(
    ({ name, paused, record }) =>
      affected.includes(name) && !paused && !(record.kind === 'record' && record.record.pause === 'overridden'),
  );
  if (opener === undefined || pools.length === 0) return [];
  const why = `their window in the project is away for ${opener.application}, which has the same name: ${opener.open?.why ?? ''}`;
  return [{ application: nameOf(application), pools: pools.map(({ name }) => name), why }];
}

/** For as long as Argo CD would sync it. */
function unansweredGuard({ subject, decision: { guard } }: Decided, now: Date): readonly UnansweredGuard[] {
  const { application, affected: pools } = subject;
  const { unanswered } = guard ?? {};
  if (unanswered === undefined || unanswered.times < unansweredAtLeast || !wouldSync(application, now)) return [];
  return [{ application: nameOf(application), pools, ...unanswered }];
}

/** No pool is paused for what its sequence may hold back, so that nothing else says that it would sync: while the
 *  sequence cannot be read, its status does. */
function waitingGuards(
  { subject: { application, affected }, decision, turn }: Decided,
  how: () => string | undefined,
  now: Date,
): readonly WaitingGuard[] {
  const { guard: kept, waitsFor, triedUntil: until } = decision;
  const isUnread = turn?.isUnread === true && kept !== undefined;
  const reasons = isUnread && wouldSync(application, now) ? unique([...waitsFor, turn.why]) : waitsFor;
  if (reasons.length === 0 && until === undefined) return [];
  const guard = { application: nameOf(application), how: how(), pools: affected };
  const all = reasons.map((why) => ({ ...guard, why, ...asTurn(why === turn?.why ? turn : undefined) }));
  return until === undefined ? all : [...all, { ...guard, why: triedWhy(until), isTurn: false, until }];
}

/** What waits for the turn of one of its name alone is told by no sequence as waiting for that. */
function asTurn(turn: TurnOfName | undefined): Pick<WaitingGuard, 'isTurn' | 'isTurnUnread'> {
  if (turn?.isUnread === true) return { isTurn: false, isTurnUnread: true };
  return { isTurn: turn?.isOwn === true };
}

/** One whose window holds back what would go on, or begin, on another cluster. */
function leavingGuard(project: AppProject, guard: Guard, facts: GuardFacts): readonly WaitingGuard[] {
  const to = leavingTo(project.argocd, guard, facts);
  if (to === undefined || guard.open !== undefined) return [];
  const { application, leavingSince } = guard;
  return [
    {
      application,
      why: `it deploys to cluster ${to.cluster} now, which guards syncs and does not guard it yet`,
      how: openByHand(project, applicationOfGuard(guard).name),
      pools: to.isSyncing && !namesNoPool(guard) ? guard.pools : [],
      isTurn: false,
      elsewhere: to.cluster,
      ...(to.isSyncing || leavingSince === undefined ? {} : { until: leavesAt(leavingSince) }),
    },
  ];
}

function leavingTo(argocd: string, guard: Guard, facts: GuardFacts): Destination | undefined {
  return isOurs(argocd, guard, facts) ? facts.leaving?.get(holdOfGuard(argocd, guard)) : undefined;
}

/** Seconds for which the window of an Application that was pointed to another cluster waits for its guard there: two
 *  sweeps. Which Applications that cluster guards, only its own passes know. */
const leavesWithinSeconds = 600;

function leavesAt(leavingSince: string): string {
  return plusSeconds(new Date(leavingSince), leavesWithinSeconds);
}

/** A sync that is shown waits on, and is told: somebody may terminate it. One that Argo CD would make shows nothing. */
function whyLeft(guard: Guard, { cluster, isSyncing: waitsOn }: Destination, now: Date): string | undefined {
  const leavingSince = leavesFor(cluster, guard) ? guard.leavingSince : undefined;
  if (waitsOn || leavingSince === undefined || !isPast(leavesAt(leavingSince), now)) return undefined;
  return `the Application deploys to cluster ${cluster} now, which has not guarded it for ${leavesWithinSeconds / 60} min`;
}

/** The time of one cluster does not count for the next. */
function leavesFor(cluster: string, { leavingFor }: Guard): boolean {
  return leavingFor === undefined || leavingFor === cluster;
}

/** With the time since when its Application has been seen to deploy there. */
function asLeaving(argocd: string, guard: Guard, facts: GuardFacts): Guard {
  const to = leavingTo(argocd, guard, facts);
  if (to === undefined || to.isSyncing) return guard;
  if (guard.leavingSince !== undefined && leavesFor(to.cluster, guard)) return guard;
  return { ...guard, leavingSince: facts.now.toISOString(), leavingFor: to.cluster };
}

function triedWhy(until: string): string {
  return `Argo CD did not sync these commits while it was open: for them it is opened again after ${until}`;
}

interface Decided {
  readonly subject: GuardSubject;
  readonly before: Guard | undefined;
  readonly decision: GuardDecision;
  readonly turn: TurnOfName | undefined;
}

interface TurnOfName extends AwaitedTurn {
  /** It is not that of another Application of its name. */
  readonly isOwn: boolean;
}

function decisions(project: AppProject, guards: readonly Guard[], facts: GuardFacts): readonly Decided[] {
  const pools = new Map(facts.pools.map((pool) => [pool.name, pool]));
  const { cluster, expectSyncWithinSeconds, now } = facts;
  const held = namesHeldBack(project.windows);
  const here = facts.subjects.filter(isIn(project));
  const byName = Map.groupBy(here, ({ application }) => application.name);
  const guardsByName = Map.groupBy(guards, (guard) => applicationOfGuard(guard).name);
  return here.map((subject) => {
    const { name } = subject.application;
    const ofName = guardsByName.get(name) ?? [];
    const before = guardOf(subject.application, ofName, facts);
    const alsoAffected = namesakes(subject, ofName, { ofName: byName.get(name) ?? [], facts });
    const turn = turnToWaitFor(subject, alsoAffected, facts);
    const question = {
      ...subject,
      cluster,
      guard: before,
      isHeldBack: held.has(subject.application.name),
      pools,
      alsoAffected,
      notItsTurn: turn?.why,
      isTurnOfNamesake: turn?.isOwn === false,
      expectSyncWithinSeconds,
      now,
    };
    const decision = decideGuard(question);
    const guard = decision.guard && withId(asStaying(decision.guard), facts);
    return { subject, before, decision: { ...decision, guard }, turn };
  });
}

/** Its own, or that of one of its name, which the same window would let through. */
function turnToWaitFor(
  { application }: GuardSubject,
  namesakes: readonly AlsoAffected[],
  { notTheirTurn }: GuardFacts,
): TurnOfName | undefined {
  const own = notTheirTurn?.get(syncHoldId(application));
  if (own !== undefined) return { ...own, isOwn: true };
  return namesakes
    .map((other) => {
      const turn = notTheirTurn?.get(holdOfGuard(application.argocd, other));
      return turn && { ...turn, why: `${other.application} has the same name, and ${turn.why}`, isOwn: false };
    })
    .find((turn) => turn !== undefined);
}

function isIn(project: AppProject): (subject: GuardSubject) => boolean {
  return (subject) =>
    subject.application.argocd === project.argocd &&
    projectOf(subject) === project.name &&
    accepts(project, subject.application.namespace);
}

function projectOf({ application }: GuardSubject): string {
  return application.project ?? 'default';
}

function guardOf(application: Application, guards: readonly Guard[], facts: GuardFacts): Guard | undefined {
  const own = guards.filter(
    (guard) => guard.application === nameOf(application) && isOurs(application.argocd, guard, facts),
  );
  return own.find((guard) => isOfCluster(guard, facts)) ?? own[0];
}

function nameOf({ namespace, name }: Application): string {
  return `${namespace}/${name}`;
}

/** Other Applications of the same name, in other namespaces: guarded already, or seen in this pass, with the pools
 *  that they have gained since.
 *  @param guards those of the name */
function namesakes(
  { application }: GuardSubject,
  guards: readonly Guard[],
  { ofName, facts }: { readonly ofName: readonly GuardSubject[]; readonly facts: GuardFacts },
): readonly AlsoAffected[] {
  const { cluster, gone } = facts;
  const isOther = (guard: Guard) => isOthers(application.argocd, guard, facts);
  const others = ofName.filter((each) => each.application !== application);
  const guarded = guards.filter(
    (guard) =>
      guard.application !== nameOf(application) &&
      (isOther(guard) || !gone.has(holdOfGuard(application.argocd, guard))),
  );
  const known = guarded.map((guard) => {
    if (isOther(guard)) return { ...guard, isOfNamesake: true };
    const seen = others.find((each) => guard.cluster === cluster && nameOf(each.application) === guard.application);
    if (seen === undefined) return guard;
    const { pools } = guard;
    return { ...guard, pools: namesNoPool(guard) ? seen.affected : unique([...pools, ...seen.affected]) };
  });
  const added = others.filter((each) => each.isGuarded && guardOf(each.application, guards, facts) === undefined);
  return [...known, ...added.map((each) => ({ application: nameOf(each.application), cluster, pools: each.affected }))];
}

/** Why the guard of an Application that this project no longer has goes; undefined: it has it, or was not read. */
function whyFreed(
  project: Pick<AppProject, 'argocd' | 'name'>,
  guard: Guard,
  { decided, facts }: { readonly decided: readonly Decided[]; readonly facts: GuardFacts },
): string | undefined {
  if (decided.some((each) => each.before === guard)) return undefined;
  const isLeft = facts.configured?.has(guard.cluster) === false;
  if (!isOurs(project.argocd, guard, facts)) return isLeft ? whyTakenOver(guard, decided) : undefined;
  const hold = holdOfGuard(project.argocd, guard);
  if (facts.gone.has(hold)) return 'the Application is gone, or deploys to another cluster';
  const to = facts.leaving?.get(hold);
  if (to !== undefined) return whyLeft(guard, to, facts.now);
  const seen = facts.subjects.find(({ application }) => syncHoldId(application) === hold);
  // Its window there is written first. One that still names this project keeps its guard: if Argo CD accepts it no
  // more, that costs nothing.
  if (seen === undefined) return undefined;
  if (projectOf(seen) !== project.name) return 'the Application is in another project now';
  const hasOther = decided.some(({ subject, before }) => subject === seen && before !== undefined);
  return hasOther ? 'its Application has another guard here' : undefined;
}

/** Its cluster is not configured any more, by that name: whatever else it decides, no pass opens or closes it. The
 *  cluster that has its Application now knows whether that needs one. */
function whyTakenOver(guard: Guard, decided: readonly Decided[]): string | undefined {
  const now = decided.find(({ subject }) => nameOf(subject.application) === guard.application)?.decision;
  if (now === undefined || (now.guard === undefined && !now.isFree)) return undefined;
  return `cluster ${guard.cluster} is no longer in poolkeeper.yaml, and the Application is another cluster's now`;
}

/** Those that stay where they are keep their place, so that a record without a change is the same text. */
function guardsAfter(
  project: AppProject,
  decided: readonly Decided[],
  facts: GuardFacts,
): { readonly standing: readonly Guard[]; readonly added: readonly Guard[] } {
  const standing = guardsOf([project]).flatMap((guard) => {
    const found = decided.find((each) => each.before === guard);
    if (found !== undefined) return found.decision.guard ?? [];
    return whyFreed(project, guard, { decided, facts }) === undefined ? [asLeaving(project.argocd, guard, facts)] : [];
  });
  const added = decided.flatMap(({ before: known, decision }) =>
    known === undefined && decision.guard !== undefined ? [decision.guard] : [],
  );
  return { standing, added };
}

/** One window is for every guard of its name: the one that is open has asked for the pools of the others. One that
 *  is missing while a sync of one of them runs is not put back before that has ended. A window of ours without a record
 *  is taken away only where its Application is known to need none. */
function windowChange(
  project: AppProject,
  guards: readonly Guard[],
  decided: readonly Decided[],
  before: readonly Guard[],
) {
  const held = namesHeldBack(project.windows);
  const running = new Set(
    decided
      .filter(({ decision }) => decision.isMidSync && decision.guard !== undefined)
      .map(({ subject }) => subject.application.name),
  );
  const names = new Set(guards.map((guard) => applicationOfGuard(guard).name));
  const opened = openedNames(guards);
  const closed = [...names].filter((name) => !opened.has(name));
  const unneeded = decided.flatMap(({ subject, decision }) => (decision.isFree ? [subject.application.name] : []));
  const freed = before.map((guard) => applicationOfGuard(guard).name).filter((name) => !names.has(name));
  return {
    closed: new Set(closed.filter((name) => held.has(name) || !running.has(name))),
    open: new Set([...opened, ...freed, ...unneeded.filter((name) => !names.has(name))]),
  };
}

function openedNames(guards: readonly Guard[]): ReadonlySet<string> {
  return new Set(guards.filter(({ open }) => open !== undefined).map((guard) => applicationOfGuard(guard).name));
}

function changesOf(
  project: AppProject,
  decided: readonly Decided[],
  windows: readonly SyncWindow[],
  facts: GuardFacts,
): readonly GuardChange[] {
  const [heldBefore, heldAfter] = [namesHeldBack(project.windows), namesHeldBack(windows)];
  const opened = openedNames(guardsOf([project]));
  const made = decided.flatMap((each): readonly GuardChange[] => {
    const { name } = each.subject.application;
    // Where a guard of that name was open, Poolkeeper itself had taken the window away.
    const isPutBack = !heldBefore.has(name) && heldAfter.has(name) && !opened.has(name);
    const change = changeOf(each);
    if (change !== undefined) return [change];
    const guard = each.decision.guard;
    return isPutBack && guard !== undefined ? [{ did: 'dropped', guard, why: droppedBy(project) }] : [];
  });
  const away = guardsOf([project]).flatMap((guard): readonly GuardChange[] => {
    const why = whyFreed(project, guard, { decided, facts });
    return why === undefined ? [] : [{ did: 'freed', guard, why }];
  });
  return [...made, ...away];
}

function changeOf({ before, decision: { guard, why } }: Decided): GuardChange | undefined {
  if (guard === undefined) return before && { did: 'freed', guard: before, why };
  if (before === undefined) return { did: 'guarded', guard, why };
  if (before.open === undefined && guard.open !== undefined) return { did: 'opened', guard, why };
  return before.open !== undefined && guard.open === undefined ? { did: 'closed', guard, why } : undefined;
}

function droppedBy({ windowsBy, isTracked }: AppProject): string {
  const by = windowsBy === undefined ? 'somebody' : windowsBy;
  const git =
    isTracked === true ? '; the AppProject is applied from Git, so ignore differences in /spec/syncWindows' : '';
  return `${by} had taken its window away, and Poolkeeper has put it back${git}`;
}
