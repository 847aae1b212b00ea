import type { Facet } from './facet.ts';
import { isObject, type JsonObject, textAt } from './json.ts';

/** What one MachineConfig sets under a key. */
export interface FacetSource {
  /** Name of the MachineConfig. */
  readonly source: string;
  readonly facet: Facet;
}

/** The setting under a key after merging, and the MachineConfigs that it comes from. */
export interface MergedFacet extends Facet {
  /** The last of them, whose fields win over those of earlier ones. */
  readonly source: string;
  /** All of them, in merge order. */
  readonly sources: readonly string[];
}

/** Merges what several MachineConfigs set under one key, given in merge order. Source: MCO `MergeMachineConfigs`,
 *  Ignition config/merge. */
export function mergeFacets(settings: readonly [FacetSource, ...FacetSource[]]): MergedFacet {
  const [first, ...rest] = settings;
  const last = settings[settings.length - 1] ?? first;
  const value = rest.length === 0 ? first.facet.value : mergedValue(first.facet, rest);
  return { ...first.facet, value, source: last.source, sources: settings.map(({ source }) => source) };
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
    // For FIPS mode any source decides, for the others the last one. Empty settings are no facets, so it is the same.
    case 'fips':
    case 'kernelType':
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return values[values.length - 1];
    // Not merged: compared as they are.
    case 'opaque':
      return values;
    default:
      return first.kind satisfies never;
  }
}

/** Levels of nesting that are merged; below them the child's value replaces the parent's. */
const deepest = 16;

/** Ignition's merge of an earlier setting (parent) and a later one (child): a field of the child replaces the parent's,
 *  objects are merged field by field, lists as in `overlayList`. */
function overlay(parent: unknown, child: unknown, depth: number): unknown {
  if (child === undefined || child === null) return parent;
  if (depth === 0) return child;
  if (Array.isArray(parent) && Array.isArray(child)) return overlayList(parent, child, depth);
  if (!isObject(parent) || !isObject(child)) return child;
  const merged: Record<string, unknown> = { ...parent };
  for (const [key, value] of Object.entries(child)) merged[key] = overlay(parent[key], value, depth - 1);
  return merged;
}

/** Texts once each (authorized keys); entries with a name merged by name (drop-ins, headers); others concatenated
 *  (`append` of a file). */
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
