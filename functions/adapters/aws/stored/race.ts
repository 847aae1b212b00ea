import * as z from 'zod';
import type { Race } from '../../../core/races/race.ts';
import { maybe, maybeText } from './maybe.ts';

/** Stored shapes keep unknown fields, so that an older version does not erase what a newer one wrote. */
export const StoredRace = z.looseObject({
  cluster: z.string(),
  pool: z.string(),
  hold: z.string(),
  since: z.string(),
  pushedAt: maybeText,
  pausedAt: maybeText,
  pauseGeneration: maybe(z.number()),
  confirmedAt: maybeText,
  appliedAt: maybeText,
  isUntimed: maybe(z.literal(true)),
  firstTargetedAt: maybeText,
  missedNodes: z.array(z.string()),
  operation: maybeText,
  targetBefore: maybeText,
  unseenUntil: maybeText,
  rollingBefore: maybe(z.array(z.string())),
  isConfirmedBefore: maybe(z.literal(true)),
  endedAt: maybeText,
  judgedAt: maybeText,
  isPausedAnew: maybe(z.literal(true)),
  later: maybe(z.looseObject({ pausedAt: maybeText, pauseGeneration: maybe(z.number()), confirmedAt: maybeText })),
  verdict: maybe(z.enum(['early', 'in time', 'late', 'unprotected'])),
}) satisfies z.ZodType<Race>;
