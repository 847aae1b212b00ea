import { badRequest } from './api-error.ts';
import { parseFieldSelector } from './field-selector.ts';
import { isJsonObject } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { parseLabelSelector } from './label-selector.ts';
import type { Registry } from './registry.ts';
import type { ListMeta } from './representation.ts';
import type { Target } from './request-path.ts';

/** Whether an object of the collection matches the selectors of a list or watch. */
export function chosenBy(target: Target, query: URLSearchParams): (object: KubernetesObject) => boolean {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(target.type, query.get('fieldSelector') ?? '');
  return (object) =>
    (target.namespace === '' || object.metadata.namespace === target.namespace) &&
    labels(object.metadata.labels) &&
    fields(object);
}

export interface Page {
  readonly items: readonly KubernetesObject[];
  readonly metadata: ListMeta;
}

/** One page of a collection. A continued list continues where it was, over the current objects. */
export function listPage(registry: Registry, target: Target, query: URLSearchParams): Page {
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
    );
  const limit = parseLimit(query.get('limit'));
  const start = parseContinue(query.get('continue'));
  const matching = registry.list(target.type, target.namespace).filter(chosenBy(target, query));
  const rest = start ? matching.filter((object) => positionOf(object) >= start.start) : matching;
  const items = limit === 0 ? rest : rest.slice(0, limit);
  const version = start?.rv ?? registry.revision();
  const next = rest[items.length];
  if (!next) return { items, metadata: { resourceVersion: String(version) } };
  const selective = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  return {
    items,
    metadata: {
      resourceVersion: String(version),
      continue: continueToken({ rv: version, start: positionOf(next) }),
      ...(!selective && { remainingItemCount: rest.length - items.length }),
    },
  };
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Math.max(0, Number(text));
}

interface Continuation {
  readonly rv: number;
  readonly start: string;
}

function positionOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function continueToken({ rv, start }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
}

function parseContinue(token: string | null): Continuation | undefined {
  if (token === null || token === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (isJsonObject(parsed) && typeof parsed['rv'] === 'number' && typeof parsed['start'] === 'string')
      return { rv: parsed['rv'], start: parsed['start'] };
  } catch {
    // Not one of our tokens: throws below.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
