import * as z from 'zod';
import { byName } from '../text/by-name.ts';

/** What the MCO does on a node for a change. `Special` is its own rule for registries.conf. Source: api operator/v1
 *  NodeDisruptionPolicyStatusAction. */
export interface DisruptionAction {
  readonly type: string;
  /** Service of a Reload or Restart. */
  readonly service: string;
}

/** The effective policy of a cluster: the MCO's defaults and the changes made to them. */
export interface DisruptionPolicy {
  /** The policy of a file is that of the longest path that is its own or a parent folder. */
  readonly files: readonly { readonly path: string; readonly actions: readonly DisruptionAction[] }[];
  readonly units: readonly { readonly name: string; readonly actions: readonly DisruptionAction[] }[];
  /** For the keys and the password of user core. */
  readonly sshkey: readonly DisruptionAction[];
}

const none: DisruptionAction = { type: 'None', service: '' };
const reloadCrio: DisruptionAction = { type: 'Reload', service: 'crio.service' };
const special: DisruptionAction = { type: 'Special', service: '' };

function restart(service: string): DisruptionAction {
  return { type: 'Restart', service };
}

/** Written by the kubelet-config and container-runtime-config controllers from mirror sets, `Image` and signature
 *  policies. */
export const registriesConf = '/etc/containers/registries.conf';

/** What every supported release does by default. Newer releases have more paths; they are not listed, because an older
 *  release reboots for them, and a readable cluster publishes its own. Source: MCO pkg/apihelpers
 *  defaultClusterPolicies. */
export const defaultDisruptionPolicy: DisruptionPolicy = {
  files: [
    { path: '/var/lib/kubelet/config.json', actions: [none] },
    { path: '/etc/machine-config-daemon/no-reboot/containers-gpg.pub', actions: [reloadCrio] },
    { path: '/etc/containers/policy.json', actions: [reloadCrio] },
    { path: registriesConf, actions: [special] },
    { path: '/etc/containers/registries.d', actions: [reloadCrio] },
    { path: '/etc/crio/policies', actions: [reloadCrio] },
    { path: '/etc/nmstate/openshift', actions: [none] },
    {
      path: '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
      actions: [restart('coreos-update-ca-trust.service'), restart('crio.service')],
    },
  ],
  units: [],
  sshkey: [none],
};

const Service = z.object({ serviceName: z.string() }).nullish();

const Action = z.object({ type: z.string(), reload: Service, restart: Service }).transform(
  ({ type, reload, restart }): DisruptionAction => ({
    type,
    service: reload?.serviceName ?? restart?.serviceName ?? '',
  }),
);

const Actions = z.array(Action);

const ClusterPolicies = z.object({
  files: z.array(z.object({ path: z.string(), actions: Actions })).nullish(),
  units: z.array(z.object({ name: z.string(), actions: Actions })).nullish(),
  sshkey: z.object({ actions: Actions.nullish() }).nullish(),
});

const MachineConfiguration = z.object({
  metadata: z.object({ generation: z.number().nullish() }).nullish(),
  status: z.object({
    observedGeneration: z.number().nullish(),
    nodeDisruptionPolicyStatus: z.object({ clusterPolicies: ClusterPolicies }),
  }),
});

/** The effective policy of `MachineConfiguration/cluster`. Undefined if there is none (OpenShift before 4.17) or if it
 *  lags behind its spec: then nodes wait for it, and it is unknown. */
export function disruptionPolicyOf(machineConfiguration: unknown): DisruptionPolicy | undefined {
  const read = MachineConfiguration.safeParse(machineConfiguration);
  if (!read.success) return undefined;
  const { metadata, status } = read.data;
  if (typeof metadata?.generation === 'number' && status.observedGeneration !== metadata.generation) return undefined;
  const { files, units, sshkey } = status.nodeDisruptionPolicyStatus.clusterPolicies;
  return { files: files ?? [], units: units ?? [], sshkey: sshkey?.actions ?? [] };
}

/** Actions for a changed file; undefined if no policy covers it: a reboot. Source: MCO
 *  FindClosestFilePolicyPathMatch. */
export function fileActions(policy: DisruptionPolicy, path: string): readonly DisruptionAction[] | undefined {
  const plain = cleanPath(path);
  const found = policy.files
    .filter((each) => each.path === path || isBelow(each.path, plain))
    .reduce<DisruptionPolicy['files'][number] | undefined>(
      (best, each) => (best === undefined || each.path.length > best.path.length ? each : best),
      undefined,
    );
  return found?.actions;
}

export function unitActions(policy: DisruptionPolicy, name: string): readonly DisruptionAction[] | undefined {
  return byName(policy.units, name)?.actions;
}

/** The path is already clean. The root is no folder of any: the MCO puts a slash behind what it is given, and no path
 *  begins with two. Source: MCO pkg/controller/common/helpers.go, IsSubdirectory. */
function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${cleanPath(folder)}/`);
}

/** Go's filepath.Clean for absolute paths: no doubled slashes, no dots, nothing above the root. */
function cleanPath(path: string): string {
  if (path.startsWith('/') && !/\/(?:\/|\.|$)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
