/** One formatter for each zone: making one takes as long as a thousand uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The instant of a local time, both in milliseconds, the first as if it were UTC. One that a clock change skips is
 *  moved by the change; of one that comes twice, the first counts. The zone is one. */
export function instantOfLocal(local: number, timeZone: string): number {
  const day = 24 * 3_600_000;
  const before = local - offsetAt(local - day, timeZone);
  const after = local - offsetAt(local + day, timeZone);
  if (before === after) return before;
  const exact = [before, after].filter((instant) => instant + offsetAt(instant, timeZone) === local);
  return exact.length > 0 ? Math.min(...exact) : before;
}

/** Milliseconds that local time is ahead of UTC. */
export function offsetAt(instant: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(instant);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return local - Math.floor(instant / 1000) * 1000;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formatters.set(timeZone, known);
  return known;
}
