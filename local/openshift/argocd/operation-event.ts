import type { Pace } from '../pace.ts';
import {
  type Application,
  type ApplicationSource,
  type Operation,
  type OperationState,
  sourcesOf,
} from './application.ts';

/** The notification about an operation: a CloudEvent in structured JSON with every field always present. */
export interface OperationEvent {
  readonly specversion: '1.0';
  readonly type: 'poolkeeper.argocd.operation.v1';
  /** The same for every repetition of one state of an operation. */
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Record<string, unknown>;
}

const mcoGroup = 'machineconfiguration.openshift.io';

/** Longest message that is forwarded. Bytes. */
const messageLimit = 2_000;

/** Renders the notification template that Poolkeeper ships for Argo CD. */
export function operationEvent(
  application: Application,
  { instance, pace }: { readonly instance: string; readonly pace: Pace },
): OperationEvent {
  const { metadata, spec, status = {} } = application;
  const { phase = 'none', startedAt = 'none', retryCount = 0 } = status.operationState ?? {};
  return {
    specversion: '1.0',
    type: 'poolkeeper.argocd.operation.v1',
    id: `${metadata.uid}/${startedAt}/${phase}/${retryCount}`,
    source: `argocd/${instance}`,
    subject: `${metadata.namespace}/${metadata.name}`,
    time: pace.timestamp(),
    datacontenttype: 'application/json',
    data: {
      application: {
        name: metadata.name,
        namespace: metadata.namespace ?? '',
        uid: metadata.uid,
        project: spec.project,
        deletionTimestamp: metadata.deletionTimestamp ?? '',
      },
      destination: spec.destination,
      sources: sourcesOf(application).map(shortSource),
      hydrator: {},
      automated: spec.syncPolicy?.automated ?? {},
      sync: {
        status: status.sync?.status ?? '',
        revision: status.sync?.revision ?? '',
        revisions: status.sync?.revisions ?? [],
      },
      health: status.health?.status ?? '',
      reconciledAt: status.reconciledAt ?? '',
      operation: describeOperation(application),
      machineConfigResources: (status.resources ?? [])
        .filter(({ group }) => group === mcoGroup)
        .map(({ kind, name, status: is, requiresPruning, syncWave }) => ({
          kind,
          name,
          status: is,
          ...(requiresPruning && { requiresPruning }),
          ...(syncWave !== undefined && { syncWave }),
        })),
    },
  };
}

function shortSource({ repoURL, path, targetRevision, chart, ref, name }: ApplicationSource): object {
  return {
    repoURL,
    ...(path && { path }),
    ...(targetRevision && { targetRevision }),
    ...(chart && { chart }),
    ...(ref && { ref }),
    ...(name && { name }),
  };
}

function describeOperation({ status }: Application): object {
  const state = status?.operationState;
  return {
    phase: state?.phase ?? '',
    message: (state?.message ?? '').slice(0, messageLimit),
    startedAt: state?.startedAt ?? '',
    finishedAt: state?.finishedAt ?? '',
    retryCount: state?.retryCount ?? 0,
    ...describeRequest(state?.operation),
    ...describeResult(state?.syncResult),
  };
}

function describeRequest({ sync: request = {}, initiatedBy = {}, retry = {} }: Operation = {}): object {
  return {
    retryLimit: retry.limit ?? 0,
    initiatedBy,
    dryRun: request.dryRun ?? false,
    strategy: request.syncStrategy ?? {},
    selfHealAttempts: request.autoHealAttemptsCount ?? 0,
    requestedResources: request.resources ?? [],
    requestedRevision: request.revision ?? '',
    requestedRevisions: request.revisions ?? [],
  };
}

function describeResult(
  { revision, revisions = [], resources = [] }: NonNullable<OperationState['syncResult']> = { revision: '' },
): object {
  const machineConfigResults = resources
    .filter(({ group }) => group === mcoGroup)
    .map(({ kind, name, status, syncPhase, hookPhase, message }) => ({
      kind,
      name,
      status,
      syncPhase,
      hookPhase,
      message,
    }));
  return { revision, revisions, machineConfigResults };
}
