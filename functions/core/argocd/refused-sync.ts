import type { Policy } from '../configuration/policy.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { type Application, type Operation, wasTerminated } from './application.ts';
import { mayHaveBeen } from './clock-skew.ts';

/** Annotation of an object that must change now although its pool is not paused. The value names one change of it, an
 *  end and a reason: `update of 99-gpu at generation 7 until 2026-01-31T18:00:00Z: CVE of tonight`, `deletion of 99-gpu
 *  at generation 7 until ...`, `creation of 99-gpu until ...`. The admission policy admits that change, and the audit
 *  log records it. */
export const breakGlassAnnotation = 'poolkeeper.dev/break-glass';

/** The verb that whoever uses the annotation must be allowed on the object. */
export const breakGlassVerb = 'break-glass';

/** Last part of the name of the admission policy; a prefix separates several installations on one cluster. */
export const pauseFirst = 'pause-first';

/** The text after the pool name in the policy's refusal, by which a refusal is recognised wherever it is quoted. */
export const notPausedYet = 'is not paused yet: ';

const refusal = new RegExp(
  `ValidatingAdmissionPolicy '[^']*\\b${pauseFirst}' with binding '[^']*' denied request: pool ([a-z0-9.-]+) ${notPausedYet}`,
  'g',
);

/** The pools because of which the admission policy refused something, from texts that quote refusals; each refusal
 *  names one pool. */
function poolsInRefusal(text: string): readonly string[] {
  return unique([...text.matchAll(refusal)].flatMap(([, pool]) => pool ?? []));
}

/** What an operation says of refusals. */
interface Refusals {
  /** The pools that its message names. */
  readonly ofMessage: readonly string[];
  /** The pools that the results of failed resources name, each combination once; none named: it failed for another
   *  reason. */
  readonly ofFailed: readonly (readonly string[])[];
}

type Quoting = Pick<Operation, 'message' | 'results'>;

const known = new WeakMap<Quoting, Refusals>();

/** Asked for each pool, and there may be megabytes of texts: they are read once for each operation. */
function refusalsIn(operation: Quoting): Refusals {
  const refusals = known.get(operation) ?? readRefusals(operation);
  known.set(operation, refusals);
  return refusals;
}

/** Argo CD quotes the API server in the result of each resource, and in the operation's message if there are no
 *  results. */
function readRefusals({ message, results }: Quoting): Refusals {
  const failed = results.filter(({ status }) => status === 'SyncFailed').map((each) => poolsInRefusal(each.message));
  return {
    ofMessage: poolsInRefusal(message),
    ofFailed: [...new Map(failed.map((pools) => [pools.join(), pools])).values()],
  };
}

/** True for an operation that failed only because pools were not paused yet: every failed resource was refused by the
 *  admission policy. Such a sync does not count as failed, as far as nothing of it is written; its pools are paused for
 *  it.
 *  @param refusing names of the pools whose level refuses anything: whoever writes what is synced may have the API
 *  server quote such words for any pool */
export function wasRefused(operation: Quoting, refusing: readonly string[]): boolean {
  const { ofMessage, ofFailed } = refusalsIn(operation);
  const isRefusing = (name: string) => refusing.includes(name);
  return ofFailed.length === 0 ? ofMessage.some(isRefusing) : ofFailed.every((pools) => pools.some(isRefusing));
}

/** The pools because of which an Application's newest sync was, or is being, refused.
 *  @param refusing as for `wasRefused` */
export function refusedPoolsOf(
  { operation }: Pick<Application, 'operation'>,
  refusing: readonly string[],
): readonly string[] {
  if (operation === undefined || operation.dryRun || refusing.length === 0) return [];
  const { ofMessage, ofFailed } = refusalsIn(operation);
  return unique([...ofMessage, ...ofFailed.flat()]).filter((name) => refusing.includes(name));
}

/** A refused sync that Argo CD does not retry by itself. */
export interface RefusedSync {
  /** `startedAt` of the refused operation. */
  readonly startedAt: string;
  readonly pools: readonly string[];
  /** Until when a retry is awaited, ISO instant. */
  readonly until: string;
}

/** The newest sync, if it was refused and a retry is still awaited; undefined otherwise. What was terminated, as by a
 *  person between two attempts, is not retried.
 *  @param refusing as for `wasRefused` */
export function refusedSync(
  { operation, operationQueued }: Pick<Application, 'operation' | 'operationQueued'>,
  refusing: readonly string[],
  policy: Pick<Policy, 'expectSyncWithinSeconds'>,
  now: Date,
): RefusedSync | undefined {
  if (operation === undefined || operation.dryRun || operationQueued) return undefined;
  if (!['Failed', 'Error'].includes(operation.phase) || !wasRefused(operation, refusing)) return undefined;
  if (wasTerminated(operation)) return undefined;
  const endedAt = operation.finishedAt ?? operation.startedAt;
  // Nothing has ended in the future: whoever wrote that would hold the pools until then.
  if (!mayHaveBeen(endedAt, now)) return undefined;
  const until = plusSeconds(new Date(endedAt), policy.expectSyncWithinSeconds);
  if (isPast(until, now)) return undefined;
  return { startedAt: operation.startedAt, pools: refusedPoolsOf({ operation }, refusing), until };
}
