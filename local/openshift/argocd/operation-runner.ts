import type { Registry } from '../api-server/registry.ts';
import type { Pace } from '../pace.ts';
import { type Application, isInProgress, type OperationState, type RetryStrategy } from './application.ts';
import type { ControllerPod } from './controller-pod.ts';
import type { GitHost } from './git-host.ts';
import { type ApplicationKey, readApplication, writeOperationState } from './operation-writer.ts';
import { attemptSync, type Outcome } from './sync-attempt.ts';
import type { ArgoTimings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly git: GitHost;
  readonly timings: ArgoTimings;
  readonly pod: ControllerPod;
}

/** Runs the operation that the application asks for, including retries. Resolves when it has a result or the
 *  application is gone. */
export async function runOperation(parts: Parts, key: ApplicationKey): Promise<void> {
  const { registry, pace, timings, pod } = parts;
  await pace.sleep(timings.startMs);
  await pod.alive();
  const application = readApplication(registry, key);
  if (!application?.operation) return;
  const run = new OperationRun(parts, key);
  if (!isInProgress(application))
    run.write({ operation: application.operation, phase: 'Running', startedAt: pace.timestamp() });
  await run.toEnd();
}

interface Current {
  readonly application: Application;
  readonly state: OperationState;
}

class OperationRun {
  private readonly parts: Parts;
  private readonly key: ApplicationKey;

  constructor(parts: Parts, key: ApplicationKey) {
    this.parts = parts;
    this.key = key;
  }

  /** Attempts until one succeeds, none is left, somebody ends the operation or the application is gone. */
  async toEnd(): Promise<void> {
    for (;;) {
      const outcome = await this.attempt();
      const current = this.read();
      if (!outcome || !current) return;
      const { state, retryInMs } = concluded(current.state, outcome, this.parts.pace);
      this.write(state);
      if (retryInMs === undefined) return;
      if ((await this.wait(retryInMs)) === 'terminate') {
        this.write({ ...state, phase: 'Failed', message: 'Operation terminated' });
        return;
      }
      const { finishedAt, syncResult, ...again } = state;
      this.write({ ...again, message: `Retrying operation. Attempt #${state.retryCount ?? 0}` });
    }
  }

  write(state: OperationState): void {
    const { registry, pace } = this.parts;
    const application = readApplication(registry, this.key);
    if (application) writeOperationState(registry, pace, { application, state });
  }

  private read(): Current | undefined {
    const application = readApplication(this.parts.registry, this.key);
    const state = application?.status?.operationState;
    return application && state ? { application, state } : undefined;
  }

  private async attempt(): Promise<Outcome | undefined> {
    const current = this.read();
    if (!current) return undefined;
    return attemptSync({
      ...this.parts,
      application: current.application,
      request: current.state.operation.sync ?? {},
      checkpoint: () => this.checkpoint(),
      progress: (message, syncResult) => {
        const latest = this.read();
        if (latest && latest.state.phase === 'Running') this.write({ ...latest.state, message, syncResult });
      },
    });
  }

  private async checkpoint(): Promise<'go on' | 'terminate'> {
    await this.parts.pod.alive();
    const phase = this.read()?.state.phase;
    return phase === undefined || phase === 'Terminating' ? 'terminate' : 'go on';
  }

  /** Waits between attempts; the operation can be ended meanwhile. */
  private async wait(ms: number): Promise<'go on' | 'terminate'> {
    const { pace, timings } = this.parts;
    for (let left = ms; left > 0; left -= timings.lookMs) {
      await pace.sleep(Math.min(left, timings.lookMs));
      if (this.read()?.state.phase !== 'Running') return 'terminate';
    }
    return this.checkpoint();
  }
}

interface Conclusion {
  readonly state: OperationState;
  /** Undefined: no further attempt. */
  readonly retryInMs?: number;
}

/** The state after an attempt: a result, or Running with `finishedAt` while the operation waits for its next
 *  attempt. */
function concluded(state: OperationState, { phase, message, syncResult }: Outcome, pace: Pace): Conclusion {
  const retries = state.retryCount ?? 0;
  const limit = state.operation.retry?.limit ?? 0;
  const ended = { ...state, ...(syncResult && { syncResult }) };
  const mayRetry = phase !== 'Succeeded' && state.phase !== 'Terminating' && (limit < 0 || retries < limit);
  if (!mayRetry) {
    const said = phase !== 'Succeeded' && retries > 0 ? `${message} (retried ${retries} times).` : message;
    return { state: { ...ended, phase, message: said } };
  }
  const next = retries + 1;
  const at = pace.inFuture(backoffMs(state.operation.retry, retries)).toISOString().slice(11, 16);
  const waiting = {
    ...ended,
    phase: 'Running' as const,
    finishedAt: pace.timestamp(),
    retryCount: next,
    message: `${message}. Retrying attempt #${next} at ${at}.`,
  };
  return { state: waiting, retryInMs: backoffMs(state.operation.retry, next) };
}

/** Source: argo-cd RetryStrategy.NextRetryAt; by default 5 s, times 2, at most 3 min. */
function backoffMs({ backoff = {} }: RetryStrategy = {}, attempt: number): number {
  const { duration = '5s', factor = 2, maxDuration = '3m' } = backoff;
  return Math.min(parseDuration(maxDuration), parseDuration(duration) * factor ** attempt);
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `90`, `5s`, `1h30m`. */
function parseDuration(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (unitsMs[unit ?? ''] ?? 0),
    0,
  );
}
