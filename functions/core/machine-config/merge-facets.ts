import type { Facet } from './facet.ts';
import { isObject, type JsonObject, textAt } from './json.ts';

/** The setting of one source under a key. */
export interface FacetSource {
  readonly source: string;
  readonly facet: Facet;
}

/** The merged setting under a key, and its sources. */
export interface MergedFacet extends Facet {
  /** The last source, which wins; its fields overlay those of earlier sources. */
  readonly source: string;
  /** Every source that sets it, in merge order. */
  readonly sources: readonly string[];
}

/** Merges the settings of several sources under one key, in order. Source: MCO MergeMachineConfigs, Ignition
 *  config/merge. */
export function mergeFacets(said: readonly [FacetSource, ...FacetSource[]]): MergedFacet {
  const [first, ...rest] = said;
  const last = said[said.length - 1] ?? first;
  const value = rest.length === 0 ? first.facet.value : mergedValue(first.facet, rest);
  return { ...first.facet, value, source: last.source, sources: said.map(({ source }) => source) };
}

function mergedValue(first: Facet, rest: readonly FacetSource[]): unknown {
  const values = [first.value, ...rest.map(({ facet }) => facet.value)];
  switch (first.kind) {
    case 'file':
    case 'unit':
    case 'user':
      return values.reduce((parent, child) => overlay(parent, child, deepest));
    case 'kernelArguments':
    case 'extensions':
      return values.flat();
    // Either any of them decides, or the last one: empty settings are not facets.
    case 'fips':
    case 'kernelType':
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return values[values.length - 1];
    case 'opaque':
      return values;
    default:
      return first.kind satisfies never;
  }
}

const deepest = 16;

/** Ignition's merge: a field of the child replaces the parent's, objects are merged, lists by the name of their
 *  entries. */
function overlay(parent: unknown, child: unknown, depth: number): unknown {
  if (child === undefined || child === null) return parent;
  if (depth === 0) return child;
  if (Array.isArray(parent) && Array.isArray(child)) return overlayList(parent, child, depth);
  if (!isObject(parent) || !isObject(child)) return child;
  const merged: Record<string, unknown> = { ...parent };
  for (const [key, value] of Object.entries(child)) merged[key] = overlay(parent[key], value, depth - 1);
  return merged;
}

/** Texts once each (authorized keys); named entries merged by name (drop-ins, headers); others concatenated
 *  (append). */
function overlayList(parent: readonly unknown[], child: readonly unknown[], depth: number): readonly unknown[] {
  const byKey = new Map<string, unknown>();
  for (const [index, entry] of [...parent, ...child].entries()) {
    const key = entryKey(entry) ?? `#${index}`;
    byKey.set(key, byKey.has(key) ? overlay(byKey.get(key), entry, depth - 1) : entry);
  }
  return [...byKey.values()];
}

function entryKey(entry: unknown): string | undefined {
  if (typeof entry === 'string') return `=${entry}`;
  const name = isObject(entry) ? textAt(entry satisfies JsonObject, 'name') : '';
  return name === '' ? undefined : `@${name}`;
}
