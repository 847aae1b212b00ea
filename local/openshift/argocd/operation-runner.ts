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

/** Runs the operation that the application asks for, through all its retries. Resolves when it has a result or the
 *  application is gone. */
export async function runOperation(parts: Parts, key: ApplicationKey): Promise<void> {
  const { registry, pace, timings, pod } = parts;
  await pace.sleep(timings.startMs);
  await pod.alive();
  const application = readApplication(registry, key);
  if (!application?.operation) return;
  if (!isInProgress(application))
    writeState({ operation: application.operation, phase: 'Running', startedAt: pace.timestamp() });
  for (;;) {
    const outcome = await attempt();
    const current = read();
    if (!outcome || !current) return;
    const { state, retryInMs } = concluded(current.state, outcome, pace);
    writeState(state);
    if (retryInMs === undefined) return;
    if ((await wait(retryInMs)) === 'terminate') {
      writeState({ ...state, phase: 'Failed', message: 'Operation terminated' });
      return;
    }
    const { finishedAt, syncResult, ...again } = state;
    writeState({ ...again, message: `Retrying operation. Attempt #${state.retryCount ?? 0}` });
  }

  function read(): { application: Application; state: OperationState } | undefined {
    const now = readApplication(registry, key);
    const state = now?.status?.operationState;
    return now && state ? { application: now, state } : undefined;
  }

  function writeState(state: OperationState): void {
    const now = readApplication(registry, key);
    if (now) writeOperationState(registry, pace, { application: now, state });
  }

  async function attempt(): Promise<Outcome | undefined> {
    const now = read();
    if (!now) return undefined;
    return attemptSync({
      ...parts,
      application: now.application,
      request: now.state.operation.sync ?? {},
      checkpoint,
      progress(message, syncResult) {
        const latest = read();
        if (latest && latest.state.phase === 'Running') writeState({ ...latest.state, message, syncResult });
      },
    });
  }

  async function checkpoint(): Promise<'go on' | 'terminate'> {
    await pod.alive();
    const phase = read()?.state.phase;
    return phase === undefined || phase === 'Terminating' ? 'terminate' : 'go on';
  }

  /** Waits between attempts, in which an operation can be ended too. */
  async function wait(ms: number): Promise<'go on' | 'terminate'> {
    for (let left = ms; left > 0; left -= timings.lookMs) {
      await pace.sleep(Math.min(left, timings.lookMs));
      if (read()?.state.phase !== 'Running') return 'terminate';
    }
    return checkpoint();
  }
}

interface Conclusion {
  readonly state: OperationState;
  /** Set when there is to be another attempt. */
  readonly retryInMs?: number;
}

/** What an attempt's outcome makes of the operation: a result, or Running with `finishedAt` while it waits for the
 *  next attempt. */
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
