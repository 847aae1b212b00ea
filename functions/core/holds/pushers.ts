import type { Operation } from '../argocd/application.ts';
import { identitiesOf } from '../configuration/approve.ts';
import type { Hold } from '../openshift/hold.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import type { PoolRecord, Release } from '../openshift/pool-record.ts';
import { isEarlierSecond } from '../text/instant.ts';
import type { Snapshot } from './snapshot.ts';

/** How many pushers a hold or a release remembers, and characters of a login. GitHub's have 39. */
const kept = { pushers: 50, login: 100 } as const;

/** Somebody pushed it, or synced it without a push, and it is not known who. */
const unknownPusher = '';

/** The holds with who pushed what they wait for, on pools whose approvers have logins at GitHub. */
export function withPushers(
  holds: readonly Hold[],
  before: PoolRecord,
  pool: Pool,
  snapshot: Snapshot,
): readonly Hold[] {
  if (!notesPushers(pool, snapshot) || snapshot.pusher === undefined) return holds;
  const { pusher, pushes, expected } = snapshot;
  const isOfPush = (id: string) => pushes.has(id) || expected.some((each) => each.id === id);
  const others = waitsForNoSync(before, pool) ? [unknownPusher] : [];
  return holds.map((hold) =>
    isOfPush(hold.id)
      ? { ...hold, pushers: distinct([...(hold.pushers ?? []), ...others, pusher.slice(0, kept.login)]) }
      : hold,
  );
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
): Pick<Release, 'pushers'> {
  if (!notesPushers(pool, snapshot)) return {};
  const ended = holds.filter(({ id, kind }) => kind === 'sync' && !left.some((each) => each.id === id));
  const before = release === undefined ? [] : (release.pushers ?? [unknownPusher]);
  const ofEnded = ended.flatMap(({ pushers }) => pushers ?? [unknownPusher]);
  const ofMissed = missed.map((by) => (by === 'pushed' ? pusherOf(snapshot) : unknownPusher));
  return { pushers: distinct([...before, ...ofEnded, ...ofMissed]) };
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

function pusherOf({ pusher }: Pick<Snapshot, 'pusher'>): string {
  return pusher?.slice(0, kept.login) ?? unknownPusher;
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
