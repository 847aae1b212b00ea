import { isSameApplication } from '../argocd/application.ts';
import type { Hold } from '../openshift/hold.ts';
import { latest, plusSeconds } from '../text/instant.ts';
import type { HoldQuestion } from './step.ts';

/** An Application has one writer. Where another one claims to be it, before the first has synced, neither is believed
 *  to be the last: as long as a sync may be waited for is waited. */
export function withBoth(
  before: Hold['via'],
  via: Hold['via'],
  { policy, now }: Pick<HoldQuestion, 'policy' | 'now'>,
): Hold['via'] {
  if (before === undefined || via === undefined) return via;
  const isTimed = before.until !== undefined && via.until === undefined;
  if (isSameApplication(before, via) && !isTimed) return via;
  const until = plusSeconds(now, policy.expectSyncWithinSeconds);
  return { ...via, until: latest([before.until, via.until, until]) ?? until };
}
