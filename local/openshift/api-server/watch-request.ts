import { type ApiError, expired, internalError } from './api-error.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { chosenBy } from './list-request.ts';
import type { ObjectChange } from './object-store.ts';
import type { Registry } from './registry.ts';
import { type Representation, showObject } from './representation.ts';
import type { Target } from './request-path.ts';
import { apiVersionOf } from './resource-types.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

export interface Watch {
  /** A bookmark: nothing up to this version is missing. */
  bookmark(): void;
  stop(): void;
}

interface WatchRequest {
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly representation: Representation;
  readonly send: (event: WatchEvent) => void;
}

/** Sends the changes since the requested version, then every change as it happens. */
export function startWatch(registry: Registry, { target, query, representation, send }: WatchRequest): Watch {
  const chosen = chosenBy(target, query);
  const show = (object: KubernetesObject) => showObject(target.type, object, representation);
  const forward = (change: ObjectChange) => {
    if (change.type !== target.type) return;
    const type = seenAs(change, chosen);
    if (type) send({ type, object: show(change.object) });
  };

  const since = query.get('resourceVersion') ?? '';
  if (since === '' || since === '0')
    for (const object of registry.list(target.type).filter(chosen)) send({ type: 'ADDED', object: show(object) });
  else if (!replay(registry, since, { forward, send })) return { bookmark: () => {}, stop: () => {} };
  const stop = registry.subscribe(forward);
  return { bookmark: () => send({ type: 'BOOKMARK', object: bookmarkOf(target, registry.revision()) }), stop };
}

/** An object that begins or ceases to match is ADDED or DELETED for the watch. */
function seenAs(
  { kind, object, previous }: ObjectChange,
  chosen: (object: KubernetesObject) => boolean,
): WatchEvent['type'] | undefined {
  const was = previous !== undefined && chosen(previous);
  const is = kind !== 'DELETED' && chosen(object);
  if (was && is) return 'MODIFIED';
  if (is) return 'ADDED';
  return was ? 'DELETED' : undefined;
}

function replay(
  registry: Registry,
  since: string,
  { forward, send }: { readonly forward: (change: ObjectChange) => void; readonly send: (event: WatchEvent) => void },
): boolean {
  if (!/^\d+$/.test(since))
    throw internalError(
      `resourceVersion: Invalid value: "${since}": strconv.ParseUint: parsing "${since}": invalid syntax`,
    );
  const changes = registry.changesSince(Number(since));
  if (!changes) {
    send({ type: 'ERROR', object: tooOld(since, registry.oldestRevision()).status });
    return false;
  }
  for (const change of changes) forward(change);
  return true;
}

function tooOld(since: string, oldest: number): ApiError {
  return expired(`too old resource version: ${since} (${oldest})`);
}

function bookmarkOf({ type }: Target, revision: number): unknown {
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type),
    metadata: { resourceVersion: String(revision), creationTimestamp: null },
  };
}
