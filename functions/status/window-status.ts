import type { Configuration } from '../core/configuration/configuration.ts';
import { safeLine } from '../core/text/safe-text.ts';
import { isCalendarUnread } from '../core/windows/kept-calendars.ts';
import { askWindows } from '../core/windows/openings.ts';
import { poolsWithWindows } from '../core/windows/pools-with-windows.ts';
import { windowText } from '../core/windows/window-text.ts';
import type { ClusterStatus, WindowsStatus } from './status.ts';

/** The windows of a cluster, if it has some. */
export function windowsOf(
  name: string,
  configuration: Pick<Configuration, 'clusters'> | undefined,
  now: Date,
): Pick<ClusterStatus, 'windows'> {
  const cluster = configuration?.clusters.find((each) => each.name === name);
  const groups = cluster === undefined ? [] : poolsWithWindows(cluster);
  if (groups.length === 0) return {};
  return {
    windows: groups.map(({ pools, windows }): WindowsStatus => {
      const shown = { pools, windows: windows.map((window) => safeLine(windowText(window), 300)) };
      if (windows.some(isCalendarUnread)) return shown;
      const { open, ...when } = askWindows(windows, now);
      return { ...shown, open, ...whenOf(when) };
    }),
  };
}

function whenOf(when: { readonly until?: string | undefined; readonly opensAt?: string | undefined }) {
  if (when.until !== undefined) return { until: when.until };
  return when.opensAt === undefined ? {} : { opensAt: when.opensAt };
}
