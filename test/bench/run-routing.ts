import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeRouting, isFastEnough } from './describe-routing.ts';
import { drawRouting } from './draw-routing.ts';
import { growth, measureRouting } from './measure-routing.ts';
import { machineOf } from './surroundings.ts';
import { writeFigures } from './write-figures.ts';

const docs = join(import.meta.dirname, '../../docs');

/** Measures how fast a push is routed, and writes the figures and their picture into the documentation. True when
 *  the target is met. `npm run bench` runs it after the rest; `node --expose-gc test/bench/run-routing.ts` alone. */
export async function benchRouting(): Promise<boolean> {
  const { date, commit, machine, load } = await machineOf();
  const sizes = growth.map(measureRouting);
  const where = `Run on ${date} at commit ${commit}: ${machine}, load average ${load} before it began; Node ${process.version}.`;
  const figures = describeRouting(sizes, where);
  await writeFigures(join(docs, 'benchmarks.md'), figures, 'routing');
  await writeFile(join(docs, 'pictures/routing-growth.svg'), drawRouting(sizes));
  console.log(`\n${figures}`);
  return isFastEnough(sizes);
}

if (import.meta.main) process.exitCode = (await benchRouting()) ? 0 : 1;
