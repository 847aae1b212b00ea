import type { Pool } from './pool.ts';
import { roleLabel } from './role-label.ts';
import { poolSelects } from './selector.ts';

const templates = /^(?:00-(master|worker|arbiter)|01-(master|worker|arbiter)-(?:container-runtime|kubelet))$/;
const fromSettings: readonly RegExp[] = [
  /^9[789]-(.+)-generated-(?:kubelet|containerruntime|registries|credentialproviderconfig)(?:-\d+)?$/,
  /^00-override-(.+)-generated-crio-default-(?:container-runtime|ulimits)$/,
  /^9[79]-(.+)-generated-crio-(?:seccomp-use-default|capabilities|add-inheritable-capabilities|enable-pod-events)$/,
  // By the id of the pool, as before OpenShift 4.6.
  /^99-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-(?:kubelet|containerruntime|registries)$/,
  /^02-(.+)-internalreleaseimage$/,
  /^10-prebuiltimage-osimageurl-(.+)$/,
];

type Merging = Pick<Pool, 'name' | 'machineConfigSelector'>;

/** The MCO makes a MachineConfig of this name itself and merges it into the pool: from its templates, or from settings.
 *  The name alone tells that, and only of the roles that the pool can have: marks, owners and names that begin with
 *  `rendered-` are as anybody writes them. Source: machine-config-operator templates/, pkg/controller/kubelet-config,
 *  container-runtime-config, internalreleaseimage, build. */
export function isOperatorsName(name: string, pool: Merging): boolean {
  return isTemplateOf(name, pool) || fromSettings.some((pattern) => isOfPool(pattern.exec(name), pool));
}

/** Those that are on every cluster, so that nobody can make one of this name first. */
export function isTemplateOf(name: string, pool: Merging): boolean {
  return isOfPool(templates.exec(name), pool);
}

/** A custom pool has what is of the workers, or of the control plane, besides its own, and that of every role that it
 *  selects, as a canary that merges another custom pool. What the MCO makes has no label but its role. */
function isOfPool(found: RegExpExecArray | null, { name, machineConfigSelector }: Merging): boolean {
  const role = found?.slice(1).find((each) => each !== undefined);
  if (role === undefined) return false;
  return ['master', 'worker', name].includes(role) || poolSelects(machineConfigSelector, { [roleLabel]: role });
}
