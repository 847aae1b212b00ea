import {
  type Application,
  elsewhereText,
  isRunning,
  isSyncing,
  type ObservedApplication,
  type Operation,
} from '../argocd/application.ts';
import { wasRefused } from '../argocd/refused-sync.ts';
import type { SyncRef, Trouble } from '../findings/trouble.ts';
import { isAllRendered, isSyncedSince, lastSync } from '../holds/answers.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { applicationOfHold, type Hold, syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { isLaterSecond } from '../text/instant.ts';
import { clipped, listed, shortRevision } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';

/** What a pass knows of the syncs that a trouble was about. */
export interface SyncsSeen {
  readonly applications: readonly ObservedApplication[];
  /** Names of the pools whose level refuses changes while they are not paused. */
  readonly refusing: readonly string[];
  /** The pool of the trouble, as the pass left it. */
  readonly pool: Pool;
  /** When people were told of the trouble, by our clock. */
  readonly openedAt: string | undefined;
}

/** What became of the syncs that a trouble was about, in words. Undefined where that was not seen of each of them. */
export function endOfSyncs({ key, syncs = [] }: Trouble, seen: SyncsSeen): string | undefined {
  const ends = syncs.map((sync) => endOf(sync, key, seen));
  const told = unique(ends.filter((end) => end !== undefined));
  if (told.length === 0 || ends.includes(undefined)) return undefined;
  const text = told.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function endOf(sync: SyncRef, { kind }: Trouble['key'], seen: SyncsSeen): string | undefined {
  if (kind === 'late-pause') return endOfHold(sync, seen);
  return kind === 'sync-stuck' ? endOfOperation(sync, seen) : endOfFailure(sync, seen);
}

/** The syncs that a trouble is about; undefined for more than are kept: not all of them could be told of. */
export function syncsToEnd(syncs: readonly SyncRef[]): readonly SyncRef[] | undefined {
  return syncs.length === 0 || syncs.length > syncsKept ? undefined : syncs;
}

/** Syncs that are kept with a trouble. */
const syncsKept = 10;

export function syncOfHold({ id, uid, startedAt }: Hold): SyncRef {
  return { hold: id, uid, startedAt };
}

export function syncOf(application: Application): SyncRef {
  return { hold: syncHoldId(application), uid: application.uid, startedAt: application.operation?.startedAt };
}

function endOfFailure(sync: SyncRef, seen: SyncsSeen): string | undefined {
  const read = readOf(sync, seen);
  if (read === undefined || read.kind === 'gone') return read?.words;
  const { application, operation, name } = read;
  const { startedAt } = sync;
  const isFailedOne = startedAt !== undefined && operation?.startedAt === startedAt;
  if (isSyncing(application)) return isRunning(operation) && isFailedOne ? undefined : `Argo CD syncs ${name} again`;
  if (operation === undefined || startedAt === undefined) return undefined;
  if (operation.phase === 'Succeeded' && isLaterSecond(operation.startedAt, startedAt)) return synced(name, operation);
  const isFailed = isFailedOne || operation.phase === 'Failed' || operation.phase === 'Error';
  return isFailed ? endWithoutSync(sync, { ...read, operation }, seen) : undefined;
}

/** Its last sync is still the one that failed, or a later one that failed as well. */
function endWithoutSync(
  { hold }: SyncRef,
  { application, operation, name }: Read & { readonly operation: Operation },
  { pool, refusing, openedAt }: SyncsSeen,
): string | undefined {
  if (wasRefused(operation, refusing)) return undefined;
  if (isAllRendered(application, operation))
    return `the sync of ${name} failed, but everything that the Machine Config Operator renders was applied`;
  if (isSyncedSince(application, operation)) return `Application ${name} became Synced without another sync`;
  if (openedAt === undefined || pool.record.kind !== 'record') return undefined;
  const { letGo, release, last, holds } = pool.record.record;
  const isSince = (at: string) => Date.parse(at) >= Date.parse(openedAt);
  if (letGo !== undefined && isSince(letGo.at))
    return `pool ${pool.name} was resumed by ${clipped(letGo.by, 80)}; no sync of ${name} has succeeded`;
  if (holds.some(({ id }) => id === hold)) return undefined;
  const notes = [release, last && { since: last.at, why: last.why }];
  const isPolicy = notes.some((each) => each && isSince(each.since) && each.why.includes('onSyncFailure'));
  const byPolicy = isPolicy ? ', by policy onSyncFailure' : '';
  return `no sync of ${name} has succeeded: pool ${pool.name} is no longer held for it${byPolicy}`;
}

function endOfHold({ hold }: SyncRef, { pool }: SyncsSeen): string | undefined {
  const of = applicationOfHold(hold);
  if (of === undefined || pool.record.kind === 'unreadable' || holdsOf(pool).some(({ id }) => id === hold))
    return undefined;
  return `pool ${pool.name} is no longer held for ${of.namespace}/${of.name}`;
}

/** Of the operation that did not finish. */
function endOfOperation(sync: SyncRef, seen: SyncsSeen): string | undefined {
  const read = readOf(sync, seen);
  if (read === undefined || read.kind === 'gone') return read?.words;
  const { operation, name } = read;
  if (operation === undefined || operation.startedAt !== sync.startedAt || isRunning(operation)) return undefined;
  if (operation.phase === 'Succeeded') return synced(name, operation);
  return `the sync of ${name} ended as ${operation.phase}${at(operation)}`;
}

interface Read {
  readonly kind: 'seen';
  /** `<namespace>/<name>`. */
  readonly name: string;
  readonly application: Application;
  readonly operation: Operation | undefined;
}

function readOf(
  { hold, uid }: SyncRef,
  { applications }: SyncsSeen,
): Read | { readonly kind: 'gone'; readonly words: string } | undefined {
  const wanted = applicationOfHold(hold);
  const observed = applicationHeldBy(hold, applications);
  if (wanted === undefined || observed === undefined || observed.kind === 'unreadable') return undefined;
  const name = `${wanted.namespace}/${wanted.name}`;
  if (observed.kind === 'gone') {
    const what = observed.elsewhere === undefined ? 'was deleted' : elsewhereText(observed.elsewhere);
    return { kind: 'gone', words: `Application ${name} ${what}` };
  }
  const { application } = observed;
  if (uid !== undefined && uid !== application.uid)
    return { kind: 'gone', words: `Application ${name} was deleted and made again` };
  return { kind: 'seen', name, application, operation: lastSync(application) };
}

function synced(name: string, operation: Operation): string {
  const to = operation.revisions.length === 0 ? '' : ` to ${listed(operation.revisions.map(shortRevision), 2)}`;
  return `Argo CD synced ${operation.partial ? 'a part of ' : ''}${name}${to}${at(operation)}`;
}

function at({ finishedAt = '' }: Operation): string {
  const instant = new Date(finishedAt);
  return Number.isNaN(instant.getTime()) ? '' : ` at ${instant.toISOString().slice(11, 16)} UTC`;
}
