import * as z from 'zod';
import type { Places } from '../../../core/budget/place.ts';
import { maybe } from './maybe.ts';

export const StoredPlaces = z.looseObject({
  version: z.number(),
  taken: z.array(
    z.looseObject({
      cluster: z.string(),
      pool: z.string(),
      nodes: z.number(),
      since: z.string(),
      until: z.string(),
      inDoubt: maybe(z.literal(true)),
    }),
  ),
  nodes: z.record(z.string(), z.number()),
}) satisfies z.ZodType<Places>;
