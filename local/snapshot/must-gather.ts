import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Answer, Question } from '../../functions/core/findings/question.ts';
import { answersFrom } from './answer-from.ts';
import { type ClusterReader, readerBy } from './cluster-reader.ts';
import { forSharing } from './for-sharing.ts';
import { type Collected, gatheredFiles } from './gathered-files.ts';
import { foldersIn, gathersIn } from './gathers.ts';
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

/** Throws Misconfigured if nothing was gathered in the folder, or several times. */
export async function openMustGather(folder: string): Promise<MustGather> {
  const { roots, takenAt, otherTimes } = await gathersIn(folder);
  const files = gatheredFiles(folder);
  const gaps = new Set(otherTimes);

  async function answer(question: Question): Promise<Answer> {
    const wanted = resourcePath(question.path);
    const readings = wanted === undefined ? [] : await gathered(wanted);
    const [why, isPart] = [readings.flatMap(whyUnread)[0], isOverNamespaces(wanted, readings)];
    const told = answersFrom({
      v: 1,
      cluster: basename(folder),
      takenAt: takenAt.toISOString(),
      whole: false,
      firstSeen: {},
      waitsForRender: [],
      changes: {},
      applications: [],
      readings:
        wanted === undefined ? [] : isPart ? [overNamespaces(wanted, readings)] : await allNodes(wanted, readings),
    })(question);
    if (told.kind === 'failed') return { ...told, why: why ?? 'it is not in the must-gather' };
    if (why === undefined || !isPart) return told;
    return isLaterPage(question) ? { kind: 'failed', why, readAt: takenAt } : partial(told);
  }

  /** One reading a path. */
  async function gathered(wanted: ResourcePath): Promise<Reading[]> {
    const readings = (
      await Promise.all(
        roots.map(async (root) => {
          const ofRoot = await readingsFor(root.folder, wanted);
          return ofRoot.map((each) => ({ ...each, readAt: root.readAt.toISOString() }));
        }),
      )
    ).flat();
    return [...Map.groupBy(readings, ({ path }) => path).values()].flatMap(ofAllImages);
  }

  /** Several images of a must-gather each gather some, or all again: of cluster-scoped objects each counts, as it was
   *  gathered last; of a namespace the last whole list. */
  function ofAllImages(readings: readonly Reading[]): readonly Reading[] {
    const read = readings.filter(({ answer }) => answer.kind === 'found');
    const last = read.at(-1) ?? readings.at(-1);
    if (last === undefined) return [];
    return read.length < 2 || resourcePath(last.path)?.namespace !== undefined ? [last] : [together(last.path, read)];
  }

  function overNamespaces(wanted: ResourcePath, readings: readonly Reading[]): Reading {
    gaps.add(`${nameOf(wanted)} of namespaces that were not gathered (${readings.length} were)`);
    for (const why of readings.flatMap(whyUnread)) gaps.add(why);
    return together(wanted.collection, readings);
  }

  /** `oc adm inspect node/worker-1` gathers that one alone: of the others the folder does not even have the names. */
  async function allNodes({ collection }: ResourcePath, readings: Reading[]): Promise<Reading[]> {
    if (collection !== nodesPath) return readings;
    const machines = (await gathered(everyPool)).flatMap(itemsIn).flatMap(machinesOf);
    const [known, all] = [readings.flatMap(itemsIn).length, sum(machines)];
    if (known === 0 || known >= all) return readings;
    gaps.add(`nodes: ${known} of ${all} were gathered; \`oc adm inspect nodes\` gathers all`);
    return readings.map((nodes) => ({ ...nodes, answer: partial(nodes.answer) }));
  }

  async function readingsFor(root: string, wanted: ResourcePath): Promise<readonly Reading[]> {
    const group = groupOf(wanted);
    const plural = nameOf(wanted);
    if (![wanted.namespace, wanted.name, group, plural].every(isName)) return [];
    const scoped = await files.collection(join(root, 'cluster-scoped-resources', group), plural);
    if (scoped !== undefined) return [clusterWide(wanted.collection, scoped)];
    if (wanted.collection === '/api/v1/namespaces' && wanted.name !== undefined)
      return single(join(root, 'namespaces', wanted.name, `${wanted.name}.yaml`), wanted);
    const namespaces = wanted.namespace === undefined ? await foldersIn(join(root, 'namespaces')) : [wanted.namespace];
    const each = await Promise.all(
      namespaces.map(async (namespace) => {
        const home = join(root, 'namespaces', namespace);
        const list = await files.collection(join(home, group), plural, namespace);
        if (list !== undefined) return [ofNamespace(inNamespace(wanted.collection, namespace), list)];
        return plural === 'pods' && wanted.name !== undefined
          ? single(join(home, 'pods', wanted.name, `${wanted.name}.yaml`), wanted)
          : [];
      }),
    );
    return each.flat();
  }

  /** A list that cannot be read fails; of objects with a file each, those that can be read are told. */
  function clusterWide(path: string, { items, unread, isList }: Collected): Reading {
    if (isList || unread.length === 0) return ofNamespace(path, { items, unread, isList });
    for (const { why } of unread) gaps.add(why);
    // No pool to anybody who reads it, so that nodes of a pool that is there are not called nodes of none.
    const known =
      path === everyPool.collection ? unread.map(({ name }) => ({ metadata: { name }, spec: 'unread' })) : [];
    return reading(path, {
      kind: 'found',
      body: { items: [...known, ...itemsIn(found(path, { items }))], metadata: more },
    });
  }

  /** Who asks for the budgets of a namespace goes by all of them. */
  function ofNamespace(path: string, { items, unread: [first] }: Collected): Reading {
    return first === undefined ? found(path, { items }) : failed(path, first.why);
  }

  async function single(file: string, { collection, namespace, name = '' }: ResourcePath): Promise<readonly Reading[]> {
    const read = await files.object(file, { namespace, name });
    if (read === undefined) return [];
    const home = namespace === undefined ? collection : inNamespace(collection, namespace);
    const path = `${home}/${encodeURIComponent(name)}`;
    return [read.kind === 'unread' ? failed(path, read.why) : found(path, read.body)];
  }

  function found(path: string, body: unknown): Reading {
    return reading(path, { kind: 'found', body: forSharing(path, body) });
  }

  function failed(path: string, why: string): Reading {
    return reading(path, { kind: 'failed', why });
  }

  function reading(path: string, answer: Reading['answer']): Reading {
    return { path, query: {}, form: 'object', readAt: takenAt.toISOString(), answer };
  }

  /** Each object once, as the last one has it; partial if one of them is. What was read at several times is as old as
   *  the first. */
  function together(path: string, readings: readonly Reading[]): Reading {
    const [readAt = takenAt.toISOString()] = readings.map((each) => each.readAt).toSorted();
    const all = { ...reading(path, { kind: 'found', body: { items: byName(readings.flatMap(itemsIn)) } }), readAt };
    return readings.some(isPartial) ? { ...all, answer: partial(all.answer) } : all;
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

function whyUnread({ answer }: Reading): readonly string[] {
  return answer.kind === 'failed' ? [answer.why] : [];
}

function machinesOf(pool: unknown): readonly number[] {
  const read = CountedPool.safeParse(pool).data;
  return read === undefined ? [] : [read.status.machineCount];
}

/** Each object once, as it comes last. */
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
function partial<Told extends Reading['answer']>(answer: Told): Told {
  return answer.kind === 'found' ? { ...answer, body: { items: itemsOf(answer.body), metadata: more } } : answer;
}

const more = { continue: 'more' };

const PartialList = z.object({ metadata: z.object({ continue: z.literal(more.continue) }) });

function isPartial({ answer }: Reading): boolean {
  return answer.kind === 'found' && PartialList.safeParse(answer.body).success;
}

function isLaterPage({ query }: Question): boolean {
  return query['continue'] !== undefined;
}

/** Names come from texts of the cluster and become paths here: no Kubernetes name leads out of its folder. */
function isName(name: string | undefined): boolean {
  return name === undefined || /^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(name);
}

/** Namespaced objects asked for across all namespaces. */
function isOverNamespaces(wanted: ResourcePath | undefined, readings: readonly Reading[]): boolean {
  return wanted?.namespace === undefined && readings.some(({ path }) => resourcePath(path)?.namespace !== undefined);
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
