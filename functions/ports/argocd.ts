import type { Application, ApplicationRef } from '../core/argocd/application.ts';
import type { ControllerPod } from '../core/argocd/controller-pod.ts';
import type { Listed } from '../core/findings/listed.ts';
import type { AppProject } from '../core/guard/app-project.ts';
import type { Guard } from '../core/guard/guard-record.ts';
import type { SyncWindow } from '../core/guard/sync-windows.ts';
import type { SetRoute } from '../core/routing/route.ts';

/** One Argo CD instance, read through the API server of the cluster it runs in. */
export interface ArgoCd {
  readonly name: string;
  /** An invalid Application is listed as unreadable, and so is a namespace of which the rights are gone: `*`. */
  listApplications(): Promise<Listed<Application>>;
  /** Length of the list of Applications of each namespace, at almost no cost; undefined if not reported, or not
   *  permitted. A namespace without any may be left out. */
  countApplications(): Promise<ReadonlyMap<string, number | undefined>>;
  readApplication(ref: Pick<ApplicationRef, 'namespace' | 'name'>): Promise<Application | undefined>;
  /** Those that read Git, or use a plugin. None if the kind is not served. Throws Transient, `forbidden` without
   *  permission. */
  listApplicationSets(): Promise<Listed<SetRoute>>;
  /** Has Argo CD repeat the failed operation that began at `startedAt`. `changed`: it is no longer the newest, or one
   *  is queued; nothing was written. Throws Transient, `forbidden` without permission. */
  retrySync(ref: Pick<ApplicationRef, 'namespace' | 'name'>, startedAt: string): Promise<'started' | 'changed'>;
  /** The AppProjects of Argo CD's own namespace. Throws Transient, `forbidden` without permission. */
  listProjects(): Promise<Listed<AppProject>>;
  /** Undefined only if the API server says that it does not exist. */
  readProject(name: string): Promise<AppProject | undefined>;
  /** One merge patch of all windows and of our record of guards, guarded by resourceVersion. Returns the project as
   *  it was stored. Throws Transient: `conflict` on a lost race; `invalid` if this Argo CD does not keep the
   *  description of a window, by which ours are known: then the windows are as before. */
  writeGuards(project: AppProject, change: GuardsChange): Promise<AppProject>;
  /** Asks Argo CD to compare the Application with Git, and to sync it if it may. Throws Transient, `forbidden` without
   *  permission. */
  refresh(ref: Pick<ApplicationRef, 'namespace' | 'name'>): Promise<void>;
  /** Names of the nodes on which its application controller runs. */
  controllerNodes(): Promise<readonly string[]>;
  /** The pods of its application controller that have not ended. */
  controllerPods(): Promise<readonly ControllerPod[]>;
}

export interface GuardsChange {
  readonly windows: readonly SyncWindow[];
  readonly guards: readonly Guard[];
}
