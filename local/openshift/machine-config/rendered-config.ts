import { createHash } from 'node:crypto';
import type { ConfigurationReference, MachineConfig, MachineConfigPool } from '../api-server/cluster-objects.ts';
import { isJsonObject, type Json, type JsonObject } from '../api-server/json.ts';
import { controlledBy, type NewObject } from '../api-server/kubernetes-object.ts';
import { selects } from '../api-server/label-selector.ts';

export type Rendering =
  | {
      readonly kind: 'rendered';
      readonly config: NewObject<MachineConfig>;
      readonly configuration: Required<ConfigurationReference>;
    }
  | { readonly kind: 'failed'; readonly why: string };

const roleLabel = 'machineconfiguration.openshift.io/role';

/** The machine configs that a pool merges, in the order in which they override each other: first those of all workers,
 *  then its own. */
function sourcesOf(pool: MachineConfigPool, configs: readonly MachineConfig[]): MachineConfig[] {
  const selector = pool.spec.machineConfigSelector;
  const forWorkers = (config: MachineConfig) => config.metadata.labels?.[roleLabel] === 'worker';
  return configs
    .filter(({ metadata }) => selects(selector, metadata.labels))
    .sort(
      (left, right) =>
        Number(forWorkers(right)) - Number(forWorkers(left)) || compare(left.metadata.name, right.metadata.name),
    );
}

/** Merges a pool's machine configs into one, named by a digest of its content, or says why they cannot be merged. */
export function render(pool: MachineConfigPool, configs: readonly MachineConfig[]): Rendering {
  const sources = sourcesOf(pool, configs);
  if (sources.length === 0)
    return { kind: 'failed', why: `no MachineConfigs found matching selector ${selectorText(pool)}` };
  const why = sources.map(fault).find((each) => each !== undefined);
  if (why !== undefined) return { kind: 'failed', why };

  const spec = merge(sources);
  const digest = createHash('md5').update(JSON.stringify(spec)).digest('hex');
  const name = `rendered-${pool.metadata.name}-${digest}`;
  const apiVersion = 'machineconfiguration.openshift.io/v1';
  return {
    kind: 'rendered',
    config: {
      metadata: {
        name,
        ownerReferences: [controlledBy(pool)],
        annotations: {
          'machineconfiguration.openshift.io/generated-by-controller-version': 'simulated',
          'machineconfiguration.openshift.io/release-image-version': '4.21.0',
        },
      },
      spec,
    },
    configuration: {
      name,
      source: sources.map(({ metadata }) => ({ apiVersion, kind: 'MachineConfig', name: metadata.name })),
    },
  };
}

/** Whether two rendered configs, of one pool or of two, have the same content: the digest at the end of the name
 *  covers the merged spec and not the pool. Source: MCO pkg/controller/render/hash.go. */
export function sameContent(left: string, right: string): boolean {
  const digestOf = (name: string) => /-([0-9a-f]{32})$/.exec(name)?.[1];
  return left === right || (digestOf(left) !== undefined && digestOf(left) === digestOf(right));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function selectorText({ spec }: MachineConfigPool): string {
  const { matchLabels = {}, matchExpressions = [] } = spec.machineConfigSelector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `${key} ${operator.toLowerCase()} (${values.join(',')})`,
  );
  return [...labels, ...expressions].join(',');
}

const ignitionVersions = ['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5'];
const kernelTypes = ['', 'default', 'realtime', '64k-pages'];
const knownExtensions = [
  'ipsec',
  'kerberos',
  'kernel-devel',
  'sandboxed-containers',
  'sysstat',
  'two-node-ha',
  'usbguard',
  'wasm',
];

/** Why a machine config cannot be rendered, in the render controller's words. */
function fault({ spec = {} }: MachineConfig): string | undefined {
  const { config, kernelType = '', extensions = [] } = spec;
  const version = ignitionVersion(config);
  if (version !== undefined && !ignitionVersions.some((known) => version.startsWith(`${known}.`)))
    return `parsing Ignition config failed: unknown version. Supported spec versions: ${ignitionVersions.join(', ')}`;
  if (!kernelTypes.includes(kernelType)) return `kernelType=${kernelType} is invalid`;
  const unknown = extensions.filter((extension) => !knownExtensions.includes(extension));
  return unknown.length > 0 ? `invalid extensions found: [${unknown.join(' ')}]` : undefined;
}

function ignitionVersion(config: JsonObject | undefined): string | undefined {
  const ignition = config?.['ignition'];
  const version = isJsonObject(ignition) ? ignition['version'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function merge(sources: readonly MachineConfig[]): NonNullable<MachineConfig['spec']> {
  const specs = sources.map(({ spec = {} }) => spec);
  return {
    config: {
      ignition: { version: '3.5.0' },
      storage: { files: lastByKey(specs, ['storage', 'files'], 'path') },
      systemd: { units: lastByKey(specs, ['systemd', 'units'], 'name') },
      passwd: { users: lastByKey(specs, ['passwd', 'users'], 'name') },
    },
    extensions: [...new Set(specs.flatMap(({ extensions = [] }) => extensions))],
    fips: specs.some(({ fips }) => fips === true),
    kernelArguments: specs.flatMap(({ kernelArguments = [] }) => kernelArguments),
    // `default` overrides no other value.
    kernelType: specs.map(({ kernelType }) => kernelType).findLast((type) => type && type !== 'default') ?? 'default',
    osImageURL: specs.map(({ osImageURL }) => osImageURL).findLast(Boolean) ?? '',
  };
}

/** The entries of a list in all configs; of several with the same key the last wins. */
function lastByKey(
  specs: readonly NonNullable<MachineConfig['spec']>[],
  path: readonly [string, string],
  key: string,
): Json[] {
  const merged = new Map<string, Json>();
  for (const { config } of specs) {
    const section = config?.[path[0]];
    const list = isJsonObject(section) ? section[path[1]] : undefined;
    for (const entry of Array.isArray(list) ? list : []) if (isJsonObject(entry)) merged.set(String(entry[key]), entry);
  }
  return [...merged.values()];
}
