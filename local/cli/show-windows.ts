import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { isCalendarUnread } from '../../functions/core/windows/kept-calendars.ts';
import { askWindows, type Opening, openingsOf } from '../../functions/core/windows/openings.ts';
import { type PoolsWithWindows, poolsWithWindows } from '../../functions/core/windows/pools-with-windows.ts';
import { windowText } from '../../functions/core/windows/window-text.ts';
import type { Surroundings } from './command.ts';
import { clusterIn, readConfigurationFile } from './configured-clusters.ts';
import { inForm, type OutputForm } from './output.ts';
import { tableText } from './status/table.ts';

interface AskedWindows {
  readonly config: string;
  readonly cluster?: string | undefined;
  readonly pool?: string | undefined;
  /** Of openings. */
  readonly count: number;
  readonly output: OutputForm;
}

/** Prints the windows of a configuration and their next openings. Throws Misconfigured. */
export async function showWindows(asked: AskedWindows, surroundings: Surroundings): Promise<void> {
  const configuration = await readConfigurationFile(asked.config);
  const clusters =
    asked.cluster === undefined ? configuration.clusters : [clusterIn(configuration, asked.cluster, asked.config)];
  const now = surroundings.now();
  const shown = clusters
    .flatMap((cluster) => shownOf(cluster, { now, count: asked.count }))
    .filter(({ name }) => asked.pool === undefined || name === undefined || name === asked.pool);
  if (asked.pool !== undefined) checkName(asked.pool, { shown, clusters: configuration.clusters, asked, surroundings });
  surroundings.out(
    await inForm(asked.output, {
      data: shown.map(asJson),
      text: () => textOf(shown, asked.pool),
      wide: () => tableOf(shown),
    }),
  );
}

/** Every cluster has them, whether the file names them or not. */
const everywhere = ['master', 'worker'];

/** A name that stands nowhere in the file may be that of a pool which a window for others covers, as a cluster may have
 *  more pools than the file names. Throws Misconfigured where none covers it. */
function checkName(
  pool: string,
  {
    shown,
    clusters,
    asked: { config },
    surroundings,
  }: {
    readonly shown: readonly Shown[];
    readonly clusters: readonly ClusterSettings[];
    readonly asked: AskedWindows;
    readonly surroundings: Surroundings;
  },
): void {
  const named = clusters.flatMap(({ pools, windows = [] }) => [
    ...Object.keys(pools),
    ...windows.flatMap((window) => window.pools),
  ]);
  const known = unique([...everywhere, ...named]).toSorted();
  if (known.includes(pool)) return;
  const words = `${config} names no such pool, only ${known.join(', ')}`;
  if (shown.length === 0) throw new Misconfigured([`--pool ${pool}: ${words}`]);
  surroundings.note(`--pool ${pool}: ${words}; shown are the windows that are for pools without a name`);
}

interface Shown extends PoolsWithWindows {
  readonly cluster: string;
  /** Undefined: not known, because of a calendar that is read by its address. */
  readonly isOpen: boolean | undefined;
  readonly openings: readonly Opening[];
}

function shownOf(
  cluster: ClusterSettings,
  { now, count }: { readonly now: Date; readonly count: number },
): readonly Shown[] {
  return poolsWithWindows(cluster).map((own) => {
    const shown = { cluster: cluster.name, ...own };
    if (own.windows.some(isCalendarUnread)) return { ...shown, isOpen: undefined, openings: [] };
    return { ...shown, isOpen: askWindows(own.windows, now).open, openings: openingsOf(own.windows, now, count) };
  });
}

function asJson({ windows: own, isOpen, openings, name: _, ...shown }: Shown): object {
  const known = isOpen === undefined ? { unknown: notKnown } : { isOpen, openings };
  return { ...shown, ...known, windows: own.map(windowText) };
}

const notKnown = 'a calendar of these windows is read by its address: ask with `poolkeeper why` or on the status page';

const noneAtAll = 'No window is configured: pools resume as soon as their other gates are open.\n';

function noneFor(pool: string): string {
  return `No window is configured for pool ${pool}: it resumes as soon as its other gates are open.\n`;
}

function textOf(shown: readonly Shown[], pool: string | undefined): string {
  if (shown.length === 0) return pool === undefined ? noneAtAll : noneFor(pool);
  return shown.map((each) => `${groupText(each)}\n`).join('\n');
}

/** One line an opening. */
function tableOf(shown: readonly Shown[]): string {
  const rows = shown.flatMap(({ cluster, pools, windows: own, isOpen, openings }) => {
    const group = { cluster, pools, now: openText(isOpen), windows: own.map(windowText).join('; ') };
    return openings.length === 0 ? [group] : openings.map(({ from, to = '' }) => ({ ...group, from, to }));
  });
  return tableText(['cluster', 'pools', 'now', 'from', 'to', 'windows'], rows);
}

function openText(isOpen: boolean | undefined): string {
  if (isOpen === undefined) return 'unknown';
  return isOpen ? 'open' : 'closed';
}

function groupText({ cluster, pools, windows: own, isOpen, openings }: Shown): string {
  const listed = own.map((window) => `  ${windowText(window)}`);
  if (isOpen === undefined) return [`${cluster}/${pools}: not known here`, ...listed, notKnown].join('\n');
  const zone = own[0]?.timeZone ?? 'UTC';
  const [first] = openings;
  const next =
    openings.length === 0 ? ['  no opening within a year'] : openings.map((each) => `  ${spanText(each, zone)}`);
  return [
    `${cluster}/${pools}: ${isOpen ? 'open' : 'closed'} now`,
    ...listed,
    first === undefined || !isOpen ? 'Next openings' : 'Openings, the present one first',
    ...next,
  ].join('\n');
}

/** `Tue 2026-11-24 22:00 to Wed 2026-11-25 06:00 Europe/Berlin (from 2026-11-24T21:00Z)`. */
function spanText({ from, to }: Opening, timeZone: string): string {
  const start = `(from ${from.slice(0, 16)}Z)`;
  if (to === undefined) return `${localText(from, timeZone)} ${timeZone}, without an end within a year ${start}`;
  return `${localText(from, timeZone)} to ${localText(to, timeZone)} ${timeZone} ${start}`;
}

function localText(instant: string, timeZone: string): string {
  const at = new Date(instant);
  const weekday = at.toLocaleDateString('en-GB', { timeZone, weekday: 'short' });
  // Sweden writes dates as ISO does.
  return `${weekday} ${at.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })}`;
}
