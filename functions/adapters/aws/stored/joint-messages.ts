import * as z from 'zod';
import type { JointMessages } from '../../../core/alerts/joint.ts';
import { StoredKey } from './incident.ts';
import { isOfUnknownKind, listOfKnown } from './known-kinds.ts';
import { maybe, maybeText } from './maybe.ts';

const StoredMember = z.looseObject({ key: StoredKey, number: z.number() });

const StoredMessage = z.looseObject({
  why: z.enum(['many', 'fleet']),
  cause: maybeText,
  anchor: StoredMember,
  members: listOfKnown(StoredMember.extend({ isLate: z.boolean().optional() })),
  openUntil: z.string(),
  endToldBy: z.preprocess((member) => (isOfUnknownKind(member) ? undefined : member), maybe(StoredMember)),
});

const Anchored = z.looseObject({ anchor: z.unknown() });

export const StoredJointMessages = z.looseObject({
  version: z.number(),
  openings: listOfKnown(z.looseObject({ key: StoredKey, number: z.number(), at: z.string(), cause: maybeText })),
  messages: listOfKnown(StoredMessage, (message) => Anchored.safeParse(message).data?.anchor),
}) satisfies z.ZodType<JointMessages>;
