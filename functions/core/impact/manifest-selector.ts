import * as z from 'zod';
import type { LabelSelector } from '../selector.ts';

const Selector = z
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
  .nullish();

/** A label selector as a manifest writes it. `unreadable`: the API server would most likely refuse it. */
export function selectorIn(value: unknown): LabelSelector | undefined | 'unreadable' {
  const read = Selector.safeParse(value);
  if (!read.success) return 'unreadable';
  if (read.data === null || read.data === undefined) return undefined;
  const { matchLabels, matchExpressions } = read.data;
  return {
    matchLabels: matchLabels ?? undefined,
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({
      key,
      operator,
      values: values ?? undefined,
    })),
  };
}
