import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

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

export function startProgram(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Program {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'local/main.ts'), ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
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
