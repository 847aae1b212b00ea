import type { Application, ApplicationRef } from '../core/argocd/application.ts';
import type { ControllerPod } from '../core/argocd/controller-pod.ts';
import type { Listed } from '../core/findings/listed.ts';
import type { SetRoute } from '../core/routing/route.ts';

/** One Argo CD instance, read through the API server of the cluster it runs in. */
export interface ArgoCd {
  readonly name: string;
  /** An invalid Application is listed as unreadable. */
  listApplications(): Promise<Listed<Application>>;
  /** Length of the list of Applications, at almost no cost; undefined if not reported. */
  countApplications(): Promise<number | undefined>;
  readApplication(ref: Pick<ApplicationRef, 'namespace' | 'name'>): Promise<Application | undefined>;
  /** Those that read Git, or use a plugin. None if the kind is not served. Throws Transient, `forbidden` without
   *  permission. */
  listApplicationSets(): Promise<Listed<SetRoute>>;
  /** Has Argo CD repeat the failed operation that began at `startedAt`. `changed`: it is no longer the newest, or one
   *  is queued; nothing was written. Throws Transient, `forbidden` without permission. */
  retrySync(ref: Pick<ApplicationRef, 'namespace' | 'name'>, startedAt: string): Promise<'started' | 'changed'>;
  /** Names of the nodes on which its application controller runs. */
  controllerNodes(): Promise<readonly string[]>;
  /** The pods of its application controller that have not ended. */
  controllerPods(): Promise<readonly ControllerPod[]>;
}
