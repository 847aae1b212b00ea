import { mappingAt, textAt } from '../openshift/member.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { stable } from '../text/stable.ts';
import { changedText, isOfOthers, lostFields } from './drift.ts';
import type { StepHealth } from './operator-health.ts';
import type { MadeObject } from './record.ts';

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

/** What is known of an object from before. */
export interface KnownObject {
  readonly made: MadeObject | undefined;
  readonly wasHealthy: boolean;
  /** Fields that were nobody's when it was first seen as applied: the API server does not know them. */
  readonly unowned?: readonly string[] | undefined;
}

/** How an object stands, and what others have done to it. */
export interface ObjectHealth extends StepHealth {
  /** As it is to be recorded; absent: as it is recorded already. */
  readonly made?: MadeObject | undefined;
  /** What others have changed since it was applied, in words; absent: nothing. It is told and not undone. */
  readonly drift?: string | undefined;
  /** As in KnownObject; only of an object that is there, and ours. */
  readonly unowned?: readonly string[] | undefined;
}

/** There, applied by us as the record says, and from this manifest. What was there before us is not taken over: it
 *  would be deleted with us. What only its labels say of it is no proof: it is applied again. */
export function objectHealth(sequence: string, manifest: Manifest, object: unknown, known: KnownObject): ObjectHealth {
  const { made, wasHealthy } = known;
  const of = fingerprint(stable(manifest));
  if (object === undefined)
    return made?.of === of
      ? { kind: 'unhealthy', value: deleted, drift: deleted }
      : { kind: 'unhealthy', value: 'it is not applied yet' };
  const metadata = mappingAt(object, 'metadata');
  if (!isOwnObject(sequence, object))
    return { kind: 'refused', value: 'it exists already, and this sequence did not make it' };
  if (metadata['deletionTimestamp'] !== undefined)
    return {
      kind: 'unhealthy',
      value: 'it is being deleted',
      ...(made?.of === of ? { drift: 'it is being deleted by somebody' } : {}),
    };
  if (mappingAt(metadata, 'annotations')[appliedAnnotation] !== of)
    return { kind: 'unhealthy', value: 'its manifest has changed since it was applied' };
  const wanted = madeFrom(manifest, object);
  if (made?.uid === wanted.uid && made.of === wanted.of)
    return appliedHealth(ownManifest(sequence, manifest), object, known);
  // An earlier version has applied it and recorded no uid.
  if (made === undefined && wasHealthy) return { kind: 'healthy', value: 'applied', made: wanted };
  return { kind: 'unhealthy', value: 'it says that it is applied, and the record does not' };
}

const deleted = 'it was deleted by somebody since it was applied';

/** Fields that are remembered as nobody's: the record of a sequence has to fit an object. */
const unownedAtMost = 20;

/** It is ours: what of it is not any more? */
function appliedHealth(own: Manifest, object: unknown, { unowned }: KnownObject): ObjectHealth {
  const lost = lostFields(own, object) ?? [];
  const nobodys = lost.filter((field) => !isOfOthers(field, object)).map(({ shown }) => shown);
  const first = unowned ?? nobodys.slice(0, unownedAtMost);
  const drifted = lost.filter(({ shown }) => !first.includes(shown));
  if (drifted.length === 0) return { kind: 'healthy', value: 'applied', unowned: first };
  const drift = changedText(drifted, object);
  return { kind: 'healthy', value: `applied; ${drift}`, drift, unowned: first };
}

/** How an object is recorded that was applied from the manifest.
 *  @param object as the API server returned it */
export function madeFrom(manifest: Manifest, object: unknown): MadeObject {
  return {
    uid: textAt(mappingAt(object, 'metadata'), 'uid')?.slice(0, uidCharacters) ?? '',
    of: fingerprint(stable(manifest)),
  };
}

/** A uid has 36 characters. */
const uidCharacters = 64;

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
