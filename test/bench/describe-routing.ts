import type { RoutingSamples } from './measure-routing.ts';
import { median, quantile } from './quantile.ts';
import { table } from './table.ts';

/** Of the size that the target is about. */
const routedApplications = 10_000;
const timesFaster = 10;

/** How many times the port's median is the table's, at 10,000 Applications. */
function routingRatio(sizes: readonly RoutingSamples[]): number {
  const size = sizes.find(({ applications }) => applications === routedApplications);
  return size === undefined ? 0 : median(size.port) / median(size.table);
}

export function isFastEnough(sizes: readonly RoutingSamples[]): boolean {
  return routingRatio(sizes) >= timesFaster;
}

/** Markdown. */
export function describeRouting(sizes: readonly RoutingSamples[], where: string): string {
  const ratio = routingRatio(sizes);
  const [first] = sizes;
  return [
    where,
    `A push of ${grouped(first?.commits ?? 0)} commits that list ${grouped(first?.listed ?? 0)} files. Table and port in turn, in one process.`,
    table(
      [
        'Applications',
        'table p50, ms',
        'p99, ms',
        'files unknown p50, ms',
        'port p50, ms',
        'worst, ms',
        'port : table',
        'samples',
      ],
      sizes.map((size) => [
        grouped(size.applications),
        fixed(median(size.table)),
        fixed(quantile(size.table, 0.99)),
        fixed(median(size.tableUnknown)),
        fixed(median(size.port)),
        fixed(quantile(size.port, 1)),
        `${(median(size.port) / median(size.table)).toFixed(0)} ×`,
        `${size.table.length}, ${size.port.length}`,
      ]),
    ),
    `Target: at least ${timesFaster} × at ${grouped(routedApplications)} Applications. ${isFastEnough(sizes) ? 'Met' : 'Missed'}: ${ratio.toFixed(0)} ×.`,
    table(
      ['Applications', 'concerned', 'refreshed by the port', 'table made in, ms', 'table, MB'],
      sizes.map((size) => [
        grouped(size.applications),
        grouped(size.concerned),
        grouped(size.refreshed),
        fixed(median(size.build)),
        (size.tableBytes / 1e6).toFixed(1),
      ]),
    ),
  ].join('\n\n');
}

function fixed(ms: number): string {
  return ms < 100 ? ms.toFixed(2) : ms.toFixed(0);
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
