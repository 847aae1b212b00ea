import * as z from 'zod';
import type { PushOutcome } from '../../../core/relay/push-outcome.ts';

export const StoredPushOutcome = z.looseObject({
  delivery: z.string(),
  receivedAt: z.string(),
  decidedAt: z.string(),
  unasked: z.array(z.string()),
  unseen: z.array(z.string()),
  paused: z.array(
    z.looseObject({
      cluster: z.string(),
      pool: z.string(),
      hold: z.string(),
      since: z.string(),
      writtenIn: z.array(z.string()).optional(),
    }),
  ),
  isUnfollowed: z.literal(true).optional(),
  unpausable: z.array(z.looseObject({ cluster: z.string(), pool: z.string() })).optional(),
  unparsed: z.array(z.looseObject({ argocd: z.string(), application: z.string() })).optional(),
  forbidden: z.array(z.looseObject({ argocd: z.string(), application: z.string() })).optional(),
}) satisfies z.ZodType<PushOutcome>;
