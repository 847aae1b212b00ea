import type { Operation } from '../argocd/application.ts';
import { identitiesOf } from '../configuration/approve.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { everyCommit, type Hold } from '../openshift/hold.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import type { PoolRecord, Release } from '../openshift/pool-record.ts';
import { isEarlierSecond, plusSeconds } from '../text/instant.ts';
import { withinSeconds } from './reach-of-sync.ts';
import type { Snapshot } from './snapshot.ts';

/** How many pushers a hold or a release remembers, characters of a login (GitHub's have 39), and how many Applications
 *  whose syncs nobody is known to have pushed. */
const kept = { pushers: 50, login: 100, unpushed: 3 } as const;

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
  return holds.map((hold) => {
    const known = pushersOfHold(hold, earlier.get(hold.id), snapshot);
    if (snapshot.pusher === undefined || !isOfPush(hold.id, snapshot))
      return known === undefined ? hold : noted(hold, known);
    return noted(hold, [...(known ?? []), ...others, pusherOf(snapshot)]);
  });
}

function isOfPush(id: string, { pushes, expected }: Snapshot): boolean {
  return pushes.has(id) || expected.some((each) => each.id === id);
}

function noted(hold: Hold, pushers: readonly string[]): Hold {
  return { ...hold, pushers: distinct(pushers) };
}

/** Who pushed what a hold stands for, without this pass's push; undefined: none is noted. What it stood for before a
 *  push came, and what was synced at a commit that is of no push, is of somebody who is not known. What a sync
 *  says to have left unchanged says nothing: an earlier attempt, or sync, may have written it. */
function pushersOfHold(hold: Hold, before: Hold | undefined, snapshot: Snapshot): readonly string[] | undefined {
  if (hold.kind !== 'sync') return undefined;
  const operation = operationOf(hold, snapshot);
  if (hold.pushers !== undefined) return isUnpushed(operation, hold) ? [...hold.pushers, unknownPusher] : hold.pushers;
  if (!isOfPush(hold.id, snapshot)) return undefined;
  if (before === undefined) return isUnpushed(operation, hold) ? [unknownPusher] : undefined;
  const isPushed = hold.revision !== undefined && operation?.revisions.includes(hold.revision) === true;
  return isPushed && !isUnpushed(operation, hold) ? [] : [unknownPusher];
}

/** Undefined: it cannot be read, or shows a dry run. */
function operationOf({ id }: Pick<Hold, 'id'>, { applications }: Snapshot): Operation | undefined {
  const observed = applicationHeldBy(id, applications);
  const operation = observed?.kind === 'seen' ? observed.application.operation : undefined;
  return operation?.dryRun === false ? operation : undefined;
}

/** It is at a commit that is neither the pushed one nor one that the Application was at or on its way to, and was not
 *  over for long when the push came. Who started it says nothing: an automated sync also takes a chart's new version,
 *  or another target revision. Whoever syncs what was pushed changes nothing of who pushed it. */
function isUnpushed(operation: Operation | undefined, { revision, from = [], via, pushedAt, since }: Hold): boolean {
  if (operation === undefined || operation.revisions.length === 0) return false;
  const { finishedAt, revisions } = operation;
  const begun = plusSeconds(new Date(pushedAt ?? since), -withinSeconds);
  if (finishedAt !== undefined && isEarlierSecond(finishedAt, begun)) return false;
  const known = new Set([revision, ...from, via?.revision]);
  // Of so many sources, or pushes, that not all of their commits are known, the pushed one says it.
  if (from.includes(everyCommit)) return !revisions.some((each) => each === revision);
  return !revisions.every((each) => known.has(each));
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
  { holds: left, missed }: { readonly holds: readonly Hold[]; readonly missed: readonly ('pushed' | 'unpushed')[] },
  pool: Pool,
  snapshot: Snapshot,
): Pick<Release, 'pushers' | 'unpushed'> {
  if (!notesPushers(pool, snapshot)) return {};
  const ended = holds.filter(({ id, kind }) => kind === 'sync' && !left.some((each) => each.id === id));
  // The end of a freeze alone says nothing of who pushed meanwhile.
  if (release === undefined && ended.length + missed.length === 0) return {};
  const before = release === undefined ? [] : (release.pushers ?? [unknownPusher]);
  const ofEnded = ended.map((hold) => ({
    who: hold.who,
    pushers: pushersOfHold(hold, undefined, snapshot) ?? [unknownPusher],
  }));
  const ofMissed = missed.map((by) => (by === 'pushed' ? pusherOf(snapshot) : unknownPusher));
  const unpushed = ofEnded.flatMap(({ who, pushers }) => (pushers.includes(unknownPusher) ? [who] : []));
  const named = [...new Set([...(release?.unpushed ?? []), ...unpushed])].slice(0, kept.unpushed);
  return {
    pushers: distinct([...before, ...ofEnded.flatMap(({ pushers }) => pushers), ...ofMissed]),
    ...(named.length === 0 ? {} : { unpushed: named }),
  };
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
 *  people have no brackets. */
function pusherOf({ pusher = unknownPusher }: Pick<Snapshot, 'pusher'>): string {
  return pusher.endsWith('[bot]') ? unknownPusher : pusher.slice(0, kept.login);
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
  const all = [...new Set(pushers)];
  return all.length <= kept.pushers ? all : [...all.slice(0, kept.pushers - 1), unknownPusher];
}
