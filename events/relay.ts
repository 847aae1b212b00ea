import * as z from 'zod';
import { eventOf } from './envelope.ts';

/** Asks relay-pushes to relay this GitHub webhook to Argo CD. The only event with the bytes of another party, because
 *  Argo CD verifies GitHub's signature over them: it exists only in its own encrypted queue, and is neither logged nor
 *  published. */
export const WebhookDue = eventOf(
  'poolkeeper.webhook.due.v1',
  z.object({
    delivery: z.string().min(1),
    receivedAt: z.iso.datetime({ offset: true }),
    /** `X-GitHub-Event`. */
    event: z.string().min(1),
    /** `full_name` of the repository, by which those who push take turns; undefined: it says none. */
    repository: z.string().optional(),
    /** A push that keep-pools handles too: it is relayed once keep-pools has paused what it changes. Anything else is
     *  relayed at once. */
    awaitsPause: z.boolean(),
    /** The headers that Argo CD reads, and no others: it checks headers of other vendors first. Names in lower case. */
    headers: z.strictObject({
      'content-type': z.string(),
      'x-github-event': z.string(),
      'x-github-delivery': z.string(),
      'x-hub-signature': z.string().optional(),
      'x-hub-signature-256': z.string(),
    }),
    /** The bytes as received, compressed with gzip, in base64. */
    body: z.string(),
    /** Undefined as sent by receive-github: then one message per Argo CD is created. */
    to: z
      .object({
        argocd: z.string(),
        endpoint: z.enum(['applications', 'applicationsets']),
        /** 1: the first delivery; 2: its repetition, `sendAgainAfterSeconds` later. */
        round: z.union([z.literal(1), z.literal(2)]),
      })
      .optional(),
  }),
);
export type WebhookDue = z.infer<typeof WebhookDue>;
