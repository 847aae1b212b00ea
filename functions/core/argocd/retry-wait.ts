/** `retry.backoff` of an operation, as it stands there. */
export interface RetryBackoff {
  readonly duration: string;
  readonly factor?: number | null | undefined;
  readonly maxDuration: string;
}

/** What Argo CD takes where nothing is said. Source: argo-cd v1alpha1 application_defaults.go. */
const defaults = { duration: 5, factor: 2, maxDuration: 180 };

/** Seconds from the end of a failed attempt to the next one. Undefined: Argo CD cannot read the durations either, and
 *  ends the operation. Source: argo-cd v1alpha1 types.go, RetryStrategy.NextRetryAt.
 *  @param retryCount `status.operationState.retryCount`, which has been raised when the attempt failed */
export function retryWaitSeconds(backoff: RetryBackoff | null | undefined, retryCount: number): number | undefined {
  const first = secondsOf(backoff?.duration, defaults.duration);
  const longest = secondsOf(backoff?.maxDuration, defaults.maxDuration);
  if (first === undefined || longest === undefined) return undefined;
  const grown = first * (backoff?.factor ?? defaults.factor) ** retryCount;
  const wait = longest > 0 ? Math.min(longest, grown) : grown;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function secondsOf(text: string | undefined, byDefault: number): number | undefined {
  return text === undefined || text === '' ? byDefault : goSeconds(text);
}

const units: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-9],
  ['us', 1e-6],
  ['µs', 1e-6],
  ['μs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);

/** Characters: a duration of Go has a few. */
const longestDuration = 64;

/** Seconds of a duration of Go, such as `1h30m`. Argo CD takes a number without a unit for seconds. */
function goSeconds(text: string): number | undefined {
  if (text.length > longestDuration) return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  // Numbers and units by turns.
  const parts = rest.match(/[\d.]+|[^\d.]+/g) ?? [];
  if (parts.length === 0 || parts.length % 2 === 1) return undefined;
  let seconds = 0;
  for (let at = 0; at < parts.length; at += 2)
    seconds += Number(parts[at]) * (units.get(parts[at + 1] ?? '') ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * (sign === '-' ? -1 : 1);
}
