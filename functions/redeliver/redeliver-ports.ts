import type { GithubHook } from '../core/configuration/github.ts';
import type { DeliveryAttempt } from '../core/relay/redelivery.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** GitHub's list of what it delivered. */
export interface Deliveries {
  /** Attempts since then, and maybe older ones. Throws Transient, of kind `busy` when GitHub wants us to wait, and
   *  Misconfigured when the token may not do this or there is no such hook. */
  list(hook: GithubHook, since: Date): Promise<readonly DeliveryAttempt[]>;
  /** Asks for another attempt. `not-asked`: surely nothing happened; `unknown`: it may have. Throws as `list` does,
   *  and then nothing happened. */
  redeliver(hook: GithubHook, id: number): Promise<'asked' | 'not-asked' | 'unknown'>;
}

/** Who asked for which redelivery. */
export interface RedeliveryNotes {
  /** False when somebody has claimed this one already. */
  claim(hook: string, guid: string): Promise<boolean>;
  /** Gives the claim back: nothing was asked for. */
  release(hook: string, guid: string): Promise<void>;
}

export interface RedeliverPorts {
  readonly hooks: readonly GithubHook[];
  readonly deliveries: Deliveries;
  readonly notes: RedeliveryNotes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
