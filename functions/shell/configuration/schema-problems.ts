import type * as z from 'zod';
import { ConfigurationFile } from './file/configuration-file.ts';
import { knownKeys } from './known-keys.ts';
import { movedKeys } from './moved-keys.ts';
import { nearest } from './nearest.ts';
import { isSamePath, type Path, type Problem, pathText, valueAt } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** What the schema has against the data, and the file as read when it has nothing. */
export function checkSchema(data: unknown): {
  readonly file: ConfigurationFile | undefined;
  readonly problems: readonly Problem[];
} {
  const { data: file, error } = ConfigurationFile.safeParse(data);
  return { file, problems: error?.issues.flatMap((issue) => problemsOf(issue, data)) ?? [] };
}

function problemsOf(issue: Issue, data: unknown): readonly Problem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        what: 'unknown key',
        hint: keyHint(key, path, data),
        at: 'key',
      }));
    case 'invalid_key':
      return [{ path, what: issue.issues[0]?.message ?? 'is no possible key', hint: undefined, at: 'key' }];
    default:
      return [valueProblem(issue, path, data)];
  }
}

function keyHint(key: string, path: Path, data: unknown): string {
  if (key === '<<') return 'merge keys are not part of YAML 1.2; write the keys out';
  const known = knownKeys(path, data);
  const moved = movedKeys(data).filter(({ from }) => isSamePath(from.slice(0, -1), path));
  const meant = nearest(key, [...known, ...moved.map(({ from }) => String(from.at(-1)))]);
  const now = moved.find(({ from }) => from.at(-1) === meant);
  if (now !== undefined) return `did you mean \`${pathText(now.to)}\`?`;
  return meant === undefined ? `known here: ${known.join(', ')}` : `did you mean \`${meant}\`?`;
}

function valueProblem(issue: Issue, path: Path, data: unknown): Problem {
  const value = valueAt(data, path);
  const must = issue.message;
  if (value === undefined) return { path, what: `is missing; ${must}`, hint: undefined, at: 'value' };
  if (value === null) return { path, what: `is empty; ${must}`, hint: undefined, at: 'key' };
  return { path, what: must, hint: valueHint(issue, value), at: 'value' };
}

function valueHint(issue: Issue, value: unknown): string | undefined {
  if (issue.code === 'invalid_type' && issue.expected === 'string' && ['number', 'boolean'].includes(typeof value)) {
    return 'put it in quotes or give it a unit, so that YAML reads it as text';
  }
  if (typeof value !== 'string') return undefined;
  const meant = nearest(value, candidates(issue));
  return meant === undefined ? undefined : `did you mean \`${meant}\`?`;
}

function candidates(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_union' && 'options' in issue) return issue.options?.map(String) ?? [];
  return [];
}
