import type { Registry } from '../api-server/registry.ts';
import type { Pace } from '../pace.ts';
import { type Application, applicationType, isCompleted } from './application.ts';
import { type OperationEvent, operationEvent } from './operation-event.ts';
import type { ArgoTimings } from './timings.ts';

/** Receives notifications; a rejection is a failed delivery. */
export type OperationListener = (event: OperationEvent) => void | Promise<void>;

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: ArgoTimings;
  /** This Argo CD's name. */
  readonly instance: string;
}

export interface Notifications {
  onOperation(listener: OperationListener): () => void;
}

/** How long a finished operation is announced, and how often running and finished ones are repeated.
 *  Milliseconds. */
const finishedForMs = 1_800_000;
const runningEveryMs = 300_000;
const finishedEveryMs = 600_000;

/** Argo CD's notifications with the triggers that Poolkeeper ships: each state of an operation once, and again every
 *  few minutes. */
export function startNotifications(parts: Parts): Notifications {
  const controller = new NotificationsController(parts);
  controller.start();
  return controller;
}

class NotificationsController implements Notifications {
  private readonly parts: Parts;
  private readonly listeners = new Set<OperationListener>();
  /** What has been sent, by application and `oncePer`. */
  private readonly sent = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  start(): void {
    this.parts.registry.subscribe(({ type, kind, object }) => {
      if (type === applicationType && kind !== 'DELETED') this.evaluate(object as Application);
    });
    this.resync();
  }

  onOperation(listener: OperationListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private resync(): void {
    const { registry, pace, timings } = this.parts;
    pace.after(timings.notificationResyncMs, () => {
      for (const application of registry.list(applicationType)) this.evaluate(application);
      this.resync();
    });
  }

  private evaluate(application: Application): void {
    const { pace, timings, instance } = this.parts;
    const due = triggersOf(application, pace)
      .map((once) => `${application.metadata.uid}:${once}`)
      .filter((once) => !this.sent.has(once));
    if (due.length === 0) return;
    const event = operationEvent(application, { instance, pace });
    for (const once of due) {
      this.sent.add(once);
      for (const listener of this.listeners)
        pace.after(timings.notifyMs, () => this.deliver(listener, event, timings.redeliverMs));
    }
  }

  /** After the last wait the notification is lost: nothing keeps track of failed deliveries. */
  private deliver(listener: OperationListener, event: OperationEvent, waitsMs: readonly number[]): void {
    Promise.resolve()
      .then(() => listener(event))
      .catch(() => {
        const [waitMs, ...rest] = waitsMs;
        if (waitMs !== undefined) this.parts.pace.after(waitMs, () => this.deliver(listener, event, rest));
      });
  }
}

/** The `oncePer` of each trigger whose condition holds: what makes one notification different from the next. */
function triggersOf({ status = {} }: Application, pace: Pace): string[] {
  const { operationState: state, resources = [], sync } = status;
  const once: string[] = [];
  const bucket = (everyMs: number) => Math.floor(pace.elapsedMs(new Date(0)) / everyMs);
  if (state && !isCompleted(state.phase))
    once.push(`0/${state.startedAt}/${state.phase}/${state.retryCount ?? 0}/${bucket(runningEveryMs)}`);
  const recently = state?.finishedAt !== undefined && pace.elapsedMs(new Date(state.finishedAt)) < finishedForMs;
  if (state && isCompleted(state.phase) && recently)
    once.push(`1/${state.startedAt}/${state.phase}/${bucket(finishedEveryMs)}`);
  const drifted = resources.some(
    ({ group, status: is }) => group === 'machineconfiguration.openshift.io' && is === 'OutOfSync',
  );
  if (drifted) once.push(`2/oos/${sync?.revision ?? ''}${(sync?.revisions ?? []).join(',')}`);
  return once;
}
