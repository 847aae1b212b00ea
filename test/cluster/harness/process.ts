import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { endWithUs } from './leave-nothing.ts';

export interface Program {
  /** Name in messages. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Added to a bare environment (PATH only): what the machine's user has configured must not reach the programs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly logFile: string;
}

export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Throws, with the end of the log, when the program is not running any more. */
  readonly check: () => Promise<void>;
  /** Asks it to end, and makes it end when it does not. Ending a program twice is fine. */
  readonly stop: () => Promise<void>;
}

/** How long a program may take to end when asked, milliseconds. */
const graceMs = 5_000;

/** Lines of the log repeated when a program died. */
const tailLines = 15;

/** Makes the kernel kill the program should this process die without a word (util-linux, part of every Debian). */
const dieWithParent = '/usr/bin/setpriv';

/** Starts a program that writes to its log file, and comes back once it has a pid. */
export async function startProgram(program: Program): Promise<RunningProgram> {
  const log = openSync(program.logFile, 'a');
  const [file, args] = existsSync(dieWithParent)
    ? [dieWithParent, ['--pdeathsig', 'KILL', '--', program.file, ...program.args]]
    : [program.file, program.args];
  const child = spawn(file, args, {
    cwd: program.folder,
    env: { PATH: process.env['PATH'] ?? '', ...program.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ending: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ending = signal ?? `status ${code}`;
      resolve();
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) => reject(new Error(`${program.name} cannot be started: ${cause.message}`, { cause })));
  });
  endWithUs(child);

  return {
    name: program.name,
    pid,
    logFile: program.logFile,
    async check() {
      if (ending === undefined) return;
      throw new ProgramEnded(
        `${program.name} ended with ${ending}; the end of its log:\n${await tail(program.logFile)}`,
      );
    },
    async stop() {
      if (ending !== undefined) return;
      child.kill('SIGTERM');
      const impatient = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(impatient);
    },
  };
}

/** A program that ended by itself. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
}

/** The last lines of a log. */
async function tail(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '(no log)');
  return text.trimEnd().split('\n').slice(-tailLines).join('\n');
}
