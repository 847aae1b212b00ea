import * as z from 'zod';
import { matching } from '../../../core/configuration/fields.ts';
import { durationPattern, durationSeconds, durationText } from '../duration.ts';

/** A length of time as text, within the bounds of a number of seconds; read as that number. */
export function lengthOfTime({ minValue, maxValue }: Pick<z.ZodNumber, 'minValue' | 'maxValue'>) {
  const [least, most] = [minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER];
  const must = `must be a length of time with its unit, like 45s, 15m or 1h30m; from ${durationText(least)} to ${durationText(most)}`;
  return matching(durationPattern, must).transform((text, context) => {
    const seconds = durationSeconds(text);
    if (seconds !== undefined && seconds >= least && seconds <= most) return seconds;
    context.addIssue({ code: 'custom', message: must });
    return z.NEVER;
  });
}
