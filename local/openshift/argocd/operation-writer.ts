import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { type Application, applicationType, isCompleted, type Operation, type OperationState } from './application.ts';

export const controllerManager = 'argocd-application-controller';

/** Identifies an application by uid, so that another one of the same name is a different one. */
export interface ApplicationKey {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export function applicationKeyOf({ metadata }: Application): ApplicationKey {
  return { name: metadata.name, namespace: metadata.namespace ?? '', uid: metadata.uid };
}

/** The application as it is now; undefined once it is gone. */
export function readApplication(registry: Registry, { name, namespace, uid }: ApplicationKey): Application | undefined {
  const found = registry.get(applicationType, name, namespace);
  return found?.metadata.uid === uid ? found : undefined;
}

/** Requests an operation, as the API server and auto-sync do. Answers false while another one is in progress. */
export function requestOperation(
  registry: Registry,
  application: Application,
  { operation, manager }: { readonly operation: Operation; readonly manager: string },
): boolean {
  if (application.operation) return false;
  const ask = (draft: Application) => {
    draft.operation = operation;
    if (draft.status) delete draft.status.operationState;
  };
  registry.modify(applicationType, keyOf(application), ask, { manager });
  return true;
}

/** Writes the state of an operation. A completed phase removes `.operation` in the same write. */
export function writeOperationState(
  registry: Registry,
  pace: Pace,
  { application, state }: { readonly application: Application; readonly state: OperationState },
): void {
  const completed = isCompleted(state.phase);
  const final: OperationState = completed ? { ...state, finishedAt: pace.timestamp() } : state;
  const write = (draft: Application) => {
    draft.status = { ...draft.status, operationState: final };
    if (!completed) return;
    delete draft.operation;
    if (belongsToHistory(final)) draft.status.history = [...(draft.status.history ?? []), entryOf(draft, final)];
  };
  registry.modify(applicationType, keyOf(application), write, { manager: controllerManager });
  if (completed) recordCompletion(registry, pace, { application, state: final });
}

/** Partial syncs and dry runs leave no entry. */
function belongsToHistory({ phase, operation }: OperationState): boolean {
  return phase === 'Succeeded' && !operation.sync?.dryRun && (operation.sync?.resources ?? []).length === 0;
}

function entryOf(
  { spec, status }: Application,
  { syncResult, startedAt, finishedAt = startedAt, operation }: OperationState,
) {
  return {
    id: (status?.history?.at(-1)?.id ?? -1) + 1,
    revision: syncResult?.revision ?? '',
    deployedAt: finishedAt,
    deployStartedAt: startedAt,
    ...(spec.source && { source: spec.source }),
    ...(operation.initiatedBy && { initiatedBy: operation.initiatedBy }),
  };
}

function recordCompletion(
  registry: Registry,
  pace: Pace,
  { application, state }: { readonly application: Application; readonly state: OperationState },
): void {
  const record = createEventRecorder({ registry, pace, component: controllerManager });
  const partial = (state.operation.sync?.resources ?? []).length > 0;
  const what = `${partial ? 'Partial sync operation' : 'Sync operation'}${state.syncResult ? ` to ${state.syncResult.revision}` : ''}`;
  const succeeded = state.phase === 'Succeeded';
  const message = succeeded ? `${what} succeeded` : `${what} failed: ${state.message ?? ''}`;
  record({ object: application, reason: 'OperationCompleted', type: succeeded ? 'Normal' : 'Warning', message });
}
