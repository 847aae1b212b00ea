import type { JsonObject } from '../api-server/json.ts';
import type { Condition, KubernetesObject } from '../api-server/kubernetes-object.ts';
import { applications, type ResourceType } from '../api-server/resource-types.ts';

export interface ApplicationSource {
  repoURL: string;
  path?: string;
  targetRevision?: string;
  chart?: string;
  ref?: string;
  name?: string;
}

export interface RetryStrategy {
  limit?: number;
  backoff?: { duration?: string; factor?: number; maxDuration?: string };
}

export interface IgnoreDifference {
  group?: string;
  kind: string;
  name?: string;
  jsonPointers?: string[];
  managedFieldsManagers?: string[];
}

export interface SyncRequest {
  revision?: string;
  revisions?: string[];
  prune?: boolean;
  dryRun?: boolean;
  resources?: { group?: string; kind: string; name: string; namespace?: string }[];
  syncOptions?: string[];
  syncStrategy?: JsonObject;
  autoHealAttemptsCount?: number;
  source?: ApplicationSource;
  sources?: ApplicationSource[];
}

export interface Operation {
  sync?: SyncRequest;
  initiatedBy?: { automated?: boolean; username?: string };
  retry?: RetryStrategy;
}

export type Phase = 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';

export interface ResourceResult {
  group: string;
  version: string;
  kind: string;
  namespace: string;
  name: string;
  status: 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';
  message: string;
  hookPhase: string;
  syncPhase: 'Sync';
}

export interface OperationState {
  operation: Operation;
  phase: Phase;
  message?: string;
  startedAt: string;
  finishedAt?: string;
  retryCount?: number;
  syncResult?: {
    revision: string;
    revisions?: string[];
    source?: ApplicationSource;
    sources?: ApplicationSource[];
    resources?: ResourceResult[];
  };
}

export interface ResourceStatus {
  group?: string;
  version: string;
  kind: string;
  namespace?: string;
  name: string;
  status: 'Synced' | 'OutOfSync' | 'Unknown';
  requiresPruning?: boolean;
  syncWave?: number;
}

export interface ApplicationStatus {
  sync?: { status: 'Synced' | 'OutOfSync' | 'Unknown'; revision?: string; revisions?: string[]; comparedTo: unknown };
  health?: { status: string; lastTransitionTime?: string };
  resources?: ResourceStatus[];
  operationState?: OperationState;
  reconciledAt?: string;
  conditions?: Condition[];
  history?: {
    id: number;
    revision: string;
    deployedAt: string;
    deployStartedAt: string;
    source?: ApplicationSource;
    initiatedBy?: Operation['initiatedBy'];
  }[];
  sourceType?: string;
  controllerNamespace?: string;
  resourceHealthSource?: string;
}

export interface Application extends KubernetesObject {
  spec: {
    project: string;
    destination: { server?: string; name?: string; namespace?: string };
    source?: ApplicationSource;
    sources?: ApplicationSource[];
    syncPolicy?: {
      automated?: { prune?: boolean; selfHeal?: boolean; enabled?: boolean };
      retry?: RetryStrategy;
      syncOptions?: string[];
    };
    ignoreDifferences?: IgnoreDifference[];
  };
  operation?: Operation;
  status?: ApplicationStatus;
}

/** The stored kind with the fields that Argo CD uses. */
export const applicationType = applications as ResourceType as ResourceType<Application>;

export function sourcesOf({ spec }: Application): ApplicationSource[] {
  if (spec.sources && spec.sources.length > 0) return spec.sources;
  return spec.source ? [spec.source] : [];
}

export function isMultiSource({ spec }: Application): boolean {
  return (spec.sources ?? []).length > 0;
}

export function isCompleted(phase: Phase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

/** Whether an operation has begun and has no result yet. */
export function isInProgress({ status }: Application): boolean {
  return status?.operationState !== undefined && !isCompleted(status.operationState.phase);
}

export function isAutomated({ spec }: Application): boolean {
  const { automated } = spec.syncPolicy ?? {};
  return automated !== undefined && automated.enabled !== false;
}
