/** The value below which this share of the samples lies (nearest rank). Throws when there is none. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (value === undefined) throw new Error('no samples');
  return value;
}

export const median = (samples: readonly number[]) => quantile(samples, 0.5);
