import { facetKey, facetsOf } from './facet.ts';
import { isObject, listAt, objectAt, textAt } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** True when a MachineConfig may say something under one of the keys. Looks at names only, so that a cluster of hundreds is searched without
 *  reading what does not matter; a section that is not known is looked at in full. */
export function mayTouch(config: MachineConfigContent, keys: ReadonlySet<string>): boolean {
  for (const key of keys) {
    if (key.startsWith('opaque ')) return hasAnyKey(config, keys);
  }
  return touchesField(config, keys) || touchesIgnition(config.spec['config'], keys);
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

const fieldKeys = fields.map((field) => ({ field, key: facetKey(field, field) }));

function touchesField({ spec }: MachineConfigContent, keys: ReadonlySet<string>): boolean {
  return fieldKeys.some(({ field, key }) => spec[field] !== undefined && keys.has(key));
}

function touchesIgnition(config: unknown, keys: ReadonlySet<string>): boolean {
  if (!isObject(config)) return false;
  return (
    listAt(objectAt(config, 'storage'), 'files').some((file) => keys.has(`file ${textAt(file, 'path')}`)) ||
    listAt(objectAt(config, 'systemd'), 'units').some((unit) => keys.has(`unit ${textAt(unit, 'name')}`)) ||
    listAt(objectAt(config, 'passwd'), 'users').some((user) => keys.has(`user ${textAt(user, 'name')}`))
  );
}
