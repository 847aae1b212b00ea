import { isBlank, isObject, listAt, objectAt, textAt, withoutEmptyTexts } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** Parts that a rendered config merges by separate rules. `opaque`: a section that the MCO does not change on a running
 *  node, or an unknown one. */
export type FacetKind =
  | 'file'
  | 'unit'
  | 'user'
  | 'kernelArguments'
  | 'extensions'
  | 'kernelType'
  | 'fips'
  | 'osImageURL'
  | 'baseOSExtensionsContainerImage'
  | 'opaque';

/** One setting of a MachineConfig: a file, a unit, a user, a field. Two MachineConfigs conflict where their keys are
 *  equal. */
export interface Facet {
  readonly key: string;
  readonly kind: FacetKind;
  /** Path, unit, user or field. */
  readonly name: string;
  readonly value: unknown;
}

const remembered = new WeakMap<MachineConfigContent, ReadonlyMap<string, Facet>>();

/** The settings of a MachineConfig, by key, in its own order. Ignition 2 is converted to 3, as the MCO does before
 *  merging. Empty settings are left out. Cached by object: every pool that selects a MachineConfig needs it. */
export function facetsOf(config: MachineConfigContent): ReadonlyMap<string, Facet> {
  const known = remembered.get(config);
  if (known !== undefined) return known;
  const facets = new Map<string, Facet>();
  for (const facet of ignitionFacets(config.spec['config'])) facets.set(facet.key, facet);
  for (const [field, value] of Object.entries(config.spec)) {
    const facet = field === 'config' ? undefined : fieldFacet(field, value);
    if (facet !== undefined) facets.set(facet.key, facet);
  }
  remembered.set(config, facets);
  return facets;
}

export function facetKey(kind: FacetKind, name: string): string {
  return `${kind} ${name}`;
}

/** Major version of a config's Ignition spec; 0 if not given. */
export function ignitionMajor(config: unknown): number {
  const version = textAt(objectAt(config, 'ignition'), 'version');
  return Number.parseInt(version, 10) || 0;
}

function facet(kind: FacetKind, name: string, value: unknown): Facet {
  return { key: facetKey(kind, name), kind, name, value };
}

const knownFields: Readonly<Record<string, FacetKind>> = {
  kernelArguments: 'kernelArguments',
  extensions: 'extensions',
  kernelType: 'kernelType',
  fips: 'fips',
  osImageURL: 'osImageURL',
  baseOSExtensionsContainerImage: 'baseOSExtensionsContainerImage',
};

function fieldFacet(field: string, value: unknown): Facet | undefined {
  // Fields of the MachineConfig itself are no pointers.
  if (value === '') return undefined;
  const kind = Object.hasOwn(knownFields, field) ? knownFields[field] : undefined;
  if (kind === undefined) return isBlank(value) ? undefined : facet('opaque', field, value);
  return isExpected(kind, value) ? spoken(kind, value) : facet('opaque', field, value);
}

/** A value of unexpected type is kept as it is: the MCO's treatment is unknown. */
function isExpected(kind: FacetKind, value: unknown): boolean {
  if (isBlank(value)) return true;
  if (kind === 'fips') return typeof value === 'boolean';
  if (kind === 'kernelArguments' || kind === 'extensions')
    return Array.isArray(value) && value.every((each) => typeof each === 'string');
  return typeof value === 'string';
}

/** A default is no setting: `fips: false` and `kernelType: default` never undo what another MachineConfig sets. */
function spoken(kind: FacetKind, value: unknown): Facet | undefined {
  if (isBlank(value) || value === false) return undefined;
  return kind === 'kernelType' && value === 'default' ? undefined : facet(kind, kind, value);
}

/** Sections that are merged by name, and where their entries are. */
function ignitionFacets(config: unknown): readonly Facet[] {
  if (isBlank(config)) return [];
  if (!isObject(config)) return [facet('opaque', 'config', config)];
  const isSpec2 = ignitionMajor(config) === 2;
  return Object.entries(config).flatMap(([section, value]) => sectionFacets(section, value, isSpec2));
}

function sectionFacets(section: string, value: unknown, isSpec2: boolean): readonly Facet[] {
  if (isBlank(value)) return [];
  switch (section) {
    case 'ignition':
      return ignitionSection(value);
    case 'storage':
      return [...named('file', value, 'files', isSpec2), ...others(section, value, 'files')];
    case 'systemd':
      return [...named('unit', value, 'units', isSpec2), ...others(section, value, 'units')];
    case 'passwd':
      return [...named('user', value, 'users', isSpec2), ...others(section, value, 'users')];
    default:
      return [facet('opaque', section, value)];
  }
}

/** The version is the MCO's own in every rendered config; the rest of the section is kept as it is. */
function ignitionSection(value: unknown): readonly Facet[] {
  if (!isObject(value)) return [facet('opaque', 'ignition', value)];
  return Object.entries(value)
    .filter(([key, each]) => key !== 'version' && !isBlank(each))
    .map(([key, each]) => facet('opaque', `ignition.${key}`, each));
}

type Named = 'file' | 'unit' | 'user';

function named(kind: Named, section: unknown, list: string, isSpec2: boolean): readonly Facet[] {
  if (isObject(section) && !isBlank(section[list]) && !Array.isArray(section[list]))
    return [facet('opaque', list, section[list])];
  return listAt(section, list).map((entry, index) => {
    const name = textAt(entry, kind === 'file' ? 'path' : 'name');
    if (name === '' || !isObject(entry)) return facet('opaque', `${list}[${index}]`, entry);
    return facet(kind, name, isSpec2 ? withoutEmptyTexts(fromSpec2(kind, entry), ['source']) : entry);
  });
}

function others(section: string, value: unknown, list: string): readonly Facet[] {
  if (!isObject(value)) return [facet('opaque', section, value)];
  return Object.entries(value)
    .filter(([key, each]) => key !== list && !isBlank(each))
    .map(([key, each]) => facet('opaque', `${section}.${key}`, each));
}

/** Ignition 2 names a filesystem, of which the MCO knows only `root`, and appends by a flag where 3 has a list. Its
 *  units may have `enable`. Its empty texts are none, but for that of a source. */
function fromSpec2(kind: Named, entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (kind === 'user') return entry;
  if (kind === 'unit') {
    const { enable, ...rest } = entry;
    return enable === true && rest['enabled'] === undefined ? { ...rest, enabled: true } : rest;
  }
  const { filesystem, append, ...rest } = entry;
  const place = filesystem === undefined || filesystem === 'root' || filesystem === '' ? {} : { filesystem };
  return append === true ? { ...place, ...rest, append: [objectAt(entry, 'contents')] } : { ...place, ...rest };
}
