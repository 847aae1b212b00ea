import { resumeManually } from '../../functions/core/holds/manual-hold.ts';
import type { Hold } from '../../functions/core/openshift/hold.ts';
import { ResumeRequest } from '../../functions/core/requests/request.ts';
import { BadInput, Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, readArgs } from './command.ts';
import { clusterFlags, clusterFlagsHelp, pickCluster, whoAmI } from './pick-cluster.ts';
import { typedRequest } from './typed-request.ts';
import { writeByHand } from './write-pool.ts';

const help = `Resumes a pool that Poolkeeper holds, now, whatever its gates say. Your name and reason stay on the pool, in its events
and on the timeline. A running sync does not pause it again. A pause that Poolkeeper did not set stays.

  npx poolkeeper resume --pool worker --reason "CVE fix must roll out now"

  --pool P          the pool
  --reason "..."    why; shown on the pool and in its events
${clusterFlagsHelp}
`;

export const resume: Command = {
  about: 'resume a pool that Poolkeeper holds, with your name and reason',
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, { ...clusterFlags, pool: { type: 'string' }, reason: { type: 'string' } });
    const { pool, reason } = typedRequest(ResumeRequest, {
      kind: 'resume',
      pool: read.pool ?? '',
      reason: read.reason ?? '',
    });
    const { connection } = await pickCluster(read, surroundings);
    try {
      const who = await whoAmI(connection, surroundings);
      const done = await writeByHand(connection.pools, {
        pool,
        decide: (seen) => asMisconfigured(() => resumeManually(seen, { who, why: reason, now: surroundings.now() })),
        event: ({ said }) => ({
          reason: 'ResumedByHand',
          message: `${who}: ${reason} (the pool ${said})`,
          type: 'Normal',
          at: surroundings.now(),
        }),
      });
      surroundings.out(`Pool ${pool} ${done.said}.\n${marksText(done.record?.holds ?? [])}`);
      return done.said.startsWith('stays') ? 1 : 0;
    } finally {
      await connection.close();
    }
  },
};

/** An unreadable record is for a person to fix. */
export function asMisconfigured<T>(decide: () => T): T {
  try {
    return decide();
  } catch (cause) {
    if (cause instanceof BadInput) throw new Misconfigured([cause.message], { cause });
    throw cause;
  }
}

function marksText(holds: readonly Hold[]): string {
  return holds
    .map(({ who, why }) => `  ${who} no longer holds it (${why}); the mark disappears with that sync.\n`)
    .join('');
}
