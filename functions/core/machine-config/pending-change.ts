import type { Pool } from '../openshift/pool.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { causeOfRender, type Managed, type RenderSource } from './cause-of-render.ts';
import { causesBetween } from './causes-between.ts';
import { classify } from './classify.ts';
import { describeMerged } from './describe-change.ts';
import type { DisruptionClass } from './disruption.ts';
import { changedFacets, type FacetChange } from './facet-change.ts';
import type { MachineConfigContent } from './machine-config.ts';
import type { MergedFacet } from './merge-facets.ts';
import { merge } from './render-pool.ts';
import type { ClusterCircumstances } from './render-sources.ts';

/** What lies between the config that the nodes of a pool run and the one they are to run. Names and words, never
 *  content: it is stored and shown. */
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
  /** At most twenty. */
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

/** Says what waits, what it means for the nodes, and what made the pool render anew. Git is blamed only for what
 *  really differs between the two rendered configs: what was changed and taken back in between is nobody's doing. */
export function pendingChange({ pool, rendered, suspects, managed, circumstances }: PendingReads): PendingChange {
  const names = { from: pool.current.name, to: pool.target.name };
  if ('unread' in rendered) {
    const causes = causeOfRender(plain(pool.current.sources), plain(pool.target.sources), managed);
    return { ...names, parts: [], partsInAll: 0, security: [], causes: inShort(causes), unread: rendered.unread };
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
    causes: inShort(causesBetween({ pool, before, after, differences, suspects, managed })),
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

function plain(names: readonly string[]): readonly RenderSource[] {
  return names.map((name) => ({ name, annotations: {}, owners: [], resourceVersion: '', moved: [] }));
}

/** It is kept for every pool, and for every node on its way: whoever moves house in one push shall not make either
 *  too large to be stored. */
const mostCauses = 20;
const mostSources = 5;

function inShort(causes: readonly Cause[]): readonly Cause[] {
  return causes
    .slice(0, mostCauses)
    .map(({ sources, ...cause }) => ({ ...cause, sources: sources.slice(0, mostSources) }));
}
