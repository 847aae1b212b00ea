import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Lists that strategic merge patches merge by a key; all other lists are replaced. Source: patchMergeKey tags of
 *  k8s.io/api. */
const mergeKeys: Readonly<Record<string, string>> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  ownerReferences: 'uid',
};

/** The patch format of `kubectl` for built-in kinds: a merge patch whose keyed lists merge element by element. */
export function applyStrategicMergePatch(target: Json, patch: Json): Json {
  return merge(target, patch, undefined);
}

function merge(target: Json, patch: Json, listKey: string | undefined): Json {
  if (Array.isArray(patch)) return listKey && Array.isArray(target) ? mergeList(target, patch, listKey) : patch;
  if (!isJsonObject(patch)) return patch;
  const base = patch['$patch'] === 'replace' || !isJsonObject(target) ? {} : target;
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else result[key] = merge(result[key] ?? null, value, mergeKeys[key]);
  }
  return result;
}

function mergeList(target: Json[], patch: Json[], listKey: string): Json[] {
  const result = [...target];
  for (const element of patch) {
    if (!isJsonObject(element)) return patch;
    const at = result.findIndex((candidate) => isJsonObject(candidate) && candidate[listKey] === element[listKey]);
    if (element['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = merge(result[at] ?? null, element, undefined);
    else result.push(element);
  }
  return result;
}
