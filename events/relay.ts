import * as z from 'zod';
import { eventOf } from './envelope.ts';

/** For relay-pushes: let Argo CD have this webhook of GitHub. The one event that carries somebody else's bytes,
 *  because Argo CD checks GitHub's signature over them: it stands in its own encrypted queue only, and is neither
 *  logged nor published. */
export const WebhookDue = eventOf(
  'poolkeeper.webhook.due.v1',
  z.object({
    delivery: z.string().min(1),
    receivedAt: z.iso.datetime({ offset: true }),
    /** `X-GitHub-Event`. */
    event: z.string().min(1),
    /** A push that keep-pools hears of too: it goes on once that has paused what it changes. Anything else goes on
     *  at once. */
    awaitsPause: z.boolean(),
    /** Those that Argo CD reads, and no others: it looks at headers of other vendors first. Names in lower case. */
    headers: z.strictObject({
      'content-type': z.string(),
      'x-github-event': z.string(),
      'x-github-delivery': z.string(),
      'x-hub-signature': z.string().optional(),
      'x-hub-signature-256': z.string(),
    }),
    /** The bytes as they came, compressed by gzip, in base64. */
    body: z.string(),
    /** Undefined as it comes from receive-github: then every Argo CD gets a message of its own. */
    to: z
      .object({
        argocd: z.string(),
        endpoint: z.enum(['applications', 'applicationsets']),
        /** It goes on twice. */
        round: z.union([z.literal(1), z.literal(2)]),
      })
      .optional(),
  }),
);
export type WebhookDue = z.infer<typeof WebhookDue>;
