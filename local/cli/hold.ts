import { addManualHold } from '../../functions/core/holds/manual-hold.ts';
import { isRequiredForUpgrade } from '../../functions/core/openshift/pool.ts';
import { HoldRequest, holdBounds } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { type Command, readArgs } from './command.ts';
import { clusterFlags, clusterFlagsHelp, pickCluster, whoAmI } from './pick-cluster.ts';
import { asMisconfigured } from './resume.ts';
import { typedRequest } from './typed-request.ts';
import { writeByHand } from './write-pool.ts';

/** As people type it. */
const longest = `${holdBounds.most / 3600}h`;

const help = `Pauses a pool for a limited time. Poolkeeper resumes it afterwards, when its gates are open;
\`npx poolkeeper resume\` ends the hold earlier. Nodes that are already being updated finish.

  npx poolkeeper hold --pool worker --for 2h --reason "database migration"

  --pool P          the pool
  --for TIME        how long: 30m, 2h, 1h30m; at most ${longest}
  --reason "..."    why; shown on the pool and in its events
  --required        also for pools that cluster upgrades wait for (master): upgrades stall meanwhile
${clusterFlagsHelp}
`;

export const hold: Command = {
  about: 'pause a pool for a limited time, with your name and reason',
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...clusterFlags,
      pool: { type: 'string' },
      for: { type: 'string' },
      reason: { type: 'string' },
      required: { type: 'boolean', default: false },
    });
    const { pool, reason, forSeconds } = typedRequest(
      HoldRequest,
      { kind: 'hold', pool: read.pool ?? '', reason: read.reason ?? '', forSeconds: durationSeconds(read.for ?? '') },
      { typedTime: read.for, longest },
    );
    const until = new Date(surroundings.now().getTime() + forSeconds * 1000);
    const { connection } = await pickCluster(read, surroundings);
    try {
      const who = await whoAmI(connection, surroundings);
      const done = await writeByHand(connection.pools, {
        pool,
        decide: (seen) => {
          if (isRequiredForUpgrade(seen) && !read.required)
            throw new Misconfigured([`cluster upgrades wait for pool ${pool}; use --required to hold it anyway`]);
          return asMisconfigured(() => addManualHold(seen, until, { who, why: reason, now: surroundings.now() }));
        },
        event: () => ({
          reason: 'HeldByHand',
          message: `${who}: ${reason} (until ${until.toISOString()})`,
          type: 'Normal',
          at: surroundings.now(),
        }),
      });
      surroundings.out(`Pool ${pool} ${done.said}, and ${who} holds it until ${until.toISOString().slice(0, 16)}Z.\n`);
      if (done.record?.pause === 'foreign')
        surroundings.note('Poolkeeper will not resume it at the end, because it did not pause it.');
      return 0;
    } finally {
      await connection.close();
    }
  },
};
