import * as z from 'zod';
import { parseAs } from '../shell/body.ts';
import { ClusterName, type Hint } from './hint.ts';

const Alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: z.object({ alertname: z.string().max(512).default(''), cluster: ClusterName }),
  startsAt: z.string().min(1).max(64),
  fingerprint: z.string().min(1).max(128),
});

/** Alertmanager's webhook payload, version 4; its alerts are parsed one by one, because many write their labels.
 *  Source: alertmanager, notify/webhook, template. */
export const AlertmanagerMessage = z.object({ version: z.literal('4'), alerts: z.array(z.unknown()) });

/** Alertmanager repeats itself; the same fingerprint, start and status are the same occurrence. Throws BadInput. */
export function hintOfAlert(alert: unknown): Hint {
  const { status, labels, startsAt, fingerprint } = parseAs(Alert, alert);
  return {
    id: `${fingerprint}/${startsAt}/${status}`,
    cluster: labels.cluster,
    kind: 'Alert',
    name: labels.alertname,
    what: status,
  };
}
