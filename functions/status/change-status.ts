import { secondsBetween } from '../core/text/durations.ts';
import { safeLine } from '../core/text/safe-text.ts';
import type { PoolView } from '../core/timeline/view.ts';
import type { PoolStatus } from './status.ts';

/** Longest name and longest reason shown, characters. */
const nameLimit = 120;
const reasonLimit = 500;

/** The change that is pending or rolling out, its effect and causes; the pushes that the pool was not paused for; and
 *  which certificates may expire meanwhile. */
export function changeStatus(
  { change, pendingSince, certificatesExpire, spared, takes, pace }: PoolView,
  now: Date,
): Pick<PoolStatus, 'change' | 'pendingSince' | 'pendingSeconds' | 'certificatesExpire' | 'spared' | 'takes' | 'pace'> {
  return {
    pendingSince,
    pendingSeconds: pendingSince === undefined ? undefined : Math.floor(secondsBetween(pendingSince, now)),
    certificatesExpire,
    takes,
    pace: pace && { usualMinutes: pace.usual, slowMinutes: pace.slow, rollouts: pace.rollouts },
    change: change && {
      class: change.class,
      byDefault: change.isByDefault === true,
      parts: change.parts.map((part) => safeLine(part, nameLimit)),
      partsInAll: change.partsInAll,
      security: [...change.security],
      causes: change.causes.map(({ kind, why }) => ({ kind, why: safeLine(why, reasonLimit) })),
      unread: change.unread && safeLine(change.unread, reasonLimit),
    },
    spared: spared?.map(({ hold, revision, why, at }) => ({ hold, revision, why: safeLine(why, reasonLimit), at })),
  };
}
