import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { events } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

/** How long events are kept. Milliseconds of the cluster's time. Source: OpenShift's `event-ttl`, 3 h. */
const lifeMs = 3 * 3_600_000;

/** How often expired events are looked for. Milliseconds of the cluster's time. */
const lookMs = 600_000;

/** Deletes old events as the API server does, so that a cluster can run for a long time. */
export function startEventExpiry({ registry, pace }: { readonly registry: Registry; readonly pace: Pace }): void {
  pace.after(lookMs, () => {
    for (const event of registry.list(events)) {
      const seen = new Date(event.lastTimestamp ?? event.metadata.creationTimestamp);
      if (pace.elapsedMs(seen) > lifeMs) registry.delete(events, keyOf(event), { manager: 'kube-apiserver' });
    }
    startEventExpiry({ registry, pace });
  });
}
