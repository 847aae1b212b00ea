import type { Manifest } from '../openshift/manifest.ts';
import { selectorIn } from '../openshift/manifest-selector.ts';
import type { Pool } from '../openshift/pool.ts';
import type { LabelSelector } from '../openshift/selector.ts';
import { byName } from '../text/by-name.ts';
import { isObject, isSameContent } from './same-content.ts';

/** The fields of a pool that determine which manifests reach it. */
export type LivePool = Pick<Pool, 'name' | 'labels' | 'machineConfigSelector' | 'nodeSelector'>;

/** Whether the manifest of a pool brings the live pool of its name no other nodes and no other MachineConfigs: it has
 *  its selectors, and no label that is new to it. So it is where somebody takes a live pool into Git as it is. */
export function isAsLive({ name, labels, body }: Manifest, pools: readonly LivePool[]): boolean {
  const live = byName(pools, name);
  const { spec } = body;
  if (live === undefined || !isObject(spec)) return false;
  return (
    Object.entries(labels).every(([key, value]) => live.labels[key] === value) &&
    (['nodeSelector', 'machineConfigSelector'] as const).every((field) => {
      const selector = selectorIn(spec[field]);
      return selector !== 'unreadable' && isSameContent(plain(selector), plain(live[field]));
    })
  );
}

/** Parts that are missing, empty or null are the same. */
function plain(selector: LabelSelector | undefined) {
  const expressions = selector?.matchExpressions ?? [];
  return {
    isThere: selector !== undefined,
    labels: selector?.matchLabels ?? {},
    expressions: expressions.map(({ key, operator, values }) => ({ key, operator, values: values ?? [] })),
  };
}
