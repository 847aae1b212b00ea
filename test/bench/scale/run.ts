import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { machineOf } from '../surroundings.ts';
import { writeFigures } from '../write-figures.ts';
import { describeScale, isWithinBounds } from './describe.ts';
import type { ScaleSample } from './measure.ts';
import { type QuietSample, quietTick } from './quiet-tick.ts';
import { stuckNodes } from './world.ts';

const page = join(import.meta.dirname, '../../../docs/benchmarks.md');

/** Heap that the measuring process may have, MiB: an investigation that needs more ends it. */
const heapLimitMiB = 256;

/** Measures what explaining stuck nodes costs on the largest cluster, and writes it into the documentation. True
 *  when the calls, the bytes and the heap are what they may be. `npm run bench` runs it after the rest; `node
 *  test/bench/scale/run.ts` alone. */
export async function benchScale(): Promise<boolean> {
  const { date, commit, machine, load } = await machineOf();
  const server = fork(join(import.meta.dirname, 'server.ts'), { execArgv: ['--max-old-space-size=4096'] });
  try {
    const url = String(await said(server));
    const quiet: QuietSample = await quietTick(url);
    server.send(stuckNodes);
    await said(server);
    const samples = await measureAt(url);
    const where = `Run on ${date} at commit ${commit}: ${machine}, load average ${load} before it began; Node ${process.version}.`;
    const figures = describeScale({ samples, quiet, where, heapLimitMiB });
    await writeFigures(page, figures, 'scale');
    console.log(`\n${figures}`);
    return isWithinBounds(samples, quiet);
  } finally {
    server.disconnect();
    if (server.exitCode === null) await once(server, 'exit');
  }
}

/** In a process with little heap: what needs more than it may have does not come back. */
async function measureAt(url: string): Promise<readonly ScaleSample[]> {
  const execArgv = ['--expose-gc', `--max-old-space-size=${heapLimitMiB}`];
  const child = fork(join(import.meta.dirname, 'measure.ts'), [url], { execArgv });
  return (await said(child)) as readonly ScaleSample[];
}

/** The next message of a child. Throws when it ends without one. */
async function said(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const ended = (code: number | null) =>
    reject(new Error(`${child.spawnargs.at(-1)} ended with ${code} and said nothing`));
  child.once('message', resolve);
  child.once('exit', ended);
  return promise.finally(() => {
    child.off('message', resolve);
    child.off('exit', ended);
  });
}

if (import.meta.main) process.exitCode = (await benchScale()) ? 0 : 1;
