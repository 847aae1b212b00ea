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

type ComparePorts = Pick<PreviewPorts, 'parentsOf' | 'mergeBaseOf' | 'clock'>;

/** What merging a pull request pushes: of one that has all of its base, what it brings over that. Of one that is
 *  behind, the base may have moved or changed the same files since: what GitHub made of both to test the merge counts,
 *  which is in the target repository, also for a fork. Where there is none, the branch alone. Throws Transient while
 *  GitHub may still be making it, or a newer one, and like the ports. */
export async function whatToCompare({ pull, parting, event }: ToCompare, ports: ComparePorts): Promise<Compared> {
  const { tip, mergeBase } = parting;
  const branch: Compared = { before: mergeBase, after: pull.head };
  if (mergeBase === tip || mergeBase === pull.head) return branch;
  const alone = (why: string): Compared => ({ ...branch, since: { tip, why } });
  if (pull.isMergeable === false) return alone('GitHub says that it conflicts with its base');
  const tested = await testedMerge(pull, tip, ports);
  const age = Math.abs(secondsSince(event.data.receivedAt, ports.clock()));
  const isAwaited = age < awaitedForSeconds;
  const isMaking = pull.isMergeable === undefined && tested?.since !== undefined;
  if (tested !== undefined && !(isMaking && isAwaited)) return tested;
  if (!isAwaited) return alone('GitHub does not say what merging it gives');
  throw new Transient('GitHub has not tested yet what merging the pull request gives', {
    retryAfterSeconds: age < firstWaitSeconds ? firstWaitSeconds : nextWaitSeconds,
  });
}

/** The test merge of this head, if it is of a commit that the base branch still has: GitHub makes another one with the
 *  next push to the pull request, or after twelve hours. */
async function testedMerge(
  { repository, head, testMerge }: Pull,
  tip: string,
  { parentsOf, mergeBaseOf }: ComparePorts,
): Promise<Compared | undefined> {
  if (testMerge === undefined) return undefined;
  const [base, merged, ...others] = (await parentsOf(repository, testMerge)) ?? [];
  if (base === undefined || merged !== head || others.length > 0) return undefined;
  if (base === tip) return { before: tip, after: testMerge };
  if ((await mergeBaseOf(repository, base, tip)) !== base) return undefined;
  return {
    before: base,
    after: testMerge,
    since: { tip, why: 'its base has gone on since GitHub tested the merge' },
  };
}
