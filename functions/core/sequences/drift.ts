import { fieldManager } from '../openshift/hold.ts';
import { isMapping, listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';
import { counted, listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** A field of a manifest, by the keys of fieldsV1 that lead to it. */
interface Field {
  readonly shown: string;
  readonly keys: readonly string[];
}

/** Fields that are looked at. A manifest has a few dozen. */
const fieldsAtMost = 2_000;

/** Fields of what we applied that are no longer ours, by `managedFields`: the API server takes a field from its owner
 *  when somebody else changes or removes it. Undefined: it does not say who owns what. Source: Kubernetes, Server-Side
 *  Apply, Field management. */
export function lostFields(applied: Mapping, object: unknown): readonly Field[] | undefined {
  const entries = managersOf(object);
  const own = entries.find(
    (entry) => textAt(entry, 'manager') === fieldManager && textAt(entry, 'operation') === 'Apply',
  );
  if (entries.length === 0) return undefined;
  const { apiVersion: _, kind: __, status: ___, metadata, ...rest } = applied;
  const { labels, annotations } = mappingAt({ metadata }, 'metadata');
  const expected = {
    ...rest,
    metadata: { ...(isMapping(labels) && { labels }), ...(isMapping(annotations) && { annotations }) },
  };
  return lostIn(expected, memberOf(own, 'fieldsV1') ?? {}, { shown: '', keys: [] }).slice(0, fieldsAtMost);
}

/** Who has the fields now, in words; the newest write of each manager is named. */
export function changedText(lost: readonly Field[], object: unknown): string {
  const fields = listed(
    lost.map(({ shown }) => shown),
    3,
  );
  const owners = managersOf(object).filter(
    (entry) =>
      textAt(entry, 'manager') !== fieldManager && lost.some(({ keys }) => owns(memberOf(entry, 'fieldsV1'), keys)),
  );
  const by = unique(owners.map((entry) => ownerText(entry)));
  const noun = lost.length === 1 ? fields : `${counted(lost.length, 'field')} (${fields})`;
  return by.length === 0
    ? `${noun}: removed by somebody since it was applied`
    : `${noun}: changed by ${listed(by, 2)} since it was applied`;
}

/** Whether somebody else has it. What nobody has the API server may never have taken. */
export function isOfOthers({ keys }: Field, object: unknown): boolean {
  return managersOf(object).some(
    (entry) => textAt(entry, 'manager') !== fieldManager && owns(memberOf(entry, 'fieldsV1'), keys),
  );
}

/** A program, never a person. */
function ownerText(entry: unknown): string {
  const at = textAt(entry, 'time');
  const manager = textAt(entry, 'manager') ?? '';
  return `${manager === '' ? 'somebody' : manager}${at === undefined ? '' : ` at ${at}`}`;
}

function managersOf(object: unknown): readonly unknown[] {
  return listAt(memberOf(object, 'metadata'), 'managedFields').filter(
    (entry) => (textAt(entry, 'subresource') ?? '') === '' && isMapping(memberOf(entry, 'fieldsV1')),
  );
}

/** What of the value is not among the fields; an empty mapping there stands for all that is below. */
function lostIn(value: unknown, fields: unknown, at: Field): readonly Field[] {
  if (isMapping(fields) && Object.keys(fields).length === 0 && at.keys.length > 0) return [];
  if (isMapping(value))
    return Object.entries(value).flatMap(([key, part]) =>
      // Null asks for nothing.
      part === null
        ? []
        : lostBelow(part, fields, {
            shown: at.shown === '' ? key : `${at.shown}.${key}`,
            keys: [...at.keys, `f:${key}`],
          }),
    );
  if (!Array.isArray(value)) return [];
  return value.flatMap((part: unknown, index) => {
    const key = isMapping(fields) ? keyOfEntry(part, fields) : undefined;
    const entry = { shown: `${at.shown}.${index}`, keys: [...at.keys, key ?? ''] };
    return key === undefined ? [entry] : lostBelow(part, fields, entry);
  });
}

function lostBelow(part: unknown, fields: unknown, at: Field): readonly Field[] {
  const below = memberOf(fields, at.keys.at(-1) ?? '');
  return below === undefined ? [at] : lostIn(part, below, at);
}

/** `k:{"name":"a"}` for an entry with that name, `v:"a"` for a plain one. */
function keyOfEntry(part: unknown, fields: Mapping): string | undefined {
  return Object.keys(fields).find((key) => {
    const named: unknown = parsed(key.slice(2));
    if (key.startsWith('v:')) return JSON.stringify(named) === JSON.stringify(part);
    if (!key.startsWith('k:') || !isMapping(named)) return false;
    // A key that the manifest leaves out has its default.
    return Object.entries(named).every(([name, value]) => [undefined, value].includes(memberOf(part, name)));
  });
}

function owns(fields: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (isMapping(fields) && Object.keys(fields).length === 0) return true;
  const below = memberOf(fields, key);
  return below !== undefined && owns(below, rest);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
