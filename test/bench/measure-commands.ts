import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A command line under test: what is written before its words. */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
}

/** Processor time of the process and its children, milliseconds. */
export interface CommandCost {
  readonly name: string;
  readonly line: string;
  /** Of each round. */
  readonly rounds: readonly number[];
}

/** Runs each line with each program, in turn and in rounds; the first round fills caches and does not count. */
export async function measureCommands(
  programs: readonly Program[],
  lines: readonly string[],
  rounds: number,
): Promise<readonly CommandCost[]> {
  const taken = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1)
    for (const line of lines)
      for (const { name, command } of programs) {
        const ms = await processorOf([...command, ...line.split(' ')]);
        if (round > 0) taken.set(`${name}|${line}`, [...(taken.get(`${name}|${line}`) ?? []), ms]);
      }
  return programs.flatMap(({ name }) =>
    lines.map((line) => ({ name, line, rounds: taken.get(`${name}|${line}`) ?? [] })),
  );
}

async function processorOf(command: readonly string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" > /dev/null 2> /dev/null; } 2>&1; exit 0';
  const { stdout } = await run('bash', ['-c', script, 'time', ...command], { env: { ...process.env, LC_ALL: 'C' } });
  const [user, system] = stdout.trim().split(' ').map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}

/** Processor time that a process has spent when its first request arrives, in steps of 10 ms. Linux. */
export async function measureFirstRequest(
  programs: readonly Program[],
  { words, rounds, folder }: { readonly words: readonly string[]; readonly rounds: number; readonly folder: string },
): Promise<readonly CommandCost[]> {
  let arrived: (() => void) | undefined;
  const server = createServer((_, answer) => {
    arrived?.();
    answer.writeHead(503).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf((server.address() as AddressInfo).port));
  const taken = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, command } of programs) {
      const [file = '', ...args] = [...command, ...words, '--kubeconfig', kubeconfig];
      const child = spawn(file, args, { stdio: 'ignore' });
      const first = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const ended = once(child, 'exit');
      await Promise.race([first, ended]);
      const spent = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => undefined);
      await ended;
      if (round > 0 && spent !== undefined) taken.get(name)?.push(ticksMs(spent));
    }
  server.close();
  return programs.map(({ name }) => ({ name, line: words.join(' '), rounds: taken.get(name) ?? [] }));
}

/** User and system time of /proc/PID/stat, which counts 100 ticks a second. */
function ticksMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function kubeconfigOf(port: number): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
    users: [{ name: 'u', user: { token: 'a-token' } }],
  });
}
