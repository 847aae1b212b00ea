import * as z from 'zod';
import type { Approval } from '../../../core/gates/approvals.ts';

export const StoredApproval = z.looseObject({
  cluster: z.string(),
  pool: z.string(),
  config: z.string(),
  who: z.string(),
  name: z.string(),
  verb: z.enum(['approve', 'revoke']),
  at: z.string(),
  reason: z.string(),
}) satisfies z.ZodType<Approval>;
