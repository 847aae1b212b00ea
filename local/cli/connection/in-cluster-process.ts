import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { asWord, listed } from '../../../functions/core/text/phrases.ts';
import { command } from '../../../functions/core/text/shell-words.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { readYaml } from '../../../functions/shell/configuration/yaml-text.ts';
import { inClusterObjects, ownImage } from '../../manifests/in-cluster.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { accountName } from '../../manifests/manifests.ts';
import { hasOurLabels } from './apply-objects.ts';
import { isOwnAddress, isSameServer } from './configuration-entry.ts';
import type { FoundAccount } from './connected-for.ts';
import { objectName, objectPath } from './object-path.ts';

type Client = Pick<ClusterConnection['client'], 'get'>;

/** What a Poolkeeper that runs in a namespace has there besides its access: by the names that `manifests` prints, and
 *  our labels. */
export async function inClusterObjectsOf(client: Client, namespace: string): Promise<readonly KubeObject[]> {
  const printed = inClusterObjects({
    account: { namespace, name: accountName },
    argocdNamespace: undefined,
    applicationNamespaces: [],
    cluster: '',
    instance: '',
    pools: [],
    image: ownImage(namespace),
    host: undefined,
    store: { kind: 'volume' },
  });
  const found = await Promise.all(
    printed.map(async (object) =>
      hasOurLabels(await client.get(objectPath(object), { mayBeUnserved: true })) ? [object] : [],
    ),
  );
  return found.flat();
}

interface Leaving {
  readonly namespace: string;
  /** Of the cluster that is disconnected, in poolkeeper.yaml. */
  readonly name: string;
  /** Address of its API server. */
  readonly server: string;
  /** A poolkeeper.yaml. */
  readonly config?: string | undefined;
  readonly found: FoundAccount;
}

/** Refuses to take the account away from a Poolkeeper that runs here and keeps other clusters, too, because nobody
 *  would resume what it holds there, and nobody is left to tell, or for which it is not connected: one that runs here
 *  has it by printed manifests, which note nothing. Throws Misconfigured and Transient. */
export async function requireKeepsNoOther(
  client: Client,
  { namespace, config, found: account, ...here }: Leaving,
): Promise<void> {
  const found = await inClusterObjectsOf(client, namespace);
  const process = found.find(({ kind }) => kind === 'Deployment');
  if (process === undefined) return;
  const { texts, where, isUnclear } = (await configurationIn(client, found)) ?? (await configurationOf(config));
  const { known, others } = dividedBy(texts.flatMap(clustersIn), here);
  if (typeof account === 'object')
    throw new Misconfigured([
      `${objectName(process)} is a Poolkeeper that runs here by the account that is connected for ${asWord(account.installation)}, and would go with it: where it is to stay, take only token and entry away, by hand; if all is to go${firstOf(others, isUnclear)}: ${deleting(process)}, and repeat`,
    ]);
  if (others.includes(here.name))
    throw new Misconfigured([
      `${objectName(process)} is a Poolkeeper that runs here, and this cluster is ${listed(known.map(asWord))} in ${where}, and ${asWord(here.name)} another one: choose the context of ${asWord(here.name)}, or correct --name`,
    ]);
  if (others.length > 0)
    throw new Misconfigured([
      `${objectName(process)} is a Poolkeeper that runs here and keeps ${listed(others.map(asWord))}, where pools that it holds would stay paused, with nobody to tell: disconnect these first, or, where another Poolkeeper keeps them by now, only take them out of ${where}`,
    ]);
  if (!isUnclear) return;
  throw new Misconfigured([
    `${objectName(process)} is a Poolkeeper that runs here, and which clusters it keeps cannot be read from ${where}, which has a fault or extends other files: where it keeps others, their pools would stay paused, with nobody to tell. Disconnect these first, and then delete ${objectName(process)}, and repeat`,
  ]);
}

/** Without its Deployment nothing tells any more what else it keeps. */
function firstOf(others: readonly string[], isUnclear: boolean): string {
  const known = others.length > 0 ? listed(others.map(asWord)) : undefined;
  const first = known ?? (isUnclear ? 'whatever else it keeps' : undefined);
  return first === undefined ? '' : `, disconnect ${first} first, and then`;
}

/** Not taking the note off its account: an account without one is refused where its installation has another. */
function deleting({ metadata: { name, namespace = '' } }: KubeObject): string {
  return command('oc', 'delete', 'deployment', name, '-n', namespace);
}

const mainKey = 'poolkeeper.yaml';
const Texts = z.record(z.string(), z.string()).optional();
const Configured = z.object({ data: Texts, binaryData: Texts });

interface Configuration {
  readonly texts: readonly string[];
  readonly where: string;
  /** There may be clusters that do not stand in the texts, or that cannot be read. */
  readonly isUnclear: boolean;
}

/** What it runs with: its file, and those that this one extends. Undefined: it is elsewhere, or says nothing. */
async function configurationIn(client: Client, found: readonly KubeObject[]): Promise<Configuration | undefined> {
  const object = found.find(({ kind }) => kind === 'ConfigMap');
  if (object === undefined) return undefined;
  const { data = {}, binaryData = {} } = Configured.safeParse(await client.get(objectPath(object))).data ?? {};
  const where = objectName(object);
  if (Object.hasOwn(binaryData, mainKey)) return { texts: [], where, isUnclear: true };
  const main = data[mainKey] ?? '';
  const layers = extendedBy(main).map((name) => data[name.replace(/^\.\//, '')]);
  const texts = [main, ...layers].filter((text) => text !== undefined);
  const isUnclear = layers.includes(undefined) || texts.some((text) => readYaml(text).broken);
  return isUnclear || texts.some((text) => clustersIn(text).length > 0) ? { texts, where, isUnclear } : undefined;
}

async function configurationOf(config: string | undefined): Promise<Configuration> {
  const text = config === undefined ? '' : await textOf(config);
  const isUnclear = readYaml(text).broken || extendedBy(text).length > 0;
  return { texts: [text], where: config ?? '', isUnclear };
}

const Extending = z.object({ extends: z.union([z.array(z.string()), z.string().transform((name) => [name])]) });

function extendedBy(text: string): readonly string[] {
  return Extending.safeParse(readYaml(text).data).data?.extends ?? [];
}

/** Empty: it is not there. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw new Misconfigured([`${file}: cannot be read`], { cause });
  });
}

const Cluster = z.object({ name: z.string(), api: z.object({ server: z.string() }).optional().catch(undefined) });
type Cluster = z.infer<typeof Cluster>;
const Clusters = z.object({ clusters: z.array(z.unknown()) });

function clustersIn(text: string): readonly Cluster[] {
  const { clusters = [] } = Clusters.safeParse(readYaml(text).data).data ?? {};
  return clusters.flatMap((each) => Cluster.safeParse(each).data ?? []);
}

interface Divided {
  /** Names of the cluster that is disconnected. */
  readonly known: readonly string[];
  readonly others: readonly string[];
}

/** By the address of this API server, or that by which every cluster knows itself. The name tells only where no entry
 *  has one of these: by the wrong context it is that of another cluster. */
function dividedBy(clusters: readonly Cluster[], { name, server }: Pick<Leaving, 'name' | 'server'>): Divided {
  const here = clusters
    .filter(({ api }) => isOwnAddress(api?.server ?? '') || isSameServer(api?.server ?? '', server))
    .map((each) => each.name);
  const known = unique(here.length > 0 ? here : [name]);
  return { known, others: unique(clusters.map((each) => each.name)).filter((each) => !known.includes(each)) };
}
