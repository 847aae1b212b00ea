import { holdBounds } from '../../functions/core/requests/bounds.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { changedClusterHelp, liveFlags } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { configurationFileOf } from './configuration-file.ts';
import { typedRequest } from './typed-request.ts';

/** As people type it. */
const longest = `${holdBounds.most / 3600}h`;

const help = `Pauses a pool for a limited time. Poolkeeper resumes it afterwards, when its gates are open.
Holding again moves the end: \`--for 1m\` ends the hold early. \`poolkeeper resume\` goes past gates and running syncs,
too. Nodes that are already being updated finish.

  poolkeeper hold --pool worker --for 2h --reason "database migration"

  --pool P          the pool
  --for TIME        how long: 30m, 2h, 1h30m; at most ${longest}
  --reason "..."    why; shown on the pool and in its events
  --required        also for pools that cluster upgrades wait for (master): upgrades stall meanwhile
${changedClusterHelp}
`;

export const hold: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...liveFlags,
      pool: { type: 'string' },
      for: { type: 'string' },
      reason: { type: 'string' },
      required: { type: 'boolean', default: false },
    });
    const { HoldRequest } = await import('../../functions/core/requests/request.ts');
    const { pool, reason, forSeconds } = typedRequest(
      HoldRequest,
      { kind: 'hold', pool: read.pool ?? '', reason: read.reason ?? '', forSeconds: durationSeconds(read.for ?? '') },
      { typedTime: read.for, longest },
    );
    const until = new Date(surroundings.now().getTime() + forSeconds * 1000);
    const { holdPool } = await import('./hold-pool.ts');
    return holdPool(
      { ...read, config: await configurationFileOf(read, surroundings), pool, reason, until },
      surroundings,
    );
  },
};
