import * as z from 'zod';
import type { ShownSequence } from '../../../core/sequences/shown-sequence.ts';
import { maybeText } from './maybe.ts';

const StoredItem = z.looseObject({
  id: z.string(),
  kind: z.enum(['step', 'gate']),
  of: maybeText,
  what: z.string(),
  cluster: z.string(),
  state: z.enum(['healthy', 'unhealthy', 'unseen', 'unasked', 'skipped', 'passed']),
  value: z.string(),
  since: maybeText,
  begunAt: maybeText,
  waitedSince: maybeText,
  until: maybeText,
  onTimeout: maybeText,
  why: maybeText,
  waitsFor: z.array(z.string()).optional(),
});

export const StoredShownSequence = z.looseObject({
  sequence: z.string(),
  description: maybeText,
  cluster: z.string(),
  readAt: z.string(),
  state: z.enum(['not begun', 'running', 'done', 'paused', 'aborted']),
  said: z.looseObject({ who: z.string(), why: z.string(), at: z.string() }).optional(),
  wave: z.int().optional(),
  waves: z.array(z.looseObject({ wave: z.int(), items: z.int(), healthy: z.int(), shown: z.array(StoredItem) })),
  wavesOmitted: z.int(),
  problems: z.array(
    z.looseObject({
      kind: z.enum(['timeout', 'regression', 'refused', 'unseen', 'aborted']),
      item: z.string(),
      cluster: z.string(),
      since: z.string(),
      why: z.string(),
    }),
  ),
  log: z.array(z.looseObject({ at: z.string(), item: z.string(), what: z.string() })),
}) satisfies z.ZodType<ShownSequence>;
