import * as z from 'zod';
import { PoolRecord } from '../../../core/hold.ts';
import type { ClusterMemory } from '../../../ports.ts';
import { maybeText } from './maybe.ts';

export const StoredMemory = z.looseObject({
  cluster: z.string(),
  version: z.number(),
  sweptAt: maybeText,
  lastGoodReadAt: maybeText,
  misses: z.number(),
  firstSeen: z.record(z.string(), z.string()),
  told: z.record(z.string(), PoolRecord),
  pushes: z.array(z.looseObject({ revision: z.string(), at: z.string() })),
}) satisfies z.ZodType<ClusterMemory>;
