import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { type Command, readArgsAndWords } from '../command.ts';

const flags = {
  ...clusterFlags,
  cluster: { type: 'string' },
  'from-cluster': { type: 'boolean', default: false },
} as const;

const help = `Reads MutexRule, MutexTarget and MutexRunConfig of the Node Upgrade Mutex Operator, as they are, and prints them as a
section \`nodeTurns:\` of poolkeeper.yaml. What is not taken, and what is refused, is named on stderr. Changes nothing. Without this, \`nodeTurns.files\` reads the same files each time.

  poolkeeper run import mutex/*.yaml --cluster prod
  poolkeeper run import --from-cluster --context prod-admin --cluster prod

  --from-cluster    read the objects of a cluster instead of files
  --cluster NAME    name of their cluster in poolkeeper.yaml
${clusterFlagsHelp}

Exit status: 0 = imported, 1 = something in the files was refused, 2 = wrong usage, or a file cannot be read.
`;

export const importRuns: Command = {
  help,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, flags);
    const { importRunFiles, importRunObjects } = await import('./import-files.ts');
    const { text, notes, isRefused } = values['from-cluster']
      ? await importRunObjects(values, surroundings)
      : await importRunFiles(words, values.cluster);
    surroundings.out(text);
    surroundings.note(notes);
    return isRefused ? 1 : 0;
  },
};
