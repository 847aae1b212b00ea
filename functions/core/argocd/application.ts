import type { NamedPools } from './pools-annotation.ts';

/** An Argo CD Application, limited to what Poolkeeper uses. Field meanings: argo-cd v1alpha1 types.go. */
export interface Application {
  /** Name of the Argo CD instance in the configuration. */
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** It is in the namespace of its Argo CD; absent: that is not known. */
  readonly isAtHome?: boolean | undefined;
  /** Its AppProject; absent: `default`. */
  readonly project?: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** Pools that its annotation names, and what the configuration lets that do; absent: it has no such annotation. */
  readonly named?: NamedPools | undefined;
  readonly destination: Destination;
  readonly sources: readonly ApplicationSource[];
  /** Automated sync is on, so a push is followed by a sync without a person. */
  readonly automated: boolean;
  /** Automated sync also reverts edits in the cluster, within minutes. Absent: unknown. */
  readonly selfHeal?: boolean | undefined;
  /** Its syncs delete what Git no longer has, in their course. Absent: that may stay, for a while or for good. */
  readonly prunes?: true | undefined;
  /** Argo CD begins no sync of it by itself, whatever its commit: pruning is all that is left, which its automated
   *  syncs do not do, or it would leave nothing. Absent: it may. */
  readonly leftToPrune?: true | undefined;
  /** `spec.syncPolicy.retry.limit`; 0 when absent. */
  readonly retryLimit: number;
  readonly sync: { readonly status: 'Synced' | 'OutOfSync' | 'Unknown' | ''; readonly revisions: readonly string[] };
  readonly health: string;
  /** `status.resources`: what the Application manages. */
  readonly resources: readonly ManagedResource[];
  /** `.operation` is set and is not a dry run: a sync is queued or running. */
  readonly operationQueued: boolean;
  readonly operation: Operation | undefined;
  /** It is about to vanish, with what it manages or without. */
  readonly isBeingDeleted?: true | undefined;
  /** ApplicationSet, in its own namespace, that generated it; undefined: created by a person or another Application. */
  readonly generatedBy?: string | undefined;
  /** ISO instant at which Argo CD last compared it with Git; undefined: unknown. */
  readonly reconciledAt?: string | undefined;
  /** Syncs that have succeeded lately, the newest last, by `status.history`, which has no syncs of a part; absent: none
   *  is known. Argo CD keeps ten. */
  readonly succeeded?: readonly Pick<Operation, 'startedAt' | 'revisions'>[] | undefined;
  /** Resources whose differences Argo CD ignores (`spec.ignoreDifferences`) but whose fields its sync writes
   *  nevertheless. */
  readonly overlooks?: readonly Overlooked[] | undefined;
  /** Its syncs, or the last one alone, write what is ignored as they find it (`RespectIgnoreDifferences=true`). */
  readonly respectsIgnoreDifferences?: 'always' | 'lately' | undefined;
  /** Pools whose `spec.paused` all its syncs leave as they find it, by rules of its own spec: names, or empty for every
   *  pool. Absent: none, but for rules of `argocd-cm`, which are not known. */
  readonly leavesPauseOf?: readonly string[] | undefined;
}

/** One rule of `spec.ignoreDifferences`. Group and kind may be globs; an empty namespace or name means any.
 *  Source: argo-cd util/argo/normalizers/diff_normalizer.go. */
export type Overlooked = Pick<ManagedResource, 'group' | 'kind' | 'namespace' | 'name'>;

export interface Destination {
  /** URL of the API server; empty if the cluster is given by name. */
  readonly server: string;
  /** Name of the cluster in Argo CD; empty if it is given by URL. */
  readonly name: string;
}

export interface ApplicationSource {
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision: string;
  /** Helm chart name: such a source is not a Git path. */
  readonly chart: string;
  /** Name by which other sources use value files from this one (`$values/...`); absent or empty: none do. */
  readonly ref?: string | undefined;
  /** Source hydrator: `dry` is the source of hydration, `hydrated` the branch that is synced. Absent otherwise. */
  readonly hydration?: 'dry' | 'hydrated' | undefined;
  /** Tool set in the Application itself (`spec.source.helm`, `.kustomize`, `.plugin`, `.directory.jsonnet`); absent:
   *  Argo CD detects it from the files. */
  readonly tool?: 'helm' | 'kustomize' | 'plugin' | 'jsonnet' | undefined;
  /** `spec.source.directory`: which files of a plain folder count. Absent: the folder itself, without sub-folders. */
  readonly directory?: { readonly recurse: boolean; readonly include: string; readonly exclude: string } | undefined;
  /** What its Git host calls the repository now, as `repositoryOf` has it. Of routes; absent: the same, or unknown. */
  readonly now?: string | undefined;
}

/** One object. */
export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ManagedResource extends ObjectName {
  /** `Synced`, `OutOfSync`, `Unknown` in status.resources. */
  readonly status: string;
}

/** One sync attempt, `status.operationState`. Identity: application uid and `startedAt` (constant over retries). */
export interface Operation {
  readonly phase: 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';
  readonly message: string;
  /** ISO instant, whole seconds, of Argo CD's clock. */
  readonly startedAt: string;
  readonly finishedAt: string | undefined;
  readonly retryCount: number;
  /** ISO instant at which Argo CD is to try again, from what the operation says of itself; absent: it waits for no
   *  retry, or that is not known. */
  readonly retryAt?: string | undefined;
  readonly dryRun: boolean;
  /** Concrete commits synced, or requested while there is no result yet. */
  readonly revisions: readonly string[];
  /** Selective sync or self-heal: hooks are skipped, the rest of the Application may stay out of sync. So it may after
   *  one with manifests of its own. */
  readonly partial: boolean;
  /** What a selective sync names; an empty namespace means any. Names are exact: the command line of Argo CD evaluates
   *  wildcards and exclusions before it asks. Empty: manifests of its own. Absent: all of the Application.
   *  Source: argo-cd v1alpha1 types.go, SyncOperationResource.HasIdentity, and cmd/argocd/commands/app.go,
   *  filterAppResources. */
  readonly asked?: readonly ObjectName[] | undefined;
  /** `initiatedBy.username`: a person, or any account; empty: somebody whom Argo CD does not name, as from its command
   *  line with `--core`, or who wrote the operation himself; absent: Argo CD says that it began it by itself. */
  readonly startedBy?: string | undefined;
  /** It may apply something else than what its Application was compared with, whatever the commits: manifests or a
   *  source of its own, or a spec that has been changed since. */
  readonly appliesOther?: true | undefined;
  readonly results: readonly OperationResult[];
}

/** What an operation did with one resource (`syncResult.resources`). */
export interface OperationResult extends ObjectName {
  /** `Synced`, `SyncFailed`, `Pruned`, `PruneSkipped`, or empty for hooks that have not run to their end. */
  readonly status: string;
  readonly message: string;
  readonly hookType: string;
}

/** Identity of an Application among all Argo CD instances. */
export interface ApplicationRef {
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
}

/** What one pass knows of an Application. `gone` needs a successful read that proves absence. */
export type ObservedApplication =
  | { readonly kind: 'seen'; readonly application: Application }
  | {
      readonly kind: 'gone';
      readonly ref: ApplicationRef;
      /** It is there, and deploys to another cluster than that of the pass: what it does is nothing of this one.
       *  Absent: it does not exist. */
      readonly elsewhere?: Elsewhere;
    }
  | {
      readonly kind: 'unreadable';
      readonly ref: ApplicationRef;
      readonly why: string;
      /** It will never be read again: its Argo CD instance is not configured. */
      readonly isForGood?: boolean;
      /** What other instances show in its place, as the last list found it: one may be the same under another name, and
       *  the others somebody else's. Absent: not listed. */
      readonly heirs?: readonly Application[];
      /** It is there and cannot be parsed: reading it again is of no use until somebody corrects it. */
      readonly isInvalid?: boolean;
      /** The right to read it is missing: the same, until somebody grants it. */
      readonly isForbidden?: boolean;
    };

export interface Elsewhere {
  /** Name of the configured cluster that it deploys to; undefined: of none. */
  readonly cluster: string | undefined;
  /** It as it is now: its last operation may have begun before it was pointed there. */
  readonly application: Application;
}

/** Whether all its syncs leave the pause of this pool as they find it. */
export function leavesPause({ leavesPauseOf = [] }: Pick<Application, 'leavesPauseOf'>, pool: string): boolean {
  return leavesPauseOf.includes('') || leavesPauseOf.includes(pool);
}

/** Where it deploys to, in words. */
export function elsewhereText({ cluster }: Elsewhere): string {
  return cluster === undefined ? 'deploys to a cluster that is not configured' : `deploys to cluster ${cluster} now`;
}

/** It could not be read, and reading it again may help. */
export function mayBeReadLater(
  observed: ObservedApplication,
): observed is Extract<ObservedApplication, { kind: 'unreadable' }> {
  return observed.kind === 'unreadable' && observed.isInvalid !== true && observed.isForbidden !== true;
}

/** Which Application was observed, whatever the result. */
export function refOf(observed: ObservedApplication): ApplicationRef {
  return observed.kind === 'seen' ? observed.application : observed.ref;
}

export function isSameApplication(a: ApplicationRef, b: ApplicationRef): boolean {
  return a.argocd === b.argocd && a.namespace === b.namespace && a.name === b.name;
}

/** By which AppProject an Application is somebody's. Elsewhere than in Argo CD's own namespace the namespace alone says
 *  it: its owner may write any project there. Undefined: it is elsewhere, or the project cannot exist. */
export function projectOf({ isAtHome, project = 'default' }: Pick<Application, 'isAtHome' | 'project'>) {
  return isAtHome === true && /^[a-z0-9][a-z0-9.-]{0,252}$/.test(project) ? project : undefined;
}

/** A sync that may write to the cluster is queued, running, or waiting for its next attempt. A queued one counts
 *  whatever the previous operation was: `.operation` may be set while the state still shows a finished dry run. */
export function isSyncing(application: Application): boolean {
  return application.operationQueued || isRunning(application.operation);
}

export function isRunning(operation: Operation | undefined): boolean {
  return operation !== undefined && !operation.dryRun && ['Running', 'Terminating'].includes(operation.phase);
}

/** Running with `finishedAt`: the attempt failed and Argo CD waits for the next one. */
export function waitsForRetry(operation: Pick<Operation, 'phase' | 'finishedAt'>): boolean {
  return operation.phase === 'Running' && operation.finishedAt !== undefined;
}

/** Running but held back by a sync window. Text: argo-cd controller/sync.go. */
export function isParked(operation: Operation): boolean {
  return operation.phase === 'Running' && isBlockedByWindow(operation.message);
}

/** By the message of an operation. */
export function isBlockedByWindow(message: string): boolean {
  return message.startsWith('Sync operation blocked by sync window');
}

/** Failed because a person or a timeout terminated it; then no hook runs. Text: gitops-engine sync_context.go. */
export function wasTerminated(operation: Operation): boolean {
  return ['Failed', 'Error'].includes(operation.phase) && /Operation terminat/i.test(operation.message);
}
