import { classOfChange } from '../machine-config/class-of-change.ts';
import { type Circumstances, rank, worstClass } from '../machine-config/classify.ts';
import type { DisruptionClass } from '../machine-config/disruption.ts';
import type { Manifest, ManifestChange } from '../openshift/manifest.ts';
import { unique } from '../text/unique.ts';
import { changedNames, machineConfigChange, syncedFor } from './changed-configs.ts';
import type { ImpactCluster, ImpactPool } from './impact-cluster.ts';

/** Why a pool may be given a configuration for a moment that it has neither before nor after the change, and what that
 *  would do to its nodes. Undefined: all of the MachineConfigs change at once, as far as the MCO sees, or nothing in
 *  between is worse than `end`.
 *  @param end class of the change as a whole */
export function inBetween(
  changes: readonly ManifestChange[],
  {
    pool,
    live,
    end,
    circumstances,
  }: {
    readonly pool: ImpactPool;
    /** The MachineConfigs of the cluster, which syncs start from; undefined: they start from what Git had. */
    readonly live: ImpactCluster['machineConfigs'];
    readonly end: DisruptionClass;
    readonly circumstances: Circumstances;
  },
): string | undefined {
  const twice = whyTwice(changes);
  const why = twice ?? whyInSteps(changes);
  if (why === undefined) return undefined;
  const steps = changes.flatMap((change): readonly DisruptionClass[] => {
    const whole = syncedFor(pool, change, live);
    if (whole === undefined) return [];
    const gone = isMadeAnew(change.after) ? [{ before: whole.after, after: undefined }] : [];
    return [whole, ...gone].map((step) => classOfChange(step, circumstances).class);
  });
  const worst = rank(worstClass(steps));
  // What the end is, too, depends on which of them counts.
  return worst > rank(twice === undefined ? end : 'none') ? why : undefined;
}

function whyTwice(changes: readonly ManifestChange[]): string | undefined {
  const names = changes.flatMap((each) => unique(changedNames(machineConfigChange(each))));
  const [twice] = [...Map.groupBy(names, (name) => name)].find(([, those]) => those.length > 1) ?? [];
  return twice === undefined
    ? undefined
    : `MachineConfig ${twice} changes in several files or Applications: which of them counts, and when, is not known`;
}

function whyInSteps(changes: readonly ManifestChange[]): string | undefined {
  const anew = changes.find(({ after }) => isMadeAnew(after))?.after;
  if (anew !== undefined) return `Argo CD may delete MachineConfig ${anew.name} and make it again`;
  const waves = new Set(changes.map(waveOf));
  if (waves.size > 1) return 'its MachineConfigs are synced in several waves, one after the other';
  return changes.length > 1 ? whyInPart(changes) : undefined;
}

/** What is nothing together may be something if only a part of it comes. */
function whyInPart(changes: readonly ManifestChange[]): string | undefined {
  const stays = changes.find(({ mayStay }) => mayStay)?.before;
  if (stays !== undefined)
    return `Argo CD may leave MachineConfig ${stays.name} when Git no longer has it: it is not sure to be pruned at once`;
  if (changes.some(({ syncedBy }) => syncedBy === undefined))
    return 'its MachineConfigs may be synced one after the other, or some of them not at all';
  const applications = new Set(changes.flatMap(({ syncedBy = [] }) => syncedBy));
  return applications.size > 1
    ? 'several Applications sync its MachineConfigs, one after the other, or some of them not at all'
    : undefined;
}

/** Objects are pruned in the reverse order of their waves: what goes is not of the wave in which others come. Source:
 *  gitops-engine pkg/sync/sync_context.go. */
function waveOf({ before, after }: ManifestChange): string {
  const wave = (after ?? before)?.annotations['argocd.argoproj.io/sync-wave'] ?? '0';
  return after === undefined && wave !== '0' ? `pruned ${wave}` : wave;
}

/** Hooks are deleted before they are made, and so is what is replaced by force. Source: Argo CD resource hooks, sync
 *  options. */
function isMadeAnew(object: Manifest | undefined): boolean {
  const { annotations = {} } = object ?? {};
  const isHook = ['argocd.argoproj.io/hook', 'helm.sh/hook'].some((key) => key in annotations);
  return isHook || /\bForce=true\b/.test(annotations['argocd.argoproj.io/sync-options'] ?? '');
}
