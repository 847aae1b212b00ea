import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { isWithoutRights } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { inClusterSecrets } from '../../manifests/in-cluster.ts';
import { type KubeObject, ourLabels } from '../../manifests/kube-object.ts';
import { hasOurLabels } from './apply-objects.ts';
import { foreignObjects } from './foreign-objects.ts';
import { inClusterObjectsOf } from './in-cluster-process.ts';
import { objectName, objectPath } from './object-path.ts';
import { isBinding } from './objects-to-remove.ts';

const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }) }));

/** What is removed besides bindings, and lines about what then stays in its namespace. */
export interface OwnObjects {
  readonly objects: readonly KubeObject[];
  /** For people: the namespace is kept. */
  readonly kept: readonly string[];
  /** Names of what a Poolkeeper that runs in the namespace has in it, and loses with it. */
  readonly goWithIt: readonly string[];
  readonly stays: readonly string[];
}

/** Without the namespace where somebody else created it, runs pods in it, or has anything in it: those who connected
 *  with an earlier version, or applied printed manifests, have put our labels on whatever namespace they named, and
 *  another installation may keep the records of its runs there.
 *  @param objects all that is to be removed */
export async function ownOnly(
  { client }: Pick<ClusterConnection, 'client'>,
  objects: readonly KubeObject[],
): Promise<OwnObjects> {
  const rest = objects.filter((object) => !isBinding(object));
  const home = rest.find(({ kind }) => kind === 'Namespace');
  if (home === undefined) return { objects: rest, kept: [], goWithIt: [], stays: [] };
  const { name } = home.metadata;
  const others = rest.filter((object) => object !== home);
  const stored = await client.get(objectPath(home));
  if (stored === undefined) return { objects: others, kept: [], goWithIt: [], stays: [] };
  const inCluster = await inClusterObjectsOf(client, name);
  const ours = [...objects, ...inCluster, ...inClusterSecrets(name)];
  const why = hasOurLabels(stored) ? await whyKept(client, home, ours) : 'which others have made';
  if (why === undefined) {
    const goWithIt = [...inCluster.filter(isMissed).map(objectName), ...(await inClusterSecretsIn(client, name)).sure];
    return { objects: rest, kept: [], goWithIt, stays: [] };
  }
  const stays = await inClusterLeftovers(client, name, inCluster);
  return { objects: others, kept: [`kept namespace ${name}, ${why}`], goWithIt: [], stays };
}

/** What nobody has elsewhere, and what ends with it. */
function isMissed({ kind }: KubeObject): boolean {
  return ['Deployment', 'PersistentVolumeClaim', 'ConfigMap'].includes(kind);
}

/** Undefined: nothing of others is in it. */
async function whyKept(
  client: ClusterConnection['client'],
  home: KubeObject,
  ours: readonly KubeObject[],
): Promise<string | undefined> {
  const pods = await foreignPods(client, home);
  if (pods.length > 0) return `in which others run ${listed(pods, 3)}`;
  const found = await foreignObjects(client, home.metadata.name, ours);
  return found.length === 0 ? undefined : `in which others have ${listed(found, 3)}`;
}

async function foreignPods(client: ClusterConnection['client'], home: KubeObject): Promise<readonly string[]> {
  const labelSelector = Object.entries(ourLabels)
    .map(([key, value]) => `${key}!=${value}`)
    .join(',');
  const query = { labelSelector, fieldSelector: 'status.phase=Running' };
  const pods = Pods.parse(await client.list(`${objectPath(home)}/pods`, { query, pageSize: 100 }));
  return pods.map(({ metadata }) => metadata.name);
}

/** A line about what a Poolkeeper that runs in the cluster has besides its access. */
async function inClusterLeftovers(
  client: ClusterConnection['client'],
  namespace: string,
  found: readonly KubeObject[],
): Promise<readonly string[]> {
  const names = found.map(objectName);
  if (names.length === 0) {
    const { sure, unread } = await inClusterSecretsIn(client, namespace);
    const stays = (secret: string) => `${secret} stays, because namespace ${namespace} is kept`;
    return [...sure.map(stays), ...unread.map((secret) => `${stays(secret)}, if it is there: it may not be read`)];
  }
  return [
    `${listed(names, 10)}: ${names.length === 1 ? 'stays' : 'stay'}, as do its Secrets and its Lease, because namespace ${namespace} is kept: oc delete -f what you have applied there`,
  ];
}

interface FoundSecrets {
  readonly sure: readonly string[];
  /** They may be there. */
  readonly unread: readonly string[];
}

/** Names of Secrets that people have made for it. Throws Transient. */
async function inClusterSecretsIn(client: ClusterConnection['client'], namespace: string): Promise<FoundSecrets> {
  const [sure, unread]: [string[], string[]] = [[], []];
  for (const secret of inClusterSecrets(namespace))
    try {
      if ((await client.get(objectPath(secret))) !== undefined) sure.push(objectName(secret));
    } catch (cause) {
      if (!isWithoutRights(cause)) throw cause;
      unread.push(objectName(secret));
    }
  return { sure, unread };
}
