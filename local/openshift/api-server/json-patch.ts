import { unappliablePatch } from './api-error.ts';
import { isJsonObject, type Json, sameJson } from './json.ts';

export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** RFC 6902, all or nothing. The target is not changed. */
export function applyJsonPatch(target: Json, operations: readonly JsonPatchOperation[]): Json {
  const document = { root: structuredClone(target) };
  for (const operation of operations) apply(document, operation);
  return document.root;
}

interface Document {
  root: Json;
}

function apply(document: Document, operation: JsonPatchOperation): void {
  const { op, path, value = null } = operation;
  switch (op) {
    case 'add':
      add(document, path, value);
      return;
    case 'remove':
      remove(document, path);
      return;
    case 'replace':
      remove(document, path);
      add(document, path, value);
      return;
    case 'move':
      add(document, path, remove(document, operation.from ?? ''));
      return;
    case 'copy':
      add(document, path, structuredClone(find(document, operation.from ?? '')));
      return;
    case 'test':
      if (!sameJson(find(document, path), value)) throw unappliablePatch();
      return;
    default:
      throw unappliablePatch();
  }
}

function keysOf(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw unappliablePatch();
  return path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function step(container: Json, key: string): Json {
  if (Array.isArray(container)) {
    const element = container[indexOf(container, key)];
    if (element === undefined) throw unappliablePatch();
    return element;
  }
  if (isJsonObject(container)) {
    const value = container[key];
    if (value !== undefined) return value;
  }
  throw unappliablePatch();
}

function indexOf(list: Json[], key: string): number {
  if (!/^(0|[1-9]\d*)$/.test(key)) throw unappliablePatch();
  return Number(key) <= list.length ? Number(key) : list.length + 1;
}

function find({ root }: Document, path: string): Json {
  return keysOf(path).reduce(step, root);
}

function add(document: Document, path: string, value: Json): void {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) {
    document.root = value;
    return;
  }
  const container = keys.reduce(step, document.root);
  if (Array.isArray(container)) {
    const at = last === '-' ? container.length : indexOf(container, last);
    if (at > container.length) throw unappliablePatch();
    container.splice(at, 0, value);
  } else if (isJsonObject(container)) container[last] = value;
  else throw unappliablePatch();
}

function remove(document: Document, path: string): Json {
  const keys = keysOf(path);
  const removed = find(document, path);
  const last = keys.pop();
  if (last === undefined) throw unappliablePatch();
  const container = keys.reduce(step, document.root);
  if (Array.isArray(container)) container.splice(indexOf(container, last), 1);
  else if (isJsonObject(container)) delete container[last];
  return removed;
}
