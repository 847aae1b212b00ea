import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { Command, ListedCommand } from '../command.ts';

/** What `sequence` can do: one file and one entry here. */
const subcommands: Readonly<Record<string, ListedCommand>> = {
  status: {
    about: 'show the waves of a sequence, and what each step waits for',
    load: async () => (await import('./steer.ts')).status,
  },
  pause: {
    about: 'let no further step of a sequence begin',
    load: async () => (await import('./steer.ts')).pause,
  },
  'go-on': {
    about: 'let a paused or aborted sequence go on',
    load: async () => (await import('./steer.ts')).goOn,
  },
  skip: {
    about: 'count a step or gate of a sequence as healthy',
    load: async () => (await import('./steer.ts')).skip,
  },
  abort: {
    about: 'end a sequence, and take back what it applied',
    load: async () => (await import('./steer.ts')).abort,
  },
  import: {
    about: 'read a cluster group of Validated Patterns as a sequence, and name its traps',
    load: async () => (await import('./import.ts')).importSequence,
  },
  render: {
    about: 'print a hook Job for each gate, for Git',
    load: async () => (await import('./render.ts')).renderSequence,
  },
};

const list = Object.entries(subcommands)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n');

export const sequence: Command = {
  help: `Orders over Applications, operators, pools and objects (docs/sequences.md).

${list}

poolkeeper sequence SUBCOMMAND --help describes each.
`,
  subcommands,
  run: async ([name]) => {
    const known = Object.keys(subcommands).join(', ');
    throw new Misconfigured([
      `sequence${name === undefined ? '' : ` ${name}`}: must be followed by one of ${known}; see --help`,
    ]);
  },
};
