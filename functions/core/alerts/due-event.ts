import { cloudEvent, type IncidentDue } from '../../../events/index.ts';
import { keyText, type TroubleKey } from '../findings/trouble.ts';

/** Request to bring the targets of this incident up to date. `about` distinguishes two requesters at the same instant;
 *  empty when there is only one. */
export function dueEvent(
  key: TroubleKey,
  { source, about }: { readonly source: string; readonly about: string },
  now: Date,
): IncidentDue {
  const { cluster, pool, kind } = key;
  return cloudEvent({
    type: 'poolkeeper.incident.due.v1',
    id: ['due', keyText(key), about, now.toISOString()].filter((part) => part !== '').join('/'),
    source,
    subject: `${cluster}/${pool}`,
    time: now,
    correlation: keyText(key),
    data: { cluster, pool, kind },
  });
}
