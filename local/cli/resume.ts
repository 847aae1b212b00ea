import { changedClusterHelp, liveFlags } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { configurationFileOf } from './configuration-file.ts';
import { typedRequest } from './typed-request.ts';

const help = `Resumes a pool that Poolkeeper holds, now, whatever its gates say. Your name and reason stay on the pool, in its events
and on the timeline. A running sync does not pause it again. A pause that Poolkeeper did not set stays.

  poolkeeper resume --pool worker --reason "CVE fix must roll out now"

  --pool P          the pool
  --reason "..."    why; shown on the pool and in its events
${changedClusterHelp}
`;

export const resume: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, { ...liveFlags, pool: { type: 'string' }, reason: { type: 'string' } });
    const { ResumeRequest } = await import('../../functions/core/requests/request.ts');
    const { pool, reason } = typedRequest(ResumeRequest, {
      kind: 'resume',
      pool: read.pool ?? '',
      reason: read.reason ?? '',
    });
    const { resumePool } = await import('./resume-pool.ts');
    return resumePool({ ...read, config: await configurationFileOf(read, surroundings), pool, reason }, surroundings);
  },
};
