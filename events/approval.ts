import * as z from 'zod';
import { eventOf } from './envelope.ts';

const objectName = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'is not a Kubernetes name');

const change = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?:@sha256:[0-9a-f]{64})?$/,
    'is not a rendered config, with or without the digest of its image',
  );

/** For send-alerts: a person approves a rendered config, or revokes that, from the command line. Who it is does not
 *  stand in the event, which could say anything: SQS notes the sender of the message. */
export const ApprovalAsked = eventOf(
  'poolkeeper.approval.asked.v1',
  z.object({
    verb: z.enum(['approve', 'revoke']),
    cluster: objectName,
    pool: objectName,
    /** Name of the rendered config; in image mode with the digest of its image. */
    config: change,
    /** As the person calls themselves; only shown. */
    by: z.string().min(1).max(100),
    reason: z.string().max(300),
    askedAt: z.iso.datetime({ offset: true }),
  }),
);
export type ApprovalAsked = z.infer<typeof ApprovalAsked>;
