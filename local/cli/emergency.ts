import { closeLane, openLane } from '../../functions/core/holds/manual-emergency.ts';
import type { ManualChange } from '../../functions/core/holds/manual-hold.ts';
import { EmergencyRequest, emergencyBounds } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { eachCluster, poolsFlags, writeEach } from './chosen-pools.ts';
import { type Command, readArgs } from './command.ts';
import { clusterFlagsHelp } from './pick-cluster.ts';
import { typedRequest } from './typed-request.ts';

/** As people type it. */
const longest = `${emergencyBounds.most / 3600}h`;

const help = `Opens the emergency lane of a pool: until its end the pool resumes whatever freezes, windows, budgets and approvals say.
What keeps a rollout from doing harm counts as ever: running and expected syncs, holds of people, rendering, an Argo CD on
the nodes, waves, health. Everybody is told, every alert target included. At the end the pool is paused again if it is
frozen or outside its windows.

  npx poolkeeper emergency --pool worker --for 1h --reason "CVE-2026-1234"
  npx poolkeeper emergency --pool worker --end

  --pool P          the pool
  --for TIME        how long: 30m, 2h; at most ${longest}. Opening it again moves the end
  --reason "..."    why; everybody reads it
  --end             close it before its end
  --dry-run         show what would be done; change nothing
${clusterFlagsHelp}

Exit status: 0 = done, 1 = the pool is paused by somebody else, or could not be written, 2 = nothing was done.
`;

export const emergency: Command = {
  about: 'let a pool go now, past freezes, windows, budgets and approvals, and tell everybody',
  help,
  run: async (args, surroundings) => {
    const { all: _all, fleet: _fleet, config: _config, required: _required, ...flags } = poolsFlags;
    const read = readArgs(args, {
      ...flags,
      for: { type: 'string' },
      reason: { type: 'string' },
      end: { type: 'boolean', default: false },
    });
    if (read.pool === undefined) throw new Misconfigured(['--pool is missing: which pool?']);
    if (read.end && (read.for !== undefined || read.reason !== undefined))
      throw new Misconfigured(['--end stands alone: without --for and --reason']);
    const asked = read.end
      ? undefined
      : typedRequest(
          EmergencyRequest,
          {
            kind: 'emergency',
            pool: read.pool,
            reason: read.reason ?? '',
            forSeconds: durationSeconds(read.for ?? ''),
          },
          { typedTime: read.for, longest },
        );
    const isDryRun = read['dry-run'];
    let isDone = true;
    const chosen = { ...read, all: false, fleet: false, config: '', required: true };
    await eachCluster(chosen, surroundings, async (cluster) => {
      const { name, who } = cluster;
      const now = surroundings.now();
      const until = new Date(now.getTime() + (asked?.forSeconds ?? 0) * 1000);
      const [done] = await writeEach(cluster, {
        isDryRun,
        decide: (pool) =>
          asked === undefined ? closeLane(pool, { now }) : openLane(pool, until, { who, why: asked.reason, now }),
        event: () => ({
          reason: asked === undefined ? 'EmergencyEnded' : 'EmergencyOpened',
          message: asked === undefined ? who : `${who}: ${asked.reason} (until ${until.toISOString()})`,
          type: 'Warning',
          at: now,
        }),
      });
      isDone = done?.failed === false && done.change?.record !== undefined;
      const lane = asked === undefined || !isDone ? '' : laneText(done?.change, isDryRun);
      const closed = `${name}/${read.pool}: its emergency lane ${isDryRun ? 'would be' : 'is'} closed.\n`;
      const said = `${name}/${read.pool} ${done?.said ?? 'was not found'}.\n${lane}`;
      surroundings.out(asked === undefined && isDone ? closed : said);
    });
    return isDone ? 0 : 1;
  },
};

function laneText(change: ManualChange | undefined, isDryRun: boolean): string {
  const lane = change?.record?.emergency;
  if (lane === undefined) return '';
  const end = `${lane.until.slice(0, 16)}Z`;
  return `Its emergency lane ${isDryRun ? 'would be' : 'is'} open until ${end}, and everybody ${isDryRun ? 'would be' : 'is'} told.\n`;
}
