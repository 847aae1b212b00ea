import { facetsOf } from '../machine-config/facet.ts';
import { changedFacets } from '../machine-config/facet-change.ts';
import { machineConfigOfManifest } from '../machine-config/machine-config.ts';
import type { RenderSources } from '../machine-config/render-sources.ts';
import type { Change, Manifest, ManifestChange } from '../openshift/manifest.ts';
import { type KindRule, type ResourceName, renderingRule } from '../openshift/rendered-kinds.ts';
import { byName } from '../text/by-name.ts';
import { poolsOf } from './pools-of.ts';
import { type LiveObjects, poolsOfManaged } from './pools-of-managed.ts';

/** What the object itself says decides which pools it reaches. */
const reachesByContent: readonly KindRule['reach'][] = ['labels', 'pool-selector', 'named-pool', 'built-pool'];

/** The object, where Kustomize may make of it one of other pools or with other content; else undefined. */
export function builtObject({ before, after, isBuilt }: ManifestChange): Manifest | undefined {
  const object = after ?? before;
  const reach = isBuilt === true && object !== undefined ? renderingRule(object)?.reach : undefined;
  return reach !== undefined && reachesByContent.includes(reach) ? object : undefined;
}

/** Whether a file's object is one of `managed`, under the name that the file had before. */
export function isManagedIn(managed: readonly ResourceName[]): (change: Pick<ManifestChange, 'before'>) => boolean {
  const keyOf = ({ group, kind, name }: ResourceName | Manifest) => `${group}/${kind}/${name}`;
  const keys = new Set(managed.map(keyOf));
  return ({ before }) => before !== undefined && keys.has(keyOf(before));
}

/** Whether the cluster has what the file said before under that name and for those pools: then Kustomize leaves it as
 *  it stands. Where that is not so, its name, its labels or its selector come from elsewhere. */
export function isPlacedAsWritten({ before }: Pick<ManifestChange, 'before'>, live: LiveObjects): boolean {
  if (before === undefined) return false;
  const written = new Set(poolsOf({ before: undefined, after: before, files: [] }, live).pools.map(({ pool }) => pool));
  const placed = new Set(poolsOfManaged(before, live).map(({ pool }) => pool));
  return written.size === placed.size && [...written].every((pool) => placed.has(pool));
}

export const builtOtherwise = 'Kustomize may make something else of it';

/** What Kustomize may make something else of than what its file says, as it is known where the content of the cluster
 *  is. */
export function unknownOfBuilt(
  { manifests }: Change,
  { pools, sources }: { readonly pools: LiveObjects['pools']; readonly sources: RenderSources },
): Change['unknown'] {
  const live = { pools, machineConfigs: sources.machineConfigs, choosers: sources.choosers };
  return manifests
    .filter((each) => builtObject(each) !== undefined)
    .filter((each) => !isPlacedAsWritten(each, live) || !hasContentAsWritten(each, sources))
    .map(({ files: [path = ''] }) => ({ path, why: builtOtherwise }));
}

/** Of a MachineConfig; of other kinds no content is compared. */
function hasContentAsWritten({ before }: ManifestChange, { machineConfigs }: RenderSources): boolean {
  const written = machineConfigOfManifest(before);
  if (written === undefined) return true;
  const live = byName(machineConfigs, written.name);
  return live !== undefined && changedFacets(facetsOf(written), facetsOf(live)).length === 0;
}
