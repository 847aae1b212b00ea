import { isJsonObject, type Json, type JsonObject, sameJson } from './json.ts';
import type { ManagedFieldsEntry } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** The manager and where it writes: together, one entry of `metadata.managedFields`. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: 'status';
}

/** The field ownership after a write, as the real server does it for an Update: the writer gets the fields that it
 *  changed and keeps those it had; removed fields belong to nobody. Writing the existing value changes no ownership. */
export function managedFieldsAfter(
  entries: readonly ManagedFieldsEntry[],
  before: JsonObject,
  after: JsonObject,
  write: { readonly type: ResourceType; readonly writer: Writer; readonly time: string },
): ManagedFieldsEntry[] {
  const [old, fresh] = fieldsApart(before, after, write.type);
  const changed = [...fresh.keys()].filter((path) => !old.has(path) || !sameJson(old.get(path), fresh.get(path)));
  const lost = new Set([...changed, ...[...old.keys()].filter((path) => !fresh.has(path))]);
  if (lost.size === 0) return [...entries];

  const mine = entries.find((entry) => isBy(entry, write.writer));
  const others = entries.filter((entry) => entry !== mine).map((entry) => without(entry, lost));
  const had = mine ? pathsOf(mine.fieldsV1) : [];
  const own = new Set([...had.filter((path) => !lost.has(path)), ...changed]);
  const time = changed.length > 0 ? write.time : (mine?.time ?? write.time);
  const isAsBefore = own.size === had.length && had.every((path) => own.has(path));
  const entry = mine && isAsBefore ? { ...mine, time } : entryOf(write.writer, own, time);
  const updated = own.size === 0 ? [] : [entry];
  return [...others.filter((entry) => Object.keys(entry.fieldsV1).length > 0), ...updated].sort(byTimeThenManager);
}

function isBy(entry: ManagedFieldsEntry, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === 'Update' &&
    entry.apiVersion === writer.apiVersion &&
    entry.subresource === writer.subresource
  );
}

function without(entry: ManagedFieldsEntry, lost: ReadonlySet<string>): ManagedFieldsEntry {
  const paths = pathsOf(entry.fieldsV1);
  const kept = paths.filter((path) => !lost.has(path));
  return kept.length === paths.length ? entry : { ...entry, fieldsV1: treeOf(kept) };
}

function entryOf(
  { manager, apiVersion, subresource }: Writer,
  paths: ReadonlySet<string>,
  time: string,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {
    manager,
    operation: 'Update',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: treeOf([...paths]),
  };
  return subresource ? { ...entry, subresource } : entry;
}

function byTimeThenManager(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return left.time.localeCompare(right.time) || left.manager.localeCompare(right.manager);
}

/** Path elements are joined by a character that no JSON key in a Kubernetes object holds. */
const joint = '\u0000';

/** Marks the presence of a map whose fields are listed below it; the `.` of FieldsV1. */
const presence = Symbol('presence');

/** Metadata that a client can own; the rest is the server's. */
const ownedMetadata = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences', 'generateName']);

/** Maps that are owned as a whole. Source: x-kubernetes-map-type and structType=atomic of the schemas. */
const atomicMaps = new Set([
  'f:spec.f:nodeSelector',
  'f:spec.f:machineConfigSelector',
  'f:spec.f:machineConfigPoolSelector',
  'f:spec.f:configuration',
  'f:status.f:configuration',
  'f:spec.f:selector',
]);

/** Structures that built-in kinds always have, so that nobody owns their presence. */
const everPresent = new Set([
  'f:spec',
  'f:status',
  'f:metadata',
  'f:template',
  'f:strategy',
  'f:securityContext',
  'f:containers',
]);

/** Lists of built-in kinds whose elements are owned one by one, with the key of their elements. */
const keyedLists: Readonly<Record<string, string>> = {
  'f:ownerReferences': 'uid',
  'f:conditions': 'type',
  'f:containers': 'name',
  'f:addresses': 'type',
  'f:volumes': 'name',
};

/** The fields of two versions, without the parts that are the same in both. */
function fieldsApart(before: JsonObject, after: JsonObject, type: ResourceType): readonly [Fields, Fields] {
  const [old, fresh] = [ownedParts(before), ownedParts(after)];
  return [fieldsOf(old, fresh, type), fieldsOf(fresh, old, type)];
}

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(parts: OwnedParts, others: OwnedParts, type: ResourceType): Fields {
  const found = new Map<string, unknown>();
  for (const [path, value] of parts)
    if (!others.has(path) || !sameJson(value, others.get(path)))
      collect(value, path.split(joint), { found, custom: type.custom });
  return found;
}

type OwnedParts = ReadonlyMap<string, Json>;

/** The parts of an object that belong to writers, by their paths. */
function ownedParts(object: JsonObject): OwnedParts {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return new Map([
    ...Object.entries(metadata).flatMap(([key, value]) =>
      ownedMetadata.has(key) ? [[['f:metadata', `f:${key}`].join(joint), value] as const] : [],
    ),
    ...Object.entries(object).flatMap(([key, value]) =>
      ['apiVersion', 'kind', 'metadata'].includes(key) ? [] : [[`f:${key}`, value] as const],
    ),
  ]);
}

interface Collection {
  readonly found: Map<string, unknown>;
  readonly custom: boolean;
}

function collect(value: Json, path: readonly string[], into: Collection): void {
  const last = path.at(-1) ?? '';
  if (Array.isArray(value)) {
    collectList(value, path, into);
    return;
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0 || isAtomic(path)) {
    into.found.set(path.join(joint), value);
    return;
  }
  if (into.custom || !everPresent.has(last)) into.found.set(path.join(joint), presence);
  for (const [key, part] of Object.entries(value)) collect(part, [...path, `f:${key}`], into);
}

function isAtomic(path: readonly string[]): boolean {
  return atomicMaps.has(path.join('.')) || (path.length > 2 && path.at(-1) === 'f:nodeSelector');
}

function collectList(list: Json[], path: readonly string[], into: Collection): void {
  const last = path.at(-1) ?? '';
  const inMetadata = path[0] === 'f:metadata';
  const key = into.custom && !inMetadata ? undefined : keyedLists[last];
  if (!key || !list.every(isJsonObject) || list.length === 0) {
    into.found.set(path.join(joint), list);
    return;
  }
  if (!everPresent.has(last)) into.found.set(path.join(joint), presence);
  for (const element of list) collect(element, [...path, `k:${JSON.stringify({ [key]: element[key] ?? null })}`], into);
}

/** What stored objects share is looked through once. */
function pathsOf(tree: JsonObject): readonly string[] {
  const paths = knownPaths.get(tree) ?? pathsBelow(tree, []);
  if (Object.isFrozen(tree)) knownPaths.set(tree, paths);
  return paths;
}

const knownPaths = new WeakMap<JsonObject, readonly string[]>();

function pathsBelow(tree: JsonObject, above: readonly string[]): string[] {
  return Object.entries(tree).flatMap(([key, below]) => {
    if (key === '.') return [above.join(joint)];
    const path = [...above, key];
    return isJsonObject(below) && Object.keys(below).length > 0 ? pathsBelow(below, path) : [path.join(joint)];
  });
}

interface Branch {
  /** True: a field by itself, not only the path to one. */
  end: boolean;
  readonly below: Map<string, Branch>;
}

function treeOf(paths: readonly string[]): JsonObject {
  const root: Branch = { end: false, below: new Map() };
  for (const path of paths) {
    let branch = root;
    for (const key of path.split(joint)) branch = branchAt(branch, key);
    branch.end = true;
  }
  return fieldsV1Of(root);
}

function branchAt({ below }: Branch, key: string): Branch {
  const existing = below.get(key);
  if (existing) return existing;
  const made: Branch = { end: false, below: new Map() };
  below.set(key, made);
  return made;
}

function fieldsV1Of({ end, below }: Branch): JsonObject {
  const tree: JsonObject = end && below.size > 0 ? { '.': {} } : {};
  for (const [key, branch] of [...below].sort(([left], [right]) => (left < right ? -1 : 1)))
    tree[key] = fieldsV1Of(branch);
  return tree;
}
