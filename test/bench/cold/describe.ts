import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { Handled, Wait, WaitedFor } from './environment.ts';
import type { ColdSamples, Lived } from './measure-cold.ts';

const waitedFor: readonly WaitedFor[] = ['secrets', 'table', 'API server, connection', 'API server', 'queue', 'bus'];

/** Markdown: medians, milliseconds. */
export function describeCold({ receiver, keeper }: ColdSamples): string {
  const columns: readonly (readonly [readonly Lived[], 'cold' | 'warm'])[] = [
    [receiver, 'cold'],
    [receiver, 'warm'],
    [keeper, 'cold'],
    [keeper, 'warm'],
  ];
  const row = (name: string, of: (lived: Lived, which: 'cold' | 'warm') => number | undefined) => [
    name,
    ...columns.map(([all, which]) => shown(all.map((lived) => of(lived, which)))),
  ];
  const isCold = (which: string, ms: number) => (which === 'cold' ? ms : undefined);
  return table(
    ['p50, ms', 'receive-github, first', 'next', 'keep-pools, first', 'next'],
    [
      row('import of the bundle', ({ imported }, which) => isCold(which, imported.wallMs)),
      row(': processor', ({ imported }, which) => isCold(which, imported.processorMs)),
      ...waitedFor.map((on) => row(`waits: ${on}`, (lived, which) => waitedMs(lived[which].waits, on))),
      row('own work, all else', (lived, which) => ownMs(lived[which])),
      row('the event, whole', (lived, which) => lived[which].wallMs),
      row(': processor', (lived, which) => lived[which].processorMs),
      row('until the pool is paused', (lived, which) => lived[which].pausedMs),
    ],
  );
}

function shown(all: readonly (number | undefined)[]): string {
  const known = all.filter((ms) => ms !== undefined);
  return known.length === 0 || known.every((ms) => ms === 0) ? '' : median(known).toFixed(1);
}

function ownMs({ wallMs, waits }: Handled): number {
  return wallMs - covered(waits);
}

function waitedMs(waits: readonly Wait[], on: WaitedFor): number {
  return covered(waits.filter((wait) => wait.on === on));
}

/** Waits side by side count once. */
function covered(waits: readonly Wait[]): number {
  let [sum, untilMs] = [0, Number.NEGATIVE_INFINITY];
  for (const { fromMs, toMs } of waits.toSorted((a, b) => a.fromMs - b.fromMs)) {
    sum += Math.max(0, toMs - Math.max(fromMs, untilMs));
    untilMs = Math.max(untilMs, toMs);
  }
  return sum;
}
