import { createHash } from 'node:crypto';
import type { Doubt, Incident } from '../core/alerts/incident.ts';
import { keyText } from '../core/findings/trouble.ts';

/** Identifies one message, so that it can be found again if its outcome is unknown. The opening is part of it:
 *  installations that share a channel use the same incident numbers. 32 hexadecimal digits fit mail headers, tags and
 *  Slack metadata. */
export function deliveryId(incident: Incident, target: string, part: Doubt['part'], seq: number): string {
  const parts = [keyText(incident.key), incident.number, incident.openedAt ?? '', target, part, seq];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
