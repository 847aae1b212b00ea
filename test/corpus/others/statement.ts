import { resourcePath } from '../../../local/snapshot/resource-path.ts';
import type { Snapshot } from '../../../local/snapshot/snapshot.ts';
import type { Json } from '../../functions/core/diagnose/world.ts';

/** One thing that somebody says of a cluster. */
export interface Statement {
  /** `Kind namespace/name`, or what stands in its place. */
  readonly about: string;
  readonly text: string;
}

/** All objects of a kind that a situation has, by the path of their list over all namespaces. */
export function objectsIn({ readings }: Snapshot, path: string): readonly Json[] {
  const found = readings.flatMap(({ path: asked, form, answer }) => {
    const resource = resourcePath(asked);
    if (resource?.collection !== path || answer.kind !== 'found' || form !== 'object') return [];
    return resource.name === undefined ? list(at(answer.body, 'items')) : [answer.body as Json];
  });
  return [...new Map(found.map((object) => [named(object), object])).values()];
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any kind, read as the tools themselves read it
export function at(value: any, ...path: readonly (string | number)[]): any {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any kind, read as the tools themselves read it
  return path.reduce<any>((inner, key) => inner?.[key], value);
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any kind, read as the tools themselves read it
export function list(value: unknown): readonly any[] {
  return Array.isArray(value) ? value : [];
}

export function named(object: Json): string {
  const { name, namespace } = at(object, 'metadata');
  return namespace === undefined ? name : `${namespace}/${name}`;
}
