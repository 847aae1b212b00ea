import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { usualArgocdNamespace } from '../../../functions/core/configuration/argocd.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';

/** How to reach a cluster, as an entry of poolkeeper.yaml. */
export interface ClusterEntry {
  readonly name: string;
  readonly server: string;
  readonly ca: string | undefined;
  readonly skipTLSVerify: boolean;
  readonly tokenSecret: string;
  /** The Argo CD in this cluster, if any. */
  readonly argocd: { readonly home: string; readonly namespaces: readonly string[] } | undefined;
}

/** The entries as YAML, to be pasted into a file. */
export function entryYaml(entry: ClusterEntry): string {
  const document = new Document({ clusters: [{ name: entry.name, api: apiOf(entry) }] });
  if (entry.argocd !== undefined) document.set('argocd', [argocdOf(entry, entry.argocd)]);
  return document.toString({ lineWidth: 0 });
}

/** Adds the cluster to a file or updates its entry; comments and the rest are kept. The result is validated before the
 *  file is replaced. Throws Misconfigured. */
export async function addEntry(file: string, entry: ClusterEntry): Promise<void> {
  await store(file, await withEntry(file, entry));
}

/** Throws Misconfigured if the entry could not be added. */
export async function requireRoomForEntry(file: string, entry: ClusterEntry): Promise<void> {
  await requireStorable(file, await withEntry(file, entry));
}

async function withEntry(file: string, entry: ClusterEntry): Promise<Document> {
  const document = await read(file);
  const cluster = find(document, 'clusters', entry.name);
  const twin = items(document, 'clusters').find(
    (each) => each !== cluster && each.getIn(['api', 'tokenSecret']) === entry.tokenSecret,
  );
  if (twin !== undefined)
    throw new Misconfigured([
      `${file}: cluster ${String(twin.get('name'))} has its token in ${entry.tokenSecret}, where that of ${entry.name} would be, too: choose another --name or --secret`,
    ]);
  if (cluster === undefined) add(document, 'clusters', { name: entry.name, api: apiOf(entry) });
  else cluster.set('api', document.createNode(apiOf(entry)));
  if (entry.argocd !== undefined && argocdsIn(document, entry.name).length === 0)
    add(document, 'argocd', argocdOf(entry, entry.argocd));
  return document;
}

/** Own namespaces of the Argo CDs that the file has in the cluster, which adding it leaves as they are. Throws
 *  Misconfigured. */
export async function argocdHomes(file: string, cluster: string): Promise<readonly string[]> {
  return argocdsIn(await read(file), cluster).map((each) =>
    String(each.get('controllerNamespace') ?? each.getIn(['namespaces', 0]) ?? usualArgocdNamespace),
  );
}

function argocdsIn(document: Document, cluster: string): readonly YAMLMap[] {
  return items(document, 'argocd').filter((each) => each.get('cluster') === cluster);
}

export type Removal = 'removed' | 'absent' | 'only';

/** Removes the cluster and the Argo CD instances in it. `only`: it is the only cluster and a configuration needs one,
 *  so the file was left as it is. Throws Misconfigured. */
export async function removeEntry(file: string, name: string): Promise<Removal> {
  const { document, done } = await withoutEntry(file, name);
  if (done === 'removed') await store(file, document);
  return done;
}

/** What removing it would do. Throws Misconfigured if it could not be removed. */
export async function plannedRemoval(file: string, name: string): Promise<Removal> {
  const { document, done } = await withoutEntry(file, name);
  if (done !== 'removed') return done;
  try {
    await requireStorable(file, document);
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    const { problems } = cause;
    throw new Misconfigured([...problems, `this is so once ${name} is taken out of ${file}: correct the rest first`]);
  }
  return done;
}

async function withoutEntry(
  file: string,
  name: string,
): Promise<{ readonly document: Document; readonly done: Removal }> {
  const document = await read(file);
  const removed = [drop(document, 'clusters', 'name', name), drop(document, 'argocd', 'cluster', name)];
  if (!removed.includes(true)) return { document, done: 'absent' };
  return { document, done: items(document, 'clusters').length === 0 ? 'only' : 'removed' };
}

/** Throws Misconfigured if the file has this cluster at another API server than that of the context, or this API server
 *  under another name: the token, the entry and the objects of two clusters would be mixed up. */
export async function requireSameCluster(
  { config, name }: { readonly config?: string | undefined; readonly name: string },
  { context, server }: { readonly context: string; readonly server: string },
): Promise<void> {
  if (config === undefined) return;
  const document = await read(config);
  const known = find(document, 'clusters', name);
  const address = known === undefined ? undefined : serverOf(known);
  if (address !== undefined && !isOwnAddress(address) && !isSameServer(address, server))
    throw new Misconfigured([
      `${config} has cluster ${name} at ${address}, but context ${context} leads to ${server}: is it another cluster? If not, change api.server of the entry first`,
    ]);
  const other = items(document, 'clusters').find(
    (each) => each !== known && isSameServer(serverOf(each) ?? '', server),
  );
  if (other !== undefined)
    throw new Misconfigured([
      `context ${context} leads to ${server}, which ${config} has as cluster ${String(other.get('name'))}, not ${name}`,
    ]);
}

function serverOf(cluster: YAMLMap): string | undefined {
  const server = cluster.getIn(['api', 'server']);
  return typeof server === 'string' ? server : undefined;
}

/** By which a Poolkeeper that runs on a cluster knows that cluster, whichever it is. */
function isOwnAddress(server: string): boolean {
  return /^kubernetes\.default\.svc(?:\.|$)/.test(URL.parse(server)?.hostname ?? '');
}

/** Whether two addresses of an API server are one. */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [URL.parse(a)?.href, URL.parse(b)?.href];
  return one !== undefined && one === other;
}

function apiOf({ server, ca, skipTLSVerify, tokenSecret }: ClusterEntry) {
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    tokenSecret,
    ...(skipTLSVerify ? { skipTLSVerify } : {}),
  };
}

function argocdOf({ name }: ClusterEntry, { home, namespaces }: NonNullable<ClusterEntry['argocd']>) {
  return { name: `${name}-${home}`.slice(0, 63), cluster: name, namespaces, controllerNamespace: home };
}

async function read(file: string): Promise<Document> {
  try {
    return parseDocument(await readFile(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Document({});
    throw new Misconfigured([`${file}: cannot be read`], { cause });
  }
}

function items(document: Document, list: string): readonly YAMLMap[] {
  const found = document.get(list);
  return isSeq(found) ? found.items.filter((item) => isMap(item)) : [];
}

function find(document: Document, list: string, name: string): YAMLMap | undefined {
  return items(document, list).find((item) => item.get('name') === name);
}

function add(document: Document, list: string, value: unknown): void {
  const found = document.get(list);
  if (isSeq(found)) {
    // A short flow-style list would put a certificate on one line.
    found.flow = false;
    found.add(document.createNode(value));
  } else document.set(list, document.createNode([value]));
}

function drop(document: Document, list: string, key: string, value: string): boolean {
  const found = document.get(list);
  if (!isSeq(found)) return false;
  const kept = found.items.filter((item) => !(isMap(item) && item.get(key) === value));
  const isChanged = kept.length < found.items.length;
  if (kept.length === 0 && isChanged && list !== 'clusters') document.delete(list);
  else found.items = kept;
  return isChanged;
}

function textOf(file: string, document: Document): string {
  const text = document.toString({ lineWidth: 0 });
  readConfiguration(text, { source: file });
  return text;
}

async function requireStorable(file: string, document: Document): Promise<void> {
  textOf(file, document);
  await access(dirname(file), constants.W_OK).catch((cause: unknown) => {
    throw cannotBeWritten(file, cause);
  });
}

async function store(file: string, document: Document): Promise<void> {
  const text = textOf(file, document);
  try {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  } catch (cause) {
    throw cannotBeWritten(file, cause);
  }
}

function cannotBeWritten(file: string, cause: unknown): Misconfigured {
  return new Misconfigured([`${file}: cannot be written`], { cause });
}
