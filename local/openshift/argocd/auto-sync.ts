import { sameJson } from '../api-server/json.ts';
import { type Application, isAutomated, isCompleted, isMultiSource, type Operation } from './application.ts';
import type { Comparison } from './comparison.ts';

export type AutoSync =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'sync'; readonly operation: Operation }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'later'; readonly afterMs: number };

const nothing: AutoSync = { kind: 'nothing' };

/** Retries of an automated sync unless the application says otherwise. Source: argo-cd controller/appcontroller.go
 *  autoSync. */
const automatedRetryLimit = 5;

/** Whether a refresh with this result starts a sync. `elapsedMs`: how long ago a timestamp was. */
export function autoSync(
  application: Application,
  comparison: Comparison,
  elapsedMs: (timestamp: string) => number,
): AutoSync {
  const { spec, metadata, operation } = application;
  if (!isAutomated(application) || operation || metadata.deletionTimestamp || comparison.status !== 'OutOfSync')
    return nothing;
  const { prune = false, selfHeal = false } = spec.syncPolicy?.automated ?? {};
  const outOfSync = comparison.resources.filter(({ status }) => status !== 'Synced');
  if (!prune && outOfSync.every(({ requiresPruning }) => requiresPruning)) return nothing;
  const revisions = comparison.revisions.join(' ');
  if (prune && comparison.resources.every(({ requiresPruning }) => requiresPruning))
    return { kind: 'error', message: `Skipping sync attempt to [${revisions}]: auto-sync will wipe out all resources` };

  const request = requestFor(application, comparison, prune);
  if (!alreadyAttempted(application, comparison)) return { kind: 'sync', operation: request };
  const { operationState } = application.status ?? {};
  if (operationState?.phase !== 'Succeeded')
    return { kind: 'error', message: `Failed last sync attempt to [${revisions}]: ${operationState?.message ?? ''}` };
  if (!selfHeal) return nothing;
  return heal(application, request, { outOfSync, elapsedMs });
}

function requestFor({ spec }: Application, { revisions }: Comparison, prune: boolean): Operation {
  const { retry = { limit: automatedRetryLimit }, syncOptions } = spec.syncPolicy ?? {};
  const multi = (spec.sources ?? []).length > 0;
  return {
    sync: {
      ...(multi
        ? { revisions: [...revisions], sources: spec.sources ?? [] }
        : { revision: revisions[0] ?? '', ...(spec.source && { source: spec.source }) }),
      ...(prune && { prune }),
      ...(syncOptions && { syncOptions }),
    },
    initiatedBy: { automated: true },
    retry,
  };
}

/** There is one automated attempt per revision and source. An operation that ended without a result counts for every
 *  revision. */
function alreadyAttempted(application: Application, { revisions }: Comparison): boolean {
  const { operationState } = application.status ?? {};
  if (!operationState) return false;
  const { syncResult } = operationState;
  if (!syncResult) return isCompleted(operationState.phase);
  if (isMultiSource(application))
    return sameJson(syncResult.revisions, revisions) && sameJson(syncResult.sources, application.spec.sources);
  return syncResult.revision === revisions[0] && sameJson(syncResult.source, application.spec.source);
}

/** Milliseconds. Source: self-heal backoff of Argo CD since 2.14: 2 s, times 3, at most 300 s; forgotten after 330
 *  s. */
const healBackoff = { firstMs: 2_000, factor: 3, capMs: 300_000, forgottenAfterMs: 330_000 };

interface Healing {
  readonly outOfSync: readonly Comparison['resources'][number][];
  readonly elapsedMs: (timestamp: string) => number;
}

function heal({ status }: Application, request: Operation, { outOfSync, elapsedMs }: Healing): AutoSync {
  const last = status?.operationState;
  const sinceMs = last?.finishedAt ? elapsedMs(last.finishedAt) : Number.POSITIVE_INFINITY;
  const attempts = sinceMs < healBackoff.forgottenAfterMs ? (last?.operation.sync?.autoHealAttemptsCount ?? 0) : 0;
  const waitMs =
    attempts === 0 ? 0 : Math.min(healBackoff.capMs, healBackoff.firstMs * healBackoff.factor ** (attempts - 1));
  if (sinceMs < waitMs) return { kind: 'later', afterMs: waitMs - sinceMs };
  const resources = outOfSync.map(({ group = '', kind, name }) => ({ group, kind, name }));
  return {
    kind: 'sync',
    operation: { ...request, sync: { ...request.sync, resources, autoHealAttemptsCount: attempts + 1 } },
  };
}
