import { sourcePlace } from '../argocd/source-place.ts';
import {
  labelledAsAdvised,
  labelledByDefault,
  mayName,
  type Namesake,
  namedBy,
  type Tracked,
  trackedBy,
  trackedText,
} from '../argocd/tracking.ts';
import type { Remedy } from '../findings/trouble.ts';
import type { Route } from '../routing/route.ts';
import { mayBeObjectName } from '../text/object-name.ts';
import { listed } from '../text/phrases.ts';
import { isNamed, type Metadata } from './objects/metadata.ts';
import { remedy } from './remedies.ts';

/** What the routing table knows of an Application: where its objects come from, and whether it heals live edits. */
export type KnownApplication = Pick<Route, 'ref' | 'sources' | 'selfHeal'> & {
  /** It is in the namespace of its Argo CD; undefined: that is not known. */
  readonly isAtHome?: boolean | undefined;
};

/** What keeps an object as it is. Accordingly a live edit lasts, lasts minutes, lasts until the next release, or must
 *  not be made at all. */
export type ManagedBy =
  | { readonly kind: 'nobody' }
  | {
      readonly kind: 'argocd';
      /** `namespace/name`, or the name alone where the Application is not known. */
      readonly application: string;
      /** Undefined: not known. */
      readonly selfHeal: boolean | undefined;
      /** Repository and path; empty where the Application is not known. */
      readonly place: string;
    }
  | { readonly kind: 'helm'; readonly release: string }
  /** Made by a controller from another object: `Kafka events`. */
  | { readonly kind: 'controller'; readonly owner: string };

/** The object in question. */
interface ManagedObject {
  /** Compared with Argo CD's tracking id, which may have been copied from an object of another kind. */
  readonly kind: string;
  readonly metadata: Metadata;
}

/** What keeps an object, from its own metadata. A controller comes before Argo CD: what it generates often inherits
 *  labels. Not of a MachineConfig, whose owner is asked to correct it: anybody may be named as that. */
export function managerOf({ kind, metadata }: ManagedObject, known: readonly KnownApplication[]): ManagedBy {
  const owner = kind === 'MachineConfig' ? undefined : controllerOf(metadata);
  if (owner !== undefined) return { kind: 'controller', owner };
  const tracked = trackedBy({ kind, ...metadata });
  if (tracked !== undefined) return argocd(tracked, known);
  const release = releaseOf(metadata);
  if (release !== undefined) return { kind: 'helm', release };
  const labelled = labelledAsAdvised(metadata.labels);
  if (labelled !== undefined) return argocd(labelled, known);
  // Argo CD's own default label is one that charts set too: it tells only where there is such an Application.
  const instance = labelledByDefault(metadata.labels);
  return instance !== undefined && known.some((each) => mayName(instance, namesakeOf(each)))
    ? argocd(instance, known)
    : { kind: 'nobody' };
}

/** The object from which a controller makes this one, as its own metadata says: whoever writes the object writes that
 *  too. OLM says it by labels, because owners may not live in another namespace. */
export function controllerOf({ ownerReferences, labels }: Metadata): string | undefined {
  const owner = ownerReferences.find((each) => each.controller && isNamed(each));
  if (owner !== undefined) return `${owner.kind} ${owner.name}`;
  const made = labels['olm.owner'];
  return made === undefined ? undefined : `${labels['olm.owner.kind'] ?? 'operator'} ${made}`;
}

/** `namespace/name`, where the annotations of Helm have the names of one: they may say anything. */
function releaseOf({ annotations, namespace: own }: Metadata): string | undefined {
  const release = annotations['meta.helm.sh/release-name'];
  const namespace = annotations['meta.helm.sh/release-namespace'] ?? own;
  if (release === undefined || !mayBeObjectName(release) || !mayBeObjectName(namespace)) return undefined;
  return `${namespace}/${release}`;
}

function argocd(tracked: Tracked, known: readonly KnownApplication[]): ManagedBy {
  const found = namedBy(tracked, known, namesakeOf);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    return { kind: 'argocd', application: trackedText(tracked), selfHeal: undefined, place: '' };
  }
  const { ref, selfHeal, sources } = only;
  const places = sources.filter(({ hydration }) => hydration !== 'hydrated').map(sourcePlace);
  return { kind: 'argocd', application: `${ref.namespace}/${ref.name}`, selfHeal, place: listed(places, 2) };
}

function namesakeOf({ ref, isAtHome }: KnownApplication): Namesake {
  return { ...ref, isAtHome };
}

/** Where a lasting change is made, for the end of a sentence: ` (https://github.com/acme/shop, path apps/web; Argo
 *  CD application x)`. */
function placeText(manager: ManagedBy): string {
  switch (manager.kind) {
    case 'argocd': {
      const by = `Argo CD application ${manager.application}`;
      return manager.place === '' ? ` (${by})` : ` (${manager.place}; ${by})`;
    }
    case 'helm':
      return ` (values of the Helm release ${manager.release})`;
    case 'controller':
      return ` (a controller makes it from ${manager.owner})`;
    case 'nobody':
      return '';
    default:
      return manager satisfies never;
  }
}

/** The remedy of a lasting change, with where to make it. */
export function inGit(manager: ManagedBy, what: string, who: Remedy['who'] = 'application owner'): Remedy {
  return remedy(`In Git: ${what}${placeText(manager)}`, { who });
}

/** A change of the live object for a while: with a warning where it will be reverted, without its command where that
 *  happens within minutes, and not at all where a controller owns the object. */
export function liveEdit(manager: ManagedBy, edit: Remedy): readonly Remedy[] {
  switch (manager.kind) {
    case 'nobody':
      return [edit];
    case 'controller':
      return [];
    case 'helm':
      return [{ ...edit, title: `${edit.title} (the next upgrade of Helm release ${manager.release} takes it back)` }];
    case 'argocd':
      return [underArgoCd(manager, edit)];
    default:
      return manager satisfies never;
  }
}

/** With self-heal on, Argo CD reverts a live edit before the drain's next attempt: the edit has to go through Git. */
function underArgoCd(manager: ManagedBy & { readonly kind: 'argocd' }, edit: Remedy): Remedy {
  if (manager.selfHeal === true)
    return {
      ...edit,
      title: `${edit.title}: through Git, because self-heal takes a live edit back${placeText(manager)}`,
      command: undefined,
      undo: undefined,
    };
  const application = `Argo CD application ${manager.application}`;
  return {
    ...edit,
    title: `${edit.title} (${application} ${manager.selfHeal === false ? 'takes it back with its next sync' : 'may take a live edit back within minutes'})`,
  };
}
