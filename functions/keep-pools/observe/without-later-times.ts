import { isWindowClock } from '../../core/judge/wants-nodes.ts';
import type { Checkpoint } from '../../ports/tables.ts';

/** The checkpoint without times that are later than now: a clock that was set back since has written them. What has
 *  lasted since such a time counts from now, or it would be told only once that time has come; a sweep of then is
 *  none, or no other one would be due before. When a window opens is an instant ahead, and stays. */
export function withoutLaterTimes(checkpoint: Checkpoint, now: Date): Checkpoint {
  const { sweptAt, lastGoodReadAt, firstSeen, unreadable, sweepDueSince, sequencesUnseen, runsUnseen } = checkpoint;
  const notLater = <T extends string | undefined>(at: T) =>
    at === undefined || !isLater(at, now) ? at : now.toISOString();
  const noneLater = (all: Readonly<Record<string, string>>) =>
    Object.values(all).some((at) => isLater(at, now))
      ? Object.fromEntries(Object.entries(all).map(([key, at]) => [key, isWindowClock(key) ? at : notLater(at)]))
      : all;
  return {
    ...checkpoint,
    sweptAt: sweptAt !== undefined && isLater(sweptAt, now) ? undefined : sweptAt,
    lastGoodReadAt: notLater(lastGoodReadAt),
    firstSeen: noneLater(firstSeen),
    ...(unreadable && { unreadable: unreadable.map((each) => ({ ...each, since: notLater(each.since) })) }),
    ...(sweepDueSince && { sweepDueSince: notLater(sweepDueSince) }),
    ...(sequencesUnseen && { sequencesUnseen: noneLater(sequencesUnseen) }),
    ...(runsUnseen && { runsUnseen: noneLater(runsUnseen) }),
  };
}

/** Names and reasons are remembered beside instants: `worker-2099` reads as one, too. */
function isLater(at: string, now: Date): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(at) && Date.parse(at) > now.getTime();
}
