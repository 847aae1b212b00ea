import {
  type Application,
  type ApplicationSource,
  isSameApplication,
  type ManagedResource,
  type Operation,
  refOf,
} from '../argocd/application.ts';
import { identitiesOf } from '../configuration/approve.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { everyCommit, type Hold } from '../openshift/hold.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import type { PoolRecord, Release } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, plusSeconds } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { lastSync } from './answers.ts';
import { stoodBefore, syncedTo } from './earlier-commits.ts';
import { isSelfHeal, withinSeconds } from './reach-of-sync.ts';
import type { Snapshot } from './snapshot.ts';
import type { Missed } from './step.ts';

/** How many pushers a hold or a release remembers, characters of a login (GitHub's have 39), how many Applications
 *  whose syncs nobody is known to have pushed, and of a hold how many such commits, and characters of one. */
const kept = { pushers: 50, login: 100, unpushed: 3, commits: 10, beside: 20, commit: 128 } as const;

/** Somebody pushed it, or synced it without a push, and it is not known who. */
const unknownPusher = '';

/** The holds with who pushed what they wait for, on pools whose approvers have logins at GitHub. */
export function withPushers(
  holds: readonly Hold[],
  before: PoolRecord,
  pool: Pool,
  snapshot: Snapshot,
): readonly Hold[] {
  if (!notesPushers(pool, snapshot)) return holds;
  const earlier = new Map(before.holds.map((hold) => [hold.id, hold]));
  const others = waitsForNoSync(before, pool) ? [unknownPusher] : [];
  return holds.map((each) => {
    const hold = withBeside(each, earlier.get(each.id), snapshot);
    const known = pushedOf(hold, earlier.get(hold.id), snapshot);
    if (snapshot.pusher === undefined || !isOfPush(hold.id, snapshot))
      return known === undefined ? hold : noted(hold, known);
    const { pushers = [], unpushed = [] } = known ?? {};
    return noted(hold, { pushers: [...pushers, ...others, pusherOf(snapshot)], unpushed });
  });
}

/** With the commit of a tag that was pushed, and with where it stood if its writer was pushed to: once, since by a
 *  second delivery it may stand where that push has led it. */
function withBeside(hold: Hold, earlier: Hold | undefined, snapshot: Snapshot): Hold {
  const push = pushOn(hold, snapshot);
  if (push === undefined || (push.commit === undefined && push.via === undefined)) return hold;
  const isAgain = earlier?.beside !== undefined && earlier.via?.revision === push.via?.revision;
  const application = push.via && !isAgain ? applicationOf(hold, snapshot) : undefined;
  const stood = application && [
    ...syncedTo(application, push.at),
    ...application.sources.map((each) => each.targetRevision),
  ];
  const beside = unique([...(hold.beside ?? []), ...(push.commit ? [push.commit] : []), ...(stood ?? [])]);
  const isKept = beside.length <= kept.beside && beside.every((each) => each.length <= kept.commit);
  return { ...hold, beside: isKept ? beside : [everyCommit] };
}

function pushOn({ id }: Pick<Hold, 'id'>, { pushes, expected }: Snapshot): Push | undefined {
  return pushes.get(id) ?? expected.find((each) => each.id === id)?.push;
}

/** What is known of who pushed what a hold stands for. */
interface Pushed {
  readonly pushers: readonly string[];
  /** Commits that were synced, and that no push has brought so far. */
  readonly unpushed: readonly string[];
}

function isOfPush(id: string, { pushes, expected }: Snapshot): boolean {
  return pushes.has(id) || expected.some((each) => each.id === id);
}

/** Of what is not remembered it stays unknown who pushed it, whatever is delivered later. Where somebody is not known
 *  anyway, nothing needs to be. */
function noted({ unpushed: _, ...hold }: Hold, { pushers, unpushed }: Pushed): Hold {
  const isKept = unpushed.length <= kept.commits && unpushed.every((each) => each.length <= kept.commit);
  if (!isKept || pushers.includes(unknownPusher)) return { ...hold, pushers: distinct([...pushers, unknownPusher]) };
  return { ...hold, pushers: distinct(pushers), ...(unpushed.length === 0 ? {} : { unpushed: [...unpushed] }) };
}

/** Who pushed what a hold stands for, without this pass's push; undefined: none is noted. What it stood for before a
 *  push came is of somebody who is not known, and so is what was synced at a commit of no push, unless that is
 *  delivered before the hold ends. What a sync says to have left unchanged says nothing: an earlier attempt, or sync,
 *  may have written it. */
function pushedOf(hold: Hold, before: Hold | undefined, snapshot: Snapshot): Pushed | undefined {
  if (hold.kind !== 'sync') return undefined;
  const unpushed = unpushedOf(hold, before, snapshot);
  if (hold.pushers !== undefined) return { pushers: hold.pushers, unpushed };
  if (!isOfPush(hold.id, snapshot)) return undefined;
  if (before === undefined) return unpushed.length === 0 ? undefined : { pushers: [], unpushed };
  const isPushed = hold.revision !== undefined && isAt(hold, hold.revision, snapshot);
  return { pushers: isPushed && unpushed.length === 0 ? [] : [unknownPusher], unpushed: [] };
}

function isAt(hold: Hold, commit: string, snapshot: Snapshot): boolean {
  return operationOf(hold, snapshot)?.revisions.includes(commit) === true;
}

/** Commits that were synced while it was held, or were to be when it was pushed to, and that no push has brought so
 *  far. */
function unpushedOf(hold: Hold, before: Hold | undefined, snapshot: Snapshot): readonly string[] {
  const push = snapshot.pushes.get(hold.id);
  const brought = [hold.revision, push?.revision, push?.commit, ...namedByWriter(hold, snapshot)];
  const synced = unpushedNow(hold, snapshot);
  const all = new Set([...(hold.unpushed ?? []), ...synced, ...comparedOnly(hold, before, snapshot)]);
  return [...all].filter((each) => !brought.includes(each));
}

/** What Argo CD had found when a push came, and had not synced: the next sync brings it, too. It writes what it has
 *  compared before it begins, so that a sync that runs says no more. What it could not compare is the commit before
 *  that of the push. What the hold knew before is judged already. */
function comparedOnly(hold: Hold, before: Hold | undefined, snapshot: Snapshot): readonly string[] {
  const push = pushOn(hold, snapshot);
  const application = applicationOf(hold, snapshot);
  if (push === undefined || push.behindGuard === true || application === undefined) return [];
  const { status } = application.sync;
  if (status !== 'OutOfSync' && status !== 'Unknown') return [];
  const notCompared = status === 'Unknown' && push.before !== undefined ? [push.before] : [];
  const ofHold = [before?.revision, ...(before?.from ?? []), ...(before?.beside ?? [])];
  const known = new Set([...syncedLast(application), ...ofHold, hold.via?.revision]);
  return [...syncedTo(application, push.at), ...notCompared].filter((each) => !known.has(each));
}

/** Whoever syncs a part leaves the rest undone. Argo CD heals only what it has synced as a whole. */
function syncedLast(application: Application): readonly string[] {
  const operation = lastSync(application);
  const isWhole = operation?.phase === 'Succeeded' && (!operation.partial || isSelfHeal(operation));
  return [...(application.succeeded?.at(-1)?.revisions ?? []), ...(isWhole ? operation.revisions : [])];
}

function applicationOf({ id }: Pick<Hold, 'id'>, { applications }: Snapshot): Application | undefined {
  const observed = applicationHeldBy(id, applications);
  return observed?.kind === 'seen' ? observed.application : undefined;
}

/** Undefined: it cannot be read, or shows a dry run. */
function operationOf(hold: Pick<Hold, 'id'>, snapshot: Snapshot): Operation | undefined {
  const operation = applicationOf(hold, snapshot)?.operation;
  return operation?.dryRun === false ? operation : undefined;
}

/** The commits of its sync that are those of versions which the push has named: its writer is Synced at the push, and
 *  so is its spec, which names them, and Argo CD has found the same commits for it. A range or a branch says of no
 *  commit that it was pushed, and a tag that was named before may have been moved. What one source names says nothing
 *  of another one. */
function namedByWriter(hold: Hold, snapshot: Snapshot): readonly string[] {
  const { via, beside } = hold;
  const application = applicationOf(hold, snapshot);
  const operation = operationOf(hold, snapshot);
  if (application === undefined || operation?.revisions.length !== application.sources.length) return [];
  if (beside === undefined || beside.includes(everyCommit) || !isWritten(application, via, snapshot)) return [];
  const { sources, sync } = application;
  const stood = stoodBefore(application, operation, hold.since);
  const isNamed = (each: string, index: number) =>
    sync.revisions[index] === each && isNamedIn(sources[index], each, beside);
  const others = operation.revisions.filter((each, index) => each !== stood[index] && !isNamed(each, index));
  return operation.revisions.filter((each, index) => isNamed(each, index) && !others.includes(each));
}

/** Whether its spec is what its writer has at the push. */
function isWritten({ namespace, name }: Application, via: Hold['via'], { parents }: Snapshot): boolean {
  if (via?.revision === undefined) return false;
  const writer = parents.find((each) => isSameApplication(refOf(each), via));
  if (writer?.kind !== 'seen' || !writer.application.sync.revisions.includes(via.revision)) return false;
  const isIt = ({ group, kind, ...of }: ManagedResource) =>
    group === 'argoproj.io' && kind === 'Application' && of.namespace === namespace && of.name === name;
  return writer.application.resources.some((each) => isIt(each) && each.status === 'Synced');
}

/** A whole version, as a tag has it: a branch is rarely named so. */
const wholeVersion = /^(?:refs\/tags\/.|v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$)/;

function isNamedIn(source: ApplicationSource | undefined, revision: string, before: readonly string[]): boolean {
  if (source === undefined) return false;
  const { chart, targetRevision } = source;
  if (targetRevision === revision) return true;
  return chart === '' && wholeVersion.test(targetRevision) && !before.includes(targetRevision);
}

/** The commits of a sync that are neither the pushed one nor one that the Application was at or on its way to, if it
 *  was not over for long when the push came. Of several sources, what another one was at is new to each, and so is all
 *  where it is not known what they were at. Who started it says nothing: an automated sync also takes a chart's new
 *  version, or another target revision. Whoever syncs what was pushed changes nothing of who pushed it. */
function unpushedNow(hold: Hold, snapshot: Snapshot): readonly string[] {
  const application = applicationOf(hold, snapshot);
  const operation = operationOf(hold, snapshot);
  if (application === undefined || operation === undefined) return [];
  const { revision, from = [], via, beside = [], pushedAt, since } = hold;
  const { finishedAt, revisions } = operation;
  const begun = plusSeconds(new Date(pushedAt ?? since), -withinSeconds);
  if (finishedAt !== undefined && isEarlierSecond(finishedAt, begun)) return [];
  const known = new Set([revision, ...from, via?.revision, ...beside]);
  const stood = stoodBefore(application, operation, since);
  return revisions.filter((each, index) => {
    if (each === revision || each === via?.revision) return false;
    if (revisions.length === 1) return !known.has(each);
    if (stood[index] === each) return false;
    return stood.length === 0 || stood.includes(each) || !known.has(each);
  });
}

/** What waits in the pool, which rests or is held by people alone, was not pushed. */
function waitsForNoSync({ pause, holds, release }: PoolRecord, pool: Pool): boolean {
  const isOfSync = holds.some(({ kind, overruled }) => kind === 'sync' && overruled === undefined);
  return pause === 'ours' && !isOfSync && release === undefined && hasPendingChange(pool);
}

/** Who pushed what is to be rolled out: of the release so far, of the holds that end now, and of syncs that had none.
 *  Who started a sync without a push has a name in Argo CD, and none at GitHub. */
export function pushersOf(
  { release, holds }: PoolRecord,
  { holds: left, missed }: { readonly holds: readonly Hold[]; readonly missed: readonly Missed[] },
  pool: Pool,
  snapshot: Snapshot,
): Pick<Release, 'pushers' | 'unpushed'> {
  if (!notesPushers(pool, snapshot)) return {};
  const ended = holds.filter(({ id, kind }) => kind === 'sync' && !left.some((each) => each.id === id));
  // The end of a freeze alone says nothing of who pushed meanwhile.
  if (release === undefined && ended.length + missed.length === 0) return {};
  const before = release === undefined ? [] : (release.pushers ?? [unknownPusher]);
  const ofEnded = ended.map((hold) => ({ who: hold.who, pushers: pushersOfEnded(hold, snapshot) }));
  const ofMissed = missed.flatMap((by) => [
    ...(by === 'unpushed' ? [] : [pusherOf(snapshot)]),
    ...(by === 'pushed' ? [] : [unknownPusher]),
  ]);
  const unpushed = ofEnded.flatMap(({ who, pushers }) => (pushers.includes(unknownPusher) ? [who] : []));
  const named = unique([...(release?.unpushed ?? []), ...unpushed]).slice(0, kept.unpushed);
  return {
    pushers: distinct([...before, ...ofEnded.flatMap(({ pushers }) => pushers), ...ofMissed]),
    ...(named.length === 0 ? {} : { unpushed: named }),
  };
}

/** A push that is delivered as the hold ends, and that its sync has brought, is noted, too. */
function pushersOfEnded(hold: Hold, snapshot: Snapshot): readonly string[] {
  const { pushers, unpushed } = pushedOf(hold, undefined, snapshot) ?? { pushers: [unknownPusher], unpushed: [] };
  const { revision, commit } = snapshot.pushes.get(hold.id) ?? {};
  const isPushedNow = [revision, commit].some((each) => each !== undefined && isAt(hold, each, snapshot));
  const isBrought = snapshot.pusher !== undefined && isPushedNow;
  return [...pushers, ...(unpushed.length > 0 ? [unknownPusher] : []), ...(isBrought ? [pusherOf(snapshot)] : [])];
}

/** Whether what waits in the pool is known to be pushed also by who pushed in this pass, or that sync was released
 *  before, and its pusher was unknown then: one approval more is asked for already. */
export function isPusherNoted(
  { release }: Pick<PoolRecord, 'release'>,
  snapshot: Pick<Snapshot, 'pusher'>,
  { finishedAt }: Pick<Operation, 'finishedAt'>,
): boolean {
  if (release === undefined) return false;
  const isReleased = finishedAt !== undefined && !isEarlierSecond(release.since, finishedAt);
  return release.pushers?.includes(pusherOf(snapshot)) === true || (isReleased && isUnknownNoted({ release }));
}

/** Whether what waits in the pool is known to be pushed also by somebody who is not known. */
export function isUnknownNoted({ release }: Pick<PoolRecord, 'release'>): boolean {
  return release !== undefined && (release.pushers ?? [unknownPusher]).includes(unknownPusher);
}

/** A bot pushes for somebody: a merge queue (`github-merge-queue[bot]`), a workflow (`github-actions[bot]`). Logins of
 *  people have no brackets. Where it knows nobody, GitHub has written `none`. */
function pusherOf({ pusher = unknownPusher }: Pick<Snapshot, 'pusher'>): string {
  const isNobody = pusher === 'none' || pusher.endsWith('[bot]');
  return isNobody ? unknownPusher : pusher.slice(0, kept.login);
}

function hasLogin(person: string): boolean {
  return identitiesOf(person).some((each) => each.startsWith('github:'));
}

/** Where the pusher does not approve, or may be somebody who is told. */
export function notesPushers(pool: Pool, { settings }: Pick<Snapshot, 'settings'>): boolean {
  const { approve } = settingsOf(settings, pool.name);
  return approve !== undefined && (approve.excludePusher || approve.by.some(hasLogin));
}

/** Of too many, some are not remembered: then it is not known who they are. */
function distinct(pushers: readonly string[]): string[] {
  const all = unique(pushers);
  return all.length <= kept.pushers ? all : [...all.slice(0, kept.pushers - 1), unknownPusher];
}
