import * as z from 'zod';
import type { JointMessages } from '../../../core/alerts/joint.ts';
import { StoredKey } from './incident.ts';
import { maybe, maybeText } from './maybe.ts';

const StoredMember = z.looseObject({ key: StoredKey, number: z.number() });

export const StoredJointMessages = z.looseObject({
  version: z.number(),
  openings: z.array(z.looseObject({ key: StoredKey, number: z.number(), at: z.string(), cause: maybeText })),
  messages: z.array(
    z.looseObject({
      why: z.enum(['many', 'fleet']),
      cause: maybeText,
      anchor: StoredMember,
      members: z.array(StoredMember.extend({ isLate: z.boolean().optional() })),
      openUntil: z.string(),
      endToldBy: maybe(StoredMember),
    }),
  ),
}) satisfies z.ZodType<JointMessages>;
