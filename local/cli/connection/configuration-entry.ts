import { isDeepStrictEqual } from 'node:util';
import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { usualArgocdNamespace } from '../../../functions/core/configuration/argocd.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { withoutTrailing } from '../../../functions/core/text/trailing.ts';
import { isMapping, type Path, pathText, valueAt } from '../../../functions/shell/configuration/problem.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { readYaml } from '../../../functions/shell/configuration/yaml-text.ts';
import { passCommentsOn } from './pass-comments-on.ts';
import { readText, replaceText, requireReplaceable } from './replace-text.ts';

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
  await replaceText(file, (text) => withEntry(parsed(file, text), entry));
}

/** Throws Misconfigured if the entry could not be added. */
export async function requireRoomForEntry(file: string, entry: ClusterEntry): Promise<void> {
  withEntry(await read(file), entry);
  await requireReplaceable(file);
}

function withEntry(written: Written, entry: ClusterEntry): string {
  const { file } = written;
  const clusters = entriesOf(written, 'clusters');
  const at = clusters.findIndex((each) => valueAt(each, ['name']) === entry.name);
  const twin = clusters.find(
    (each, index) => index !== at && valueAt(each, ['api', 'tokenSecret']) === entry.tokenSecret,
  );
  if (twin !== undefined)
    throw new Misconfigured([
      `${file}: cluster ${String(valueAt(twin, ['name']))} has its token in ${entry.tokenSecret}, where that of ${entry.name} would be, too: choose another --name or --secret`,
    ]);
  requireNoOwnAddress(file, { found: clusters[at], entry });
  if (at === -1) add(written, 'clusters', { name: entry.name, api: apiOf(entry) });
  else setApi(written, at, entry);
  if (entry.argocd !== undefined && argocdsIn(written, entry.name).length === 0)
    add(written, 'argocd', argocdOf(entry, entry.argocd));
  return textOf(written);
}

/** Own namespaces of the Argo CDs that the file has in the cluster, which adding it leaves as they are. Throws
 *  Misconfigured. */
export async function argocdHomes(file: string, cluster: string): Promise<readonly string[]> {
  return argocdsIn(await read(file), cluster).map(homeIn);
}

function homeIn(argocd: unknown): string {
  return String(valueAt(argocd, ['controllerNamespace']) ?? valueAt(argocd, ['namespaces', 0]) ?? usualArgocdNamespace);
}

function argocdsIn(written: Written, cluster: string): readonly unknown[] {
  return entriesOf(written, 'argocd').filter((each) => valueAt(each, ['cluster']) === cluster);
}

/** What an Argo CD of the cluster in the file leaves out: adding the cluster leaves the ones there as they are. */
interface LeftOut {
  /** Those with Applications that none has, so that nothing reads there. */
  readonly unread: readonly string[];
  /** Own namespaces of those that the file has. */
  readonly homes: readonly string[];
}

/** By the file as it is. Throws Misconfigured.
 *  @param used namespaces with Applications */
export async function namespacesLeftOut(file: string, cluster: string, used: readonly string[]): Promise<LeftOut> {
  const entries = argocdsIn(await read(file), cluster);
  const had = entries.flatMap((each) => valueAt(each, ['namespaces']) ?? [usualArgocdNamespace]);
  return { unread: used.filter((name) => !had.includes(name)), homes: entries.map(homeIn) };
}

export type Removal = 'removed' | 'absent' | 'only';

/** Removes the cluster and the Argo CD instances in it. `only`: it is the only cluster and a configuration needs one,
 *  so the file was left as it is. Throws Misconfigured. */
export async function removeEntry(file: string, name: string): Promise<Removal> {
  let done = drop(await read(file), name);
  if (done !== 'removed') return done;
  await replaceText(file, (text) => {
    const written = parsed(file, text);
    done = drop(written, name);
    return done === 'removed' ? textOf(written) : undefined;
  });
  return done;
}

/** What removing it would do. Throws Misconfigured if it could not be removed, or there is no such file, as in another
 *  folder: the entry would stay in the right one. */
export async function plannedRemoval(file: string, name: string): Promise<Removal> {
  const text = await readText(file);
  if (text === undefined)
    throw new Misconfigured([`--config ${file}: there is no such file; name the right one, or leave --config out`]);
  const written = parsed(file, text);
  const done = drop(written, name);
  if (done !== 'removed') return done;
  try {
    textOf(written);
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    const { problems } = cause;
    throw new Misconfigured([...problems, `this is so once ${name} is taken out of ${file}: correct the rest first`]);
  }
  await requireReplaceable(file);
  return done;
}

function drop(written: Written, name: string): Removal {
  // The section that may go as a whole first: comments that stay are passed on to one that stays.
  const removed = [dropFrom(written, 'argocd', 'cluster', name), dropFrom(written, 'clusters', 'name', name)];
  if (!removed.includes(true)) return 'absent';
  return entriesOf(written, 'clusters').every((each) => valueAt(each, ['name']) === name) ? 'only' : 'removed';
}

interface Asked {
  readonly config?: string | undefined;
  readonly name: string;
  /** Where its token is, or will be, if that was named. */
  readonly secret?: string | undefined;
}

/** Throws Misconfigured if the file has this cluster at another API server than that of the context, or this API server
 *  or this secret under another name: the token, the entry and the objects of two clusters would be mixed up. */
export async function requireSameCluster(
  { config, name, secret }: Asked,
  { context, server }: { readonly context: string; readonly server: string },
): Promise<void> {
  if (config === undefined) return;
  const clusters = entriesOf(await read(config), 'clusters');
  const known = clusters.find((each) => valueAt(each, ['name']) === name);
  const address = serverOf(known);
  if (address !== undefined && !isOwnAddress(address) && !isSameServer(address, server))
    throw new Misconfigured([
      `${config} has cluster ${name} at ${address}, but context ${context} leads to ${server}: is it another cluster? If not, change api.server of the entry first`,
    ]);
  const other = clusters.find((each) => each !== known && isSameServer(serverOf(each) ?? '', server));
  if (other !== undefined)
    throw new Misconfigured([
      `context ${context} leads to ${server}, which ${config} has as cluster ${String(valueAt(other, ['name']))}, not ${name}`,
    ]);
  const twin = clusters.find((each) => each !== known && valueAt(each, ['api', 'tokenSecret']) === secret);
  if (secret !== undefined && twin !== undefined)
    throw new Misconfigured([
      `secret ${secret} has the token of cluster ${String(valueAt(twin, ['name']))} in ${config}, not that of ${name}: correct --secret or --name`,
    ]);
}

function serverOf(cluster: unknown): string | undefined {
  const server = valueAt(cluster, ['api', 'server']);
  return typeof server === 'string' ? server : undefined;
}

/** By which a Poolkeeper that runs on a cluster knows that cluster, whichever it is. */
export function isOwnAddress(server: string): boolean {
  return /^kubernetes\.default\.svc(?:\.|$)/.test(URL.parse(server)?.hostname ?? '');
}

/** Whether two addresses of an API server are one. What comes below a path is the same with and without a slash at its
 *  end, which kubeconfigs are read without. */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [a, b].map((address) => withoutTrailing(URL.parse(address)?.href ?? '', '/'));
  return one !== '' && one === other;
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
  // A name has 63 characters at most, and ends in a letter or digit.
  const own = withoutTrailing(`${name}-${home}`.slice(0, 63), '-.');
  return { name: own, cluster: name, namespaces, controllerNamespace: home };
}

/** A file as it is written, and as it is meant. */
interface Written {
  readonly file: string;
  /** Empty: it is not there. */
  readonly text: string;
  readonly document: Document;
  /** As it was read, with what its aliases name. */
  readonly data: unknown;
  readonly aliases: Aliases;
}

type List = 'clusters' | 'argocd';

/** Throws Misconfigured. */
async function read(file: string): Promise<Written> {
  return parsed(file, await readText(file));
}

/** Throws Misconfigured. */
function parsed(file: string, text: string | undefined): Written {
  if (text === undefined) return { file, text: '', document: new Document({}), data: {}, aliases: new Map() };
  const { data, faults } = readYaml(text);
  if (faults.length > 0)
    throw new Misconfigured(
      faults.map(({ what, position: { line, column } }) => `${file}:${line}:${column} (the file): ${what}`),
    );
  requireKinds(file, data);
  const document: Document = parseDocument(text);
  if (data === null) document.contents = inPlaceOf(document.contents, document.createNode({}));
  requireNoMerge(file, document);
  return { file, text, document, data, aliases: aliasesIn(document) };
}

const lists: readonly List[] = ['clusters', 'argocd'];

/** Throws Misconfigured where a list could not be added to: what stands there instead would be lost. */
function requireKinds(file: string, data: unknown): void {
  // An empty file, or one of comments, is to be filled.
  if (data === null || data === undefined) return;
  if (!isMapping(data)) throw new Misconfigured([`${file} (the file): must be a mapping, as clusters: with its list`]);
  const problems = lists.flatMap((list) => {
    const found = data[list];
    const isList = found === null || found === undefined || Array.isArray(found);
    return isList ? [] : [`${file}: ${list}: must be a list`];
  });
  if (problems.length > 0) throw new Misconfigured(problems);
}

/** Where an alias stands, what it names, and what that means. */
interface Aliased {
  readonly path: Path;
  readonly named: Node | undefined;
  readonly meant: unknown;
}

type Aliases = ReadonlyMap<Alias, Aliased>;

function aliasesIn(document: Document): Aliases {
  const found = new Map<Alias, Aliased>();
  visit(document, {
    Alias: (_, alias, around) => {
      const named = alias.resolve(document);
      const meant = named?.toJS(document, { maxAliasCount: 1000 });
      found.set(alias, { path: pathOf([...around, alias]), named, meant });
    },
  });
  return found;
}

/** @param way the nodes from the top to one */
function pathOf(way: readonly unknown[]): Path {
  return way.flatMap<string | number>((node, depth) => {
    const parent = way[depth - 1];
    if (isPair(node)) return [String(node.key)];
    return isSeq(parent) ? [parent.items.indexOf(node)] : [];
  });
}

/** Throws Misconfigured where keys come by a merge key, as YAML 1.1 has them: an entry, or a list of them, would be
 *  read and could not be found where it is to be written. */
function requireNoMerge(file: string, document: Document): void {
  const merged: Path[] = [];
  visit(document, {
    Pair: (_, { key }, around) => {
      if (!isScalar(key) || key.source !== '<<' || key.type !== 'PLAIN') return undefined;
      merged.push([...pathOf(around), '<<']);
      return visit.SKIP;
    },
  });
  if (merged.length > 0)
    throw new Misconfigured(
      merged.map(
        (path) => `${file}: ${pathText(path)} is a merge key, which cannot be written to: write out what it merges`,
      ),
    );
}

/** Throws Misconfigured where something on the way is an alias: what it names stands elsewhere, too, and would change
 *  there. */
function requireNoAlias({ file, document }: Written, path: Path): void {
  const aliased = path.map((_, index) => path.slice(0, index + 1)).find((each) => isAlias(document.getIn(each, true)));
  if (aliased === undefined) return;
  throw new Misconfigured([
    `${file}: ${pathText(aliased)} is an alias (*), and what it names would change where that stands, too: write it out`,
  ]);
}

function entriesOf({ data }: Written, list: List): readonly unknown[] {
  const found = valueAt(data, [list]);
  return Array.isArray(found) ? found : [];
}

/** Key by key: comments stay, and what the kubeconfig does not tell. A certificate authority of its own file is one. */
function setApi(written: Written, at: number, entry: ClusterEntry): void {
  const { document, data } = written;
  const path = ['clusters', at, 'api'];
  requireNoAlias(written, path);
  const api = document.getIn(path);
  if (!isMap(api)) {
    document.setIn(path, document.createNode(apiOf(entry)));
    return;
  }
  const before = valueAt(data, path);
  const { ca, ...others } = apiOf(entry);
  const isByFile = valueAt(before, ['caFile']) !== undefined;
  const changed = Object.entries(ca === undefined || isByFile ? others : { ...others, ca }).filter(
    ([key, value]) => valueAt(before, [key]) !== value,
  );
  for (const [key, value] of changed) {
    // In flow style a certificate would be on one line.
    if (key === 'ca') api.flow = false;
    api.set(key, value);
  }
  if (!entry.skipTLSVerify && valueAt(before, ['skipTLSVerify']) === true) api.delete('skipTLSVerify');
}

/** Throws Misconfigured where the file is that of a Poolkeeper that runs on the cluster itself: by another address and
 *  token it would not reach it any more. */
function requireNoOwnAddress(
  file: string,
  { found, entry }: { readonly found: unknown; readonly entry: ClusterEntry },
) {
  const address = serverOf(found);
  if (address === undefined || !isOwnAddress(address) || isSameServer(address, entry.server)) return;
  throw new Misconfigured([
    `${file} has cluster ${entry.name} at ${address}, as a Poolkeeper that runs on it reaches it, and ${entry.server} with the token of another place would be there instead: connect without --config, or change api.server of the entry first`,
  ]);
}

function add(written: Written, list: List, value: unknown): void {
  const { document } = written;
  requireNoAlias(written, [list]);
  const found = document.get(list, true);
  if (isSeq(found)) {
    // A short flow-style list would put a certificate on one line.
    found.flow = false;
    found.add(document.createNode(value));
  } else document.set(list, inPlaceOf(found, document.createNode([value])));
}

/** With the comments of what was nothing: `~`, `null`, or no text. */
function inPlaceOf<T extends Node>(nothing: unknown, node: T): T {
  if (!isNode(nothing)) return node;
  const comments = [nothing.commentBefore, nothing.comment].filter((each) => typeof each === 'string');
  if (comments.length > 0) node.commentBefore = comments.join('\n');
  return node;
}

function dropFrom(written: Written, list: List, key: string, value: string): boolean {
  const { document } = written;
  const isDropped = entriesOf(written, list).map((each) => valueAt(each, [key]) === value);
  if (!isDropped.includes(true)) return false;
  requireNoAlias(written, [list]);
  const found = document.get(list);
  const isWhole = !isDropped.includes(false) && list !== 'clusters';
  if (isSeq(found)) {
    passCommentsOn(document, { text: written.text, key: list, list: found, isDropped, isWhole });
    found.items = found.items.filter((_, index) => isDropped[index] !== true);
  }
  if (isWhole) document.delete(list);
  return true;
}

/** Throws Misconfigured where it would be no configuration, or mean something else elsewhere. */
function textOf({ file, document, aliases }: Written): string {
  const problems = [...aliasesIn(document)].flatMap(([alias, { named, meant }]) => {
    const before = aliases.get(alias);
    if (before === undefined || (before.named === named && isDeepStrictEqual(before.meant, meant))) return [];
    const what = before.named === named ? 'and what it names would change' : 'whose anchor (&) would go';
    return [`${file}: ${pathText(before.path)} is the alias *${alias.source}, ${what}: write it out there first`];
  });
  if (problems.length > 0) throw new Misconfigured(problems);
  const text = document.toString({ lineWidth: 0 });
  readConfiguration(text, { source: file, unread: () => undefined });
  return text;
}
