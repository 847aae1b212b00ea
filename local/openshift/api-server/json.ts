import { isDeepStrictEqual } from 'node:util';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether the value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compared by hand: Node's own comparison costs several times as much. What is not JSON is left to it. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((part, index) => sameJson(part, right[index]));
  if (!isPlain(left) || !isPlain(right)) return isDeepStrictEqual(left, right);
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A copy that may be changed. Made by hand: structuredClone costs several times as much. */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyJson) as T;
  if (typeof value !== 'object' || value === null) return value;
  return withParts(value, copyJson) as T;
}

/** A copy for all readers: frozen, it makes a careless write fail at once. Parts that are frozen already are shared. */
export function frozenJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenJson)) as T;
  return Object.freeze(withParts(value, frozenJson)) as T;
}

/** A copy with a copy of each part that is no plain value. A spread copies several times faster than entries do. */
function withParts(value: object, copied: (part: unknown) => unknown): object {
  const made: Record<string, unknown> = { ...value };
  // Assigned, it would become the prototype.
  if (Object.hasOwn(made, '__proto__'))
    return Object.fromEntries(Object.entries(made).map(([key, part]) => [key, copied(part)]));
  for (const key of Object.keys(made)) {
    const part = made[key];
    if (typeof part === 'object' && part !== null) made[key] = copied(part);
  }
  return made;
}

/** Of objects that are frozen, and so never change. */
const texts = new WeakMap<object, string>();

/** The JSON of an object. That of a frozen one is made once, also where it is an item of a list. */
export function jsonText(value: unknown): string {
  if (!isJsonObject(value)) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  if (!Object.isFrozen(value)) return isList(value) ? listText(value) : JSON.stringify(value);
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

function isList(value: JsonObject): value is JsonObject & { items: Json[] } {
  return Array.isArray(value['items']) && Object.keys(value).at(-1) === 'items';
}

function listText({ items, ...head }: JsonObject & { items: Json[] }): string {
  const start = JSON.stringify(head).slice(0, -1);
  return `${start}${start === '{' ? '' : ','}"items":[${items.map(jsonText).join(',')}]}`;
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (!isJsonObject(found)) return undefined;
    found = found[key];
  }
  return found;
}

/** Go's name for the type of a JSON value, as in the API server's messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
