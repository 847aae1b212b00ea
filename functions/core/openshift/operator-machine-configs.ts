import type { Pool } from './pool.ts';
import { generatedByAnnotation } from './rendered-kinds.ts';
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

interface Marked {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The MCO has made it: it has such a name, and the MCO's mark besides, which alone proves nothing, as it is copied
 *  with the rest of an object. */
export function isOperatorsOwn({ name, annotations }: Marked, pool: Merging): boolean {
  return generatedByAnnotation in annotations && isOperatorsName(name, pool);
}

/** Which names the MCO gives to what it makes of an object of that kind. */
const makers: ReadonlyMap<string, RegExp> = new Map([
  ['ControllerConfig', templates],
  ['KubeletConfig', /^99-.+-kubelet(?:-\d+)?$/],
  ['ContainerRuntimeConfig', /^99-.+-containerruntime(?:-\d+)?$/],
  ['Image', /^99-.+-registries$/],
  ['CRIOCredentialProviderConfig', /^97-.+-credentialproviderconfig$/],
]);

/** Whether a MachineConfig can be made from the object that it names as its owner: whoever writes it may name any, so
 *  it has to have the name that the MCO, or the Node Tuning Operator, gives to what is made of such an object. Source:
 *  also cluster-node-tuning-operator pkg/performanceprofile, components/machineconfig. */
export function mayBeMadeFrom(
  owner: { readonly kind: string; readonly name: string },
  made: Marked,
  pool: Merging,
): boolean {
  if (owner.kind === 'PerformanceProfile') return made.name === `50-performance-${owner.name}`;
  return isOperatorsOwn(made, pool) && makers.get(owner.kind)?.test(made.name) === true;
}

/** A custom pool has what is of the workers, or of the control plane, besides its own, and that of every role that it
 *  selects, as a canary that merges another custom pool. What the MCO makes has no label but its role. */
function isOfPool(found: RegExpExecArray | null, { name, machineConfigSelector }: Merging): boolean {
  const role = found?.slice(1).find((each) => each !== undefined);
  if (role === undefined) return false;
  return ['master', 'worker', name].includes(role) || poolSelects(machineConfigSelector, { [roleLabel]: role });
}
