/** An Argo CD Application as far as Poolkeeper uses it. Field meanings: argo-cd v1alpha1 types.go. */
export interface Application {
  /** Name of the Argo CD instance in the configuration. */
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly destination: Destination;
  readonly sources: readonly ApplicationSource[];
  /** Automated sync is on, so that a push is followed by a sync without a person. */
  readonly automated: boolean;
  /** Automated sync also takes back what was edited in the cluster, within minutes. Absent: not known. */
  readonly selfHeal?: boolean | undefined;
  /** `spec.syncPolicy.retry.limit`; 0 when absent. */
  readonly retryLimit: number;
  readonly sync: { readonly status: 'Synced' | 'OutOfSync' | 'Unknown' | ''; readonly revisions: readonly string[] };
  readonly health: string;
  /** `status.resources`: what the Application manages. */
  readonly resources: readonly ManagedResource[];
  /** `.operation` is set and is no dry run: a sync is queued or runs. */
  readonly operationQueued: boolean;
  readonly operation: Operation | undefined;
  /** Name of the ApplicationSet, in its own namespace, that generated it; undefined: a person or another Application
   *  made it. */
  readonly generatedBy?: string | undefined;
  /** ISO instant at which Argo CD last compared it with Git; undefined when it is not known. */
  readonly reconciledAt?: string | undefined;
  /** Resources of which Argo CD overlooks differences (`spec.ignoreDifferences`) that its sync writes nevertheless. */
  readonly overlooks?: readonly Overlooked[] | undefined;
}

/** One rule of `spec.ignoreDifferences`. Group and kind may be globs; an empty namespace or name means any.
 *  Source: argo-cd util/argo/normalizers/diff_normalizer.go. */
export type Overlooked = Pick<ManagedResource, 'group' | 'kind' | 'namespace' | 'name'>;

export interface Destination {
  readonly server: string;
  readonly name: string;
}

export interface ApplicationSource {
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision: string;
  /** Helm chart name: such a source is not a Git path. */
  readonly chart: string;
  /** Name by which other sources take value files from this one (`$values/...`); absent or empty: none do. */
  readonly ref?: string | undefined;
  /** Source hydrator: `dry` holds what is hydrated, `hydrated` the branch that is synced. Absent otherwise. */
  readonly hydration?: 'dry' | 'hydrated' | undefined;
  /** Tool that the Application itself asks for (`spec.source.helm`, `.kustomize`, `.plugin`, `.directory.jsonnet`);
   *  absent: Argo CD looks at the files. */
  readonly tool?: 'helm' | 'kustomize' | 'plugin' | 'jsonnet' | undefined;
  /** `spec.source.directory`: which files of a plain folder count. Absent: the folder itself, without those below. */
  readonly directory?: { readonly recurse: boolean; readonly include: string; readonly exclude: string } | undefined;
}

export interface ManagedResource {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `Synced`, `OutOfSync`, `Unknown` in status.resources. */
  readonly status: string;
}

/** One sync attempt, `status.operationState`. Identity = application uid + `startedAt` (constant over retries). */
export interface Operation {
  readonly phase: 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';
  readonly message: string;
  /** ISO instant, whole seconds, of Argo CD's clock. */
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  readonly retryCount: number;
  readonly dryRun: boolean;
  /** Concrete commits synced, or asked for while there is no result yet. */
  readonly revisions: readonly string[];
  /** Selective sync or self-heal: hooks are skipped, the rest of the Application may stay out of sync. */
  readonly partial: boolean;
  /** `initiatedBy.username`: a person, or whoever has an account; absent for automated syncs. */
  readonly startedBy?: string | undefined;
  readonly results: readonly OperationResult[];
}

export interface OperationResult {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `Synced`, `SyncFailed`, `Pruned`, `PruneSkipped`, or empty for hooks. */
  readonly status: string;
  readonly message: string;
  readonly hookType: string;
}

export interface ApplicationRef {
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
}

/** What one pass knows of an Application. `gone` needs a successful read that proves absence. */
export type ObservedApplication =
  | { readonly kind: 'seen'; readonly application: Application }
  | { readonly kind: 'gone'; readonly ref: ApplicationRef }
  | {
      readonly kind: 'unreadable';
      readonly ref: ApplicationRef;
      readonly why: string;
      /** Nobody will ever read it again: its Argo CD instance is not configured. */
      readonly isForGood?: boolean;
    };

/** Who was looked at, whatever was seen. */
export function refOf(observed: ObservedApplication): ApplicationRef {
  return observed.kind === 'seen' ? observed.application : observed.ref;
}

export function isSameApplication(a: ApplicationRef, b: ApplicationRef): boolean {
  return a.argocd === b.argocd && a.namespace === b.namespace && a.name === b.name;
}

/** A sync that may write to the cluster is queued, runs, or waits for its next attempt. What is queued counts
 *  whatever the operation before it was: `.operation` may be set while the state still tells of a dry run that is
 *  over. */
export function isSyncing(application: Application): boolean {
  return application.operationQueued || isRunning(application.operation);
}

export function isRunning(operation: Operation | undefined): boolean {
  return operation !== undefined && !operation.dryRun && ['Running', 'Terminating'].includes(operation.phase);
}

/** Running with `finishedAt`: the attempt failed and Argo CD waits for the next one. */
export function waitsForRetry(operation: Operation): boolean {
  return operation.phase === 'Running' && operation.finishedAt !== undefined;
}

/** Running but held back by a sync window. Text: argo-cd controller/sync.go. */
export function isParked(operation: Operation): boolean {
  return operation.phase === 'Running' && operation.message.startsWith('Sync operation blocked by sync window');
}

/** Failed because a person or a timeout terminated it. No hook runs then. Text: gitops-engine sync_context.go. */
export function wasTerminated(operation: Operation): boolean {
  return ['Failed', 'Error'].includes(operation.phase) && /Operation terminat/i.test(operation.message);
}
