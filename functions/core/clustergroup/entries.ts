import { type Remark, refused, trap } from './remark.ts';
import { at, isList, isMap, isSet, sortedEntries, type Value, type Values } from './values.ts';

/** One of `subscriptions`, `applications` or `namespaces`. */
export interface Entry {
  /** Key in the map form, index in the list form. */
  readonly key: string;
  /** Path of the entry: `clusterGroup.subscriptions.odf`. */
  readonly at: string;
  readonly form: 'map' | 'list';
  readonly entry: Values;
}

interface Entries {
  readonly entries: readonly Entry[];
  readonly remarks: readonly Remark[];
}

/** The entries of a section in the order in which the chart takes them: by key, or as listed. Null takes an entry
 *  away. */
export function entriesOf(values: Values, section: string): Entries {
  const where = `clusterGroup.${section}`;
  const found = at(values, 'clusterGroup', section);
  if (!isSet(found)) return { entries: [], remarks: [] };
  if (!isList(found) && !isMap(found)) {
    return { entries: [], remarks: [refused('entry-not-a-map', where, 'must be a map or a list')] };
  }
  const form = isList(found) ? 'list' : 'map';
  const pairs: readonly (readonly [string, Value])[] = isList(found)
    ? found.map((value, index) => [`${index}`, value])
    : sortedEntries(found);
  return {
    entries: pairs.flatMap(([key, entry]) =>
      isMap(entry) ? [{ key, at: `${where}.${key}`, form, entry } as const] : [],
    ),
    remarks: pairs.flatMap(([key, entry]) =>
      entry === null || isMap(entry) ? [] : [refused('entry-not-a-map', `${where}.${key}`, 'must be a map')],
    ),
  };
}

/** `disabled` is tested for truth, not for its type: the text "false" disables. */
export function isDisabled(entry: Values): boolean {
  return isSet(entry['disabled']);
}

export function disabledRemarks(entry: Values, where: string): readonly Remark[] {
  const { disabled } = entry;
  if (disabled === undefined || disabled === null || typeof disabled === 'boolean') return [];
  const effect = isSet(disabled) ? 'disables' : 'does not disable';
  return [
    trap(
      'disabled-is-not-a-boolean',
      `${where}.disabled`,
      `${JSON.stringify(disabled)} is not a boolean; the chart tests for truth, so it ${effect}`,
    ),
  ];
}
