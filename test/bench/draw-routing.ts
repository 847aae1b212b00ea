import type { RoutingSamples } from './measure-routing.ts';
import { median } from './quantile.ts';

const box = { width: 720, height: 400, left: 70, right: 170, top: 40, bottom: 55 };

/** Both curves over the number of Applications, medians, both scales logarithmic: an SVG that a browser shows as it
 *  is. */
export function drawRouting(sizes: readonly RoutingSamples[]): string {
  const lines = [
    { title: 'Argo CD’s loop (port)', color: '#b4470f', down: 4, of: (size: RoutingSamples) => median(size.port) },
    { title: 'routing table', color: '#0b6e4f', down: -2, of: (size: RoutingSamples) => median(size.table) },
    {
      title: 'table, files unknown',
      color: '#4a6fa5',
      down: 14,
      of: (size: RoutingSamples) => median(size.tableUnknown),
    },
  ];
  const counts = sizes.map(({ applications }) => Math.log10(applications));
  const times = lines.flatMap(({ of }) => sizes.map((size) => Math.log10(of(size))));
  const [low, high] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const [from, to] = [Math.min(...counts), Math.max(...counts)];
  const x = (count: number) =>
    box.left + ((Math.log10(count) - from) / (to - from)) * (box.width - box.left - box.right);
  const y = (ms: number) =>
    box.height - box.bottom - ((Math.log10(ms) - low) / (high - low)) * (box.height - box.top - box.bottom);
  const decades = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));

  const grid = decades.map((ms) => {
    const label = `<text x="${box.left - 8}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end">${spoken(ms)}</text>`;
    return `<path d="M${box.left} ${y(ms).toFixed(1)}H${box.width - box.right}" stroke="#ddd"/>${label}`;
  });
  const columns = sizes.map(
    ({ applications }) =>
      `<text x="${x(applications).toFixed(1)}" y="${box.height - box.bottom + 20}" text-anchor="middle">${applications.toLocaleString('en-US')}</text>`,
  );
  const curves = lines.map(({ title, color, down, of }) => {
    const points = sizes.map((size) => `${x(size.applications).toFixed(1)},${y(of(size)).toFixed(1)}`);
    const [endX = '0', endY = '0'] = points.at(-1)?.split(',') ?? [];
    const dots = points.map(
      (point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${color}"/>`,
    );
    const label = `<text x="${Number(endX) + 8}" y="${Number(endY) + down}" fill="${color}">${title}</text>`;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}${label}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${box.width} ${box.height}" font-family="sans-serif" font-size="12" fill="#333">`,
    '<title>Time to find whom a push concerns, by number of Applications</title>',
    `<rect width="${box.width}" height="${box.height}" fill="#fff"/>`,
    `<text x="${box.left}" y="22" font-size="14">Whom does a push of 2,048 commits concern? (median; both scales logarithmic)</text>`,
    ...grid,
    ...columns,
    `<text x="${(box.left + box.width - box.right) / 2}" y="${box.height - 12}" text-anchor="middle">Applications</text>`,
    ...curves,
    '</svg>\n',
  ].join('\n');
}

function spoken(ms: number): string {
  if (ms >= 1_000) return `${ms / 1_000} s`;
  return ms >= 1 ? `${ms} ms` : `${Math.round(ms * 1_000)} µs`;
}
