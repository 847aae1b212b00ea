import type { Application, ApplicationRef, ApplicationSource } from '../argocd/application.ts';
import { poolsAnnotation } from '../argocd/pools-annotation.ts';
import { isRendered } from '../openshift/rendered-kinds.ts';

/** What the routing table keeps of an Application: enough to tell whether a push concerns it, on which cluster, and
 *  whether anything that the MCO renders is known to be behind it. Nothing else of the Application is stored. */
export interface Route {
  readonly ref: ApplicationRef;
  readonly uid: string;
  /** Configured cluster it deploys to; empty when the configuration does not know its destination. */
  readonly cluster: string;
  /** Without passwords: a URL with one routes as it does without. */
  readonly sources: readonly ApplicationSource[];
  /** `argocd.argoproj.io/manifest-generate-paths` as written; undefined when absent: every push of its repository
   *  and revision matches. */
  readonly generatePaths: string | undefined;
  readonly automated: boolean;
  /** Live edits of its objects are taken back by themselves; absent: not known. */
  readonly selfHeal?: boolean | undefined;
  /** It manages, or its annotation names pools for, something that the MCO renders, or what it manages is not known
   *  yet. */
  readonly renders: boolean;
  /** Applications that it manages (app of apps). */
  readonly children: readonly ChildRef[];
  /** ApplicationSets that it manages: their Applications are its grandchildren. */
  readonly childSets?: readonly ChildRef[] | undefined;
  /** ApplicationSet, in its own namespace, that generated it. */
  readonly generatedBy?: string | undefined;
}

export type ChildRef = Pick<ApplicationRef, 'namespace' | 'name'>;

/** What the routing table keeps of an ApplicationSet: a push to what its generators read may change every
 *  Application that it generated. */
export interface SetRoute {
  /** Name of the ApplicationSet; its Applications are those of the same namespace that it owns. */
  readonly ref: ApplicationRef;
  /** Git generators, those inside matrix and merge generators too. */
  readonly generators: readonly GitGenerator[];
  /** A plugin generator asks for news at every push, whatever it is of. Source: argo-cd
   *  applicationset/webhook/webhook.go. */
  readonly readsAnyPush: boolean;
  /** It looks for news at least this often, also when it is told nothing. Seconds. */
  readonly looksEverySeconds: number;
  /** What its Applications are made of; undefined: not known. Its generators fill in what stands in `{{ }}`. */
  readonly template?: SetTemplate | undefined;
}

export type SetTemplate = Pick<Application, 'sources' | 'destination' | 'automated'>;

/** Any text of it may have parts in `{{ }}`, which the generator before it fills in. */
export interface GitGenerator {
  readonly repoURL: string;
  readonly revision: string;
  /** What it makes of each match: of a file what is written in it, of a folder its path alone. */
  readonly reads: 'files' | 'folders';
  /** Patterns of the files or folders that it reads, from the root of the repository; none = anything may matter. */
  readonly paths: readonly string[];
}

/** Will a generator fill something in? */
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
    ...(selfHeal === undefined ? {} : { selfHeal }),
    renders: renders(application),
    children: managed('Application', application),
    ...(childSets.length > 0 ? { childSets } : {}),
    ...(application.generatedBy === undefined ? {} : { generatedBy: application.generatedBy }),
  };
}

/** Its annotation is trusted more than what it manages. What Argo CD has not compared yet lists nothing: unknown is
 *  a match. */
function renders({ annotations, resources }: Application): boolean {
  const named = annotations[poolsAnnotation];
  if (named === undefined) return resources.length === 0 || resources.some(isRendered);
  return named.split(',').some((pool) => !['', 'none'].includes(pool.trim()));
}

function managed(kind: string, { resources, namespace: home }: Application): readonly ChildRef[] {
  return resources
    .filter((resource) => resource.group === argoGroup && resource.kind === kind)
    .map(({ namespace, name }) => ({ namespace: namespace || home, name }));
}

/** `https://user:secret@host/x` -> `https://host/x`. A user without a password stays: it is part of many SSH
 *  addresses. */
function withoutPassword(url: string): string {
  const scheme = url.indexOf('://');
  const begin = scheme < 0 ? 0 : scheme + 3;
  const slash = url.indexOf('/', begin);
  const at = url.slice(begin, slash < 0 ? undefined : slash).lastIndexOf('@');
  if (at < 0 || !url.slice(begin, begin + at).includes(':')) return url;
  return url.slice(0, begin) + url.slice(begin + at + 1);
}
