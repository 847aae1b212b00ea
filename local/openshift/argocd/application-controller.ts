import { sameJson } from '../api-server/json.ts';
import { type Condition, type KubernetesObject, keyOf } from '../api-server/kubernetes-object.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { type Application, applicationType } from './application.ts';
import { isTracked } from './apply-manifest.ts';
import { type AutoSync, autoSync } from './auto-sync.ts';
import { type Comparison, compare, syncStatusOf } from './comparison.ts';
import type { ControllerPod } from './controller-pod.ts';
import type { GitHost } from './git-host.ts';
import { runOperation } from './operation-runner.ts';
import {
  type ApplicationKey,
  applicationKeyOf,
  controllerManager,
  readApplication,
  requestOperation,
} from './operation-writer.ts';
import { worstHealth } from './resource-health.ts';
import type { ArgoTimings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
  readonly git: GitHost;
  readonly timings: ArgoTimings;
  readonly pod: ControllerPod;
}

export const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** Compares applications with their repositories whenever asked, and every few minutes unasked; starts and runs
 *  their syncs. */
export function startApplicationController(parts: Parts): void {
  const { registry, pace, random, git, timings, pod } = parts;
  const record = createEventRecorder({ registry, pace, component: controllerManager });
  /** Applications being refreshed, and whether another refresh has been asked for meanwhile. */
  const refreshing = new Map<string, { again: boolean; resolve: boolean }>();
  const operating = new Set<string>();

  registry.subscribe((change) => {
    if (change.type === applicationType) applicationChanged(change as ObjectChange<Application>);
    else for (const application of owners(change)) request(applicationKeyOf(application), { resolve: false });
  });

  function applicationChanged({ kind, object, previous }: ObjectChange<Application>): void {
    const key = applicationKeyOf(object);
    if (kind === 'DELETED') return;
    if (kind === 'ADDED') poll(key);
    const asked = object.metadata.annotations?.[refreshAnnotation];
    if (
      kind === 'ADDED' ||
      (asked !== undefined && previous?.metadata.annotations?.[refreshAnnotation] !== asked) ||
      !sameJson(previous?.spec, object.spec)
    )
      request(key, { resolve: true });
    if (object.operation && !operating.has(key.uid)) operate(key);
  }

  function owners({ object, previous }: ObjectChange): Application[] {
    const concerned: KubernetesObject[] = previous ? [object, previous] : [object];
    if (!concerned.some(({ metadata }) => metadata.annotations?.['argocd.argoproj.io/tracking-id'])) return [];
    return registry
      .list(applicationType)
      .filter((application) => concerned.some((each) => isTracked(each, application)));
  }

  function poll(key: ApplicationKey): void {
    pace.after(timings.pollMs + random.fraction() * timings.pollJitterMs, () => {
      if (!readApplication(registry, key)) return;
      request(key, { resolve: true });
      poll(key);
    });
  }

  /** `resolve` asks the repository for its newest commit; without it the last known one is compared with. */
  function request(key: ApplicationKey, { resolve }: { readonly resolve: boolean }): void {
    const running = refreshing.get(key.uid);
    if (running) {
      running.again = true;
      running.resolve ||= resolve;
      return;
    }
    const state = { again: false, resolve: false };
    refreshing.set(key.uid, state);
    void refresh(key, resolve).finally(() => {
      refreshing.delete(key.uid);
      if (state.again) request(key, { resolve: state.resolve });
    });
  }

  async function refresh(key: ApplicationKey, resolve: boolean): Promise<void> {
    await pod.alive();
    await pace.sleep(timings.refreshMs);
    const application = readApplication(registry, key);
    if (!application) return;
    const known =
      resolve || application.metadata.annotations?.[refreshAnnotation] !== undefined
        ? undefined
        : knownRevisions(application);
    const comparison = compare(registry, git, { application, ...(known && { revisions: known }) });
    const decision = autoSync(application, comparison, (timestamp) => pace.elapsedMs(new Date(timestamp)));
    if (decision.kind === 'later') pace.after(decision.afterMs, () => request(key, { resolve: false }));
    if (decision.kind === 'sync') start(application, decision, comparison);
    persist(key, comparison, decision);
  }

  function start(
    application: Application,
    { operation }: AutoSync & { kind: 'sync' },
    { revisions }: Comparison,
  ): void {
    if (!requestOperation(registry, application, { operation, manager: controllerManager })) return;
    record({
      object: application,
      reason: 'OperationStarted',
      message: `Initiated automated sync to '${revisions.join(', ')}'`,
    });
  }

  function persist(key: ApplicationKey, comparison: Comparison, decision: AutoSync): void {
    const write = (draft: Application) => {
      delete draft.metadata.annotations?.[refreshAnnotation];
      if (draft.metadata.annotations && Object.keys(draft.metadata.annotations).length === 0)
        delete draft.metadata.annotations;
      const status = worstHealth(registry, comparison.resources);
      const before = draft.status?.health;
      const sync = syncStatusOf(draft, comparison);
      draft.status = {
        ...draft.status,
        ...(sync && { sync }),
        health: before?.status === status ? before : { status, lastTransitionTime: pace.timestamp() },
        resources: [...comparison.resources],
        reconciledAt: pace.timestamp(),
        conditions: conditionsOf(comparison, decision, pace.timestamp()),
        sourceType: 'Directory',
        resourceHealthSource: 'appTree',
        controllerNamespace: key.namespace,
      };
    };
    const application = readApplication(registry, key);
    if (application) registry.modify(applicationType, keyOf(application), write, { manager: controllerManager });
  }

  function operate(key: ApplicationKey): void {
    operating.add(key.uid);
    void runOperation(parts, key).finally(() => {
      operating.delete(key.uid);
      const application = readApplication(registry, key);
      if (!application) return;
      const last = application.status?.operationState?.operation;
      if (!last?.sync?.dryRun) request(key, { resolve: !last?.initiatedBy?.automated });
      if (application.operation) operate(key);
    });
  }
}

function knownRevisions({ status }: Application): readonly string[] | undefined {
  const { revision, revisions } = status?.sync ?? {};
  return revisions ?? (revision ? [revision] : undefined);
}

function conditionsOf({ error }: Comparison, decision: AutoSync, time: string): Condition[] {
  const said = [
    ...(error === undefined ? [] : [{ type: 'ComparisonError', message: `Failed to load target state: ${error}` }]),
    ...(decision.kind === 'error' ? [{ type: 'SyncError', message: decision.message }] : []),
  ];
  return said.map((condition) => ({ ...condition, lastTransitionTime: time }) as Condition);
}
