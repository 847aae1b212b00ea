import type { Operation } from './application.ts';

/** On an object that must be changed now, although its pool is not paused: the reason. Seen by the policy, and told. */
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
export function poolsInRefusal(text: string): readonly string[] {
  return [...new Set([...text.matchAll(refusal)].flatMap(([, pool]) => pool ?? []))];
}

/** The pools for whose sake something of this attempt was refused by the admission level; empty: nothing was.
 *  Argo CD quotes the API server in the result of each resource, and in the operation's message when that is all there is. */
export function refusedPools({ message, results }: Pick<Operation, 'message' | 'results'>): readonly string[] {
  const quotes = [message, ...results.filter(({ status }) => status === 'SyncFailed').map((result) => result.message)];
  return [...new Set(quotes.flatMap(poolsInRefusal))];
}

/** True for an attempt that failed because pools were not paused yet, and for no other reason: every resource that failed was
 *  refused by the admission level. Such a sync is no failed one, it is one to pause for. */
export function wasRefused(operation: Pick<Operation, 'message' | 'results'>): boolean {
  const failed = operation.results.filter(({ status }) => status === 'SyncFailed');
  if (failed.length === 0) return poolsInRefusal(operation.message).length > 0;
  return failed.every(({ message }) => poolsInRefusal(message).length > 0);
}
