import { generatedByAnnotation } from '../impact/kinds.ts';
import type { DisruptionClass } from '../impact/report.ts';
import type { Pool } from '../pool.ts';
import { type Cause, causeOfRender, type Managed, type RenderSource } from './cause-of-render.ts';
import { classify } from './classify.ts';
import { describeMerged } from './describe-change.ts';
import { facetsOf } from './facet.ts';
import { changedFacets, type FacetChange, subjectOf } from './facet-change.ts';
import { isSame } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';
import type { MergedFacet } from './merge-facets.ts';
import { merge } from './render-pool.ts';
import type { ClusterCircumstances } from './render-sources.ts';

/** What lies between the config that the nodes of a pool run and the one they are to run. Names and words, never content: it is stored and shown. */
export interface PendingChange {
  readonly from: string;
  readonly to: string;
  /** ISO instant at which the new one was rendered; undefined: not known, or it had been rendered before. */
  readonly renderedAt?: string | undefined;
  /** What the nodes suffer; undefined: it could not be told. */
  readonly class?: DisruptionClass | undefined;
  /** The cluster's own NodeDisruptionPolicy is not known: the class is that of the MCO's defaults. */
  readonly isByDefault?: boolean | undefined;
  /** `file /etc/chrony.conf`: what of a node's security hangs on comes first. At most eight of `partsInAll`. */
  readonly parts: readonly string[];
  readonly partsInAll: number;
  /** What of the nodes' security it concerns: `sshd`, `CA bundle` ... */
  readonly security: readonly string[];
  readonly causes: readonly Cause[];
  /** Why the two could not be laid beside each other; then only what came and went is known. */
  readonly unread?: string | undefined;
}

/** What a change is told from. */
export interface PendingReads {
  readonly pool: Pick<Pool, 'name' | 'target' | 'current'>;
  /** Both rendered configs, or why they are not there. */
  readonly rendered:
    | { readonly before: MachineConfigContent; readonly after: MachineConfigContent }
    | { readonly unread: string };
  /** MachineConfigs that may have changed since the nodes' config was rendered. */
  readonly suspects: readonly MachineConfigContent[];
  readonly managed: readonly Managed[];
  /** Undefined: not known; then the MCO's defaults are taken. */
  readonly circumstances: ClusterCircumstances | undefined;
}

/** Says what waits, what it means for the nodes, and what made the pool render anew. Git is blamed only for what really differs between the two
 *  rendered configs: what was changed and taken back in between is nobody's doing. */
export function pendingChange({ pool, rendered, suspects, managed, circumstances }: PendingReads): PendingChange {
  const names = { from: pool.current.name, to: pool.target.name };
  if ('unread' in rendered) {
    const causes = causeOfRender(plain(pool.current.sources), plain(pool.target.sources), managed);
    return { ...names, parts: [], partsInAll: 0, security: [], causes: causes.map(inShort), unread: rendered.unread };
  }
  const { before, after } = rendered;
  const differences = changedFacets(merge([before]), merge([after]));
  const policy = circumstances?.policy;
  return {
    ...names,
    ...renderedAt(before, after),
    class: classify(differences, {
      policy,
      isSingleNode: circumstances?.isSingleNode,
      isLayered: circumstances?.layeredPools?.includes(pool.name),
    }).class,
    isByDefault: policy === undefined,
    ...partsOf(differences),
    causes: causesOf({ pool, before, after, differences, suspects, managed }).map(inShort),
  };
}

/** One that existed before the other was rendered anew is returned to: nobody says since when. */
function renderedAt(before: MachineConfigContent, after: MachineConfigContent): Pick<PendingChange, 'renderedAt'> {
  const { createdAt } = after;
  const isNew = createdAt !== undefined && before.createdAt !== undefined && createdAt >= before.createdAt;
  return isNew ? { renderedAt: createdAt } : {};
}

/** Most differences that are looked at for what they concern; an upgrade moves some hundreds. */
const looked = 500;
const mostParts = 8;

function partsOf(
  differences: readonly FacetChange<MergedFacet>[],
): Pick<PendingChange, 'parts' | 'partsInAll' | 'security'> {
  const entries = differences.slice(0, looked).map(describeMerged);
  const grave = entries.filter(({ security }) => security.length > 0);
  const named = [...grave, ...entries.filter((each) => !grave.includes(each))].slice(0, mostParts);
  return {
    parts: named.map(({ what }) => what),
    partsInAll: differences.length,
    security: [...new Set(grave.flatMap(({ security }) => security))],
  };
}

interface Blaming extends Pick<PendingReads, 'pool' | 'suspects' | 'managed'> {
  readonly before: MachineConfigContent;
  readonly after: MachineConfigContent;
  readonly differences: readonly FacetChange<MergedFacet>[];
}

function causesOf({ pool, before, after, differences, suspects, managed }: Blaming): readonly Cause[] {
  const releases = [before, after].map(({ annotations }) => annotations[generatedByAnnotation]);
  const versionAt = (index: number, own: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const release = releases[index];
    return generatedByAnnotation in own && release !== undefined ? { ...own, [generatedByAnnotation]: release } : own;
  };
  const known = new Map(suspects.map((each) => [each.name, each]));
  const sources = (names: readonly string[], index: number): readonly RenderSource[] =>
    names.map((name) => {
      const content = known.get(name);
      if (content === undefined) return { name, annotations: {}, owners: [], resourceVersion: '', moved: [] };
      const { owners, annotations } = content;
      const moved = movedIn(content, differences);
      return { name, annotations: versionAt(index, annotations), owners, resourceVersion: '', moved };
    });
  const [old, now] = [sources(pool.current.sources, 0), sources(pool.target.sources, 1)];
  const causes = causeOfRender(old, now, managed);
  const explained = new Set(now.flatMap(({ moved = [] }) => moved));
  const isExplained = causes.some(({ kind }) => kind === 'membership' || kind === 'git' || kind === 'release-image');
  const others = differences.flatMap((change) => subjectOf(change) ?? []).filter(({ key }) => !explained.has(key));
  const isImage = others.some(({ kind }) => kind === 'osImageURL' || kind === 'baseOSExtensionsContainerImage');
  if (isImage)
    return [
      ...causes,
      { kind: 'release-image', sources: [], why: 'the release of the cluster brings another OS image' },
    ];
  if (others.length === 0 || isExplained) return causes;
  return [...causes, { kind: 'unmanaged', sources: [], why: 'what brought it cannot be told any more' }];
}

/** Keys of the differences that the MachineConfig speaks of now and that the old render had not from it. */
function movedIn(config: MachineConfigContent, differences: readonly FacetChange<MergedFacet>[]): readonly string[] {
  const facets = facetsOf(config);
  return differences.flatMap((change) => {
    const key = subjectOf(change)?.key ?? '';
    const facet = facets.get(key);
    const isOld = facet === undefined || (change.before !== undefined && isSame(change.before.value, facet.value));
    return isOld ? [] : [key];
  });
}

function plain(names: readonly string[]): readonly RenderSource[] {
  return names.map((name) => ({ name, annotations: {}, owners: [], resourceVersion: '', moved: [] }));
}

const mostSources = 5;

function inShort({ sources, ...cause }: Cause): Cause {
  return { ...cause, sources: sources.slice(0, mostSources) };
}
