import type { Metrics } from '../../functions/ports/telemetry.ts';

/** Keeps every figure for the test to look at. */
export function fakeMetrics(): Metrics & {
  /** Sums of the counts. */
  readonly counts: Readonly<Record<string, number>>;
  /** Every value noted under a name, counts and durations, oldest first. */
  readonly values: Readonly<Record<string, readonly number[]>>;
} {
  const counts: Record<string, number> = {};
  const values: Record<string, readonly number[]> = {};
  const keep = (name: string, value: number) => {
    values[name] = [...(values[name] ?? []), value];
  };
  return {
    counts,
    values,
    count(name, value = 1) {
      counts[name] = (counts[name] ?? 0) + value;
      keep(name, value);
    },
    milliseconds: keep,
  };
}
