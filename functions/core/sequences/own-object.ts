import { fingerprint } from '../text/fingerprint.ts';
import type { StepHealth } from './operator-health.ts';
import { memberOf } from './plan.ts';
import { stable } from './stable.ts';

type Manifest = Readonly<Record<string, unknown>>;

/** On everything that a sequence applies: who owns it. */
export const managedByLabel: Readonly<Record<string, string>> = { 'app.kubernetes.io/managed-by': 'poolkeeper' };
/** The sequence that applied it. */
export const sequenceLabel = 'poolkeeper.dev/sequence';
/** A fingerprint of the manifest that was applied: another one is to be applied again. */
const appliedAnnotation = 'poolkeeper.dev/applied';

/** The manifest as it is applied: otherwise unchanged, it says whose it is. */
export function ownManifest(sequence: string, manifest: Manifest): Manifest {
  const metadata = mappingAt(manifest, 'metadata');
  return {
    ...manifest,
    metadata: {
      ...metadata,
      labels: { ...mappingAt(metadata, 'labels'), ...managedByLabel, [sequenceLabel]: sequence },
      annotations: { ...mappingAt(metadata, 'annotations'), [appliedAnnotation]: fingerprint(stable(manifest)) },
    },
  };
}

/** Whether the sequence applied this object. */
export function isOwnObject(sequence: string, object: unknown): boolean {
  return mappingAt(mappingAt(object, 'metadata'), 'labels')[sequenceLabel] === sequence;
}

/** There, ours, and from this manifest. What was there before us is not taken over: it would be deleted with us. */
export function objectHealth(sequence: string, manifest: Manifest, object: unknown): StepHealth {
  if (object === undefined) return { kind: 'unhealthy', value: 'it is not applied yet' };
  const metadata = mappingAt(object, 'metadata');
  if (!isOwnObject(sequence, object))
    return { kind: 'refused', value: 'it exists already, and this sequence did not make it' };
  if (metadata['deletionTimestamp'] !== undefined) return { kind: 'unhealthy', value: 'it is being deleted' };
  const applied = mappingAt(metadata, 'annotations')[appliedAnnotation];
  return applied === fingerprint(stable(manifest))
    ? { kind: 'healthy', value: 'applied' }
    : { kind: 'unhealthy', value: 'its manifest has changed since it was applied' };
}

/** `apps/v1` and `Deployment` as the API server's discovery is asked: `Deployment.v1.apps`. */
export function resourceTypeOf(manifest: Manifest): string {
  const [first = '', second] = String(manifest['apiVersion']).split('/');
  const kind = String(manifest['kind']);
  return second === undefined ? `${kind}.${first}.` : `${kind}.${second}.${first}`;
}

export function placeOf(manifest: Manifest): { readonly namespace: string | undefined; readonly name: string } {
  const { name, namespace } = mappingAt(manifest, 'metadata');
  return { name: String(name), namespace: typeof namespace === 'string' ? namespace : undefined };
}

function mappingAt(value: unknown, key: string): Manifest {
  const found = memberOf(value, key);
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? Object.fromEntries(Object.entries(found))
    : {};
}
