/** What ClusterOperator machine-config says of a failed pass over its parts, taken apart.
 *  `pool`: it repeats the state of a pool, which the pool itself tells. `part`: a Deployment or DaemonSet of its own is
 *  not rolled out. `templates`: its ControllerConfig is not finished. `versions`: a pool still has what another release
 *  rendered. `other`: anything else that it could not do. */
export interface OperatorText {
  readonly kind: 'pool' | 'part' | 'templates' | 'versions' | 'other';
  /** The innermost error, literally. */
  readonly error: string;
  /** Of `part`: as oc takes it, `deployment/machine-config-controller`; else empty. */
  readonly part: string;
}

/** What is put around an error on its way into the condition. Source: machine-config-operator pkg/operator/status.go,
 *  sync.go, release-4.12 to release-5.0. */
const wrappers: readonly RegExp[] = [
  /^Failed to resync \S+ because:\s+/,
  /^Unable to apply \S+:\s+/,
  /^Cluster not available for \[[^\]]*\]:\s+/,
  /^(?:error )?during \w+:\s+/,
  /^(?:failed to update clusteroperator|controllerconfig is not completed):\s+/,
  /^\[?(?:timed out waiting for the condition|context deadline exceeded),\s+/,
  /^\[(?=[^\]]*\]$)/,
];

const poolState =
  /^(?:error )?(?:the )?(?:required )?(?:MachineConfigPool|pool) \S+ (?:is not ready, retrying|(?:is|was) paused)|^configuration (?:spec|status) for pool \S+ is empty|^list of MachineConfigs .{0,100} is empty|^pool is degraded because/i;
const behind = /^(?:MachineConfigPool|pool) \S+ has not progressed to latest configuration:\s+/i;
const otherRelease =
  /must be created by controller version|version mismatch for|osImageURL mismatch for|^unable to access annotation \S+ for|^refusing to read \S+ version|differs from controllerconfig/i;
const rollout = /^(daemonset|deployment) ([a-z0-9][a-z0-9.-]{0,62}) is (?:not ready|being deleted)/i;

export function readOperatorText(message: string): OperatorText {
  const outer = unwrapped(message.trim());
  const error = unwrapped(outer.replace(behind, ''));
  if (poolState.test(error)) return { kind: 'pool', error, part: '' };
  if (otherRelease.test(error)) return { kind: 'versions', error, part: '' };
  const [, kind, name] = rollout.exec(error) ?? [];
  if (kind !== undefined && name !== undefined) return { kind: 'part', error, part: `${kind.toLowerCase()}/${name}` };
  const templates = /controllerconfig is not completed|ControllerConfig has not completed/i.test(message);
  return { kind: templates ? 'templates' : 'other', error, part: '' };
}

/** Layers that are taken off: the operator nests four. */
const layersAtMost = 10;

function unwrapped(text: string): string {
  let rest = text;
  for (let layer = 0; layer < layersAtMost; layer += 1) {
    const inner = wrappers.reduce((left, wrapper) => left.replace(wrapper, ''), rest);
    if (inner === rest || inner === '') break;
    rest = inner.trim();
  }
  return rest === text ? rest : withoutBracket(rest);
}

/** Of a list of errors, whose begin was taken off. */
function withoutBracket(text: string): string {
  return text.endsWith(']') && !text.includes('[') ? text.slice(0, -1).trim() : text;
}
