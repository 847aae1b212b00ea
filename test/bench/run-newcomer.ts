import { join } from 'node:path';
import { playNewcomer, type Reached } from './newcomer.ts';
import { machineOf } from './surroundings.ts';
import { table } from './table.ts';
import { writeFigures } from './write-figures.ts';

const page = join(import.meta.dirname, '../../docs/benchmarks.md');

/** Seconds after which a newcomer must have seen the own push pause a pool and asked why. Source: issue 16, ten
 *  minutes. */
const tenMinutes = 600;

/** Plays a newcomer, with an installation of all packages, and writes the page. False: it took longer than ten
 *  minutes. */
export async function benchNewcomer(): Promise<boolean> {
  const where = await machineOf();
  const begun = performance.now();
  const reached = await playNewcomer({ flags: ['--port', '0'], installs: true });
  const seconds = (performance.now() - begun) / 1000;
  const figures = [
    `Run on ${where.date} at commit ${where.commit}: ${where.machine}, load average ${where.load} before it began.`,
    described(reached),
    `All of it: ${seconds.toFixed(0)} s. Target: ten minutes. ${seconds <= tenMinutes ? 'Met.' : 'Missed.'}`,
  ].join('\n\n');
  await writeFigures(page, figures, 'the first ten minutes');
  console.log(`\n${figures}`);
  return seconds <= tenMinutes;
}

const from: Readonly<Record<string, string>> = {
  'its own push': 'the command',
  'the pool paused for it': 'the first of these commands',
  why: 'the command',
  status: 'the command',
  "an own cluster's page": '`npm start -- --kubeconfig FILE`',
};

function described(reached: readonly Reached[]): string {
  return table(
    ['reached', 'seconds', 'since'],
    reached.map(({ what, seconds }) => [what, seconds.toFixed(1), from[what] ?? 'the clone began']),
  );
}

if (import.meta.main) process.exitCode = (await benchNewcomer()) ? 0 : 1;
