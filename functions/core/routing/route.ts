import type { Application, ApplicationRef, ApplicationSource } from '../argocd/application.ts';
import { decidesAlone } from '../argocd/pools-annotation.ts';
import { isRendered } from '../openshift/rendered-kinds.ts';
import { given } from '../text/given.ts';

/** What the routing table stores of an Application: enough to decide whether a push concerns it, on which cluster, and
 *  whether it is known to contain anything that the MCO renders. Nothing else of the Application is stored. */
export interface Route {
  readonly ref: ApplicationRef;
  readonly uid: string;
  /** Configured cluster that it deploys to; empty if its destination is not configured. */
  readonly cluster: string;
  /** Without passwords, which do not affect routing. */
  readonly sources: readonly ApplicationSource[];
  /** `argocd.argoproj.io/manifest-generate-paths` as written; undefined if absent: every push of its repository and
   *  revision matches. */
  readonly generatePaths: string | undefined;
  readonly automated: boolean;
  /** Its ApplicationSet starts its syncs (strategy `RollingSync`), and keeps automated sync off for that. Not stored:
   *  the set says so. Absent: no. */
  readonly rollsWithSet?: true | undefined;
  /** Live edits of its objects are reverted automatically; absent: unknown. */
  readonly selfHeal?: boolean | undefined;
  /** It manages something that the MCO renders, or what it manages is unknown, or its annotation may name pools. */
  readonly renders: boolean;
  /** Applications that it manages (app of apps). */
  readonly children: readonly ChildRef[];
  /** ApplicationSets that it manages: their Applications are its grandchildren. */
  readonly childSets?: readonly ChildRef[] | undefined;
  /** ApplicationSet, in its own namespace, that generated it. */
  readonly generatedBy?: string | undefined;
}

export type ChildRef = Pick<ApplicationRef, 'namespace' | 'name'>;

/** What the routing table stores of an ApplicationSet: a push to what its generators read may change every Application
 *  that it generated. */
export interface SetRoute {
  /** Its Applications are those of the same namespace that it owns. */
  readonly ref: ApplicationRef;
  /** Git generators, including those inside matrix and merge generators. */
  readonly generators: readonly GitGenerator[];
  /** A plugin generator is refreshed by every push to any repository. Source: argo-cd
   *  applicationset/webhook/webhook.go. */
  readonly readsAnyPush: boolean;
  /** Seconds. Longest interval at which it polls, also without a webhook. */
  readonly looksEverySeconds: number;
  /** It starts the syncs of its Applications itself, step by step (strategy `RollingSync`); absent: it does not. */
  readonly rolls?: true | undefined;
  /** Template of its Applications; undefined: unknown. Its generators fill in `{{ }}`. */
  readonly template?: SetTemplate | undefined;
}

export type SetTemplate = Pick<Application, 'sources' | 'destination' | 'automated'>;

/** Any text of it may contain `{{ }}`, which the generator before it fills in. */
export interface GitGenerator {
  readonly repoURL: string;
  readonly revision: string;
  /** What it takes from each match: the content of a file, or the path of a folder. */
  readonly reads: 'files' | 'folders';
  /** Patterns of the files or folders that it reads, from the root of the repository; empty: anything may matter. */
  readonly paths: readonly string[];
  /** As of an `ApplicationSource`. */
  readonly now?: string | undefined;
}

/** Whether a generator will fill something in. */
export function isTemplated(text: string): boolean {
  return text.includes('{{');
}

/** Source: argo-cd common.go. */
const generatePathsAnnotation = 'argocd.argoproj.io/manifest-generate-paths';

const argoGroup = 'argoproj.io';

/** The route of an Application that deploys to the configured cluster of that name (empty: to none that is
 *  configured). */
export function routeOf(application: Application, clusterName: string): Route {
  const { argocd, namespace, name, uid, annotations, sources, automated, selfHeal } = application;
  const childSets = managed('ApplicationSet', application);
  return {
    ref: { argocd, namespace, name },
    uid,
    cluster: clusterName,
    sources: sources.map((source) => ({ ...source, repoURL: withoutPassword(source.repoURL) })),
    generatePaths: annotations[generatePathsAnnotation],
    automated,
    ...given({ selfHeal }),
    renders: renders(application),
    children: managed('Application', application),
    ...(childSets.length > 0 ? { childSets } : {}),
    ...given({ generatedBy: application.generatedBy }),
  };
}

/** What Argo CD has not compared yet lists nothing: unknown is a match. */
function renders({ named, resources, operation }: Application): boolean {
  if (named?.mayAdd === true && named.pools.length > 0) return true;
  if (decidesAlone(named)) return false;
  return resources.length === 0 || resources.some(isRendered) || (operation?.results ?? []).some(isRendered);
}

function managed(kind: string, { resources, namespace: home }: Application): readonly ChildRef[] {
  return resources
    .filter((resource) => resource.group === argoGroup && resource.kind === kind)
    .map(({ namespace, name }) => ({ namespace: namespace || home, name }));
}

/** `https://user:secret@host/x` -> `https://host/x`. Over HTTP a user alone may be a token; over SSH it is part of many
 *  addresses, and no secret without a password. */
export function withoutPassword(url: string): string {
  const scheme = url.indexOf('://');
  const begin = scheme < 0 ? 0 : scheme + 3;
  const slash = url.indexOf('/', begin);
  const at = url.slice(begin, slash < 0 ? undefined : slash).lastIndexOf('@');
  const user = url.slice(begin, begin + Math.max(at, 0));
  // Half of a template would no longer be one, and match less.
  if (at < 0 || user.split('{{').length !== user.split('}}').length) return url;
  const isSecret = /^\s*https?:/i.test(url) || user.includes(':');
  return isSecret ? url.slice(0, begin) + url.slice(begin + at + 1) : url;
}
