import { Transient } from '../../core/text/errors.ts';
import type { Clock } from '../../ports/time.ts';

/** What GitHub's rate limit leaves of our requests. It is per credential: as an App, a different one for each owner. */
export interface GithubLimits {
  /** Throws Transient while GitHub wants us to wait.
   *  @param what was to be requested, for people */
  refuseWhileLimited(repository: string, what: string): void;
  note(repository: string, response: Response): void;
  noteRefusal(repository: string, refusal: Error): void;
  /** Requests that the last answer left for the hour; undefined: GitHub has not said so, as where no limit is set. */
  left(repository: string): number | undefined;
}

export function githubLimits(clock: Clock): GithubLimits {
  const restUntilMs = new Map<string, number>();
  const leftOf = new Map<string, number>();

  return {
    refuseWhileLimited(repository, what) {
      const restMs = (restUntilMs.get(ownerOf(repository)) ?? 0) - clock().getTime();
      if (restMs > 0)
        throw new Transient(`GitHub limits our requests (${what})`, { kind: 'busy', retryAfterSeconds: restMs / 1000 });
    },

    note(repository, response) {
      const left = response.headers.get('x-ratelimit-remaining');
      if (left !== null && /^\d{1,9}$/.test(left)) leftOf.set(ownerOf(repository), Number(left));
    },

    noteRefusal(repository, refusal) {
      if (!(refusal instanceof Transient) || refusal.kind !== 'busy') return;
      const seconds = refusal.retryAfterSeconds ?? 0;
      restUntilMs.set(ownerOf(repository), clock().getTime() + seconds * 1000);
    },

    left: (repository) => leftOf.get(ownerOf(repository)),
  };
}

function ownerOf(repository: string): string {
  return repository.split('/')[0] ?? repository;
}
