import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import { calendarWarnings, readCalendarFiles } from './calendar-files.ts';
import { readCertificateAuthorities } from './certificate-authorities.ts';
import { checkReferences } from './check-references.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkSequences } from './check-sequences.ts';
import { fillIn } from './fill-in.ts';
import { movedKeyProblems, movedKeyWarnings } from './moved-keys.ts';
import { isSamePath, type Problem, pathText } from './problem.ts';
import { checkSchema } from './schema-problems.ts';
import { looksSecret } from './secret-looking.ts';
import { type Position, readYaml } from './yaml-text.ts';

export interface ReadOptions {
  /** Path of the file, for messages and for the files it names. */
  readonly source: string;
  /** Reads a file that the configuration names, relative to `source`. Default: from the disk. */
  readonly readText?: (path: string) => string;
  /** Hears of what works and should be written otherwise, and of what cannot be known, in the form of the problems.
   *  Default: nobody does. */
  readonly warn?: (warning: string) => void;
}

/** Reads `poolkeeper.yaml`. Throws Misconfigured with every problem at once, in the order of the file, each with
 *  file, line, column, path, reason and, where there is one, a hint. No message holds a value of the file other than
 *  a cluster's name. */
export function readConfiguration(text: string, options: ReadOptions): Configuration {
  const { source, readText = besides(source), warn = () => undefined } = options;
  const yaml = readYaml(text);
  const faults = yaml.faults.map(({ what, position }) => ({ position, text: what }));
  if (yaml.broken) throw misconfigured(source, faults);
  if (yaml.data === undefined || yaml.data === null) {
    throw misconfigured(source, [{ position: start, text: 'is empty; clusters is missing' }]);
  }
  const calendars = readCalendarFiles(yaml.data, readText);
  const schema = checkSchema(calendars.data);
  const authorities = readCertificateAuthorities(yaml.data, readText);
  const secrets = checkSecrets(yaml.texts);
  const others = [
    ...schema.problems,
    ...checkReferences(yaml.data),
    ...checkSequences(yaml.data),
    ...movedKeyProblems(yaml.data),
    ...authorities.problems,
    ...calendars.problems,
  ].filter(({ path }) => !secrets.some((secret) => isSamePath(secret.path, path)));
  const located = (problem: Problem): Located => ({ position: yaml.position(problem), text: problemText(problem) });
  const problems = [...secrets, ...others].map(located);
  if (schema.file === undefined || faults.length + problems.length > 0) {
    throw misconfigured(source, [...faults, ...problems]);
  }
  const warnings = [...movedKeyWarnings(yaml.data), ...calendarWarnings(yaml.data)];
  for (const line of linesOf(source, warnings.map(located))) warn(line);
  return fillIn(schema.file, authorities.pems);
}

const start: Position = { line: 1, column: 1 };

interface Located {
  readonly position: Position;
  readonly text: string;
}

function misconfigured(source: string, problems: readonly Located[]): Misconfigured {
  return new Misconfigured(linesOf(source, problems));
}

function linesOf(source: string, located: readonly Located[]): readonly string[] {
  return located
    .toSorted((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .map(({ position: { line, column }, text }) => `${source}:${line}:${column} ${text}`);
}

function problemText({ path, what, hint }: Problem): string {
  const shown = path.map((part) => (typeof part === 'string' && (looksSecret(part) || part.length > 80) ? '…' : part));
  return `${pathText(shown) || '(the file)'}: ${what}${hint === undefined ? '' : `; ${hint}`}`;
}

function besides(source: string): (path: string) => string {
  return (path) => readFileSync(resolve(dirname(source), path), 'utf8');
}
