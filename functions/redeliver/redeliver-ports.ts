import type { GithubHook } from '../core/configuration/github.ts';
import type { ListedAttempts } from '../core/relay/redelivery.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** GitHub's list of its deliveries. */
export interface Deliveries {
  /** Attempts since then, and maybe older ones. Throws Transient, of kind `busy` if GitHub wants us to wait, and
   *  Misconfigured if permission is missing or there is no such hook. */
  list(hook: GithubHook, since: Date): Promise<ListedAttempts>;
  /** Requests another attempt. `not-asked`: certainly nothing happened; `unknown`: it may have. Throws like `list`, and
   *  then nothing happened. */
  redeliver(hook: GithubHook, id: string): Promise<'asked' | 'not-asked' | 'unknown'>;
}

/** Redeliveries that were requested. */
export interface RedeliveryNotes {
  /** False if it is already claimed. */
  claim(hook: string, guid: string): Promise<boolean>;
  /** Releases the claim: nothing was requested. */
  release(hook: string, guid: string): Promise<void>;
}

export interface RedeliverPorts {
  readonly hooks: readonly GithubHook[];
  /** As a GitHub App: the rate limit is that of the hook's owner, not one for all. */
  readonly hasLimitPerOwner: boolean;
  readonly deliveries: Deliveries;
  readonly notes: RedeliveryNotes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
