import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { durationSeconds } from '../../../functions/shell/configuration/duration.ts';
import { type Command, isKubernetesName, oneOf, readArgsAndWords } from '../command.ts';
import { statusFlags, statusFlagsHelp, statusUrl } from './status-flags.ts';

const help = `Waits until a pool is as it should be, for scripts: before a change, after a sync.

  poolkeeper wait worker --for paused --timeout 5m
  poolkeeper wait worker --cluster prod-eu --for updated --timeout 3h

  --for WHAT        paused: it is paused, and the MCO has observed that. resumed: nothing keeps it paused.
                    updated: every node runs what is wanted, and nothing holds the pool (default)
  --timeout TIME    how long: 30s, 10m, 2h (default 30m; at most 24h)
${statusFlagsHelp}

It begins with the next look at the cluster, within a minute. A degraded pool does not end the wait: it may recover. What could
not be read counts as not so, and so does a Poolkeeper that does not answer.
Exit status: 0 = it is so, 1 = the time is over, 2 = the command line or the token is wrong.
`;

const longestSeconds = 86_400;

export const wait: Command = {
  help,
  values: { for: ['paused', 'resumed', 'updated'] },
  run: async (args, surroundings) => {
    const { values: read, words } = readArgsAndWords(args, {
      ...statusFlags,
      for: { type: 'string', default: 'updated' },
      timeout: { type: 'string', default: '30m' },
    });
    const [pool = '', ...more] = words;
    if (!isKubernetesName(pool) || more.length > 0) throw new Misconfigured(['which pool? One name, such as worker']);
    const state = oneOf(read.for, ['paused', 'resumed', 'updated'], '--for');
    const seconds = durationSeconds(read.timeout) ?? 0;
    if (seconds <= 0 || seconds > longestSeconds)
      throw new Misconfigured([`--timeout ${read.timeout}: must be a time such as 30s, 10m or 2h, at most 24h`]);
    const { waitUntil } = await import('./wait-until.ts');
    const url = statusUrl(read.url, surroundings);
    return waitUntil({ url, cluster: read.cluster, pool, state, seconds }, surroundings);
  },
};
