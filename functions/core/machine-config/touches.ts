import { facetKey, facetsOf } from './facet.ts';
import { isObject, listAt, objectAt, textAt } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** Predicate: may a MachineConfig set something under one of the keys? Checks names only, so that hundreds can be
 *  searched without parsing what does not matter; an unknown section is checked in full. */
export function touching(keys: ReadonlySet<string>): (config: MachineConfigContent) => boolean {
  const all = [...keys];
  if (all.some((key) => key.startsWith('opaque '))) return (config) => hasAnyKey(config, keys);
  const wanted = fields.filter((field) => keys.has(facetKey(field, field)));
  const [files, units, users] = ['file ', 'unit ', 'user '].map((kind) => namesIn(all, kind));
  return ({ spec }) =>
    wanted.some((field) => spec[field] !== undefined) ||
    names(spec['config'], 'storage', 'files', 'path', files) ||
    names(spec['config'], 'systemd', 'units', 'name', units) ||
    names(spec['config'], 'passwd', 'users', 'name', users);
}

function namesIn(keys: readonly string[], kind: string): ReadonlySet<string> {
  return new Set(keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length)));
}

function hasAnyKey(config: MachineConfigContent, keys: ReadonlySet<string>): boolean {
  const facets = facetsOf(config);
  for (const key of keys) if (facets.has(key)) return true;
  return false;
}

const fields = [
  'kernelArguments',
  'extensions',
  'kernelType',
  'fips',
  'osImageURL',
  'baseOSExtensionsContainerImage',
] as const;

function names(
  config: unknown,
  ...[section, list, key, wanted]: readonly [string, string, string, ReadonlySet<string> | undefined]
): boolean {
  if (wanted === undefined || wanted.size === 0 || !isObject(config)) return false;
  return listAt(objectAt(config, section), list).some((entry) => wanted.has(textAt(entry, key)));
}
