import { isAsExpected, type TickCalls } from './count-quiet-tick.ts';
import { describeRendering } from './describe-rendering.ts';
import { describeGoals, type Goal } from './goal.ts';
import type { BundleCost } from './measure-bundles.ts';
import { benchApplications, benchPools, type PauseSamples } from './measure-pauses.ts';
import type { RenderingFigures } from './measure-rendering.ts';
import { quantile } from './quantile.ts';
import type { Surroundings } from './surroundings.ts';
import { table } from './table.ts';

export interface Figures {
  readonly surroundings: Surroundings;
  readonly pauses: PauseSamples;
  readonly ticks: readonly TickCalls[];
  readonly bundles: readonly BundleCost[];
  readonly rendering: readonly RenderingFigures[];
  readonly renderingGoal: Goal;
}

/** The most that a pause may take, read back, as a multiple of one GET and one PATCH. */
const pauseAtMost = 2;

/** Samples of one round: enough for a quantile of nine tenths. */
const samplesOfARound = 25;

/** How often the baseline fits into a push that ends with the pool read back, in each round. */
export function pauseGoals({ baseline, pauses }: PauseSamples): readonly Goal[] {
  const starts = Array.from(
    { length: Math.floor(pauses.length / samplesOfARound) },
    (_, round) => round * samplesOfARound,
  );
  const ratio = (start: number, share: number) => {
    const ours = pauses.slice(start, start + samplesOfARound);
    const least = baseline.slice(start, start + samplesOfARound);
    return quantileOf(ours, 'readBack', share) / quantileOf(least, 'total', share);
  };
  return [0.5, 0.9].map((share) => ({
    what: `Read back, p${share * 100}, as a multiple of the baseline`,
    atMost: pauseAtMost,
    unit: '×',
    rounds: starts.map((start) => ratio(start, share)),
  }));
}

/** Markdown. */
export function describeFigures({ surroundings, pauses, ticks, bundles, rendering, renderingGoal }: Figures): string {
  const { date, commit, machine, load, versions } = surroundings;
  return [
    `Run on ${date} at commit ${commit}: ${machine}, load average ${load} before it began; ${versions}.`,
    describePauses(pauses),
    describeTicks(ticks),
    describeBundles(bundles),
    describeRendering(rendering, renderingGoal),
  ].join('\n\n');
}

function describePauses(samples: PauseSamples): string {
  const { baseline, pauses } = samples;
  const compared = (what: string, key: 'paused' | 'readBack') => [
    ...timed(what, pauses, key),
    ...[0.5, 0.9].map((share) => times(quantileOf(pauses, key, share) / quantileOf(baseline, 'total', share))),
  ];
  return [
    '### A push pauses a pool',
    `${pauses.length} samples of each, interleaved; ${benchPools.length} pools, ${benchApplications.length} Applications.`,
    table(
      ['', 'p50, ms', 'p90, ms', 'p50 : baseline', 'p90 : baseline'],
      [
        [...timed('baseline: one GET, one PATCH', baseline, 'total'), times(1), times(1)],
        compared('push received → PATCH answered', 'paused'),
        compared('push received → pool read back paused', 'readBack'),
      ],
    ),
    describeGoals(pauseGoals(samples)),
    'Where the time goes:',
    table(
      ['part', 'p50, ms', 'p90, ms'],
      [
        timed('baseline: GET', baseline, 'get'),
        timed('baseline: PATCH', baseline, 'patch'),
        timed('receive: signature, schema, queue', pauses, 'receive'),
        timed('look: Applications, pools and the memory, side by side', pauses, 'look'),
        timed('decide', pauses, 'decide'),
        timed('PATCH', pauses, 'patch'),
        timed('GET that reads back', pauses, 'get'),
        timed('after the pause: event, race, timeline, memory, view', pauses, 'afterwards'),
      ],
    ),
  ].join('\n\n');
}

function timed<Key extends string>(
  what: string,
  samples: readonly Readonly<Record<Key, number>>[],
  key: Key,
): readonly string[] {
  return [what, ...[0.5, 0.9].map((share) => quantileOf(samples, key, share).toFixed(2))];
}

function quantileOf<Key extends string>(
  samples: readonly Readonly<Record<Key, number>>[],
  key: Key,
  share: number,
): number {
  return quantile(
    samples.map((sample) => sample[key]),
    share,
  );
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

function describeTicks(ticks: readonly TickCalls[]): string {
  return [
    '### A quiet tick',
    table(
      ['pools', 'Applications that hold', 'lists of pools', 'GETs of Applications', 'anything else'],
      ticks.map((tick) => {
        const lists = tick.calls.filter((call) => call.endsWith('/machineconfigpools')).length;
        const gets = tick.calls.filter((call) => call.includes('/applications/')).length;
        return [tick.pools, tick.holders, lists, gets, tick.calls.length - lists - gets].map(String);
      }),
    ),
    ticks.every(isAsExpected)
      ? 'As it should be: one list of pools and one GET for each Application that holds something.'
      : 'NOT as it should be: one list of pools and one GET for each Application that holds something.',
  ].join('\n\n');
}

function describeBundles(bundles: readonly BundleCost[]): string {
  return [
    '### Bundles',
    table(
      ['function', 'KiB', 'at most', 'import, ms'],
      bundles.map(({ entry, sizeKiB, atMostKiB, importMs }) => [
        entry,
        sizeKiB.toFixed(0),
        `${atMostKiB}`,
        importMs.toFixed(0),
      ]),
    ),
  ].join('\n\n');
}
