import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { type KubeObject, ourLabels } from '../manifests/kube-object.ts';
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

/** What applying would change, by a dry run of each object. Throws Transient with the API server's message if it
 *  refuses one. */
export async function planObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
): Promise<readonly PlannedObject[]> {
  const planned: PlannedObject[] = [];
  for (const object of objects) {
    const before = await client.get(objectPath(object));
    const homeIsMade = planned.some(
      (each) =>
        each.change === 'create' &&
        each.object.kind === 'Namespace' &&
        each.object.metadata.name === object.metadata.namespace,
    );
    if (homeIsMade) {
      planned.push({ object, change: 'create', checked: false });
      continue;
    }
    const after = await apply(client, object, { dryRun: 'All' });
    const change =
      before === undefined ? 'create' : isDeepStrictEqual(essence(before), essence(after)) ? 'keep' : 'change';
    planned.push({ object, change, checked: true });
  }
  return planned;
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
