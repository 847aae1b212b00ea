import { type Listed, type UnreadableItem, withoutKind } from '../../core/findings/listed.ts';
import { Transient } from '../../core/text/errors.ts';
import { foreignName } from '../../core/text/foreign-text.ts';

/** Parses the items of a list, each on its own. `parse` throws Transient for an invalid item. Whatever else it throws
 *  is of that item alone, too: somebody may have written one that is too large for the stack. */
export function itemByItem<T>(kind: string, bodies: readonly unknown[], parse: (body: unknown) => T): Listed<T> {
  const items: T[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const body of bodies) {
    try {
      items.push(parse(body));
    } catch (cause) {
      const why = cause instanceof Transient ? withoutKind(kind, cause.message) : 'cannot be parsed';
      unreadable.push({ kind, namespace: textAt(body, 'namespace'), name: nameOf(body), why });
    }
  }
  return { items, unreadable };
}

/** The name of an object, however invalid the rest of it is; empty if it has none. */
export function nameOf(body: unknown): string {
  return textAt(body, 'name');
}

function textAt(body: unknown, key: 'name' | 'namespace'): string {
  const metadata = isFields(body) ? body['metadata'] : undefined;
  const text = isFields(metadata) ? metadata[key] : undefined;
  return typeof text === 'string' ? foreignName(text) : '';
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
