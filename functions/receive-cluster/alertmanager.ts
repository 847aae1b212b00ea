import * as z from 'zod';
import { ClusterName, type Hint } from './hint.ts';

const Alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: z.object({ alertname: z.string().max(512).default(''), cluster: ClusterName }),
  startsAt: z.string().min(1).max(64),
  fingerprint: z.string().min(1).max(128),
});

/** Alertmanager's webhook payload, version 4, limited to the fields in use. Source: alertmanager, notify/webhook,
 *  template. */
export const AlertmanagerMessage = z.object({ version: z.literal('4'), alerts: z.array(Alert) });
export type AlertmanagerMessage = z.infer<typeof AlertmanagerMessage>;

/** One hint per alert. Alertmanager repeats itself; the same fingerprint, start and status are the same occurrence. */
export function hintsOfAlertmanager({ alerts }: AlertmanagerMessage): readonly Hint[] {
  return alerts.map(({ status, labels, startsAt, fingerprint }) => ({
    id: `${fingerprint}/${startsAt}/${status}`,
    cluster: labels.cluster,
    kind: 'Alert',
    name: labels.alertname,
    what: status,
  }));
}
