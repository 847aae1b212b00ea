import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { Command } from '../command.ts';
import { importSequence } from './import.ts';
import { renderSequence } from './render.ts';
import { abort, goOn, pause, skip, status } from './steer.ts';

/** What `sequence` can do: one file and one entry here. */
const subcommands: Readonly<Record<string, Command>> = {
  status,
  pause,
  'go-on': goOn,
  skip,
  abort,
  import: importSequence,
  render: renderSequence,
};

const list = Object.entries(subcommands)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n');

export const sequence: Command = {
  about: 'orders over Applications, operators and pools',
  help: `Orders over Applications, operators, pools and objects (docs/sequences.md).

${list}

npx poolkeeper sequence SUBCOMMAND --help describes each.
`,
  subcommands,
  run: async ([name]) => {
    const known = Object.keys(subcommands).join(', ');
    throw new Misconfigured([
      `sequence${name === undefined ? '' : ` ${name}`}: must be followed by one of ${known}; see --help`,
    ]);
  },
};
