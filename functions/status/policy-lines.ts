import type { Policy } from '../core/configuration/policy.ts';
import { durationText } from '../shell/configuration/duration.ts';
import { internalPaths, internalsKey } from '../shell/configuration/file/internals.ts';
import { isLengthOfTime, writtenKey } from '../shell/configuration/file/written-key.ts';
import { isMapping, type Path, pathText } from '../shell/configuration/problem.ts';

type Line = readonly [key: string, text: string];

const internalKeys: ReadonlySet<string> = new Set(internalPaths.map(pathText));

/** A policy with the keys and values of `poolkeeper.yaml`, so that what the page shows can be pasted into the file. */
export function policyLines(policy: Policy): Readonly<Record<string, string>> {
  const lines = linesOf(policy, [], false);
  const tuned = lines.filter(([key]) => !internalKeys.has(key));
  const internals = lines.filter(([key]) => internalKeys.has(key));
  return Object.fromEntries([...tuned, ...internals.map(([key, text]): Line => [`${internalsKey}.${key}`, text])]);
}

function linesOf(value: unknown, path: Path, inSeconds: boolean): readonly Line[] {
  if (isMapping(value)) {
    return Object.entries(value).flatMap(([key, each]) =>
      linesOf(each, [...path, writtenKey(key)], inSeconds || isLengthOfTime(key)),
    );
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.map((each) => (inSeconds && typeof each === 'number' ? durationText(each) : String(each)));
  return [[pathText(path), texts.join(', ')]];
}

export function policyChanges(base: Policy, policy: Policy): Readonly<Record<string, string>> {
  const before = policyLines(base);
  return Object.fromEntries(Object.entries(policyLines(policy)).filter(([key, text]) => before[key] !== text));
}
