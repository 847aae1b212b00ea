import { argocdOf } from '../openshift/collective-hold-id.ts';
import { unique } from '../text/unique.ts';

/** Result of a push in keep-pools: the pools that its passes paused or found paused for it, and what could not be read.
 *  The relay waits for these pools and no others. Stored for a few days; losing it makes the relay late, never
 *  wrong. */
export interface PushOutcome {
  /** GitHub's id of the delivery. */
  readonly delivery: string;
  /** Which reception of it this is about: what was paused for an earlier one may be resumed since. */
  readonly receivedAt: string;
  readonly decidedAt: string;
  /** Argo CD instances whose Applications could not be read: it is unknown what they would sync. */
  readonly unasked: readonly string[];
  /** Clusters whose pass failed: their pools may not be paused. */
  readonly unseen: readonly string[];
  readonly paused: readonly PausedForPush[];
  /** No Application is known that it concerns. Absent: one is, or that is not known. */
  readonly isUnfollowed?: true | undefined;
  /** Pools that the push may change and that cannot be paused, because they, or their records, cannot be parsed.
   *  Absent: none. */
  readonly unpausable?: readonly { readonly cluster: string; readonly pool: string }[] | undefined;
  /** Applications that it concerns and that cannot be parsed: nothing is paused for them. Absent: none. */
  readonly unparsed?: readonly { readonly argocd: string; readonly application: string }[] | undefined;
  /** Applications that it concerns and that may not be read: the same, until somebody grants the right. Absent:
   *  none. */
  readonly forbidden?: readonly { readonly argocd: string; readonly application: string }[] | undefined;
}

/** One hold of the push on one paused pool, named like its race. */
export interface PausedForPush {
  readonly cluster: string;
  readonly pool: string;
  readonly hold: string;
  readonly since: string;
  /** Further Argo CDs that have to get the push before that sync can follow it: what writes the Application is there.
   *  Absent: none, or an earlier version noted none. */
  readonly writtenIn?: readonly string[] | undefined;
}

/** Everything was read: the result will not change. */
export function isComplete({ unasked, unseen }: PushOutcome): boolean {
  return unasked.length === 0 && unseen.length === 0;
}

/** Holds of one push whose races the relay reads each second. */
const holdsAtMost = 100;

/** As the relay asks about it. */
export function inShort(outcome: PushOutcome): PushOutcome {
  return outcome.paused.length <= holdsAtMost ? outcome : oneHoldPerPool(outcome);
}

/** With one hold for each pool and Argo CD instance: they are confirmed together with the pause of the pool. */
export function oneHoldPerPool(outcome: PushOutcome): PushOutcome {
  const byPool = Map.groupBy(outcome.paused, ({ cluster, pool, hold }) => `${cluster}/${pool}/${argocdOf(hold)}`);
  const paused = [...byPool.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const writtenIn = unique([first, ...others].flatMap((each) => each.writtenIn ?? []));
    return [writtenIn.length === 0 ? first : { ...first, writtenIn }];
  });
  return { ...outcome, paused };
}

/** Pools that are named where there are more than can be stored: 300 of 1,000 characters each at most. */
const namedAtMost = 300;

/** With some pools only: the clusters of the others count as not seen, so that the relay waits as long as it may. */
export function somePools(outcome: PushOutcome): PushOutcome {
  const others = outcome.paused.slice(namedAtMost).map(({ cluster }) => cluster);
  return {
    ...outcome,
    unseen: unique([...outcome.unseen, ...others]),
    paused: outcome.paused.slice(0, namedAtMost),
  };
}
