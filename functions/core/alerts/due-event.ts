import { cloudEvent, type IncidentDue } from '../../../events/index.ts';
import { keyText, type TroubleKey } from '../findings/trouble.ts';

/** "Bring the targets of this incident up to date". `about` keeps two askers of one instant apart; empty where there
 *  is one. */
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
