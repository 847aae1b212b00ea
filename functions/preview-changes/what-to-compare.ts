import type { PullSeen } from '../../events/index.ts';
import type { Compared, Parting } from '../core/preview/compared.ts';
import type { Pull } from '../core/preview/pull.ts';
import { Transient } from '../core/text/errors.ts';
import { secondsSince } from '../core/text/instant.ts';
import type { PreviewPorts } from './preview-ports.ts';

/** Seconds from the event. GitHub tests a merge within seconds of being asked. With two waits this is over at the
 *  fourth of five attempts. */
const awaitedForSeconds = 60;
const [firstWaitSeconds, nextWaitSeconds] = [5, 30];

interface ToCompare {
  readonly pull: Pull;
  readonly parting: Parting;
  readonly event: PullSeen;
}

/** What merging a pull request pushes: of one that has all of its base, what it brings over that. Of one that is
 *  behind, the base may have moved or changed the same files since: what GitHub makes of both to test the merge, once
 *  that is of this base and this head. It is in the target repository, also for a fork. Where there is none, the branch
 *  alone. Throws Transient while GitHub may still be making it, and like `parentsOf`. */
export async function whatToCompare(
  { pull, parting, event }: ToCompare,
  { parentsOf, clock }: Pick<PreviewPorts, 'parentsOf' | 'clock'>,
): Promise<Compared> {
  const { repository, head, isMergeable, testMerge } = pull;
  const { tip, mergeBase } = parting;
  const branch: Compared = { before: mergeBase, after: head };
  if (mergeBase === tip || mergeBase === head) return branch;
  if (isMergeable === false) return { ...branch, unmerged: 'GitHub says that it conflicts with its base' };
  const parents = testMerge === undefined ? undefined : await parentsOf(repository, testMerge);
  if (testMerge !== undefined && parents?.join() === `${tip},${head}`) return { before: tip, after: testMerge };
  const age = Math.abs(secondsSince(event.data.receivedAt, clock()));
  if (age >= awaitedForSeconds) return { ...branch, unmerged: 'GitHub does not say what merging it gives' };
  throw new Transient('GitHub has not tested yet what merging the pull request gives', {
    retryAfterSeconds: age < firstWaitSeconds ? firstWaitSeconds : nextWaitSeconds,
  });
}
