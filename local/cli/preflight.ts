import { clusterFlags, clusterFlagsHelp } from './cluster-flags.ts';
import { type Command, readArgs } from './command.ts';
import { outputFlag, outputHelp, outputOf } from './output.ts';

const help = `Predicts the drain of each node of a pool: which nodes will block, by what, and what to do. Read only.

  poolkeeper preflight --pool worker

  --pool P[,Q]      the pools (default: all)
${outputHelp}
${clusterFlagsHelp}

Says also which nodes have layered packages, hotfixes or another system than their pool, because
updates fail on those.

Checks the nodes that a pending change will update; without a pending change, all nodes of the pool.
Exit status: 0 = nothing blocks, 1 = something blocks, could not be read or was not looked at, 2 = the
cluster could not be asked.
`;

export const preflight: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, { ...clusterFlags, pool: { type: 'string' }, ...outputFlag });
    const output = outputOf(read.output);
    const { predictDrains } = await import('./predict-drains.ts');
    return predictDrains({ ...read, output }, surroundings);
  },
};
