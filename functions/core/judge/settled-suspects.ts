import type { Finding } from '../findings/trouble.ts';
import { refText } from '../findings/trouble.ts';
import { isTrue } from '../openshift/pool.ts';
import { secondsSince } from '../text/instant.ts';
import type { JudgeInput } from './input.ts';

export interface SuspectClocks {
  /** Pools whose render failure is explained otherwise than a moment ago. */
  readonly unsettled: ReadonlySet<string>;
  /** To be stored until the next pass. */
  readonly firstSeen: JudgeInput['firstSeen'];
}

/** No pool can have this name. */
const prefix = '*|suspects|';

/** Seconds. The condition of a failed render stays until the next one, which begins 5 s after a MachineConfig has
 *  changed or gone, and later where the controller is busy. */
const settledAfter = 60;

/** What a failed render is blamed on is found by what has changed just before. Once that is reverted, and until the MCO
 *  has rendered again, whatever else changed then would be blamed, or nothing: another explanation of the same failure
 *  counts when the first one has been away for that long. */
export function suspectClocks({ pools, diagnoses, firstSeen: before, now }: JudgeInput): SuspectClocks {
  if (pools.kind !== 'seen') return { unsettled: new Set(), firstSeen: {} };
  const judged = pools.value
    .filter(({ pool }) => isTrue(pool, 'RenderDegraded'))
    .map(({ pool }) => {
      const ofPool = `${prefix}${pool.name}|`;
      const known = Object.entries(before).filter(([key]) => key.startsWith(ofPool));
      const key = `${ofPool}${explanationOf(diagnoses.get(`${pool.name}/render`)?.findings ?? [])}`;
      const since = before[key] ?? now.toISOString();
      const [oldest, second] = [...known.filter(([other]) => other !== key), [key, since] as const].toSorted(byInstant);
      // However many explanations follow the first one: whoever has them change must not hide the failure.
      const isSettled = oldest?.[0] === key || secondsSince(second?.[1] ?? since, now) >= settledAfter;
      const kept = isSettled ? [] : [oldest, second].filter((each) => each !== undefined);
      return { name: pool.name, isSettled, clocks: [...kept, [key, since] as const] };
    });
  return {
    unsettled: new Set(judged.flatMap(({ name, isSettled }) => (isSettled ? [] : [name]))),
    firstSeen: Object.fromEntries(judged.flatMap(({ clocks }) => clocks)),
  };
}

function byInstant([, a]: readonly [string, string], [, b]: readonly [string, string]): number {
  return Date.parse(a) - Date.parse(b);
}

function explanationOf(findings: readonly Finding[]): string {
  return findings
    .map(({ code, subject }) => `${code} ${refText(subject)}`)
    .toSorted()
    .join(', ')
    .slice(0, 300);
}
