import * as z from 'zod';
import type { AskedOfSequence } from '../../../core/sequences/steering.ts';

const said = z.looseObject({ who: z.string(), why: z.string(), at: z.iso.datetime() });

export const StoredSequenceRequest = z.looseObject({
  id: z.string(),
  sequence: z.string(),
  request: z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('pause'), said }),
    z.looseObject({ kind: z.literal('go-on'), said }),
    z.looseObject({ kind: z.literal('abort'), said }),
    z.looseObject({ kind: z.literal('skip'), item: z.string(), said }),
  ]),
}) satisfies z.ZodType<AskedOfSequence>;
