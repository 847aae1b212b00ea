import type { ArgoCdSettings } from '../configuration/argocd.ts';
import { clean } from '../text/safe-text.ts';
import { unique } from '../text/unique.ts';
import { isHome } from './is-home.ts';

/** Annotation of an Application that names pools: `worker,infra`, or `none`. Whoever may write the Application may
 *  write it, so it counts only as far as `argocd[].poolsAnnotation` of the configuration trusts this Application. */
export const poolsAnnotation = 'poolkeeper.dev/pools';

/** Characters of it that are shown. */
const longestShown = 120;

/** Pools that an Application names by its annotation, and what it may do by that. */
export interface NamedPools {
  /** As written, shortened. */
  readonly text: string;
  /** Empty: the annotation says `none`. */
  readonly pools: readonly string[];
  /** They are added to those of the kinds that the Application manages. */
  readonly mayAdd: boolean;
  /** Pools of those kinds that it does not name are left out. */
  readonly mayRemove: boolean;
  /** What would have to be listed in the configuration: `namespaces: [team-a]`. */
  readonly entry: string;
}

/** The Application with the annotation. */
interface Annotated {
  readonly namespace: string;
  /** `spec.project`: what its author claims. */
  readonly project: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export type AnnotationRules = Pick<ArgoCdSettings, 'controllerNamespace' | 'poolsAnnotation'>;

/** What the annotation of an Application says and may do; undefined: it has none. */
export function namedPools(application: Annotated, rules?: AnnotationRules): NamedPools | undefined {
  const text = application.annotations[poolsAnnotation];
  if (text === undefined) return undefined;
  const pools = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'none');
  const { mayAdd, mayRemove } = rules?.poolsAnnotation ?? {};
  const { namespace, project } = application;
  const isInArgoCdNamespace = isHome(namespace, rules?.controllerNamespace) === true;
  return {
    text: clean(text).trim().replace(/\s+/g, ' ').slice(0, longestShown) || 'none',
    pools: unique(pools),
    mayAdd: isListed(application, mayAdd, isInArgoCdNamespace),
    mayRemove: isListed(application, mayRemove, isInArgoCdNamespace),
    entry:
      isInArgoCdNamespace && project !== '' ? `projects: [${nameIn(project)}]` : `namespaces: [${nameIn(namespace)}]`,
  };
}

/** What is advised must be no text of a stranger: a project that has no name of Kubernetes' form does not exist. */
function nameIn(text: string): string {
  return /^[a-z0-9][a-z0-9.-]{0,252}$/.exec(text)?.[0] ?? '(not a name)';
}

type Listed = { readonly namespaces: readonly string[]; readonly projects: readonly string[] };

/** A project counts only in the namespace of Argo CD itself. Elsewhere `spec.project` is whatever the owner of the
 *  namespace writes: Argo CD refuses a project that does not list the namespace, but the object exists all the same. */
function isListed(
  { namespace, project }: Annotated,
  listed: Listed | undefined,
  isInArgoCdNamespace: boolean,
): boolean {
  if (listed === undefined) return false;
  return listed.namespaces.includes(namespace) || (isInArgoCdNamespace && listed.projects.includes(project));
}

/** The annotation alone decides: what the Application manages does not count. */
export function decidesAlone(named: NamedPools | undefined): boolean {
  return named?.mayRemove === true && (named.mayAdd || named.pools.length === 0);
}

/** Why the annotation has no effect at all; undefined: it has one, or there is none. */
export function whyIgnored(named: NamedPools | undefined): string | undefined {
  if (named === undefined || named.mayRemove || (named.mayAdd && named.pools.length > 0)) return undefined;
  const [does, rule] = named.pools.length === 0 ? ['take pools away', 'mayRemove'] : ['add pools', 'mayAdd'];
  return `its annotation ${poolsAnnotation} (${named.text}) is ignored: the configuration does not let it ${does} (argocd[].poolsAnnotation.${rule})`;
}

/** What to do about an annotation that is ignored, for whoever may read the configuration. */
export function ignoredRemedy({ pools, entry }: NamedPools, argocd: string): string {
  const rule = pools.length === 0 ? 'mayRemove' : 'mayAdd';
  return `Remove the annotation ${poolsAnnotation}, or allow it in poolkeeper.yaml: argocd[${argocd}].poolsAnnotation.${rule}: { ${entry} }`;
}
