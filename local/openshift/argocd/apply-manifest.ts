import { isJsonObject, type Json, type JsonObject, valueAt } from '../api-server/json.ts';
import type { KubernetesObject, NewObject } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { type ResourceType, typeOfKind } from '../api-server/resource-types.ts';
import type { Application, IgnoreDifference } from './application.ts';
import { asJson, type Manifest } from './manifests.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const trackingId = 'argocd.argoproj.io/tracking-id';

/** Where a manifest's object is stored. */
export interface Place {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string;
}

export function placeOf({ apiVersion, kind, metadata }: Manifest, application: Application): Place | undefined {
  const type = typeOfKind(apiVersion, kind);
  if (!type) return undefined;
  const namespace = type.namespaced ? (metadata.namespace ?? application.spec.destination.namespace ?? 'default') : '';
  return { type, name: metadata.name, namespace };
}

/** The annotation value by which Argo CD tracks an object of an application. */
export function trackingIdOf(application: Application, { type, name, namespace }: Place): string {
  return `${application.metadata.name}:${type.group}/${type.kind}:${namespace}/${name}`;
}

/** Whether this object belongs to the application. */
export function isTracked(object: KubernetesObject, application: Application): boolean {
  return object.metadata.annotations?.[trackingId]?.startsWith(`${application.metadata.name}:`) ?? false;
}

/** The object as it will be once the manifest is applied: fields that Git no longer has are removed, fields that others
 *  set stay. */
export function afterApply(manifest: Manifest, live: KubernetesObject | undefined, mark: string): JsonObject {
  const desired = asJson(manifest);
  const current = live ? (structuredClone(live) as unknown as JsonObject) : {};
  const before: unknown = JSON.parse(live?.metadata.annotations?.[lastApplied] ?? '{}');
  const merged = merge(without(current, isJsonObject(before) ? before : {}, desired), desired);
  const metadata = isJsonObject(merged['metadata']) ? merged['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return {
    ...merged,
    metadata: {
      ...metadata,
      annotations: { ...annotations, [trackingId]: mark, [lastApplied]: JSON.stringify(desired) },
    },
  };
}

/** Removes what was applied before and is no longer wanted. */
function without(current: JsonObject, before: JsonObject, desired: JsonObject): JsonObject {
  const kept: JsonObject = { ...current };
  for (const [key, value] of Object.entries(before)) {
    const live = kept[key];
    const wanted = desired[key];
    if (wanted === undefined) delete kept[key];
    else if (isJsonObject(live) && isJsonObject(value) && isJsonObject(wanted))
      kept[key] = without(live, value, wanted);
  }
  return kept;
}

function merge(current: JsonObject, desired: JsonObject): JsonObject {
  const merged: JsonObject = { ...current };
  for (const [key, value] of Object.entries(desired)) merged[key] = mergeValue(merged[key], value);
  return merged;
}

/** Elements of lists keep what the server filled in. They are matched by name, or else by position. */
function mergeValue(current: Json | undefined, desired: Json): Json {
  if (isJsonObject(current) && isJsonObject(desired)) return merge(current, desired);
  if (!Array.isArray(current) || !Array.isArray(desired)) return desired;
  return desired.map((element, index) => {
    const named = isJsonObject(element)
      ? current.find(
          (other) => isJsonObject(other) && other['name'] === element['name'] && element['name'] !== undefined,
        )
      : undefined;
    return mergeValue(named ?? current[index], element);
  });
}

/** The predicted object with the current values of ignored fields, so that they make no difference. */
export function ignoring(
  predicted: JsonObject,
  live: KubernetesObject,
  { application, type }: { readonly application: Application; readonly type: ResourceType },
): JsonObject {
  const rules = (application.spec.ignoreDifferences ?? []).filter((rule) => concerns(rule, type, live));
  const current = live as unknown as JsonObject;
  const result = structuredClone(predicted);
  for (const pointer of rules.flatMap((rule) => [...(rule.jsonPointers ?? []), ...pointersOf(rule, live)])) {
    const keys = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    copyValue(current, result, keys);
  }
  return result;
}

function concerns(
  { group = '', kind, name }: IgnoreDifference,
  type: ResourceType,
  { metadata }: KubernetesObject,
): boolean {
  return (
    (group === '*' || group === type.group) &&
    (kind === '*' || kind === type.kind) &&
    (name === undefined || name === metadata.name)
  );
}

/** The fields owned by managers that are to be ignored. */
function pointersOf({ managedFieldsManagers = [] }: IgnoreDifference, { metadata }: KubernetesObject): string[] {
  const entries = (metadata.managedFields ?? []).filter(({ manager }) => managedFieldsManagers.includes(manager));
  return entries.flatMap(({ fieldsV1 }) => leaves(fieldsV1, ''));
}

function leaves(tree: JsonObject, above: string): string[] {
  return Object.entries(tree).flatMap(([key, below]) => {
    if (!key.startsWith('f:')) return [];
    const pointer = `${above}/${key.slice(2).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return isJsonObject(below) && Object.keys(below).length > 0 ? leaves(below, pointer) : [pointer];
  });
}

function copyValue(from: JsonObject, to: JsonObject, keys: readonly string[]): void {
  const last = keys.at(-1);
  const parent = valueAt(to, keys.slice(0, -1));
  if (last === undefined || !isJsonObject(parent)) return;
  const value = valueAt(from, keys);
  if (value === undefined) delete parent[last];
  else parent[last] = value as Json;
}

export interface Applied {
  readonly outcome: 'created' | 'configured' | 'unchanged';
}

/** Writes the manifest to the cluster. Throws the server's ApiError. */
export function applyManifest(
  registry: Registry,
  manifest: Manifest,
  {
    application,
    place,
    dryRun,
  }: { readonly application: Application; readonly place: Place; readonly dryRun: boolean },
): Applied {
  const { type, name, namespace } = place;
  const live = registry.get(type, name, namespace);
  const write = { manager: 'argocd-controller', dryRun };
  const next = afterApply(manifest, live, trackingIdOf(application, place));
  if (!live) {
    const metadata = { ...(isJsonObject(next['metadata']) ? next['metadata'] : {}), ...(namespace && { namespace }) };
    registry.create(type, { ...next, metadata } as unknown as NewObject<KubernetesObject>, write);
    return { outcome: 'created' };
  }
  const respected = application.spec.syncPolicy?.syncOptions?.includes('RespectIgnoreDifferences=true')
    ? ignoring(next, live, { application, type })
    : next;
  const written = registry.update(type, respected as unknown as KubernetesObject, write);
  return { outcome: written === live ? 'unchanged' : 'configured' };
}
