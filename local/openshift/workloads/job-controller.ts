import { isNotFound } from '../api-server/api-error.ts';
import type { Job, JobStatus, Pod } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { type Condition, controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { jobs, pods } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { makePod, podsOwnedBy } from './pod-making.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

/** Wait after the first failed pod, doubled after each further one. Source: kubernetes pkg/controller/job. */
const firstBackOffMs = 10_000;
const longestBackOffMs = 600_000;

const manager = 'kube-controller-manager';

/** Runs the pods of Jobs, tells how they ended, and deletes finished ones when their time to live is over. Not
 *  simulated: indexed Jobs, work queues, pod failure policies. */
export function startJobController(parts: Parts): void {
  new JobController(parts).start();
}

class JobController {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  /** Pods whose end is in the counts of their Job. */
  private readonly counted = new Set<string>();
  /** Until when no new pod of a Job is made, by its uid. */
  private readonly backOffUntil = new Map<string, Date>();

  constructor(parts: Parts) {
    this.parts = parts;
    this.record = createEventRecorder({ ...parts, component: 'job-controller' });
  }

  start(): void {
    this.parts.registry.subscribe(({ type, kind, object }) => {
      if (type === jobs && kind !== 'DELETED') this.soon(object.metadata.uid);
      if (type !== pods) return;
      const owner = controllerOf(object);
      if (owner?.kind !== 'Job') return;
      this.count(object as Pod, kind === 'DELETED');
      this.soon(owner.uid);
    });
  }

  private soon(uid: string, afterMs = 50): void {
    this.parts.pace.after(afterMs, () => this.sync(uid));
  }

  /** A pod that goes before it has ended counts as failed. */
  private count(pod: Pod, gone: boolean): void {
    const { phase } = pod.status ?? {};
    const ended = phase === 'Succeeded' || phase === 'Failed' || gone || pod.metadata.deletionTimestamp !== undefined;
    const job = this.jobOf(controllerOf(pod)?.uid);
    if (!ended || !job || isFinished(job) || job.spec.suspend || this.counted.has(pod.metadata.uid)) return;
    this.counted.add(pod.metadata.uid);
    const field = phase === 'Succeeded' ? 'succeeded' : 'failed';
    this.setStatus(job, { ...job.status, [field]: (job.status?.[field] ?? 0) + 1 });
    if (field === 'succeeded') return;
    const waitMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (job.status?.failed ?? 0));
    this.backOffUntil.set(job.metadata.uid, this.parts.pace.inFuture(waitMs));
    this.soon(job.metadata.uid, waitMs);
  }

  private sync(uid: string): void {
    const job = this.jobOf(uid);
    if (!job || job.metadata.deletionTimestamp) return;
    if (isFinished(job)) this.expire(job);
    else if (job.spec.suspend) this.suspend(job);
    else this.run(job);
  }

  private run(job: Job): void {
    const { spec, status = {} } = job;
    if (status.startTime === undefined) {
      this.setStatus(job, { ...withConditions(status, this.resumed(status)), startTime: this.parts.pace.timestamp() });
      if (spec.activeDeadlineSeconds !== undefined) this.soon(job.metadata.uid, spec.activeDeadlineSeconds * 1000);
      return;
    }
    const { succeeded = 0, failed = 0 } = status;
    const wanted = spec.completions ?? 1;
    if (succeeded >= wanted) this.finish(job, completion);
    else if (failed > (spec.backoffLimit ?? 6)) this.finish(job, backOffExceeded);
    else if (this.isPastDeadline(job)) this.finish(job, deadlineExceeded);
    else this.manage(job, wanted - succeeded);
  }

  private manage(job: Job, missing: number): void {
    const { registry, pace } = this.parts;
    const active = this.activePods(job);
    const wanted = Math.min(job.spec.parallelism ?? 1, missing);
    const until = this.backOffUntil.get(job.metadata.uid);
    const waits = until !== undefined && pace.elapsedMs(until) < 0;
    for (let made = active.length; made < wanted && !waits; made += 1) {
      const pod = makePod(registry, job);
      this.record({ object: job, reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
    }
    const now = this.activePods(job);
    this.setStatus(job, { ...job.status, active: now.length, ready: now.filter(isRunning).length, terminating: 0 });
  }

  private finish(job: Job, { criteria, type, reason, message }: Ending): void {
    const { registry, pace } = this.parts;
    for (const pod of this.activePods(job)) registry.delete(pods, keyOf(pod), { manager });
    const ended = { status: 'True' as const, reason, message };
    const { status: latest = {} } = this.jobOf(job.metadata.uid) ?? job;
    const status = withConditions(latest, [this.condition(criteria, ended), this.condition(type, ended)]);
    const time = type === 'Complete' ? { completionTime: pace.timestamp() } : {};
    this.setStatus(job, { ...status, ...time, active: 0, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    const kind = type === 'Complete' ? 'Normal' : 'Warning';
    this.record({
      object: job,
      type: kind,
      reason: type === 'Complete' ? 'Completed' : reason,
      message: type === 'Complete' ? 'Job completed' : message,
    });
  }

  private suspend(job: Job): void {
    const { registry } = this.parts;
    for (const pod of this.activePods(job)) registry.delete(pods, keyOf(pod), { manager });
    const suspended = this.condition('Suspended', { status: 'True', reason: 'JobSuspended', message: 'Job suspended' });
    const { startTime, ...status } = withConditions(job.status ?? {}, [suspended]);
    this.setStatus(job, { ...status, active: 0, ready: 0, terminating: 0 });
  }

  private resumed({ conditions = [] }: JobStatus): Condition[] {
    if (!conditions.some(({ type }) => type === 'Suspended')) return [];
    return [this.condition('Suspended', { status: 'False', reason: 'JobResumed', message: 'Job resumed' })];
  }

  /** The time to live counts from the moment of the last condition. */
  private expire(job: Job): void {
    const { registry, pace } = this.parts;
    const { ttlSecondsAfterFinished } = job.spec;
    const ended = job.status?.conditions?.find(isEnd)?.lastTransitionTime;
    if (ttlSecondsAfterFinished === undefined || !ended) return;
    const leftMs = ttlSecondsAfterFinished * 1000 - pace.elapsedMs(new Date(ended));
    if (leftMs > 0) {
      this.soon(job.metadata.uid, leftMs);
      return;
    }
    registry.delete(jobs, keyOf(job), { manager, dependents: 'Foreground' });
  }

  private isPastDeadline({ spec, status }: Job): boolean {
    const { startTime } = status ?? {};
    if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return false;
    return this.parts.pace.elapsedMs(new Date(startTime)) >= spec.activeDeadlineSeconds * 1000;
  }

  private condition(type: string, { status, reason, message }: Said): Condition {
    const time = this.parts.pace.timestamp();
    return {
      type,
      status,
      reason,
      message,
      lastProbeTime: time,
      lastTransitionTime: time,
    };
  }

  private activePods(job: Job): Pod[] {
    return podsOwnedBy(this.parts.registry, job).filter(
      ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    );
  }

  private jobOf(uid: string | undefined): Job | undefined {
    return this.parts.registry.list(jobs).find(({ metadata }) => metadata.uid === uid);
  }

  private setStatus(job: Job, status: JobStatus): void {
    if (sameJson(job.status ?? {}, status)) return;
    try {
      this.parts.registry.modify(jobs, keyOf(job), (draft) => Object.assign(draft, { status }), {
        manager,
        subresource: 'status',
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

interface Said {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

interface Ending {
  /** The condition that comes before the last one. */
  readonly criteria: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const completion: Ending = {
  criteria: 'SuccessCriteriaMet',
  type: 'Complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

const backOffExceeded: Ending = {
  criteria: 'FailureTarget',
  type: 'Failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};

const deadlineExceeded: Ending = {
  criteria: 'FailureTarget',
  type: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

function isEnd({ type, status }: Condition): boolean {
  return (type === 'Complete' || type === 'Failed') && status === 'True';
}

function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(isEnd) ?? false;
}

function isRunning({ status }: Pod): boolean {
  return status?.phase === 'Running';
}

function withConditions(status: JobStatus, news: readonly Condition[]): JobStatus {
  if (news.length === 0) return status;
  const others = (status.conditions ?? []).filter(({ type }) => news.every((each) => each.type !== type));
  return { ...status, conditions: [...others, ...news] };
}
