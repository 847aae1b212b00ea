import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Compiled modules of all programs, their types stripped: a third of the processor time that a start takes. Node
 *  compiles again what has changed. */
const compiled = join(root, 'node_modules/.cache/poolkeeper/compiled');

/** `npm start -- <args>` as a process of its own, with the pinned Node. */
export interface Program {
  /** Everything it has written so far. */
  readonly output: () => string;
  /** Resolves with the exit status. */
  readonly ended: Promise<number | null>;
  /** Resolves with the first match; rejects when the program ends without one. */
  untilOutput(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
}

function startProgram(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Program {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'local/main.ts'), ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compiled,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return {
    output: () => text,
    ended,
    untilOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        look();
        void ended.then((status) =>
          reject(new Error(`the program ended with ${status} before it wrote ${pattern}:\n${text}`)),
        );
      }),
    signal: (name) => {
      child.kill(name);
    },
  };
}

/** Programs, and a folder for what they write, of one test. */
export interface Programs {
  readonly start: (args: readonly string[], environment?: Readonly<Record<string, string>>) => Program;
  readonly folder: () => string;
}

/** They end, and their folder goes, with the test that opened them, also beside other tests of its file.
 *  @param onEnd `onTestFinished` of the context of that test */
export async function openPrograms(onEnd: (close: () => Promise<void>) => void): Promise<Programs> {
  const programs: Program[] = [];
  // Short: its path stands in what is printed, whose lines have to fit.
  const folder = await mkdtemp(join(tmpdir(), 'pk-'));
  onEnd(async () => {
    for (const program of programs) {
      program.signal('SIGKILL');
      await program.ended;
    }
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder: () => folder,
    start: (args, environment = {}) => {
      const program = startProgram(args, environment);
      programs.push(program);
      return program;
    },
  };
}
