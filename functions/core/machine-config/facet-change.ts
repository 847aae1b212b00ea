import type { Facet } from './facet.ts';
import { isObject, isSame } from './json.ts';
import type { MergedFacet } from './merge-facets.ts';

/** One difference between two configs. At least one side exists. */
export interface FacetChange<F extends Facet = Facet> {
  readonly before: F | undefined;
  readonly after: F | undefined;
}

/** Differences between two configs, in their order: existing keys, then new ones. A different encoding is a difference:
 *  the MCO compares the encoded text, not its meaning. */
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

/** The side that describes it. */
export function subjectOf<F extends Facet>({ before, after }: FacetChange<F>): F | undefined {
  return after ?? before;
}

/** Source of a change: the one that wins now, or that won what is removed. */
export function broughtBy({ before, after }: FacetChange<MergedFacet>): string {
  const afterSources = after?.sources ?? [];
  const gone = before?.sources.findLast((source) => !afterSources.includes(source));
  const old = before?.source ?? '';
  if (after === undefined) return old;
  return after.source !== '' && after.source !== before?.source ? after.source : (gone ?? (after.source || old));
}

/** The change with those of its sources that changed, where they are known: the last one of all is not what brings it
 *  where several add up. */
export function broughtByAnyOf(
  changed: ReadonlySet<string>,
  { before, after }: FacetChange<MergedFacet>,
): FacetChange<MergedFacet> {
  const isSum = addsUp({ before, after });
  const from = (side: MergedFacet): MergedFacet => {
    const source = side.sources.findLast((each) => changed.has(each)) ?? (isSum ? '' : side.source);
    return { ...side, source };
  };
  return { before: before && from(before), after: after && from(after) };
}

/** Whether what one source sets stands beside what others set. */
function addsUp({ before, after }: FacetChange): boolean {
  const kind = (after ?? before)?.kind;
  if (kind !== 'unit') return kind === 'user' || kind === 'kernelArguments' || kind === 'extensions';
  const [old, now] = [before, after].map((side) => (isObject(side?.value) ? side.value['contents'] : undefined));
  return isSame(old, now);
}

/** `file /etc/chrony.conf`, `kernel arguments`: the name for people. */
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
