import { foreignMessage, foreignName } from '../text/foreign-text.ts';
import { listAt, mappingAt, memberOf, textAt } from './member.ts';

/** How a Job of batch/v1 stands. */
export type JobState =
  | {
      readonly kind: 'running';
      /** ISO instant; undefined: its controller has not looked at it. */
      readonly startedAt: string | undefined;
      /** Why it is not getting on, as `it is suspended`; undefined: nothing says so. */
      readonly note: string | undefined;
    }
  | { readonly kind: 'complete'; readonly startedAt: string | undefined; readonly at: string | undefined }
  | {
      readonly kind: 'failed';
      readonly startedAt: string | undefined;
      /** ISO instant of its end. */
      readonly at: string | undefined;
      /** `BackoffLimitExceeded`, `DeadlineExceeded`, `PodFailurePolicy`; empty: none was given. */
      readonly reason: string;
      readonly message: string;
    };

/** Reads a Job from its conditions. It has failed once its pods have ended (`Failed`): after `FailureTarget` they may
 *  still be running, and a second copy must not begin beside them. Source: api batch/v1 types.go. */
export function jobState(job: unknown): JobState {
  const status = memberOf(job, 'status');
  const startedAt = textAt(status, 'startTime');
  const has = (type: string) =>
    listAt(status, 'conditions').find((each) => memberOf(each, 'type') === type && memberOf(each, 'status') === 'True');
  const complete = has('Complete');
  if (complete !== undefined)
    return {
      kind: 'complete',
      startedAt,
      at: textAt(status, 'completionTime') ?? textAt(complete, 'lastTransitionTime'),
    };
  const failed = has('Failed');
  if (failed !== undefined) {
    const reason = foreignName(textAt(failed, 'reason') ?? '');
    const message = foreignMessage(textAt(failed, 'message') ?? '');
    return { kind: 'failed', startedAt, at: textAt(failed, 'lastTransitionTime'), reason, message };
  }
  if (memberOf(mappingAt(job, 'metadata'), 'deletionTimestamp') !== undefined)
    return { kind: 'running', startedAt, note: 'it is being deleted' };
  if (has('Suspended') !== undefined) return { kind: 'running', startedAt, note: 'it is suspended' };
  const failing = has('FailureTarget');
  if (failing === undefined) return { kind: 'running', startedAt, note: undefined };
  const why = foreignName(textAt(failing, 'reason') ?? '');
  return { kind: 'running', startedAt, note: `it fails${why === '' ? '' : ` (${why})`}, and its pods are ending` };
}

/** A pod of a Job. */
export interface JobPod {
  readonly name: string;
  /** Exit code of the first container that did not end well, in the order of the pod; undefined: none has. */
  readonly exitCode: number | undefined;
  /** Why it has not begun or gone on: `ImagePullBackOff`, or why it cannot be scheduled; undefined: it has. */
  readonly waits: string | undefined;
}

/** The pods of a list, oldest first. */
export function jobPods(list: unknown): readonly JobPod[] {
  return listAt(list, 'items')
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .flatMap((pod) => {
      const name = textAt(mappingAt(pod, 'metadata'), 'name');
      return name === undefined ? [] : [{ name: foreignName(name), exitCode: exitCodeOf(pod), waits: waitOf(pod) }];
    });
}

function createdAt(pod: unknown): string {
  return textAt(mappingAt(pod, 'metadata'), 'creationTimestamp') ?? '';
}

function statesOf(pod: unknown, key: 'state' | 'lastState'): readonly unknown[] {
  const status = memberOf(pod, 'status');
  const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  return containers.map((each) => memberOf(each, key));
}

/** With `restartPolicy: OnFailure` the failure is that of the container before. */
function exitCodeOf(pod: unknown): number | undefined {
  const codes = [...statesOf(pod, 'state'), ...statesOf(pod, 'lastState')].map((state) =>
    memberOf(memberOf(state, 'terminated'), 'exitCode'),
  );
  return codes.find((code): code is number => typeof code === 'number' && code !== 0);
}

/** Reasons of a container that is about to begin. */
const passing: readonly string[] = ['ContainerCreating', 'PodInitializing'];

function waitOf(pod: unknown): string | undefined {
  const waiting = statesOf(pod, 'state')
    .map((state) => textAt(memberOf(state, 'waiting'), 'reason'))
    .find((reason) => reason !== undefined && !passing.includes(reason));
  if (waiting !== undefined) return foreignName(waiting);
  const scheduled = listAt(memberOf(pod, 'status'), 'conditions').find(
    (each) => memberOf(each, 'type') === 'PodScheduled' && memberOf(each, 'status') === 'False',
  );
  if (scheduled === undefined) return undefined;
  return foreignMessage(textAt(scheduled, 'message') ?? textAt(scheduled, 'reason') ?? 'it is not scheduled', 500);
}
