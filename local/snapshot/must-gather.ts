import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Answer, Question } from '../../functions/core/findings/question.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { answersFrom } from './answer-from.ts';
import { type ClusterReader, readerBy } from './cluster-reader.ts';
import { forSharing } from './for-sharing.ts';
import { itemsOf } from './items-of.ts';
import { type ResourcePath, resourcePath } from './resource-path.ts';
import type { Reading } from './snapshot.ts';

/** A folder of `oc adm must-gather` or `oc adm inspect`, read on demand because such folders have gigabytes. Layout:
 *  `cluster-scoped-resources/<group>/<plural>.yaml` or `/<plural>/<name>.yaml`, `namespaces/<namespace>/<group>/...`
 *  likewise, `namespaces/<namespace>/<namespace>.yaml`, `namespaces/<namespace>/pods/<pod>/<pod>.yaml`; the group
 *  without a name is `core`. Source: openshift/oc pkg/cli/admin/inspect (resource.go, namespace.go, util.go). */
export interface MustGather {
  readonly takenAt: Date;
  readonly observed: ClusterReader;
  /** What the folder does not contain, as far as it was asked. */
  readonly gaps: () => readonly string[];
}

/** Folders below the given one: the name of the image that gathered. */
const depth = 2;
/** Bytes. Largest file that is read. */
const largest = 64 * 1024 * 1024;

/** Throws Misconfigured if nothing was gathered in the folder. */
export async function openMustGather(folder: string): Promise<MustGather> {
  const roots = await rootsBelow(folder, depth);
  if (roots.length === 0)
    throw new Misconfigured([
      `--must-gather ${folder}: has neither cluster-scoped-resources nor namespaces, here or ${depth} folders down`,
    ]);
  const takenAt = await timeOf(folder, roots);
  const files = cached(takenAt);
  const gaps = new Set<string>();

  async function answer(question: Question): Promise<Answer> {
    const wanted = resourcePath(question.path);
    const readings =
      wanted === undefined ? [] : (await Promise.all(roots.map((root) => readingsFor(root, wanted)))).flat();
    const everywhere = wanted !== undefined && isOverNamespaces(wanted, readings);
    if (everywhere) gaps.add(`${nameOf(wanted)} of namespaces that were not gathered (${readings.length} were)`);
    const merged = everywhere && wanted !== undefined ? [together(wanted, readings, takenAt)] : readings;
    const known = wanted?.collection === nodesPath && readings.length > 0 ? [await nodesIn(wanted, readings)] : merged;
    const found = answersFrom({
      v: 1,
      cluster: basename(folder),
      takenAt: takenAt.toISOString(),
      whole: false,
      firstSeen: {},
      waitsForRender: [],
      changes: {},
      applications: [],
      readings: known,
    })(question);
    return found.kind === 'failed' ? { ...found, why: 'it is not in the must-gather' } : found;
  }

  /** `oc adm inspect node/worker-1` gathers that one alone: of the others the folder does not even have the names.
   *  Several images of a must-gather each gather some, or all again. */
  async function nodesIn(wanted: ResourcePath, readings: readonly Reading[]): Promise<Reading> {
    const pools = await Promise.all(roots.map((root) => readingsFor(root, everyPool)));
    const machines = byName(pools.flat().flatMap(itemsIn)).flatMap(machinesOf);
    const nodes = together(wanted, readings, takenAt);
    const [gathered, all] = [itemsIn(nodes).length, sum(machines)];
    if (gathered === 0 || gathered >= all) return nodes;
    gaps.add(`nodes: ${gathered} of ${all} were gathered; \`oc adm inspect nodes\` gathers all`);
    return partial(nodes);
  }

  async function readingsFor(root: string, wanted: ResourcePath): Promise<readonly Reading[]> {
    const group = groupOf(wanted);
    const plural = nameOf(wanted);
    if (![wanted.namespace, wanted.name, group, plural].every(isName)) return [];
    const scoped = await files.collection(join(root, 'cluster-scoped-resources', group), plural, wanted.collection);
    if (scoped !== undefined) return [scoped];
    if (wanted.collection === '/api/v1/namespaces' && wanted.name !== undefined)
      return files.single(join(root, 'namespaces', wanted.name, `${wanted.name}.yaml`), wanted);
    const namespaces = wanted.namespace === undefined ? await foldersIn(join(root, 'namespaces')) : [wanted.namespace];
    const found = await Promise.all(
      namespaces.map(async (namespace) => {
        const home = join(root, 'namespaces', namespace);
        const list = await files.collection(join(home, group), plural, inNamespace(wanted.collection, namespace));
        if (list !== undefined || plural !== 'pods' || wanted.name === undefined)
          return list === undefined ? [] : [list];
        return files.single(join(home, 'pods', wanted.name, `${wanted.name}.yaml`), wanted);
      }),
    );
    return found.flat();
  }

  return { takenAt, observed: readerBy(answer), gaps: () => [...gaps] };
}

const nodesPath = '/api/v1/nodes';
const everyPool: ResourcePath = {
  collection: '/apis/machineconfiguration.openshift.io/v1/machineconfigpools',
  namespace: undefined,
  name: undefined,
};

const CountedPool = z.object({ status: z.object({ machineCount: z.number() }) });
const Named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });

function itemsIn({ answer }: Reading): readonly unknown[] {
  return answer.kind === 'found' ? itemsOf(answer.body) : [];
}

function machinesOf(pool: unknown): readonly number[] {
  const read = CountedPool.safeParse(pool).data;
  return read === undefined ? [] : [read.status.machineCount];
}

/** Each object once. */
function byName(items: readonly unknown[]): readonly unknown[] {
  return [...new Map(items.map((item) => [nameIn(item), item])).values()];
}

function nameIn(item: unknown): string {
  const { namespace = '', name = '' } = Named.safeParse(item).data?.metadata ?? {};
  return `${namespace}/${name}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((before, each) => before + each, 0);
}

/** A list of which there is more. */
function partial(reading: Reading): Reading {
  const body = { items: itemsIn(reading), metadata: { continue: 'more' } };
  return reading.answer.kind === 'found' ? { ...reading, answer: { kind: 'found', body } } : reading;
}

/** Names come from texts of the cluster and become paths here: no Kubernetes name leads out of its folder. */
function isName(name: string | undefined): boolean {
  return name === undefined || /^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(name);
}

/** Namespaced objects asked for across all namespaces. */
function isOverNamespaces(wanted: ResourcePath, readings: readonly Reading[]): boolean {
  return wanted.namespace === undefined && readings.some(({ path }) => resourcePath(path)?.namespace !== undefined);
}

function together(wanted: ResourcePath, readings: readonly Reading[], takenAt: Date): Reading {
  const items = byName(readings.flatMap(itemsIn));
  return {
    path: wanted.collection,
    query: {},
    form: 'object',
    readAt: takenAt.toISOString(),
    answer: { kind: 'found', body: { items } },
  };
}

function cached(takenAt: Date) {
  const known = new Map<string, Promise<readonly unknown[] | undefined>>();
  const once = (key: string, read: () => Promise<readonly unknown[] | undefined>) => {
    const before = known.get(key) ?? read();
    known.set(key, before);
    return before;
  };
  const reading = (path: string, body: unknown): Reading => ({
    path,
    query: {},
    form: 'object',
    readAt: takenAt.toISOString(),
    answer: { kind: 'found', body: forSharing(path, body) },
  });
  return {
    /** All objects of a kind: one file with a list, or a folder with one file each. Undefined: not gathered. */
    async collection(folder: string, plural: string, path: string): Promise<Reading | undefined> {
      const items = await once(join(folder, plural), async () => {
        const list = await readYaml(join(folder, `${plural}.yaml`));
        if (list !== undefined) return itemsOf(list);
        const names = await readdir(join(folder, plural)).catch(() => undefined);
        if (names === undefined) return undefined;
        const each = names.filter((name) => name.endsWith('.yaml')).map((name) => readYaml(join(folder, plural, name)));
        return (await Promise.all(each)).filter((object) => object !== undefined);
      });
      return items === undefined ? undefined : reading(path, { items });
    },
    async single(file: string, { collection, namespace, name = '' }: ResourcePath): Promise<readonly Reading[]> {
      const [body] = (await once(file, async () => [await readYaml(file)])) ?? [];
      const home = namespace === undefined ? collection : inNamespace(collection, namespace);
      return body === undefined ? [] : [reading(`${home}/${encodeURIComponent(name)}`, body)];
    },
  };
}

/** Undefined if there is no such file. Throws Misconfigured if it cannot be parsed. */
async function readYaml(file: string): Promise<unknown> {
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) return undefined;
  if (size > largest) throw new Misconfigured([`${file}: is larger than ${largest / 1024 / 1024} MiB`]);
  try {
    return parse(await readFile(file, 'utf8'), { maxAliasCount: 0 });
  } catch (cause) {
    throw new Misconfigured([`${file}: is not YAML`], { cause });
  }
}

async function rootsBelow(folder: string, levels: number): Promise<readonly string[]> {
  const names = await foldersIn(folder);
  if (names.includes('cluster-scoped-resources') || names.includes('namespaces')) return [folder];
  if (levels === 0) return [];
  return (await Promise.all(names.map((name) => rootsBelow(join(folder, name), levels - 1)))).flat();
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** From the file `timestamp`, whose last line is the end; else the modification time of the folder. */
async function timeOf(folder: string, roots: readonly string[]): Promise<Date> {
  for (const home of [folder, ...roots]) {
    const text = await readFile(join(home, 'timestamp'), 'utf8').catch(() => '');
    const last = [...text.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* ([+-]\d\d)(\d\d)/g)].at(-1);
    if (last !== undefined) return new Date(`${last[1]}T${last[2]}${last[3]}:${last[4]}`);
  }
  return (await stat(folder)).mtime;
}

/** `/apis/policy/v1/poddisruptionbudgets` -> `policy`, `/api/v1/pods` -> `core`. */
function groupOf({ collection }: ResourcePath): string {
  const [, root, group = ''] = collection.split('/');
  return root === 'api' ? 'core' : group;
}

function nameOf({ collection }: ResourcePath): string {
  return collection.split('/').at(-1) ?? '';
}

function inNamespace(collection: string, namespace: string): string {
  const end = collection.lastIndexOf('/');
  return `${collection.slice(0, end)}/namespaces/${encodeURIComponent(namespace)}${collection.slice(end)}`;
}
