import * as z from 'zod';
import { eventOf } from './envelope.ts';

const instant = z.iso.datetime({ offset: true });

/** Sent to webhook targets: one notification about an incident, with its complete current state. At least once; the
 *  same notification has the same id. */
export const IncidentNotified = eventOf(
  'poolkeeper.incident.notified.v1',
  z.object({
    cluster: z.string(),
    pool: z.string(),
    kind: z.string(),
    number: z.int(),
    /** `PK-7`. */
    name: z.string(),
    state: z.enum(['firing', 'recovering', 'resolved']),
    occasion: z.enum([
      'opened',
      'reopened',
      'changed',
      'escalated',
      'reminder',
      'flapping',
      'attended',
      'unattended',
      'resolved',
    ]),
    severity: z.string(),
    summary: z.string(),
    headline: z.string(),
    /** Last escalations, oldest first: who joined, what got worse. Absent where there were none. */
    news: z.array(z.string()).optional(),
    why: z.string(),
    /** The other causes, at most three and how many more. Absent where there are none. */
    also: z.array(z.string()).optional(),
    chain: z.array(z.string()),
    /** Code of the root cause in docs/causes.md; absent while unknown. */
    cause: z.string().optional(),
    remedies: z.array(
      z.object({ title: z.string(), risk: z.string(), who: z.string(), command: z.string().optional() }),
    ),
    facts: z.array(z.object({ label: z.string(), value: z.string() })),
    openedAt: instant.optional(),
    resolvedAt: instant.optional(),
    attention: z.object({ kind: z.enum(['acknowledged', 'snoozed']), by: z.string(), until: instant }).optional(),
    link: z.string().optional(),
  }),
);
export type IncidentNotified = z.infer<typeof IncidentNotified>;
