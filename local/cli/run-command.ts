import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { printable } from '../../functions/core/text/safe-text.ts';
import { nearest } from '../../functions/shell/configuration/nearest.ts';
import { product } from '../../functions/shell/product.ts';
import { ChangeInDoubt } from './change-in-doubt.ts';
import type { ExitStatus, ListedCommand, Surroundings } from './command.ts';
import { commands } from './commands.ts';

const exitStatuses = `Exit status of every command, unless its help says otherwise:
  0  done, and nothing was found
  1  it failed halfway, or something was found
  2  it could not begin: command line, configuration, network or credentials
`;

/** Runs a command line. Expected errors are printed as one line each; only defects show a stack trace. What a cluster,
 *  a recording or a service said does not steer the terminal, whichever command prints it. */
export async function runCommand(line: readonly string[], given: Surroundings): Promise<ExitStatus> {
  const surroundings: Surroundings = {
    ...given,
    out: (text) => given.out(printable(text)),
    note: (text) => given.note(printable(text)),
  };
  try {
    return await dispatch(line, surroundings);
  } catch (cause) {
    for (const problem of problemsOf(cause)) surroundings.note(`poolkeeper: ${problem}`);
    return exitStatusOf(cause);
  }
}

function overview(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  const more = 'poolkeeper COMMAND --help describes each command.';
  return `Usage: poolkeeper COMMAND\n\n${lines.join('\n')}\n\n${more}\n\n${exitStatuses}`;
}

async function dispatch(
  [name = '--help', ...args]: readonly string[],
  surroundings: Surroundings,
): Promise<ExitStatus> {
  if (name === 'help' && args.length > 0) return dispatch([...args, '--help'], surroundings);
  if (['--help', '-h', 'help'].includes(name)) {
    surroundings.out(overview());
    return 0;
  }
  if (['--version', '-V', 'version'].includes(name)) {
    surroundings.out(`${product}\n`);
    return 0;
  }
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed === undefined) {
    const meant = nearest(name, Object.keys(commands));
    // The overview would push the hint off the screen.
    const more = meant === undefined ? `\n\n${overview()}` : `; did you mean ${meant}? --help lists all commands`;
    surroundings.note(`poolkeeper: unknown command ${name}${more}`);
    return 2;
  }
  return runWithHelp(listed, args, surroundings);
}

async function runWithHelp(
  listed: ListedCommand,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const command = await listed.load();
  const [word = '', ...rest] = args;
  const subcommand = Object.hasOwn(command.subcommands ?? {}, word) ? command.subcommands?.[word] : undefined;
  if (subcommand !== undefined) return runWithHelp(subcommand, rest, surroundings);
  if (!args.includes('--help') && !args.includes('-h')) return command.run(args, surroundings);
  const { helpLines } = await import('./help-lines.ts');
  surroundings.out(helpLines(command.help));
  return 0;
}

function problemsOf(cause: unknown): readonly string[] {
  if (cause instanceof Misconfigured) return cause.problems;
  if (cause instanceof Transient) return [cause.message];
  return [cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)];
}

/** 2 for whatever could not be reached or refused access, as for a wrong command line: nothing was found out, and the
 *  caller has something to correct. 1 for what failed later. */
function exitStatusOf(cause: unknown): ExitStatus {
  if (cause instanceof Misconfigured) return 2;
  if (cause instanceof ChangeInDoubt) return 1;
  return cause instanceof Transient && ['unreachable', 'forbidden'].includes(cause.kind) ? 2 : 1;
}
