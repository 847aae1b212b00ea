import { calendarProblem } from '../../core/windows/calendar-windows.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** The configuration with the text of each calendar file in the place of the file, and what is wrong with them. */
export interface CalendarFiles {
  readonly data: unknown;
  readonly problems: readonly Problem[];
}

/** Reads `calendar` of every window; `readText` throws when a file cannot be read. Each calendar has to be understood:
 *  its gate would stay closed otherwise. */
export function readCalendarFiles(data: unknown, readText: (path: string) => string): CalendarFiles {
  const problems: Problem[] = [];
  const inList = (windows: unknown, place: Path): unknown =>
    Array.isArray(windows)
      ? windows.map((window: unknown, index) => {
          const read = withText(window, [...place, index], readText);
          problems.push(...read.problems);
          return read.window;
        })
      : windows;
  if (!isMapping(data)) return { data, problems };
  const clusters = valueAt(data, ['clusters']);
  const read = {
    ...data,
    ...('windows' in data ? { windows: inList(data['windows'], ['windows']) } : {}),
    ...(Array.isArray(clusters)
      ? {
          clusters: clusters.map((cluster: unknown, index) =>
            isMapping(cluster) && 'windows' in cluster
              ? { ...cluster, windows: inList(cluster['windows'], ['clusters', index, 'windows']) }
              : cluster,
          ),
        }
      : {}),
  };
  return { data: read, problems };
}

/** What is not known of calendars that are read by their addresses: nobody reads them before they are deployed. */
export function calendarWarnings(data: unknown): readonly Problem[] {
  const clusters = valueAt(data, ['clusters']);
  const own = Array.isArray(clusters) ? clusters.map((_, index): Path => ['clusters', index, 'windows']) : [];
  return [['windows'], ...own].flatMap((place: Path) => {
    const windows = valueAt(data, place);
    if (!Array.isArray(windows)) return [];
    return windows.flatMap((window: unknown, index): readonly Problem[] =>
      isMapping(window) && 'calendarFrom' in window
        ? [
            {
              path: [...place, index, 'calendarFrom'],
              what: 'is not read here, so whether it can be used is not known',
              hint: 'until Poolkeeper has read it, its pools stay paused',
              at: 'key',
            },
          ]
        : [],
    );
  });
}

interface ReadWindow {
  readonly window: unknown;
  readonly problems: readonly Problem[];
}

function withText(window: unknown, place: Path, readText: (path: string) => string): ReadWindow {
  if (!isMapping(window)) return { window, problems: [] };
  const { calendar, ics, timeZone } = window;
  const zone = typeof timeZone === 'string' ? timeZone : 'UTC';
  if (typeof ics === 'string') return { window, problems: faults(ics, zone, [...place, 'ics']) };
  if (typeof calendar !== 'string' || calendar === '') return { window, problems: [] };
  const path = [...place, 'calendar'];
  try {
    const text = readText(calendar);
    return { window: { ...window, ics: text }, problems: faults(text, zone, path) };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    const what = `cannot be read (${code})`;
    return { window, problems: [{ path, what, hint: 'the path is relative to this file', at: 'value' }] };
  }
}

function faults(text: string, timeZone: string, path: Path): readonly Problem[] {
  const fault = calendarProblem(text, timeZone);
  return fault === undefined ? [] : [{ path, what: `is not understood: ${fault}`, hint: undefined, at: 'value' }];
}
