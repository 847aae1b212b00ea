import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isRefusedObject } from '../../../functions/adapters/kubernetes/refusal.ts';
import { isWithoutRights, Transient } from '../../../functions/core/text/errors.ts';
import { type KubeObject, ourLabels } from '../../manifests/kube-object.ts';
import { objectPath } from './object-path.ts';

/** Field manager of what a person installs; the service writes as `poolkeeper`. */
const installer = 'poolkeeper-connect';

export type Change = 'create' | 'change' | 'keep';

export interface PlannedObject {
  readonly object: KubeObject;
  readonly change: Change;
  /** The API server accepted it in a dry run. Not possible for objects in a namespace that does not exist yet. */
  readonly checked: boolean;
}

export interface Plan {
  readonly planned: readonly PlannedObject[];
  readonly leftOut: readonly LeftOut[];
}

/** A namespace in which one of the objects is refused: none of them is applied there. */
export interface LeftOut {
  readonly namespace: string;
  /** The API server's words. */
  readonly why: string;
}

/** What applying would change, by a dry run of each object. Throws Transient with the API server's message if it
 *  refuses one.
 *  @param optional namespaces of others, of which one that refuses keeps no other */
export async function planObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
  optional: readonly string[],
): Promise<Plan> {
  const planned: PlannedObject[] = [];
  const refused = new Map<string, string>();
  for (const object of objects) {
    const namespace = object.metadata.namespace ?? '';
    if (refused.has(namespace)) continue;
    try {
      planned.push(await planObject(client, object, planned));
    } catch (cause) {
      if (!optional.includes(namespace) || !isRefused(cause)) throw cause;
      refused.set(namespace, cause.message);
    }
  }
  return {
    planned: planned.filter(({ object }) => !refused.has(object.metadata.namespace ?? '')),
    leftOut: [...refused].map(([namespace, why]) => ({ namespace, why })),
  };
}

function isRefused(cause: unknown): cause is Transient {
  return isWithoutRights(cause) || (cause instanceof Transient && isRefusedObject(cause));
}

async function planObject(
  client: KubeClient,
  object: KubeObject,
  planned: readonly PlannedObject[],
): Promise<PlannedObject> {
  const before = await client.get(objectPath(object));
  const homeIsMade = planned.some(
    (each) =>
      each.change === 'create' &&
      each.object.kind === 'Namespace' &&
      each.object.metadata.name === object.metadata.namespace,
  );
  if (homeIsMade) return { object, change: 'create', checked: false };
  const after = await apply(client, object, { dryRun: 'All' });
  const change =
    before === undefined ? 'create' : isDeepStrictEqual(essence(before), essence(after)) ? 'keep' : 'change';
  return { object, change, checked: true };
}

/** Applies in order. Throws Transient. */
export async function applyObjects(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) await apply(client, object, {});
}

/** The person's request wins for these objects, whoever wrote a field before. */
function apply(client: KubeClient, object: KubeObject, query: Readonly<Record<string, string>>): Promise<unknown> {
  return client.apply(objectPath(object), { fieldManager: installer, force: 'true', ...query }, object);
}

/** Whether an object of the cluster has the labels of what we install. */
export function hasOurLabels(stored: unknown): boolean {
  const labels = Labelled.safeParse(stored).data?.metadata.labels ?? {};
  return Object.entries(ourLabels).every(([key, value]) => labels[key] === value);
}

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).nullish() }) });

/** Deletes in order; returns which existed. */
export async function removeObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const removed: KubeObject[] = [];
  for (const object of objects) if (await removed_(client, object)) removed.push(object);
  return removed;
}

/** A kind that is not served has no objects. */
async function removed_(client: KubeClient, object: KubeObject): Promise<boolean> {
  try {
    // A Job leaves its pods running otherwise.
    return await client.remove(objectPath(object), { propagationPolicy: 'Background' });
  } catch (cause) {
    if (cause instanceof Transient && /: 404\b/.test(cause.message)) return false;
    throw cause;
  }
}

const Stored = z.looseObject({ metadata: z.looseObject({}) });

/** Without what the API server changes by itself. */
function essence(object: unknown): unknown {
  const { metadata, status: _status, ...rest } = Stored.parse(object);
  const { managedFields: _managed, resourceVersion: _version, generation: _generation, ...own } = metadata;
  return { ...rest, metadata: own };
}
