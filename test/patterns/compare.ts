import { isDeepStrictEqual } from 'node:util';
import type { ComparedObject } from './compared-object.ts';

/** Where the import and the chart part. */
export type Difference =
  | { readonly kind: 'missing' | 'invented'; readonly id: string; readonly object: ComparedObject }
  | {
      readonly kind: 'field';
      readonly id: string;
      readonly field: string;
      readonly chart: unknown;
      readonly ours: unknown;
    };

/** Pairs objects by kind and name, the first of a name with the first, and compares them field by field. */
export function differencesOf(
  chart: readonly ComparedObject[],
  ours: readonly ComparedObject[],
): readonly Difference[] {
  const ids = [...new Set([...chart, ...ours].map(({ id }) => id))];
  return ids.flatMap((id) => {
    const [theirs, own] = [chart, ours].map((objects) => objects.filter((object) => object.id === id));
    return pairs(theirs ?? [], own ?? []).flatMap(([before, after]) => pairDifferences(before, after));
  });
}

type Pair = readonly [ComparedObject | undefined, ComparedObject | undefined];

/** Equal ones first, so that the order among objects of one name does not matter. */
function pairs(chart: readonly ComparedObject[], ours: readonly ComparedObject[]): readonly Pair[] {
  const rest = [...ours];
  const unequal: ComparedObject[] = [];
  for (const object of chart) {
    const index = rest.findIndex((each) => isDeepStrictEqual(each, object));
    if (index === -1) unequal.push(object);
    else rest.splice(index, 1);
  }
  // Of several of one name the last ones are those that count.
  const length = Math.max(unequal.length, rest.length);
  const [before, after] = [length - unequal.length, length - rest.length];
  return Array.from({ length }, (_, index) => [unequal[index - before], rest[index - after]]);
}

function pairDifferences(chart: Pair[0], ours: Pair[1]): readonly Difference[] {
  if (chart === undefined) return ours === undefined ? [] : [{ kind: 'invented', id: ours.id, object: ours }];
  if (ours === undefined) return [{ kind: 'missing', id: chart.id, object: chart }];
  const fields = [...new Set([...Object.keys(chart.fields), ...Object.keys(ours.fields)])];
  return fields
    .filter((field) => !isDeepStrictEqual(chart.fields[field], ours.fields[field]))
    .map((field) => ({ kind: 'field', id: chart.id, field, chart: chart.fields[field], ours: ours.fields[field] }));
}
