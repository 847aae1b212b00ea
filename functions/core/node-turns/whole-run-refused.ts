import { listAt, mappingAt, textAt } from '../openshift/member.ts';
import { releaseOf, whyNotKnown } from './release-known.ts';
import type { RunPlan } from './run-plan.ts';

/** Why a run is carried out on none of its pools, as a ClusterVersion says; undefined: it may be. Asked before anything
 *  is held: a pool that is held and then refused would stay paused for nothing. */
export function whyWholeRunRefused({ run }: RunPlan, clusterVersion: unknown): string | undefined {
  // It uses labels and pools as OpenShift documents them, on every release.
  if (run.mode === 'canary') return undefined;
  return whyNotKnown(releaseToCome(clusterVersion), run.triedOn);
}

/** While the cluster is being updated, the release that it is taken to: no node goes before it is there. */
function releaseToCome(clusterVersion: unknown): string | undefined {
  const status = mappingAt(clusterVersion, 'status');
  const [newest] = listAt(status, 'history');
  const isUpdating = textAt(newest, 'state') === 'Partial';
  const desired = textAt(mappingAt(status, 'desired'), 'version') ?? '';
  return (isUpdating ? /^(\d+\.\d+)\./.exec(desired)?.[1] : undefined) ?? releaseOf(clusterVersion);
}
