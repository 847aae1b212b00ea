import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { storm } from '../storm/storm.ts';
import { verdictOf } from '../storm/verdict.ts';
import { machineOf } from './surroundings.ts';
import { table } from './table.ts';
import { writeFigures } from './write-figures.ts';

/** The seeds of `npm test` come first; these are others. */
const firstSeed = 1001;
const runs = 10_000;

interface Sum {
  readonly runs: number;
  readonly effects: number;
  readonly deaths: number;
  readonly throttles: number;
  readonly faults: number;
  readonly refusals: number;
  readonly deleted: number;
  readonly incidents: number;
  readonly repeats: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Plays the storms and writes what came of them into the documentation. True when nothing was lost or doubled. */
export async function benchStorm(): Promise<boolean> {
  const { date, commit, machine, load } = await machineOf();
  const begun = performance.now();
  const sum = await played(firstSeed, runs);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const where = `Run on ${date} at commit ${commit}: ${machine}, load average ${load} before it began; Node ${process.version}. Seeds ${firstSeed} to ${firstSeed + runs - 1}, ${seconds} s.`;
  const figures = `${where}\n\n${tableOf(sum)}`;
  await writeFigures(join(import.meta.dirname, '../../docs/benchmarks.md'), figures, 'storms');
  console.log(`\n${figures}`);
  for (const each of [...sum.lost, ...sum.doubled].slice(0, 20)) console.error(each);
  return sum.lost.length + sum.doubled.length === 0;
}

async function played(first: number, count: number): Promise<Sum> {
  let sum: Sum = {
    runs: 0,
    effects: 0,
    deaths: 0,
    throttles: 0,
    faults: 0,
    refusals: 0,
    deleted: 0,
    incidents: 0,
    repeats: 0,
    lost: [],
    doubled: [],
  };
  for (let seed = first; seed < first + count; seed += 1) {
    const run = await storm(seed);
    const { lost, doubled, repeats } = verdictOf(run);
    const of = (test: (mishap: (typeof run.mishaps)[number]) => boolean) => run.mishaps.filter(test).length;
    const deaths = of((mishap) => mishap.of === 'worker');
    const throttles = of((mishap) => mishap.of === 'table');
    const refusals = of(({ what }) => what === 'refuses');
    const deleted = of(({ what }) => what === 'deleted');
    sum = {
      runs: sum.runs + 1,
      effects: sum.effects + run.effects,
      deaths: sum.deaths + deaths,
      throttles: sum.throttles + throttles,
      faults: sum.faults + run.mishaps.length - deaths - throttles - refusals - deleted,
      refusals: sum.refusals + refusals,
      deleted: sum.deleted + deleted,
      incidents: sum.incidents + run.notes.size,
      repeats: sum.repeats + repeats,
      lost: [...sum.lost, ...lost.map((each) => `seed ${seed}: ${each}`)],
      doubled: [...sum.doubled, ...doubled.map((each) => `seed ${seed}: ${each}`)],
    };
  }
  return sum;
}

function tableOf(sum: Sum): string {
  const count = (value: number) => value.toLocaleString('en');
  return table(
    ['', 'count'],
    [
      ['runs', count(sum.runs)],
      ['incidents', count(sum.incidents)],
      ['effects (reads and writes of the table, calls, messages queued)', count(sum.effects)],
      ['calls that failed, of nine kinds', count(sum.faults)],
      ['processes that died before or after an effect', count(sum.deaths)],
      ['reads and writes that the table refused', count(sum.throttles)],
      ['times that a target refused everything for minutes', count(sum.refusals)],
      ['messages that a person deleted', count(sum.deleted)],
      ['lost, or not as the incident is in the end', count(sum.lost.length)],
      ['doubled where it can be read back or is known by key', count(sum.doubled.length)],
      ['ends told twice by mail or incoming webhook, each after a lost answer', count(sum.repeats)],
    ],
  );
}

/** One run, told in full. */
async function tellOne(seed: number): Promise<void> {
  const run = await storm(seed);
  console.log(JSON.stringify({ ...verdictOf(run), mishaps: run.mishaps, incidents: run.incidents }, null, 2));
}

if (import.meta.main) {
  const { seed } = parseArgs({ options: { seed: { type: 'string' } } }).values;
  if (seed === undefined) process.exitCode = (await benchStorm()) ? 0 : 1;
  else await tellOne(Number(seed));
}
