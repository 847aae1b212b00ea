import * as z from 'zod';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import { chooserOf } from '../../../functions/adapters/kubernetes/renderings.ts';
import type { Application } from '../../../functions/core/application.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration.ts';
import { clusterOf } from '../../../functions/core/destination.ts';
import { Misconfigured, Transient } from '../../../functions/core/errors.ts';
import type { SeenCluster } from '../../../functions/core/impact/impact-on-cluster.ts';
import type { Pool } from '../../../functions/core/pool.ts';
import { disruptionPolicyOf } from '../../../functions/core/rendering/disruption-policy.ts';
import { machineConfigOf } from '../../../functions/core/rendering/machine-config.ts';
import { selectorText } from '../../../functions/core/selector.ts';
import { withoutSecrets } from './masking.ts';

/** A cluster as the question needs it, from its objects: read just now, or recorded. */
export interface ClusterSight extends SeenCluster {
  readonly applications: readonly Application[];
}

const mco = '/apis/machineconfiguration.openshift.io/v1';
const argoproj = '/apis/argoproj.io/v1alpha1';
const policyPath = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';

/** Objects that an answer is told from, as the API server has them. Rendered configs are never among them: they embed the pull secret.
 *  `applications`: those that deploy to this cluster; without them all that are in it. Throws Transient when pools or MachineConfigs cannot
 *  be read; what else may not be read is left out. */
export async function readObjects(
  client: KubeClient,
  applications: () => Promise<readonly unknown[]> = () => listOrNothing(client, `${argoproj}/applications`),
): Promise<readonly unknown[]> {
  const pools = await client.list(`${mco}/machineconfigpools`, { pageSize: 100 });
  const selectors = new Set(pools.map((pool) => selectorOf(poolOf(pool))).filter((text) => text !== ''));
  const of = async (kind: string, objects: Promise<readonly unknown[]>) =>
    (await objects).map((object) => withKind(object, kind));
  const [configs, ...others] = await Promise.all([
    Promise.all(
      [...selectors].map((labelSelector) =>
        client.list(`${mco}/machineconfigs`, { query: { labelSelector }, pageSize: 25 }),
      ),
    ),
    of('KubeletConfig', listOrNothing(client, `${mco}/kubeletconfigs`)),
    of('ContainerRuntimeConfig', listOrNothing(client, `${mco}/containerruntimeconfigs`)),
    of('MachineOSConfig', listOrNothing(client, `${mco}/machineosconfigs`)),
    of('MachineConfiguration', getOrNothing(client, policyPath)),
    of('Application', applications()),
  ]);
  return [
    ...pools.map((pool) => withKind(pool, 'MachineConfigPool')),
    ...distinct(configs.flat()).map((config) => withKind(config, 'MachineConfig')),
    ...others.flat(),
  ];
}

function selectorOf({ machineConfigSelector }: Pool): string {
  return machineConfigSelector === undefined ? '' : selectorText(machineConfigSelector);
}

async function listOrNothing(client: KubeClient, path: string): Promise<readonly unknown[]> {
  return (await unlessRefused(client.list(path, { pageSize: 100 }))) ?? [];
}

/** By its name: the service may read the one policy, and may not list. */
async function getOrNothing(client: KubeClient, path: string): Promise<readonly unknown[]> {
  const found = await unlessRefused(client.get(path, { mayBeUnserved: true }));
  return found === undefined ? [] : [found];
}

/** Undefined: a refusal, or a kind that is not served here. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof Transient && (cause.kind === 'forbidden' || /: 404\b/.test(cause.message))) return undefined;
    throw cause;
  }
}

/** The Applications of an Argo CD that deploy to the named cluster. `client` is that of the cluster the Argo CD runs in. Throws Transient. */
export async function readApplications(
  client: KubeClient,
  argocd: ArgoCdSettings,
  cluster: string,
): Promise<readonly unknown[]> {
  const lists = await Promise.all(
    argocd.namespaces.map((namespace) =>
      client.list(`${argoproj}/namespaces/${encodeURIComponent(namespace)}/applications`, { pageSize: 100 }),
    ),
  );
  return lists.flat().filter((object) => clusterOf(applicationOf(argocd.name, object), argocd) === cluster);
}

const Object_ = z.looseObject({
  kind: z.string().optional(),
  metadata: z.looseObject({ name: z.string() }),
});
type Object_ = z.infer<typeof Object_>;

/** Items of a list say no kind of their own. */
function withKind(object: unknown, kind: string): unknown {
  const read = Object_.safeParse(object);
  return read.success ? { ...read.data, kind } : object;
}

function distinct(objects: readonly unknown[]): readonly unknown[] {
  return [...new Map(objects.map((object) => [Object_.safeParse(object).data?.metadata.name, object])).values()];
}

/** What the objects say. Throws Misconfigured for what is no list of a cluster's objects, naming the object. */
export function sightOf(name: string, objects: readonly unknown[]): ClusterSight {
  const of = (kind: string) => objects.filter((object) => Object_.safeParse(object).data?.kind === kind);
  const pools = of('MachineConfigPool').map((object) => read(object, poolOf));
  if (pools.length === 0) throw new Misconfigured([`${name}: holds no MachineConfigPool`]);
  const [policy] = of('MachineConfiguration');
  return {
    name,
    pools,
    sources: {
      machineConfigs: of('MachineConfig').flatMap((object) => machineConfigOf(object) ?? []),
      policy: disruptionPolicyOf(policy),
      choosers: ['KubeletConfig', 'ContainerRuntimeConfig', 'MachineOSConfig'].flatMap((kind) =>
        of(kind).flatMap((object) => chooserOf(kind, object)),
      ),
      isSingleNode: pools.reduce((nodes, { counts }) => nodes + counts.machines, 0) === 1,
      layeredPools: of('MachineOSConfig').flatMap((object) =>
        chooserOf('MachineOSConfig', object).flatMap(({ pool }) => pool ?? []),
      ),
    },
    applications: of('Application').map((object) => read(object, (body) => applicationOf('argocd', body))),
  };
}

function read<T>(object: unknown, as: (body: unknown) => T): T {
  try {
    return as(object);
  } catch (cause) {
    const known = Object_.safeParse(object).data;
    const said = cause instanceof Error ? cause.message : 'it is not understood';
    throw new Misconfigured([`${known?.kind ?? 'an object'} ${known?.metadata.name ?? ''}: ${said}`], { cause });
  }
}

const List = z.object({ kind: z.string(), items: z.array(z.unknown()), metadata: z.unknown().optional() });

/** A recording: a List of Kubernetes, so that `oc get mcp,mc,... -o json` is one too. */
export function recordingText(name: string, objects: readonly unknown[], now: Date): string {
  const recording = {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { name, annotations: { 'poolkeeper.dev/recorded-at': now.toISOString() } },
    items: objects.map(trimmed),
  };
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Reads a recording. Throws Misconfigured. */
export function readRecording(text: string, file: string): readonly unknown[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new Misconfigured([`--snapshot ${file}: is no JSON`], { cause });
  }
  const list = List.safeParse(data);
  if (list.success) return list.data.items;
  const [issue] = list.error.issues;
  throw new Misconfigured([
    `--snapshot ${file}: ${issue?.path.join('.') || 'it'} is not what a List of Kubernetes has; --record writes one`,
  ]);
}

/** Without managed fields, statuses that nobody needs, and whatever may be secret. */
function trimmed(object: unknown): unknown {
  const known = Object_.safeParse(object);
  if (!known.success) return object;
  const { metadata, ...rest } = known.data;
  const { managedFields: _fields, ownerReferences: _owners, ...kept } = metadata;
  const head = { ...kept, annotations: annotationsOf(metadata) };
  if (rest.kind !== 'MachineConfig') return { ...rest, metadata: head };
  const { status: _status, ...config } = rest;
  return { ...config, metadata: head, spec: withoutSecrets(rest['spec']) };
}

const Annotations = z.record(z.string(), z.string());

/** Ours, Argo CD's and the mark of what the MCO generates; the last-applied one repeats the whole object, secrets included. */
function annotationsOf({ annotations }: Object_['metadata']): Readonly<Record<string, string>> {
  const read = Annotations.safeParse(annotations ?? {});
  return Object.fromEntries(
    Object.entries(read.data ?? {}).filter(([key]) =>
      /^(?:poolkeeper\.dev|argocd\.argoproj\.io|machineconfiguration\.openshift\.io)\//.test(key),
    ),
  );
}
