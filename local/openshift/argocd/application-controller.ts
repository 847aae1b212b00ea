import { sameJson } from '../api-server/json.ts';
import { type Condition, type KubernetesObject, keyOf } from '../api-server/kubernetes-object.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { type Application, applicationType, type Operation } from './application.ts';
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

/** Compares applications with their repositories, on request and every few minutes; starts and runs their syncs. */
export function startApplicationController(parts: Parts): void {
  new ApplicationController(parts).start();
}

/** A refresh under way, and whether another one was requested meanwhile. */
interface Refreshing {
  again: boolean;
  resolve: boolean;
}

class ApplicationController {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  /** By uid of the application. */
  private readonly refreshing = new Map<string, Refreshing>();
  /** Uids of the applications whose operation is running. */
  private readonly operating = new Set<string>();

  constructor(parts: Parts) {
    const { registry, pace } = parts;
    this.parts = parts;
    this.record = createEventRecorder({ registry, pace, component: controllerManager });
  }

  start(): void {
    this.parts.registry.subscribe((change) => {
      if (change.type === applicationType) this.applicationChanged(change as ObjectChange<Application>);
      else
        for (const application of this.owners(change))
          this.requestRefresh(applicationKeyOf(application), { resolve: false });
    });
  }

  private applicationChanged({ kind, object, previous }: ObjectChange<Application>): void {
    if (kind === 'DELETED') return;
    const key = applicationKeyOf(object);
    if (kind === 'ADDED') this.poll(key);
    const requested = object.metadata.annotations?.[refreshAnnotation];
    if (
      kind === 'ADDED' ||
      (requested !== undefined && previous?.metadata.annotations?.[refreshAnnotation] !== requested) ||
      !sameJson(previous?.spec, object.spec)
    )
      this.requestRefresh(key, { resolve: true });
    if (object.operation && !this.operating.has(key.uid)) this.operate(key);
  }

  /** The applications that track a changed object. */
  private owners({ object, previous }: ObjectChange): Application[] {
    const versions: KubernetesObject[] = previous ? [object, previous] : [object];
    if (!versions.some(({ metadata }) => metadata.annotations?.['argocd.argoproj.io/tracking-id'])) return [];
    return this.parts.registry
      .list(applicationType)
      .filter((application) => versions.some((each) => isTracked(each, application)));
  }

  private poll(key: ApplicationKey): void {
    const { registry, pace, random, timings } = this.parts;
    pace.after(timings.pollMs + random.fraction() * timings.pollJitterMs, () => {
      if (!readApplication(registry, key)) return;
      this.requestRefresh(key, { resolve: true });
      this.poll(key);
    });
  }

  /** `resolve` asks the repository for its newest commit; without it, the last known one is used. */
  private requestRefresh(key: ApplicationKey, { resolve }: { readonly resolve: boolean }): void {
    const running = this.refreshing.get(key.uid);
    if (running) {
      running.again = true;
      running.resolve ||= resolve;
      return;
    }
    const state: Refreshing = { again: false, resolve: false };
    this.refreshing.set(key.uid, state);
    void this.refresh(key, resolve).finally(() => {
      this.refreshing.delete(key.uid);
      if (state.again) this.requestRefresh(key, { resolve: state.resolve });
    });
  }

  private async refresh(key: ApplicationKey, resolve: boolean): Promise<void> {
    const { registry, pace, git, timings, pod } = this.parts;
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
    if (decision.kind === 'later') pace.after(decision.afterMs, () => this.requestRefresh(key, { resolve: false }));
    if (decision.kind === 'sync') this.startSync(application, decision.operation, comparison);
    this.writeStatus(key, comparison, decision);
  }

  private startSync(application: Application, operation: Operation, { revisions }: Comparison): void {
    const request = { operation, manager: controllerManager };
    if (!requestOperation(this.parts.registry, application, request)) return;
    this.record({
      object: application,
      reason: 'OperationStarted',
      message: `Initiated automated sync to '${revisions.join(', ')}'`,
    });
  }

  private writeStatus(key: ApplicationKey, comparison: Comparison, decision: AutoSync): void {
    const { registry, pace } = this.parts;
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

  private operate(key: ApplicationKey): void {
    this.operating.add(key.uid);
    void runOperation(this.parts, key).finally(() => {
      this.operating.delete(key.uid);
      const application = readApplication(this.parts.registry, key);
      if (!application) return;
      const last = application.status?.operationState?.operation;
      if (!last?.sync?.dryRun) this.requestRefresh(key, { resolve: !last?.initiatedBy?.automated });
      if (application.operation) this.operate(key);
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
