import { emergencyBounds } from '../../functions/core/requests/bounds.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { changedClusterHelp, poolsFlags } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { configurationFileOf } from './configuration-file.ts';
import { typedRequest } from './typed-request.ts';

/** As people type it. */
const longest = `${emergencyBounds.most / 3600}h`;

const help = `Opens the emergency lane of a pool: until its end the pool resumes whatever freezes, windows, budgets and approvals say.
What keeps a rollout from doing harm counts as ever: running and expected syncs, holds of people, rendering, an Argo CD on
the nodes, waves, health. Everybody is told, every alert target included. At the end the pool is paused again if it is
frozen or outside its windows.

  poolkeeper emergency --pool worker --for 1h --reason "CVE-2026-1234"
  poolkeeper emergency --pool worker --end

  --pool P          the pool
  --for TIME        how long: 30m, 2h; at most ${longest}. Opening it again moves the end
  --reason "..."    why; everybody reads it
  --end             close it before its end
  --dry-run         show what would be done; change nothing
${changedClusterHelp}

Exit status: 0 = done, 1 = the pool is paused by somebody else, or could not be written, 2 = nothing was done.
`;

export const emergency: Command = {
  help,
  run: async (args, surroundings) => {
    const { all: _all, fleet: _fleet, required: _required, ...flags } = poolsFlags;
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
          (await import('../../functions/core/requests/request.ts')).EmergencyRequest,
          {
            kind: 'emergency',
            pool: read.pool,
            reason: read.reason ?? '',
            forSeconds: durationSeconds(read.for ?? ''),
          },
          { typedTime: read.for, longest },
        );
    const { switchLane } = await import('./switch-lane.ts');
    return switchLane(
      { ...read, config: await configurationFileOf(read, surroundings), pool: read.pool },
      asked,
      surroundings,
    );
  },
};
