import * as z from 'zod';
import { eventOf } from './envelope.ts';
import { IncidentDue } from './published.ts';

const instant = z.iso.datetime({ offset: true });

/** For send-alerts: a person wants an incident acknowledged, snoozed or looked at again. From a button in Slack or
 *  the command line. */
export const AttentionAsked = eventOf(
  'poolkeeper.attention.asked.v1',
  z.object({
    wish: z.enum(['acknowledge', 'snooze', 'recheck']),
    /** `PK-<number>`. */
    number: z.int().min(1),
    /** Sequence of the message that was looked at; absent where none was. */
    seenSeq: z.int().min(0).optional(),
    by: z.string().min(1).max(100),
    reason: z.string().max(300),
    forSeconds: z.int().min(0),
    askedAt: instant,
    /** Who is told when it cannot be done. */
    answer: z.object({ channel: z.string(), user: z.string() }).optional(),
  }),
);
export type AttentionAsked = z.infer<typeof AttentionAsked>;

/** Everything that send-alerts works on. */
export const AlertWork = z.discriminatedUnion('type', [IncidentDue, AttentionAsked]);
export type AlertWork = z.infer<typeof AlertWork>;
