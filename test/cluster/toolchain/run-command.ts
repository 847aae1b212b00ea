import { spawn } from 'node:child_process';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that could not be started or ended badly. The message carries its last lines, because they name the
 *  cause. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** How much of a failed command's output is repeated, characters. */
const tailChars = 1_500;

/** Runs a command to its end and gives back what it wrote to standard output. */
export async function runCommand(command: Command): Promise<string> {
  const child = spawn(command.file, command.args, {
    ...(command.folder === undefined ? {} : { cwd: command.folder }),
    env: { ...process.env, ...command.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output = (output + text).slice(-tailChars);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-tailChars);
  });
  const line = [command.file, ...command.args].join(' ');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once('error', (cause) =>
    reject(new CommandFailed(`\`${line}\` cannot be started: ${cause.message}`, { cause })),
  );
  child.once('close', (code, signal) => {
    if (code === 0) return resolve(stdout);
    reject(new CommandFailed(`\`${line}\` ended with ${signal ?? `status ${code}`}: ${output.trim()}`));
  });
  return promise;
}
