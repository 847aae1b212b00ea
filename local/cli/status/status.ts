import { type Command, readArgs, type Surroundings } from '../command.ts';
import { outputFlag, outputHelp, outputOf } from '../output.ts';
import { statusFlags, statusFlagsHelp, statusUrl } from './status-flags.ts';

const help = `Says how things stand: the status page as text. The worst comes first.

  poolkeeper status
  poolkeeper status --watch

${statusFlagsHelp}
  -w, --watch       asks again every five seconds, and prints what has changed, until Ctrl-C
${outputHelp}; wide also has every column of get

Exit status: 0 = calm, or pools are held as they should be, 1 = something is wrong or could not be read, 2 = nothing answers, or the
command line or the token is wrong.
`;

export const status: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...statusFlags,
      watch: { type: 'boolean', short: 'w', default: false },
      ...outputFlag,
    });
    const output = outputOf(read.output);
    const asked = { url: statusUrl(read.url, surroundings), cluster: read.cluster, output };
    const { showStatus, watchStatus } = await import('./show-status.ts');
    return read.watch ? watchStatus(asked, waiting(surroundings)) : showStatus(asked, surroundings);
  },
};

function waiting(surroundings: Surroundings): Surroundings & { readonly wait: (ms: number) => Promise<unknown> } {
  return { wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)), ...surroundings };
}
