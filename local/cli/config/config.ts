import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { type Command, type ListedCommand, readArgsAndWords } from '../command.ts';
import { outputFlag, outputOf } from '../output.ts';

const check: Command = {
  help: `Checks a configuration as a deployment does, and says what it is understood as: defaults filled in, layers merged. No cluster is
asked and no secret is read.

  poolkeeper config check
  poolkeeper config check prod.yaml -o yaml

Without a file: poolkeeper.yaml of the current folder, whatever checkout the command runs from.

  -o, --output F    text (default), wide, or json or yaml: the whole configuration, with every default

Exit status: 0 = valid, 2 = it is not, or cannot be read. Warnings do not change it, nor does a caFile below
/var/run/secrets/kubernetes.io, which only the pod itself has: a note says that it was not read.
`,
  run: async (args, surroundings) => {
    const { values: read, words } = readArgsAndWords(args, {
      ...outputFlag,
    });
    const [file = 'poolkeeper.yaml', ...more] = words;
    if (more.length > 0) throw new Misconfigured(['one file; it names those that it extends']);
    const output = outputOf(read.output);
    const { checkConfiguration } = await import('./check-configuration.ts');
    await checkConfiguration(file, output, surroundings);
    return 0;
  },
};

const subcommands: Readonly<Record<string, ListedCommand>> = {
  check: { about: 'check a configuration, and say what it is understood as', load: async () => check },
};

export const config: Command = {
  help: `The configuration, poolkeeper.yaml (docs/configuration.md).

  check     check a configuration, and say what it is understood as

poolkeeper config check --help describes it.
`,
  subcommands,
  run: async ([name]) => {
    throw new Misconfigured([`config${name === undefined ? '' : ` ${name}`}: must be followed by check; see --help`]);
  },
};
