import type { AffectedPools } from '../impact/affected-pools.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Longest reason that a hold carries, and longest of all that one push brings: the record, in which each stands
 *  twice, is one annotation of the pool, and the API server takes 256 KiB of annotations of an object. */
const reasonCharacters = { each: 300, all: 15_000, atLeast: 20 };

/** Why the push concerns the Application, and why it reaches the pool. */
export function withReason(
  push: Push,
  touch: AffectedPools,
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): Push {
  const reaches = touch.reasons.find((each) => each.pool === pool.name)?.why ?? touch.why;
  const words = [push.because, touch.isExact ? reaches : touch.why].filter((each) => each !== undefined && each !== '');
  const because = words.join('; ');
  return { ...push, because: inReason(because, snapshot) };
}

export function inReason(because: string, { pushes, expected }: Snapshot): string {
  const { each, all, atLeast } = reasonCharacters;
  const fair = Math.floor(all / Math.max(pushes.size + expected.length, 1));
  const most = Math.min(each, Math.max(fair, atLeast));
  return because.length > most ? `${because.slice(0, most - 1)}…` : because;
}

/** How many reasons are named; the holds themselves carry all of them. */
const reasonsNamed = 3;

/** How much of each. */
const shortCharacters = 180;

/** An annotation has room for 256 KiB in all, and a Kubernetes event for 1 KiB. */
export function inShort(reasons: readonly string[]): string {
  const named = reasons
    .slice(0, reasonsNamed)
    .map((each) => (each.length > shortCharacters ? `${each.slice(0, shortCharacters - 1)}…` : each))
    .join('; ');
  const more = reasons.length - reasonsNamed;
  return more > 0 ? `${named}; and ${more} more` : named;
}
