import * as z from 'zod';
import { disruptionClasses } from '../../../core/machine-config/disruption.ts';
import type { PendingChange } from '../../../core/machine-config/pending-change.ts';
import { maybe, maybeText } from './maybe.ts';
import { StoredCause } from './node-rollout.ts';

export const StoredPendingChange = z.looseObject({
  from: z.string(),
  to: z.string(),
  others: maybe(z.array(z.string())),
  renderedAt: maybeText,
  class: maybe(z.enum(disruptionClasses)),
  isByDefault: maybe(z.boolean()),
  parts: z.array(z.string()),
  partsInAll: z.number(),
  security: z.array(z.string()),
  causes: z.array(StoredCause),
  unread: maybeText,
}) satisfies z.ZodType<PendingChange>;
