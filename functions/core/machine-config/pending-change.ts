import type { OtherConfigs } from '../openshift/other-configs.ts';
import type { Pool } from '../openshift/pool.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { type Room, roomFor } from '../text/room.ts';
import { unique } from '../text/unique.ts';
import { causeOfRender, type Managed, type RenderSource } from './cause-of-render.ts';
import { causesBetween } from './causes-between.ts';
import { classify, worstClass } from './classify.ts';
import { nameChange, notLookedAt, searchedAtMost } from './describe-change.ts';
import type { DisruptionClass } from './disruption.ts';
import { changedFacets, type FacetChange, subjectOf } from './facet-change.ts';
import type { MachineConfigContent } from './machine-config.ts';
import type { MergedFacet } from './merge-facets.ts';
import { merge } from './render-pool.ts';
import type { ClusterCircumstances } from './render-sources.ts';

/** The difference between what the nodes of a pool run and the target. Names and words, never content: it is stored and
 *  shown. */
export interface PendingChange {
  readonly from: string;
  readonly to: string;
  /** Configs besides `from` that nodes had, or were on their way to: what changes for these counts as well. Absent:
   *  none. */
  readonly others?: readonly string[] | undefined;
  /** ISO instant at which the target was rendered; undefined: unknown, or it existed before. */
  readonly renderedAt?: string | undefined;
  /** The worst for any node. Undefined: unknown. */
  readonly class?: DisruptionClass | undefined;
  /** The cluster's own NodeDisruptionPolicy is unknown: the class follows the MCO's defaults. */
  readonly isByDefault?: boolean | undefined;
  /** `file /etc/chrony.conf`; security-relevant parts first. At most eight of `partsInAll`. */
  readonly parts: readonly string[];
  readonly partsInAll: number;
  /** Security topics: `sshd`, `CA bundle` ...; before them that not all was looked at, where it is too much. */
  readonly security: readonly string[];
  /** At most twenty. */
  readonly causes: readonly Cause[];
  /** Why the two could not be compared; then only added and removed MachineConfigs are known. */
  readonly unread?: string | undefined;
}

/** Input for a pending change. */
export interface PendingReads {
  readonly pool: Pick<Pool, 'name' | 'target' | 'current'>;
  /** Both rendered configs, and those of `others` that exist, or why they are missing. */
  readonly rendered:
    | {
        readonly before: MachineConfigContent;
        readonly after: MachineConfigContent;
        readonly others: readonly MachineConfigContent[];
      }
    | { readonly unread: string };
  readonly others: OtherConfigs;
  /** MachineConfigs that may have changed since the nodes' config was rendered. */
  readonly suspects: readonly MachineConfigContent[];
  readonly managed: readonly Managed[];
  /** Undefined: unknown; the MCO's defaults apply. */
  readonly circumstances: ClusterCircumstances | undefined;
}

/** The pending change, its disruption and its causes. Git is named only for what really differs between the two
 *  rendered configs of the pool: changes that were reverted in between have no cause, and yet nodes that have them
 *  already are taken back. */
export function pendingChange(reads: PendingReads): PendingChange {
  const { pool, rendered, others, suspects, managed, circumstances } = reads;
  const also = others.names.length === 0 ? {} : { others: others.names };
  const names = { from: pool.current.name, to: pool.target.name, ...also };
  if ('unread' in rendered) {
    const causes = causeOfRender(plain(pool.current.sources), plain(pool.target.sources), managed);
    return { ...names, parts: [], partsInAll: 0, security: [], causes: inShort(causes), unread: rendered.unread };
  }
  const { before, after } = rendered;
  const differences = changedFacets(merge([before]), merge([after]));
  const all = [differences, ...rendered.others.map((other) => changedFacets(merge([other]), merge([after])))];
  const policy = circumstances?.policy;
  const known = {
    policy,
    isSingleNode: circumstances?.isSingleNode,
    isLayered: circumstances?.layeredPools?.includes(pool.name),
  };
  const worst = worstClass(all.map((each) => classify(each, known).class));
  const isUnsure = others.mayBeMore || rendered.others.length < others.names.length;
  return {
    ...names,
    ...renderedAt(before, after),
    class: isUnsure && worst !== 'reboot' ? undefined : worst,
    isByDefault: policy === undefined,
    ...partsOf(all, roomFor(searchedAtMost)),
    causes: inShort(causesBetween({ pool, before, after, differences, suspects, managed })),
  };
}

/** A config older than the current one is returned to: the time is unknown. */
function renderedAt(before: MachineConfigContent, after: MachineConfigContent): Pick<PendingChange, 'renderedAt'> {
  const { createdAt } = after;
  const isNew = createdAt !== undefined && before.createdAt !== undefined && createdAt >= before.createdAt;
  return isNew ? { renderedAt: createdAt } : {};
}

/** Most differences from one config whose topics are determined; an upgrade changes several hundred. */
const looked = 500;
const mostParts = 8;

/** @param all differences, from each config that nodes have */
function partsOf(
  all: readonly (readonly FacetChange<MergedFacet>[])[],
  room: Room,
): Pick<PendingChange, 'parts' | 'partsInAll' | 'security'> {
  const entries = all.flatMap((differences) =>
    differences.slice(0, looked).map((each) => ({ key: keyOf(each), ...nameChange(each, room) })),
  );
  const grave = entries.filter(({ security }) => security.length > 0);
  const sorted = [...grave, ...entries.filter((each) => !grave.includes(each))];
  const named = new Map(sorted.map(({ key, what }) => [key, what]));
  return {
    parts: [...named.values()].slice(0, mostParts),
    partsInAll: new Set(all.flat().map(keyOf)).size,
    security: [
      // First: of many topics only some are shown and kept.
      ...(entries.some(({ isUnread }) => isUnread) ? [notLookedAt] : []),
      ...unique(grave.flatMap(({ security }) => security)),
    ],
  };
}

function keyOf(change: FacetChange<MergedFacet>): string {
  return subjectOf(change)?.key ?? '';
}

function plain(names: readonly string[]): readonly RenderSource[] {
  return names.map((name) => ({ name, annotations: {}, owners: [], resourceVersion: '', moved: [] }));
}

/** Stored for every pool and every updating node: a push that renames everything must not make either too large to
 *  store. */
const mostCauses = 20;
const mostSources = 5;

function inShort(causes: readonly Cause[]): readonly Cause[] {
  return causes
    .slice(0, mostCauses)
    .map(({ sources, ...cause }) => ({ ...cause, sources: sources.slice(0, mostSources) }));
}
