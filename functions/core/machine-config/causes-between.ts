import type { Pool } from '../openshift/pool.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { generatedByAnnotation } from '../openshift/rendered-kinds.ts';
import { causeOfRender, type Managed, type RenderSource } from './cause-of-render.ts';
import { facetsOf } from './facet.ts';
import { type FacetChange, subjectOf } from './facet-change.ts';
import { isSame } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';
import type { MergedFacet } from './merge-facets.ts';

/** Two rendered configs of a pool, and who may have made the one of the other. */
export interface ChangeContext {
  readonly pool: Pick<Pool, 'target' | 'current'>;
  /** MachineConfigs that may have changed in between. */
  readonly suspects: readonly MachineConfigContent[];
  readonly managed: readonly Managed[];
  readonly before: MachineConfigContent;
  readonly after: MachineConfigContent;
  readonly differences: readonly FacetChange<MergedFacet>[];
}

/** What made a pool render anew, by what differs. Nobody is blamed for what was changed and taken back in between. */
export function causesBetween({
  pool,
  before,
  after,
  differences,
  suspects,
  managed,
}: ChangeContext): readonly Cause[] {
  const moved = movedBy(suspects, differences, pool);
  const sources = (names: readonly string[], release: string | undefined): readonly RenderSource[] =>
    names.map((name) => {
      const suspect = suspects.find((each) => each.name === name);
      const annotations = suspect === undefined ? {} : ofRelease(suspect.annotations, release);
      return { name, annotations, owners: suspect?.owners ?? [], resourceVersion: '', moved: moved.get(name) ?? [] };
    });
  const [old, now] = [
    sources(pool.current.sources, before.annotations[generatedByAnnotation]),
    sources(pool.target.sources, after.annotations[generatedByAnnotation]),
  ];
  return [...causeOfRender(old, now, managed), ...unexplained({ pool, differences, moved })];
}

/** Whoever the MCO makes is of the release that rendered it. */
function ofRelease(
  annotations: Readonly<Record<string, string>>,
  release: string | undefined,
): Readonly<Record<string, string>> {
  if (release === undefined || !(generatedByAnnotation in annotations)) return annotations;
  return { ...annotations, [generatedByAnnotation]: release };
}

type Moved = ReadonlyMap<string, readonly string[]>;

/** Which differences each suspect brings. What went away, nobody says any more: it is that of the one suspect that
 *  brings nothing else. */
function movedBy(
  suspects: readonly MachineConfigContent[],
  differences: readonly FacetChange<MergedFacet>[],
  pool: ChangeContext['pool'],
): Moved {
  const moved = new Map(suspects.map((each) => [each.name, movedIn(each, differences)]));
  const idle = suspects.filter(({ name }) => moved.get(name)?.length === 0 && pool.current.sources.includes(name));
  const [only, ...others] = idle;
  if (only !== undefined && others.length === 0 && !hasSourcesGone(pool)) {
    const gone = leftOver(differences, moved).filter(({ kind }) => !isFilledIn(kind));
    moved.set(
      only.name,
      gone.map(({ key }) => key),
    );
  }
  return moved;
}

function hasSourcesGone({ current, target }: ChangeContext['pool']): boolean {
  return current.sources.some((name) => !target.sources.includes(name));
}

/** Keys of the differences that the MachineConfig speaks of now and that the old render had not from it. */
function movedIn(config: MachineConfigContent, differences: readonly FacetChange<MergedFacet>[]): readonly string[] {
  const facets = facetsOf(config);
  return differences.flatMap((change) => {
    const key = subjectOf(change)?.key ?? '';
    const facet = facets.get(key);
    return facet === undefined || saysWhatWas(facet.value, change.before?.value) ? [] : [key];
  });
}

/** Lists of several MachineConfigs are put together: whoever adds nothing to what there was did not change it. */
function saysWhatWas(now: unknown, before: unknown): boolean {
  if (before === undefined) return false;
  if (Array.isArray(now) && Array.isArray(before)) return now.every((each) => before.includes(each));
  return isSame(before, now);
}

function leftOver(differences: readonly FacetChange<MergedFacet>[], moved: Moved): readonly MergedFacet[] {
  const explained = new Set([...moved.values()].flat());
  return differences.flatMap((change) => subjectOf(change) ?? []).filter(({ key }) => !explained.has(key));
}

/** From the release, where no MachineConfig says it. */
function isFilledIn(kind: MergedFacet['kind']): boolean {
  return kind === 'osImageURL' || kind === 'baseOSExtensionsContainerImage';
}

/** What nobody of the suspects brings: the release, MachineConfigs that came or went, or nobody knows. */
function unexplained({
  pool,
  differences,
  moved,
}: Pick<ChangeContext, 'pool' | 'differences'> & { readonly moved: Moved }): readonly Cause[] {
  const left = leftOver(differences, moved);
  const others = left.filter(({ kind }) => !isFilledIn(kind));
  const hasNew = pool.target.sources.some((name) => !pool.current.sources.includes(name));
  return [
    ...(left.length > others.length
      ? [{ kind: 'release-image' as const, sources: [], why: 'the release of the cluster brings another OS image' }]
      : []),
    ...(others.length > 0 && left.length === others.length && !hasNew && !hasSourcesGone(pool)
      ? [{ kind: 'unmanaged' as const, sources: [], why: 'what brought it cannot be told any more' }]
      : []),
  ];
}
