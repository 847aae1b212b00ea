/** Instants are ISO-8601 UTC strings in data and Dates at the edges. Kubernetes writes whole seconds: compare those. */

/** The last instant with a year of four digits: records have no others. */
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** Never later than the year 9999, which a time from a cluster may be near. */
export function plusSeconds(from: Date, seconds: number): string {
  return new Date(Math.min(from.getTime() + seconds * 1000, lastInstant)).toISOString();
}

export function isPast(instant: string, now: Date): boolean {
  return Date.parse(instant) <= now.getTime();
}

export function secondsSince(instant: string, now: Date): number {
  return (now.getTime() - Date.parse(instant)) / 1000;
}

/** `a` is in a later whole second than `b`. Within one second there is no order. */
export function isLaterSecond(a: string, b: string): boolean {
  return wholeSecond(a) > wholeSecond(b);
}

export function isEarlierSecond(a: string, b: string): boolean {
  return isLaterSecond(b, a);
}

function wholeSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}

/** The earliest known instant. */
export function earliest(instants: readonly (string | undefined)[]): string | undefined {
  const known = instants.filter((each) => each !== undefined);
  return known.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}

/** The latest known instant. */
export function latest(instants: readonly (string | undefined)[]): string | undefined {
  const known = instants.filter((each) => each !== undefined);
  return known.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
}
