import type { Registry } from '../api-server/registry.ts';
import type { Pace } from '../pace.ts';
import { type Application, applicationType, isCompleted } from './application.ts';
import { type OperationEvent, operationEvent } from './operation-event.ts';
import type { ArgoTimings } from './timings.ts';

/** Whoever takes notifications; a rejection is a failed delivery. */
export type OperationListener = (event: OperationEvent) => void | Promise<void>;

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: ArgoTimings;
  /** How this Argo CD calls itself. */
  readonly instance: string;
}

export interface Notifications {
  onOperation(listener: OperationListener): () => void;
}

/** How long a finished operation is announced, and how often both kinds are announced again. Milliseconds. */
const finishedForMs = 1_800_000;
const runningEveryMs = 300_000;
const finishedEveryMs = 600_000;

/** Argo CD's notifications with the triggers that the product ships: each state of an operation once, and again
 *  every few minutes. */
export function startNotifications({ registry, pace, timings, instance }: Parts): Notifications {
  const listeners = new Set<OperationListener>();
  const sent = new Set<string>();

  registry.subscribe(({ type, kind, object }) => {
    if (type === applicationType && kind !== 'DELETED') evaluate(object as Application);
  });
  resync();

  function resync(): void {
    pace.after(timings.notificationResyncMs, () => {
      for (const application of registry.list(applicationType)) evaluate(application);
      resync();
    });
  }

  function evaluate(application: Application): void {
    const due = triggersOf(application, pace)
      .map((once) => `${application.metadata.uid}:${once}`)
      .filter((once) => !sent.has(once));
    if (due.length === 0) return;
    const event = operationEvent(application, { instance, pace });
    for (const once of due) {
      sent.add(once);
      for (const listener of listeners)
        pace.after(timings.notifyMs, () => deliver(listener, event, timings.redeliverMs));
    }
  }

  /** After the last wait a notification is lost: nothing remembers that it was not delivered. */
  function deliver(listener: OperationListener, event: OperationEvent, waitsMs: readonly number[]): void {
    Promise.resolve()
      .then(() => listener(event))
      .catch(() => {
        const [waitMs, ...rest] = waitsMs;
        if (waitMs !== undefined) pace.after(waitMs, () => deliver(listener, event, rest));
      });
  }

  return {
    onOperation(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** What makes each announcement one of its own: the `oncePer` of the triggers that hold. */
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
