import { Misconfigured } from '../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';

const help = `Predicts the drain of each node of a pool: which nodes will block, by what, and what to do. Read only.

  npx poolkeeper preflight --pool worker

  --pool P[,Q]      the pools (default: all)
  --output F        text (default) or json
${clusterFlagsHelp}

Checks the nodes that a pending change will update; without a pending change, all nodes of the pool.
Exit status: 0 = nothing blocks, 1 = something blocks or could not be read, 2 = the cluster
could not be asked.
`;

export const preflight: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, { ...clusterFlags, pool: { type: 'string' }, output: { type: 'string' } });
    const output = read.output ?? 'text';
    if (output !== 'text' && output !== 'json') throw new Misconfigured([`--output ${output}: must be text or json`]);
    const { predictDrains } = await import('./predict-drains.ts');
    return predictDrains({ ...read, output }, surroundings);
  },
};
