import * as z from 'zod';

const instant = z.iso.datetime({ offset: true });
const recipient = z.object({ emailAddress: z.string(), diagnosticCode: z.string().optional() });

/** What Amazon SES tells of a mail after it has taken it, as EventBridge delivers it; the fields in use. Source: Amazon
 *  SES, "Contents of event data that Amazon SES publishes". */
const Detail = z.discriminatedUnion('eventType', [
  z.object({
    eventType: z.literal('Bounce'),
    bounce: z.object({
      bounceType: z.string(),
      bounceSubType: z.string(),
      bouncedRecipients: z.array(recipient),
      timestamp: instant,
    }),
  }),
  z.object({
    eventType: z.literal('Complaint'),
    complaint: z.object({
      complainedRecipients: z.array(recipient),
      complaintFeedbackType: z.string().optional(),
      timestamp: instant,
    }),
  }),
  z.object({
    eventType: z.literal('Delivery'),
    delivery: z.object({ recipients: z.array(z.string()), timestamp: instant }),
  }),
]);

const Mail = z.object({
  mail: z.object({
    /** Of SES: all that is told of one mail has the same. */
    messageId: z.string().min(1).max(200).optional(),
    tags: z.record(z.string(), z.array(z.string())).default({}),
  }),
});

/** The event, under a type of ours so that it can come by the same queue as our own. */
export const MailFeedback = z
  .object({ id: z.string().min(1), source: z.literal('aws.ses'), detail: z.intersection(Detail, Mail) })
  .transform(({ id, detail }) => ({ type: 'aws.ses' as const, id, correlation: nameIn(detail.mail.tags), detail }));
export type MailFeedback = z.infer<typeof MailFeedback>;

/** `PK-7`, as the sender tagged it; undefined: the mail is of an earlier version. */
function nameIn(tags: Readonly<Record<string, readonly string[]>>): string | undefined {
  return tags['poolkeeper_incident']?.[0];
}
