import { type MachineConfigChange, ownChanges } from '../machine-config/class-of-change.ts';
import { subjectOf } from '../machine-config/facet-change.ts';
import { type MachineConfigContent, machineConfigOfManifest } from '../machine-config/machine-config.ts';
import { touching } from '../machine-config/touches.ts';
import type { ManifestChange } from '../openshift/manifest.ts';
import { roleLabel } from '../openshift/role-label.ts';
import { poolSelects } from '../openshift/selector.ts';
import { unique } from '../text/unique.ts';
import type { ImpactCluster, ImpactPool } from './impact-cluster.ts';

/** The MachineConfigs before and after, as far as the change may affect them. */
export interface ChangedConfigs {
  readonly before: readonly MachineConfigContent[];
  readonly after: readonly MachineConfigContent[];
  /** Keys of the facets that a changed MachineConfig sets, before or after. */
  readonly keys: ReadonlySet<string>;
}

/** The MachineConfigs that set a changed key, before and after: the rest of a rendered config does not change.
 *  Undefined if the cluster's MachineConfigs are unknown. */
export function changedConfigsOf(
  { machineConfigs }: ImpactCluster,
  manifests: readonly ManifestChange[],
): ChangedConfigs | undefined {
  if (machineConfigs === undefined) return undefined;
  const changes = manifests.map(machineConfigChange);
  const changed = new Map(changes.flatMap((each) => changedNames(each).map((name) => [name, each] as const)));
  if (changed.size === 0) return { before: [], after: [], keys: new Set() };

  const old = machineConfigs.filter(({ name }) => changed.has(name));
  const now = unique(changed.values()).flatMap(({ after }) => after ?? []);
  const keys = keysBetween(old, now);
  const touches = touching(keys);
  const others = machineConfigs.filter((each) => !changed.has(each.name) && touches(each));
  return { before: [...others, ...old], after: [...others, ...now], keys };
}

/** Keys of facets that differ between the old and the new MachineConfig of a name; all of them if it is added, removed
 *  or relabelled. */
function keysBetween(old: readonly MachineConfigContent[], now: readonly MachineConfigContent[]): ReadonlySet<string> {
  const byName = new Map(old.map((each) => [each.name, each]));
  const pairs: MachineConfigChange[] = now.map((after) => ({ before: byName.get(after.name), after }));
  const stay = new Set(now.map(({ name }) => name));
  const gone = old.filter(({ name }) => !stay.has(name));
  const all = [...pairs, ...gone.map((before) => ({ before, after: undefined }))];
  return new Set(all.flatMap(ownChanges).flatMap((each) => subjectOf(each)?.key ?? []));
}

/** Both sides as MachineConfigs; undefined where a side is none. */
export function machineConfigChange({ before, after }: ManifestChange): MachineConfigChange {
  return { before: machineConfigOfManifest(before), after: machineConfigOfManifest(after) };
}

/** What a sync makes of a MachineConfig of the cluster, for one pool: of its labels count whether the pool selects it,
 *  and the role, which orders the merge. Others may be of the cluster alone, as those by which Argo CD tracks it.
 *  Undefined: the pool selects no side of it.
 *  @param live the MachineConfigs of the cluster; undefined: not known, and it is as Git had it */
export function syncedFor(
  pool: Pick<ImpactPool, 'machineConfigSelector'>,
  change: ManifestChange,
  live: ImpactCluster['machineConfigs'],
): MachineConfigChange | undefined {
  const inGit = machineConfigChange(change);
  const name = (inGit.after ?? inGit.before)?.name;
  const before = live === undefined ? inGit.before : live.find((each) => each.name === name);
  const isSelected = ({ labels }: MachineConfigContent) => poolSelects(pool.machineConfigSelector, labels);
  const forPool = (side: MachineConfigContent | undefined) =>
    side && { ...side, labels: { [roleLabel]: side.labels[roleLabel] ?? '', selected: `${isSelected(side)}` } };
  const sides = [inGit.before, before, inGit.after].flatMap((side) => side ?? []);
  return sides.some(isSelected) ? { before: forPool(before), after: forPool(inGit.after) } : undefined;
}

/** The names that it goes by on either side. */
export function changedNames({ before, after }: MachineConfigChange): readonly string[] {
  return [before?.name, after?.name].filter((name) => name !== undefined);
}
