import * as z from 'zod';
import { isTroubleKind } from '../../../core/findings/trouble-words.ts';

const OfIncident = z.looseObject({ key: z.looseObject({ kind: z.string() }) });

/** Whether it is about an incident of a kind that this version does not know: a newer one wrote it before it was taken
 *  back. It is nothing to this version, and must hide no other. */
export function isOfUnknownKind(stored: unknown): boolean {
  const read = OfIncident.safeParse(stored);
  return read.success && !isTroubleKind(read.data.key.kind);
}

/** A list without what is about incidents of unknown kinds.
 *  @param incidentIn which incident an item is about */
export function listOfKnown<T extends z.ZodType>(shape: T, incidentIn: (item: unknown) => unknown = (item) => item) {
  const isKnown = (item: unknown) => !isOfUnknownKind(incidentIn(item));
  return z.preprocess((items) => (Array.isArray(items) ? items.filter(isKnown) : items), z.array(shape));
}
