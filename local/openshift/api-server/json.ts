import { isDeepStrictEqual } from 'node:util';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether the value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function sameJson(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}

/** Stored objects are shared by all readers; frozen, they make a careless write fail at once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
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
