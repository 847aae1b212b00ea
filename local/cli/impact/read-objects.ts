import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import { clusterOf } from '../../../functions/core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { selectorText } from '../../../functions/core/openshift/selector.ts';
import { isWithoutRights, Transient } from '../../../functions/core/text/errors.ts';
import { applicationRead } from './application-read.ts';
import { KubeObject } from './kube-object.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';
const argoproj = '/apis/argoproj.io/v1alpha1';
const policyPath = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';

/** Objects needed for the prediction, as the API server returns them. Never rendered configs: they embed the pull
 *  secret. `applications`: those that deploy to this cluster; without it, all Applications in it. Throws Transient if
 *  pools or MachineConfigs cannot be read; other kinds that may not be read are left out, and a refusal stands in place
 *  of those that make a change worse. */
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
    listOrRefusal(client, { kind: 'MachineOSConfig', plural: 'machineosconfigs' }),
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

/** Where they may not be listed, what the API server answers: that there is none is not known. */
async function listOrRefusal(
  client: KubeClient,
  { kind, plural }: { readonly kind: string; readonly plural: string },
): Promise<readonly unknown[]> {
  try {
    const objects = await client.list(`${mco}/${plural}`, { pageSize: 100 });
    return objects.map((object) => withKind(object, kind));
  } catch (cause) {
    if (cause instanceof Transient && /: 404\b/.test(cause.message)) return [];
    if (cause instanceof Transient && cause.kind === 'forbidden') return [refusalOf(plural)];
    throw cause;
  }
}

function refusalOf(plural: string, place: { readonly namespace?: string } = {}): unknown {
  const metadata = { name: plural, ...place };
  return { apiVersion: 'v1', kind: 'Status', metadata, status: 'Failure', reason: 'Forbidden' };
}

/** By name: the service may read the one policy but not list. */
async function getOrNothing(client: KubeClient, path: string): Promise<readonly unknown[]> {
  const found = await unlessRefused(client.get(path, { mayBeUnserved: true }));
  return found === undefined ? [] : [found];
}

/** Undefined: forbidden, or the kind is not served. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof Transient && (cause.kind === 'forbidden' || /: 404\b/.test(cause.message))) return undefined;
    throw cause;
  }
}

/** The Applications of an Argo CD that deploy to the named cluster, or may, where that cannot be parsed. `client`: of
 *  the cluster in which the Argo CD runs. Whoever owns a namespace may take our rights in it away: a refusal stands in
 *  place of its Applications, but not of Argo CD's own. Throws Transient. */
export async function readApplications(
  client: KubeClient,
  argocd: ArgoCdSettings,
  cluster: string,
): Promise<readonly unknown[]> {
  const mayDeploy = (object: unknown) => {
    const { application } = applicationRead(argocd.name, object);
    return application === undefined || clusterOf(application, argocd) === cluster;
  };
  const lists = await Promise.all(
    argocd.namespaces.map(async (namespace) => {
      const path = `${argoproj}/namespaces/${encodeURIComponent(namespace)}/applications`;
      try {
        return (await client.list(path, { pageSize: 100 })).filter(mayDeploy);
      } catch (cause) {
        if (namespace === argocd.controllerNamespace || !isWithoutRights(cause)) throw cause;
        return [refusalOf('applications', { namespace })];
      }
    }),
  );
  return lists.flat();
}

/** Items of a list have no kind of their own. */
function withKind(object: unknown, kind: string): unknown {
  const read = KubeObject.safeParse(object);
  return read.success ? { ...read.data, kind: read.data.kind ?? kind } : object;
}

function distinct(objects: readonly unknown[]): readonly unknown[] {
  return [...new Map(objects.map((object) => [KubeObject.safeParse(object).data?.metadata.name, object])).values()];
}
