/** A length of time as people write it in `poolkeeper.yaml`: `45s`, `15m`, `1h30m`; largest unit first, each at most
 *  once. */
export const durationPattern = /^(?=\d)(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,6}s)?$/;

const secondsOf = { h: 3600, m: 60, s: 1 } as const;

/** Seconds; undefined when the text is not a duration. */
export function durationSeconds(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  return [...text.matchAll(/(\d{1,6})([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitSeconds(unit),
    0,
  );
}

function unitSeconds(unit: string | undefined): number {
  return unit === 'h' || unit === 'm' ? secondsOf[unit] : secondsOf.s;
}

/** The shortest writing of that many whole seconds: 5400 -> `1h30m`, 0 -> `0s`. */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
  return text === '' ? '0s' : text;
}
