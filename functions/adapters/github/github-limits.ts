import { Transient } from '../../core/text/errors.ts';
import type { Clock } from '../../ports/time.ts';
import { secondsToReset, waitAtMost } from './github-http.ts';

/** What GitHub's rate limit leaves of our requests. It is per credential: as an App, a different one for each owner. */
export interface GithubLimits {
  /** Throws Transient while GitHub wants us to wait.
   *  @param what was to be requested, for people */
  refuseWhileLimited(repository: string, what: string): void;
  note(repository: string, response: Response): void;
  noteRefusal(repository: string, refusal: Error): void;
  /** What the last answer left for the hour; undefined: GitHub has not said so, as where no limit is set. */
  left(repository: string): RequestsLeft | undefined;
}

export interface RequestsLeft {
  readonly requests: number;
  /** Requests of a whole hour; undefined: not said. */
  readonly ofHour: number | undefined;
  /** Until there are as many again. */
  readonly resetSeconds: number;
}

export function githubLimits(clock: Clock): GithubLimits {
  const rests = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  const leftOf = new Map<string, Omit<RequestsLeft, 'resetSeconds'> & { readonly untilMs: number }>();

  return {
    refuseWhileLimited(repository, what) {
      const owner = ownerOf(repository);
      const { fromMs, untilMs } = rests.get(owner) ?? { fromMs: 0, untilMs: 0 };
      const nowMs = clock().getTime();
      // One that begins later was set by a clock that was ahead, and would count once that time comes.
      if (nowMs < fromMs || nowMs >= untilMs) {
        rests.delete(owner);
        return;
      }
      const retryAfterSeconds = (untilMs - nowMs) / 1000;
      throw new Transient(`GitHub limits our requests (${what})`, { kind: 'busy', retryAfterSeconds });
    },

    note(repository, response) {
      const requests = countIn(response.headers, 'x-ratelimit-remaining');
      if (requests === undefined) return;
      const ofHour = countIn(response.headers, 'x-ratelimit-limit');
      const seconds = Math.min(secondsToReset(response.headers) ?? waitAtMost, waitAtMost);
      leftOf.set(ownerOf(repository), { requests, ofHour, untilMs: clock().getTime() + seconds * 1000 });
    },

    noteRefusal(repository, refusal) {
      if (!(refusal instanceof Transient) || refusal.kind !== 'busy') return;
      const owner = ownerOf(repository);
      const fromMs = clock().getTime();
      const untilMs = fromMs + (refusal.retryAfterSeconds ?? 0) * 1000;
      const last = rests.get(owner);
      // Requests run side by side: whichever is answered last, the longest wait counts, unless a clock was ahead.
      if (last === undefined || last.fromMs > fromMs || last.untilMs < untilMs) rests.set(owner, { fromMs, untilMs });
    },

    left(repository) {
      const last = leftOf.get(ownerOf(repository));
      if (last === undefined) return undefined;
      const { untilMs, ...left } = last;
      const seconds = (untilMs - clock().getTime()) / 1000;
      return { ...left, resetSeconds: Math.min(Math.max(seconds, 1), waitAtMost) };
    },
  };
}

function countIn(headers: Headers, name: string): number | undefined {
  const count = headers.get(name);
  return count !== null && /^\d{1,9}$/.test(count) ? Number(count) : undefined;
}

function ownerOf(repository: string): string {
  return repository.split('/')[0] ?? repository;
}
