import * as z from 'zod';

export const StoredOperatorParts = z.looseObject({
  readAt: z.string(),
  parts: z.array(
    z.looseObject({
      name: z.string(),
      state: z.enum(['fine', 'partly', 'progressing', 'degraded', 'down', 'unread']).catch('unread'),
      says: z.string(),
    }),
  ),
});
