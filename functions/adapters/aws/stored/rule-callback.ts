import * as z from 'zod';
import type { RuleCallback } from '../../../core/node-turns/rule-callback.ts';

export const StoredRuleCallback = z.looseObject({
  version: z.number(),
  id: z.string(),
  token: z.string().min(1),
  until: z.iso.datetime(),
  received: z.iso.datetime().optional(),
  answer: z
    .looseObject({ status: z.enum(['succeeded', 'failed']), message: z.string(), at: z.iso.datetime() })
    .optional(),
}) satisfies z.ZodType<RuleCallback>;
