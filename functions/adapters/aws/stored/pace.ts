import * as z from 'zod';
import type { Pace } from '../../../core/alerts/pace.ts';
import { maybeText } from './maybe.ts';

export const StoredPace = z.looseObject({
  version: z.number(),
  restsAt: maybeText,
  lastTurnAt: maybeText,
  lastUrgentAt: maybeText,
}) satisfies z.ZodType<Pace>;
