import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import { readCertificateAuthorities } from './certificate-authorities.ts';
import { checkReferences } from './check-references.ts';
import { checkSecrets } from './check-secrets.ts';
import { fillIn } from './fill-in.ts';
import { isSamePath, type Problem, pathText } from './problem.ts';
import { checkSchema } from './schema-problems.ts';
import { looksSecret } from './secret-looking.ts';
import { type Position, readYaml } from './yaml-text.ts';

export interface ReadOptions {
  /** Path of the file, for messages and for the files it names. */
  readonly source: string;
  /** Reads a file that the configuration names, relative to `source`. Default: from the disk. */
  readonly readText?: (path: string) => string;
}

/** Reads `poolkeeper.yaml`. Throws Misconfigured with every problem at once, in the order of the file, each with
 *  file, line, column, path, reason and, where there is one, a hint. No message holds a value of the file other than
 *  a cluster's name. */
export function readConfiguration(text: string, options: ReadOptions): Configuration {
  const { source, readText = besides(source) } = options;
  const yaml = readYaml(text);
  const faults = yaml.faults.map(({ what, position }) => ({ position, text: what }));
  if (yaml.broken) throw misconfigured(source, faults);
  if (yaml.data === undefined || yaml.data === null) {
    throw misconfigured(source, [{ position: start, text: 'is empty; clusters is missing' }]);
  }
  const schema = checkSchema(yaml.data);
  const authorities = readCertificateAuthorities(yaml.data, readText);
  const secrets = checkSecrets(yaml.texts);
  const others = [...schema.problems, ...checkReferences(yaml.data), ...authorities.problems].filter(
    ({ path }) => !secrets.some((secret) => isSamePath(secret.path, path)),
  );
  const problems = [...secrets, ...others].map((problem) => ({
    position: yaml.position(problem),
    text: problemText(problem),
  }));
  if (schema.file === undefined || faults.length + problems.length > 0) {
    throw misconfigured(source, [...faults, ...problems]);
  }
  return fillIn(schema.file, authorities.pems);
}

const start: Position = { line: 1, column: 1 };

interface Located {
  readonly position: Position;
  readonly text: string;
}

function misconfigured(source: string, problems: readonly Located[]): Misconfigured {
  const sorted = problems.toSorted(
    (a, b) => a.position.line - b.position.line || a.position.column - b.position.column,
  );
  return new Misconfigured(sorted.map(({ position: { line, column }, text }) => `${source}:${line}:${column} ${text}`));
}

function problemText({ path, what, hint }: Problem): string {
  const shown = path.map((part) => (typeof part === 'string' && (looksSecret(part) || part.length > 80) ? '…' : part));
  return `${pathText(shown) || '(the file)'}: ${what}${hint === undefined ? '' : `; ${hint}`}`;
}

function besides(source: string): (path: string) => string {
  return (path) => readFileSync(resolve(dirname(source), path), 'utf8');
}
