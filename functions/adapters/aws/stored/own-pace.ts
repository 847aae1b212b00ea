import * as z from 'zod';
import type { OwnPace } from '../../../core/impact/node-pace.ts';

export const StoredOwnPace = z.looseObject({
  usual: z.number(),
  slow: z.number(),
  rollouts: z.number(),
}) satisfies z.ZodType<OwnPace>;
