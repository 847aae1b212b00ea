import * as z from 'zod';
import { PolicyInternals } from '../../../core/configuration/policy.ts';
import type { Path } from '../problem.ts';
import { writtenKey } from './written-key.ts';

/** The block of `policy` that holds the internals. */
export const internalsKey = 'internals';

/** The internals by their paths below `policy.internals`. Until they had a block of their own they stood at the same
 *  paths below `policy`, where they are still accepted. */
export const internalPaths: readonly Path[] = pathsIn(PolicyInternals, []);

function pathsIn(internals: z.ZodObject, above: Path): readonly Path[] {
  return Object.entries(internals.shape).flatMap(([key, field]) => {
    const path = [...above, writtenKey(key)];
    const below = mappingIn(field);
    return below === undefined ? [path] : pathsIn(below, path);
  });
}

/** The mapping that a key of the internals holds; undefined: it holds a value. */
export function mappingIn(field: z.core.$ZodType): z.ZodObject | undefined {
  if (field instanceof z.ZodPrefault) return mappingIn(field.unwrap());
  return field instanceof z.ZodObject ? field : undefined;
}
