import { guardStuckAfterSeconds } from '../guard/guard-problem.ts';
import type { WaitingGuard } from '../guard/plan-project.ts';
import { given } from '../text/given.ts';
import { plusSeconds } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import type { Wait } from './wait.ts';

/** A guard that a sync waits for, or an AppProject whose guards cannot be kept, for people. */
export interface GuardView {
  /** `<namespace>/<name>` of the Application, or the AppProject. */
  readonly about: string;
  /** Why it stays closed, or what went wrong. */
  readonly why: string;
  /** The command that opens it without Poolkeeper; absent: its window does not stand. */
  readonly how?: string | undefined;
  /** Pools that have to be paused before it opens; absent: it is an AppProject. */
  readonly pools?: readonly string[] | undefined;
  /** ISO instant since when a sync has been seen to wait for it; absent: unknown. */
  readonly since?: string | undefined;
  /** It is its turn in a sequence that has not come; absent: it is something else. */
  readonly isTurn?: boolean | undefined;
  /** Whether its turn has come is not known, because its sequence cannot be read; absent: it is something else. */
  readonly isTurnUnread?: boolean | undefined;
  /** Cluster to which it is pointed now, whose guard it waits for; absent: it deploys to this one. */
  readonly elsewhere?: string | undefined;
  /** ISO instant until which it is not opened again for commits that Argo CD did not sync, or waits for its guard
   *  elsewhere; absent: it is something else. */
  readonly until?: string | undefined;
}

/** One that stands for guards that are not shown. */
export function moreGuards(left: number): GuardView {
  return { about: `${left} more`, why: 'not shown here; "poolkeeper doctor" names each guard' };
}

/** Each guard that a sync waits for, with all reasons.
 *  @param sinceOf since when the Application has been seen to wait, if that is known */
export function guardViewsOf(
  waiting: readonly WaitingGuard[],
  sinceOf: (application: string) => string | undefined,
): readonly GuardView[] {
  const byApplication = Map.groupBy(waiting, ({ application }) => application);
  return [...byApplication].map(([about, all]) => {
    const how = all.find((each) => each.how !== undefined)?.how;
    const since = sinceOf(about);
    const elsewhere = all.find((each) => each.elsewhere !== undefined)?.elsewhere;
    const until = all.find((each) => each.until !== undefined)?.until;
    return {
      about,
      why: unique(all.map((each) => each.why)).join('; '),
      pools: unique(all.flatMap((each) => each.pools)),
      ...given({ how, since }),
      ...(all.some(({ isTurn }) => isTurn) ? { isTurn: true } : {}),
      ...(all.some(({ isTurnUnread }) => isTurnUnread === true) ? { isTurnUnread: true } : {}),
      ...given({ elsewhere, until }),
    };
  });
}

/** A guard in the words of the gates; undefined: it is about an AppProject, which nobody waits for alone. */
export function waitOfGuard({ pools, ...guard }: GuardView): Wait | undefined {
  return pools && guardWait({ ...guard, pools });
}

export function guardWait(guard: GuardView & GuardedPools): Wait {
  const { about, why, how, since, isTurn = false } = guard;
  return {
    kind: 'guard',
    name: about,
    why,
    value: 'its sync waits, and its deny window stands',
    threshold: needOf(guard),
    since,
    opens: opensBy(guard),
    who: 'Poolkeeper, by itself; without a pause, whoever may change the AppProject',
    ...given({ how }),
    ...(since === undefined || isTurn
      ? {}
      : { timeout: { at: plusSeconds(new Date(since), guardStuckAfterSeconds), action: 'alert' as const } }),
  };
}

function needOf({ pools, until, elsewhere, isTurn, isTurnUnread }: GuardView & GuardedPools): string {
  if (isTurnUnread === true) return 'the record of its sequence, which says whether its turn has come';
  if (isTurn === true) return 'its turn in its sequence';
  if (elsewhere !== undefined) return `its guard on cluster ${elsewhere}`;
  if (until !== undefined) return 'another commit, or that time';
  return `${pools.length === 0 ? 'its pools' : listed(pools, 5)} paused for it, and confirmed`;
}

function opensBy({ isTurn, isTurnUnread, elsewhere, until }: GuardView): string {
  if (isTurnUnread === true) return 'its turn, once that record can be read; then its pools are paused';
  if (isTurn === true) return 'its turn; then its pools are paused';
  if (elsewhere !== undefined)
    return `its guard on cluster ${elsewhere}, or ${until ?? 'the end of the sync, which somebody may terminate'}`;
  return until === undefined ? 'the confirmed pause' : `another commit, or ${until}; then its pools are paused`;
}

interface GuardedPools {
  readonly pools: readonly string[];
}

/** Guards that wait for this pool. */
export function guardsOfPool(guards: readonly GuardView[], pool: string): readonly Wait[] {
  return guards.flatMap((guard) => (guard.pools?.includes(pool) === true ? (waitOfGuard(guard) ?? []) : []));
}
