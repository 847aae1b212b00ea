import type { ApplicationRef, ApplicationSource } from '../application.ts';

/** What the routing table keeps of an Application: enough to tell whether a push concerns it, on which cluster, and whether anything that
 *  the MCO renders is known to be behind it. Nothing else of the Application is stored. */
export interface Route {
  readonly ref: ApplicationRef;
  readonly uid: string;
  /** Configured cluster it deploys to; empty when the configuration does not know its destination. */
  readonly cluster: string;
  readonly sources: readonly ApplicationSource[];
  /** `argocd.argoproj.io/manifest-generate-paths` as written; undefined when absent: every push of its repository and revision matches. */
  readonly generatePaths: string | undefined;
  readonly automated: boolean;
  /** It manages, or its annotation names pools for, something that the MCO renders. */
  readonly renders: boolean;
  /** Applications that it manages (app of apps). */
  readonly children: readonly Pick<ApplicationRef, 'namespace' | 'name'>[];
}
