import { ApiError } from '../api-server/api-error.ts';
import type { Pod } from '../api-server/cluster-objects.ts';
import { evict } from '../api-server/eviction.ts';
import { controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { pods } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
}

/** How often a drain checks whether an evicted pod is gone. Source: kubectl's drain, one second. */
const goneEveryMs = 1_000;

/** One attempt to drain a node. Answers what prevented it, in the words of kubectl's drain; undefined: drained. */
export async function attemptDrain(nodeName: string, parts: Parts): Promise<string | undefined> {
  const begun = parts.pace.now();
  const leaving = parts.registry.list(pods).filter((pod) => pod.spec.nodeName === nodeName && mustLeave(pod));
  const errors = (await Promise.all(leaving.map((pod) => removePod(pod, begun, parts)))).filter(
    (error) => error !== undefined,
  );
  return errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
}

/** Pods of daemon sets and static pods stay; all others are evicted. */
function mustLeave(pod: Pod): boolean {
  return (
    controllerOf(pod)?.kind !== 'DaemonSet' && pod.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined
  );
}

async function removePod(pod: Pod, begun: Date, parts: Parts): Promise<string | undefined> {
  const { pace, timings } = parts;
  const { name, namespace = '' } = pod.metadata;
  const timedOut = () => pace.elapsedMs(begun) >= timings.drainAttemptMs;
  for (;;) {
    const refusal = tryEviction(pod, parts.registry);
    if (refusal === undefined) break;
    if (refusal.status.code === 404) return undefined;
    if (refusal.status.code !== 429) return `error when evicting pods/"${name}" -n "${namespace}": ${refusal.message}`;
    await pace.sleep(Math.min(timings.evictionRetryMs, timings.drainAttemptMs - pace.elapsedMs(begun)));
    if (timedOut())
      return `error when evicting pods/"${name}" -n "${namespace}": global timeout reached: ${goDuration(timings.drainAttemptMs)}`;
  }
  while (isThere(pod, parts.registry)) {
    if (timedOut())
      return `error when waiting for pod "${name}" in namespace "${namespace}" to terminate: global timeout reached: ${goDuration(timings.drainAttemptMs)}`;
    await pace.sleep(goneEveryMs);
  }
  return undefined;
}

function tryEviction(pod: Pod, registry: Registry): ApiError | undefined {
  try {
    evict(registry, keyOf(pod), { manager: 'machine-config-controller' });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** A recreated pod of the same name, as of a stateful set, is a different one. */
function isThere({ metadata }: Pod, registry: Registry): boolean {
  return registry.get(pods, metadata.name, metadata.namespace)?.metadata.uid === metadata.uid;
}

/** A duration in Go's format: `1m30s`. */
function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
