import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, readArgs } from './command.ts';
import { configFlag, configHelp, configurationFile } from './configuration-file.ts';
import { outputFlag, outputHelp, outputOf } from './output.ts';

const help = `Shows when pools may resume: the windows of poolkeeper.yaml, and the openings that follow from them.

  poolkeeper windows --next 5
  poolkeeper windows --cluster prod-eu --pool worker --output json

${configHelp}
  --cluster C       only this cluster
  --pool P          only this pool
  --next N          how many openings (default 3, at most 50)
${outputHelp}

No cluster is asked, and no calendar by its address: pools are those that the file names, and windows by label stand
by themselves. A pool that the file does not name has the windows without a name; where there is none, it is refused.
Exit status: 0 = shown, 2 = wrong usage or configuration.
`;

export const windows: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...configFlag,
      cluster: { type: 'string' },
      pool: { type: 'string' },
      next: { type: 'string', default: '3' },
      ...outputFlag,
    });
    const output = outputOf(read.output);
    if (!/^(?:[1-9]|[1-4]\d|50)$/.test(read.next)) throw new Misconfigured([`--next ${read.next}: must be 1 to 50`]);
    const { showWindows } = await import('./show-windows.ts');
    const config = await configurationFile(read.config, surroundings);
    await showWindows({ ...read, config, count: Number(read.next), output }, surroundings);
    return 0;
  },
};
