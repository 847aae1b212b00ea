import type { Application, ApplicationRef } from '../core/argocd/application.ts';
import type { SetRoute } from '../core/routing/route.ts';

/** One Argo CD instance, read through the API server of the cluster it runs in. */
export interface ArgoCd {
  readonly name: string;
  listApplications(): Promise<readonly Application[]>;
  /** How many Applications a list would have, for next to nothing; undefined when it is not said. */
  countApplications(): Promise<number | undefined>;
  readApplication(ref: Pick<ApplicationRef, 'namespace' | 'name'>): Promise<Application | undefined>;
  /** Those that read Git, or ask a plugin. None where the kind is not served. Throws Transient, `forbidden` without
   *  the right to. */
  listApplicationSets(): Promise<readonly SetRoute[]>;
  /** Has Argo CD do again what the operation that began at `startedAt`, and has failed, was asked to do. `changed`:
   *  it is not the newest any more, or one is queued; nothing was written. Throws Transient, `forbidden` without the
   *  right to. */
  retrySync(ref: Pick<ApplicationRef, 'namespace' | 'name'>, startedAt: string): Promise<'started' | 'changed'>;
  /** Names of the nodes on which its application controller runs. */
  controllerNodes(): Promise<readonly string[]>;
}
