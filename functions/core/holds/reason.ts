import type { AffectedPools } from '../impact/affected-pools.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Characters of the reason of one hold, of all reasons of one push together, and what each may have in any case. The
 *  record, which has each twice, is one annotation of the pool, and the API server accepts 256 KiB of annotations per
 *  object. */
const reasonCharacters = { each: 300, all: 15_000, atLeast: 20 };

/** The push with the reason that the hold will show: why it concerns the Application, and why it affects the pool. */
export function withReason(
  push: Push,
  affected: AffectedPools,
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): Push {
  const whyPool = affected.reasons.find((each) => each.pool === pool.name)?.why ?? affected.why;
  const parts = [push.because, affected.isExact ? whyPool : affected.why].filter(
    (each) => each !== undefined && each !== '',
  );
  const because = parts.join('; ');
  return { ...push, because: cutReason(because, snapshot) };
}

/** A reason, cut to its share of what all holds of the push may have. */
export function cutReason(because: string, { pushes, expected }: Snapshot): string {
  const { each, all, atLeast } = reasonCharacters;
  const share = Math.floor(all / Math.max(pushes.size + expected.length, 1));
  const most = Math.min(each, Math.max(share, atLeast));
  return because.length > most ? `${because.slice(0, most - 1)}…` : because;
}

/** How many reasons `reasonsInShort` lists; the holds themselves have all of them. */
const reasonsNamed = 3;

/** Characters of each that it lists. */
const shortCharacters = 180;

/** Several reasons in one short text, for the record and for a Kubernetes event, which takes 1 KiB. */
export function reasonsInShort(reasons: readonly string[]): string {
  const named = reasons
    .slice(0, reasonsNamed)
    .map((each) => (each.length > shortCharacters ? `${each.slice(0, shortCharacters - 1)}…` : each))
    .join('; ');
  const more = reasons.length - reasonsNamed;
  return more > 0 ? `${named}; and ${more} more` : named;
}
