import * as z from 'zod';
import { foreignLabels, foreignLimits, foreignName } from '../text/foreign-text.ts';
import type { LabelSelector } from './selector.ts';

/** A label selector in a manifest; null is none. */
export const ManifestSelector = z
  .object({
    matchLabels: z.record(z.string(), z.string()).nullish(),
    matchExpressions: z
      .array(
        z.object({
          key: z.string(),
          operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: z.array(z.string()).nullish(),
        }),
      )
      .nullish(),
  })
  .nullish()
  .transform((selector): LabelSelector | undefined => {
    if (selector === null || selector === undefined) return undefined;
    return {
      matchLabels: selector.matchLabels ? foreignLabels(selector.matchLabels) : undefined,
      matchExpressions: selector.matchExpressions?.map(({ key, operator, values }) => ({
        key: foreignName(key),
        operator,
        values: values?.slice(0, foreignLimits.entries).map(foreignName),
      })),
    };
  });

/** Parses a label selector of a manifest. `unreadable`: the API server would most likely refuse it. */
export function selectorIn(value: unknown): LabelSelector | undefined | 'unreadable' {
  const read = ManifestSelector.safeParse(value);
  return read.success ? read.data : 'unreadable';
}
