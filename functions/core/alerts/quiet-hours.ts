import type { QuietHours } from '../configuration/alerts.ts';
import type { Incident } from './incident.ts';

/** Severe enough to page at any hour. */
export function isPage({ trouble }: Pick<Incident, 'trouble'>): boolean {
  return trouble !== undefined && (trouble.severity === 'critical' || trouble.severity === 'high');
}

/** Whether the local time of the zone is within these hours, daylight saving included. */
export function isQuiet({ from, to, zone, weekends }: QuietHours, now: Date): boolean {
  const { day, minutes } = wallClock(zone, now);
  if (weekends && (day === 'Sat' || day === 'Sun')) return true;
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  return begin <= end ? minutes >= begin && minutes < end : minutes >= begin || minutes < end;
}

function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Creating a formatter is far slower than using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function wallClock(zone: string, now: Date): { readonly day: string; readonly minutes: number } {
  const known = formatters.get(zone) ?? formatterOf(zone);
  formatters.set(zone, known);
  const parts = new Map(known.formatToParts(now).map(({ type, value }) => [type, value]));
  return {
    day: parts.get('weekday') ?? '',
    minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}
