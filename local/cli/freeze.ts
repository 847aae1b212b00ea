import { freezeBounds } from '../../functions/core/requests/bounds.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { changedClusterHelp, poolsFlags, scopeOf } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { configurationFileOf } from './configuration-file.ts';
import { typedRequest } from './typed-request.ts';

/** As people type it. */
const longest = `${freezeBounds.most / 3600}h`;

const help = `Freezes pools: nothing rolls out on them until the end. Pools that are not paused are paused now; nodes that are already
being updated finish. \`poolkeeper thaw\` ends it earlier, \`poolkeeper emergency\` passes it for one pool.

  poolkeeper freeze --pool worker --for 4h --reason "storage migration"
  poolkeeper freeze --all --until 2027-01-07T06:00Z --reason "end of year" --dry-run
  poolkeeper freeze --fleet --for 48h --reason "incident 4711"

  --pool P          one pool
  --all             every pool of the cluster, those that appear later included
  --fleet           the same for each cluster of poolkeeper.yaml, with your own contexts: found by their API servers
  --for TIME        how long: 30m, 4h, 336h; at most ${longest}
  --until WHEN      or its end: 2027-01-07 (0:00 UTC) or 2027-01-07T06:00Z
  --reason "..."    why; shown on each pool and in its events
  --past-certificates   even beyond the expiry of a pool's first certificate
  --required        also pools that cluster upgrades wait for (master): upgrades stall meanwhile
  --dry-run         show what would be done; change nothing
${changedClusterHelp}

Freezing again replaces your freeze. Exit status: 0 = done, 1 = some pools or clusters could not be frozen, 2 = nothing was.
`;

export const freeze: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...poolsFlags,
      for: { type: 'string' },
      until: { type: 'string' },
      reason: { type: 'string' },
      'past-certificates': { type: 'boolean', default: false },
    });
    const scope = scopeOf(read);
    const now = surroundings.now();
    const { FreezeRequest } = await import('../../functions/core/requests/request.ts');
    const { reason, forSeconds } = typedRequest(
      FreezeRequest,
      { kind: 'freeze', pool: read.pool ?? '*', reason: read.reason ?? '', forSeconds: secondsOf(read, now) },
      { typedTime: read.for ?? read.until, longest },
    );
    const until = new Date(now.getTime() + forSeconds * 1000);
    const { freezePools } = await import('./freeze-pools.ts');
    const config = await configurationFileOf(read, surroundings);
    return freezePools(
      { ...read, config },
      { scope, reason, now, until, isLength: read.for !== undefined },
      surroundings,
    );
  },
};

/** The length of the freeze; undefined if it cannot be read. */
function secondsOf(
  { for: length, until }: { readonly for?: string | undefined; readonly until?: string | undefined },
  now: Date,
): number | undefined {
  if (length !== undefined && until !== undefined) throw new Misconfigured(['either --for or --until']);
  if (until === undefined) return durationSeconds(length ?? '');
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2}))?$/.test(until) || Number.isNaN(Date.parse(until)))
    throw new Misconfigured([`--until ${until}: must be like 2027-01-07 or 2027-01-07T06:00Z`]);
  return Math.ceil((Date.parse(until) - now.getTime()) / 1000);
}
