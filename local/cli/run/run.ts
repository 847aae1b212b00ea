import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { Command, ListedCommand } from '../command.ts';

/** What `run` can do: one file and one entry here. */
const subcommands: Readonly<Record<string, ListedCommand>> = {
  status: {
    about: 'show the nodes of a run, and what each does or waits for',
    load: async () => (await import('./steer.ts')).status,
  },
  start: {
    about: 'begin an aborted run anew; nodes that were skipped have their turn',
    load: async () => (await import('./steer.ts')).start,
  },
  pause: {
    about: 'let no further node of a run go',
    load: async () => (await import('./steer.ts')).pause,
  },
  'go-on': {
    about: 'let a paused run go on, to what is rendered now',
    load: async () => (await import('./steer.ts')).goOn,
  },
  retry: {
    about: 'try again what failed for a node, or give a skipped node its turn',
    load: async () => (await import('./steer.ts')).retry,
  },
  skip: {
    about: 'leave a node as it is, or its clean-up out',
    load: async () => (await import('./steer.ts')).skip,
  },
  abort: {
    about: 'end a run, and put back what it changed',
    load: async () => (await import('./steer.ts')).abort,
  },
  import: {
    about: 'read MutexRule, MutexTarget and MutexRunConfig as nodeTurns of poolkeeper.yaml',
    load: async () => (await import('./import.ts')).importRuns,
  },
};

const list = Object.entries(subcommands)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n');

export const run: Command = {
  help: `Runs: one node at a time, with Jobs before and after its update (docs/node-by-node.md).

${list}

poolkeeper run SUBCOMMAND --help describes each.
`,
  subcommands,
  run: async ([name]) => {
    const known = Object.keys(subcommands).join(', ');
    throw new Misconfigured([
      `run${name === undefined ? '' : ` ${name}`}: must be followed by one of ${known}; see --help`,
    ]);
  },
};
