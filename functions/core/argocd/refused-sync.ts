import type { Policy } from '../configuration/policy.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import type { Application, Operation } from './application.ts';

/** On an object that must be changed now, although its pool is not paused: the reason. The policy lets it through,
 *  and the audit log keeps it. */
export const breakGlassAnnotation = 'poolkeeper.dev/break-glass';

/** Last part of the name of the admission policy; a prefix keeps installations on one cluster apart. */
export const pauseFirst = 'pause-first';

/** What follows the name of a pool in the refusal, so that a refusal is known wherever it is quoted. */
export const notPausedYet = 'is not paused yet: ';

const refusal = new RegExp(
  `ValidatingAdmissionPolicy '[^']*\\b${pauseFirst}' with binding '[^']*' denied request: pool ([a-z0-9.-]+) ${notPausedYet}`,
  'g',
);

/** The pools for whose sake the API server refused this text's request; the API server names one a request. */
function poolsInRefusal(text: string): readonly string[] {
  return [...new Set([...text.matchAll(refusal)].flatMap(([, pool]) => pool ?? []))];
}

/** The pools for whose sake something of this attempt was refused by the admission level; empty: nothing was. Argo
 *  CD quotes the API server in the result of each resource, and in the operation's message when that is all there
 *  is. */
function refusedPools({ message, results }: Pick<Operation, 'message' | 'results'>): readonly string[] {
  const quotes = [message, ...results.filter(({ status }) => status === 'SyncFailed').map((result) => result.message)];
  return [...new Set(quotes.flatMap(poolsInRefusal))];
}

/** True for an attempt that failed because pools were not paused yet, and for no other reason: every resource that
 *  failed was refused by the admission level. Such a sync is no failed one, it is one to pause for. */
export function wasRefused(operation: Pick<Operation, 'message' | 'results'>): boolean {
  const failed = operation.results.filter(({ status }) => status === 'SyncFailed');
  if (failed.length === 0) return poolsInRefusal(operation.message).length > 0;
  return failed.every(({ message }) => poolsInRefusal(message).length > 0);
}

/** The pools for whose sake an Application's newest sync was, or is being, refused. */
export function refusedPoolsOf({ operation }: Pick<Application, 'operation'>): readonly string[] {
  return operation === undefined || operation.dryRun ? [] : refusedPools(operation);
}

/** A sync that was refused and that Argo CD does not try again by itself. */
export interface RefusedSync {
  readonly startedAt: string;
  readonly pools: readonly string[];
  /** How long it is waited for that somebody starts it again. */
  readonly until: string;
}

/** The newest sync, if it was refused and it is still waited for that it is started again; undefined otherwise. */
export function refusedSync(
  { operation, operationQueued }: Pick<Application, 'operation' | 'operationQueued'>,
  policy: Pick<Policy, 'expectSyncWithinSeconds'>,
  now: Date,
): RefusedSync | undefined {
  if (operation === undefined || operation.dryRun || operationQueued) return undefined;
  if (!['Failed', 'Error'].includes(operation.phase) || !wasRefused(operation)) return undefined;
  const until = plusSeconds(new Date(operation.finishedAt ?? operation.startedAt), policy.expectSyncWithinSeconds);
  return isPast(until, now) ? undefined : { startedAt: operation.startedAt, pools: refusedPools(operation), until };
}
