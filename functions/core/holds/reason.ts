import type { AffectedPools } from '../impact/affected-pools.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Limits for the reason of one hold and for all reasons of one push together. The record, which has each twice, is one
 *  annotation of the pool, and the API server accepts 256 KiB of annotations per object. */
const reasonCharacters = { each: 300, all: 15_000, atLeast: 20 };

/** Why the push concerns the Application, and why it affects the pool. */
export function withReason(
  push: Push,
  affected: AffectedPools,
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): Push {
  const whyPool = affected.reasons.find((each) => each.pool === pool.name)?.why ?? affected.why;
  const words = [push.because, affected.isExact ? whyPool : affected.why].filter(
    (each) => each !== undefined && each !== '',
  );
  const because = words.join('; ');
  return { ...push, because: inReason(because, snapshot) };
}

export function inReason(because: string, { pushes, expected }: Snapshot): string {
  const { each, all, atLeast } = reasonCharacters;
  const fair = Math.floor(all / Math.max(pushes.size + expected.length, 1));
  const most = Math.min(each, Math.max(fair, atLeast));
  return because.length > most ? `${because.slice(0, most - 1)}…` : because;
}

/** How many reasons are listed; the holds themselves have all of them. */
const reasonsNamed = 3;

/** Length of each. */
const shortCharacters = 180;

/** Annotations of an object are limited to 256 KiB together, a Kubernetes event to 1 KiB. */
export function inShort(reasons: readonly string[]): string {
  const named = reasons
    .slice(0, reasonsNamed)
    .map((each) => (each.length > shortCharacters ? `${each.slice(0, shortCharacters - 1)}…` : each))
    .join('; ');
  const more = reasons.length - reasonsNamed;
  return more > 0 ? `${named}; and ${more} more` : named;
}
