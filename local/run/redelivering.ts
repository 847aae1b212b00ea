import { redeliveryNotes } from '../../functions/adapters/aws/redelivery-notes.ts';
import { githubAuthorization } from '../../functions/adapters/github/github-authorization.ts';
import { githubDeliveries } from '../../functions/adapters/github/github-deliveries.ts';
import type { GithubSettings } from '../../functions/core/configuration/github.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import { redeliver } from '../../functions/redeliver/redeliver.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { OpenTable } from './embedded-table.ts';

/** Seconds between two runs, as on AWS. */
const runEverySeconds = 300;

export interface RedeliveringOptions {
  readonly github: GithubSettings;
  readonly table: OpenTable;
  readonly secrets: Secrets;
  readonly clock: AcceleratedClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Redelivers GitHub's lost webhooks every five minutes. The returned function ends that after the current run. */
export function startRedelivering({ github, table, secrets, clock, logger, metrics }: RedeliveringOptions) {
  const { clock: now, deadline, newId } = clock.runtime;
  const deliveries = githubDeliveries({
    api: github.api,
    authorization: githubAuthorization({ settings: github, secrets, clock: now, deadline }),
    deadline,
  });
  const notes = redeliveryNotes({ client: table.client, table: table.table, clock: now, newId });
  const hasLimitPerOwner = github.app !== undefined;
  let stopped = false;
  let running = Promise.resolve();
  let timer = clock.setTimeout(run, runEverySeconds * 1000);

  function run(): void {
    running = redeliver({ hooks: github.hooks, hasLimitPerOwner, deliveries, notes, clock: now, logger, metrics })
      .catch((error: unknown) => logger.warn('looking for lost deliveries failed', { error }))
      .then(() => {
        if (!stopped) timer = clock.setTimeout(run, runEverySeconds * 1000);
      });
  }

  return async (): Promise<void> => {
    stopped = true;
    timer.cancel();
    await running;
  };
}
