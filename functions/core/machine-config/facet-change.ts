import type { Facet } from './facet.ts';
import { isSame } from './json.ts';
import type { MergedFacet } from './merge-facets.ts';

/** One thing that differs between two configs. At least one side is there. */
export interface FacetChange<F extends Facet = Facet> {
  readonly before: F | undefined;
  readonly after: F | undefined;
}

/** Where two configs differ, in their order: what there was, then what is new. An encoding that differs is a
 *  difference: the MCO compares what stands there, not what it means. */
export function changedFacets<F extends Facet>(
  before: ReadonlyMap<string, F>,
  after: ReadonlyMap<string, F>,
): readonly FacetChange<F>[] {
  const changes: FacetChange<F>[] = [];
  for (const [key, facet] of before) {
    const now = after.get(key);
    if (now === undefined || !isSame(facet.value, now.value)) changes.push({ before: facet, after: now });
  }
  for (const [key, facet] of after) if (!before.has(key)) changes.push({ before: undefined, after: facet });
  return changes;
}

/** The side that says what it is about. */
export function subjectOf<F extends Facet>({ before, after }: FacetChange<F>): F | undefined {
  return after ?? before;
}

/** Who brings a change: the source that wins now, or that won what goes away. */
export function broughtBy({ before, after }: FacetChange<MergedFacet>): string {
  const afterSources = after?.sources ?? [];
  const gone = before?.sources.findLast((source) => !afterSources.includes(source));
  return after === undefined
    ? (before?.source ?? '')
    : after.source !== before?.source
      ? after.source
      : (gone ?? after.source);
}

/** `file /etc/chrony.conf`, `kernel arguments`: how people name it. */
export function whatOf({ kind, name }: Pick<Facet, 'kind' | 'name'>): string {
  switch (kind) {
    case 'file':
    case 'unit':
    case 'user':
      return `${kind} ${name}`;
    case 'kernelArguments':
      return 'kernel arguments';
    case 'extensions':
      return 'extensions';
    case 'kernelType':
      return 'kernel type';
    case 'fips':
      return 'FIPS mode';
    case 'osImageURL':
      return 'OS image';
    case 'baseOSExtensionsContainerImage':
      return 'OS extensions image';
    case 'opaque':
      return `section ${name}`;
    default:
      return kind satisfies never;
  }
}
