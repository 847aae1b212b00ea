import * as z from 'zod';
import { ApprovalAsked } from './approval.ts';
import { eventOf } from './envelope.ts';
import { IncidentDue } from './published.ts';
import { RequestAsked } from './request.ts';

const instant = z.iso.datetime({ offset: true });

/** Why a press below a message does not count for the incident that was meant: its message says too little (that of an
 *  earlier version), another incident is there instead or none, the channel does not hear of it, or it is over. */
export const PressRefusal = z.enum(['earlier-version', 'no-incident', 'other-episode', 'unheard', 'resolved']);
export type PressRefusal = z.infer<typeof PressRefusal>;

const SteeredPress = z.object({
  sequence: z.string().min(1).max(253),
  /** Whose incident it is; absent: the message does not say. */
  cluster: z.string().min(1).max(63).optional(),
  /** Absent: it is stored. */
  refused: PressRefusal.optional(),
});

/** For send-alerts: a person requests that an incident be acknowledged, snoozed or re-checked. From a button in Slack
 *  or the command line. */
export const AttentionAsked = eventOf(
  'poolkeeper.attention.asked.v1',
  z.object({
    wish: z.enum(['acknowledge', 'snooze', 'recheck', 'freeze-here']),
    /** `PK-<number>`. */
    number: z.int().min(1),
    /** Sequence of the message that the person acted on; absent if there was none. */
    seenSeq: z.int().min(0).optional(),
    /** Which episode of which incident that message is of; absent if there was none. */
    episode: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .optional(),
    by: z.string().min(1).max(100),
    reason: z.string().max(300),
    forSeconds: z.int().min(0),
    /** What a freeze covers: the pool of the incident, or its cluster. */
    scope: z.enum(['pool', 'cluster']).optional(),
    /** What the person approved, or no longer does, by a button of the message, which is stored already; with
     *  `recheck`. */
    pressed: ApprovalAsked.shape.data
      .pick({ verb: true, config: true })
      // Absent: from an earlier version.
      .extend(ApprovalAsked.shape.data.pick({ cluster: true, pool: true }).partial().shape)
      .optional(),
    /** What the person asked of a sequence by the menu of the message, with `recheck`. It is stored already, or was
     *  refused and is not. */
    steered: SteeredPress.optional(),
    askedAt: instant,
    /** Who is notified if it cannot be done. */
    answer: z.object({ channel: z.string(), user: z.string() }).optional(),
  }),
);
export type AttentionAsked = z.infer<typeof AttentionAsked>;

/** Every event that send-alerts handles. */
export const AlertWork = z.discriminatedUnion('type', [IncidentDue, AttentionAsked, ApprovalAsked, RequestAsked]);
export type AlertWork = z.infer<typeof AlertWork>;
