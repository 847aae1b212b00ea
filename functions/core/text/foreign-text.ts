import { redact } from './safe-text.ts';

/** Limits for text that others write, in UTF-16 units. Applied by the adapters before anything else reads it. */
export const foreignLimits = {
  /** Names, namespaces, kinds, labels. Kubernetes allows 253 for a name and 317 for a label's key. */
  name: 320,
  /** Images of image mode, whose last 71 are the digest. Source: api machineconfiguration/v1, 447 at most. */
  image: 447,
  /** URLs, paths, revisions, globs. */
  field: 4_096,
  /** Conditions, operation messages, reasons of nodes. The MCO limits a reason to 2,000; a condition quotes several. */
  message: 16_000,
  /** The message about one resource of a sync, of which there may be thousands. */
  resultMessage: 2_000,
  /** An annotation. A longer one is ignored as a whole: part of a list would have another meaning. The record on a pool
   *  has limits of its own (`readRecord`). */
  annotation: 32_768,
  /** Entries of a list of texts. */
  entries: 2_000,
} as const;

/** A name, cut off where it is longer than any that Kubernetes accepts. */
export function foreignName(text: string): string {
  return cutAt(foreignLimits.name, text);
}

/** An image, cut off where it is longer than the MCO accepts. */
export function foreignImage(text: string): string {
  return cutAt(foreignLimits.image, text);
}

/** A URL, path, revision or glob, cut off at the limit of a field. */
export function foreignField(text: string): string {
  return cutAt(foreignLimits.field, text);
}

function cutAt(limit: number, text: string): string {
  return text.length <= limit ? text : text.slice(0, limit).toWellFormed();
}

/** A message without credentials. Of a longer one, a third of the limit is kept from its beginning and two thirds from
 *  its end, because errors name their cause at the end. Words cut by the gap are left out, so that no half of a token
 *  escapes redaction. */
export function foreignMessage(text: string, limit: number = foreignLimits.message): string {
  if (text.length <= limit) return redact(text);
  const room = limit - 40;
  const head = text.slice(0, Math.floor(room / 3));
  const tail = text.slice(text.length - (room - head.length));
  const begin = head.slice(0, Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'), 0));
  const space = tail.search(/\s/);
  const end = space < 0 ? '' : tail.slice(space + 1);
  const cut = text.length - begin.length - end.length;
  return redact(`${begin} ... (+${cut} characters) ... ${end}`.toWellFormed());
}

/** The annotations that are short enough to be interpreted. */
export function foreignAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(annotations);
  const isShort = ([key, value]: readonly [string, string]) =>
    key.length <= foreignLimits.name && value.length <= foreignLimits.annotation;
  return entries.every(isShort) ? annotations : Object.fromEntries(entries.filter(isShort));
}

/** Labels with keys and values cut to the length of a name. */
export function foreignLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(labels);
  const isShort = ([key, value]: readonly [string, string]) =>
    key.length <= foreignLimits.name && value.length <= foreignLimits.name;
  if (entries.every(isShort)) return labels;
  return Object.fromEntries(entries.map(([key, value]) => [foreignName(key), foreignName(value)]));
}

/** Any JSON value with its texts cut to the length of a message and what is nested deeper than `depth` levels replaced
 *  by null; the same object if nothing has to be cut. */
export function foreignJson(value: unknown, depth = 64): unknown {
  if (typeof value === 'string') return value.length <= foreignLimits.message ? value : foreignMessage(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    const items = value.map((each) => foreignJson(each, depth - 1));
    return items.every((each, index) => each === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const bounded = entries.map(([key, each]) => [foreignField(key), foreignJson(each, depth - 1)] as const);
  const isSame = bounded.every(([key, each], index) => key === entries[index]?.[0] && each === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(bounded);
}
