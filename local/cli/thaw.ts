import { changedClusterHelp, poolsFlags, scopeOf } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { configurationFileOf } from './configuration-file.ts';
import { typedRequest } from './typed-request.ts';

const help = `Ends freezes before their time. A pool resumes once nothing else holds it and its gates are open.

  poolkeeper thaw --pool worker --reason "migration is done"
  poolkeeper thaw --all --by ann --reason "incident 4711 is over"

  --pool P          one pool: a freeze of the whole cluster ends for this pool alone
  --all             every pool of the cluster; one that cannot be reached now follows the others later
  --fleet           the same for each cluster of poolkeeper.yaml, with your own contexts: found by their API servers
  --by WHO          whose freezes: a name as it is shown on the pool, or all; needed where several people froze
  --reason "..."    why; shown in the events of each pool
  --dry-run         show what would be done; change nothing
${changedClusterHelp}

Exit status: 0 = done, 1 = some pools or clusters could not be thawed, or none was frozen, 2 = nothing was done.
`;

export const thaw: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, { ...poolsFlags, by: { type: 'string' }, reason: { type: 'string' } });
    const scope = scopeOf(read) === 'pool' ? 'pool' : 'cluster';
    const { ThawRequest } = await import('../../functions/core/requests/request.ts');
    const { reason } = typedRequest(ThawRequest, {
      kind: 'thaw',
      pool: read.pool ?? '*',
      reason: read.reason ?? '',
    });
    const { thawPools } = await import('./thaw-pools.ts');
    const config = await configurationFileOf(read, surroundings);
    return thawPools({ ...read, config }, { scope, reason }, surroundings);
  },
};
