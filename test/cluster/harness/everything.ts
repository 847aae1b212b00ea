import type { Kube, KubeObject } from './kube.ts';
import { paths } from './paths.ts';

/** Kinds that change by themselves: what somebody saw, and who is alive. */
const restless = new Set(['events', 'leases', 'componentstatuses']);

/** All objects of a cluster by their paths, of all kinds that it serves, without what only says when and by whom they
 *  were written. */
export async function everythingIn(kube: Kube): Promise<ReadonlyMap<string, unknown>> {
  const collections = await collectionsOf(kube);
  const lists = await Promise.all(
    collections.map(async (path) => (await kube.list(path)).map((object) => ({ path, object }))),
  );
  const all = lists.flat();
  const isGoing = goingAmong(all);
  return new Map(all.map(({ path, object }) => [`${path} ${nameOf(object)}`, isGoing(object) ? going : plain(object)]));
}

/** Stands for an object that is being deleted. */
const going = 'being deleted';

interface Placed {
  readonly path: string;
  readonly object: KubeObject;
}

/** What is deleted, what goes with its namespace, and what the garbage collector has still to fetch. */
function goingAmong(all: readonly Placed[]): (object: KubeObject) => boolean {
  const isDeleted = ({ metadata }: KubeObject) => metadata['deletionTimestamp'] !== undefined;
  const namespaces = new Set(
    all
      .filter(({ path, object }) => path === paths.namespaces && isDeleted(object))
      .map(({ object }) => object.metadata.name),
  );
  const staying = new Map(
    all
      .filter(({ object }) => !isDeleted(object) && !namespaces.has(object.metadata.namespace ?? ''))
      .map(({ object }) => [object.metadata.uid ?? '', object]),
  );
  const stays = ({ metadata }: KubeObject): boolean => {
    const owners = (metadata['ownerReferences'] ?? []) as readonly { readonly uid: string }[];
    if (!staying.has(metadata.uid ?? '')) return false;
    if (owners.length === 0) return true;
    return owners.map(({ uid }) => staying.get(uid)).some((owner) => owner !== undefined && stays(owner));
  };
  return (object) => !stays(object);
}

/** What is there in only one of them, or not the same in both: `+ path`, `- path`, `~ path`. What was being deleted
 *  before, by another file of the suite, may be gone or not. */
export function differences(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path) => {
    if (before.get(path) === going) return [];
    if (!before.has(path)) return [`+ ${path}`];
    if (!after.has(path)) return [`- ${path}`];
    return JSON.stringify(before.get(path)) === JSON.stringify(after.get(path)) ? [] : [`~ ${path}`];
  });
}

/** One version of each kind that can be listed. */
async function collectionsOf(kube: Kube): Promise<readonly string[]> {
  const groups = (await kube.get('/apis')) as unknown as Groups;
  const versions = [
    '/api/v1',
    ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const resources = await Promise.all(
    versions.map(async (version) => {
      const list = (await kube.get(version)) as unknown as Resources;
      return list.resources
        .filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/') && !restless.has(name))
        .map(({ name }) => `${version}/${name}`);
    }),
  );
  return resources.flat();
}

interface Groups {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
}

interface Resources {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

function nameOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function plain({ metadata, status, ...object }: KubeObject): unknown {
  const { managedFields: _, resourceVersion: __, generation: ___, ...kept } = metadata;
  const { reconciledAt: ____, ...state } = status ?? {};
  return { ...object, metadata: kept, status: state };
}
