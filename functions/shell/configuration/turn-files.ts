import { isAlias, parseAllDocuments, visit } from 'yaml';
import {
  type ReferenceObject,
  type ReferenceRemark,
  type ReferenceSection,
  readReference,
} from '../../core/node-turns/reference-resources.ts';
import { listAt, textAt } from '../../core/openshift/member.ts';
import { checkSecrets } from './check-secrets.ts';
import { merged } from './file/merged.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** The configuration with the rules, targets and runs of `nodeTurns.files` beside its own. */
export interface TurnFiles {
  readonly data: unknown;
  readonly problems: readonly Problem[];
  /** What is read otherwise than it may seem, and what is not taken. */
  readonly warnings: readonly Problem[];
}

/** UTF-16 units of a file. */
const fileAtMost = 1_000_000;

/** Reads `nodeTurns.files`; `readText` throws when a file cannot be read. What the section itself says of a run beats
 *  its file, key by key; a rule or target that it has too is its own. */
export function readTurnFiles(data: unknown, readText: (path: string) => string): TurnFiles {
  const section = valueAt(data, ['nodeTurns']);
  const files = valueAt(section, ['files']);
  if (!isMapping(data) || !isMapping(section) || !Array.isArray(files)) return { data, problems: [], warnings: [] };
  const named = files.filter((file): file is string => typeof file === 'string' && file !== '');
  const read = readTurnObjects(named, readText, onlyCluster(data));
  const placeOf = (source: string): Path => ['nodeTurns', 'files', files.indexOf(source)];
  const told = (kinds: readonly ReferenceRemark['kind'][]) =>
    read.section.remarks
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ source, at, says }) => problem(placeOf(source), `${at} ${says}`));
  return {
    data: { ...data, nodeTurns: withFiles(section, read.section) },
    problems: [
      ...read.problems.map(({ source, what, hint }) => problem(placeOf(source), what, hint)),
      ...told(['refused']),
    ],
    warnings: told(['not taken', 'hint']),
  };
}

/** What is wrong with a file as a whole. */
interface FileProblem {
  readonly source: string;
  readonly what: string;
  readonly hint: string | undefined;
}

/** The reference's objects in files, as the section has them. */
export function readTurnObjects(
  files: readonly string[],
  readText: (path: string) => string,
  cluster: string | undefined,
): { readonly section: ReferenceSection; readonly problems: readonly FileProblem[] } {
  const read = files.map((file) => objectsIn(file, readText));
  return {
    section: readReference(
      read.flatMap(({ objects }) => objects),
      cluster,
    ),
    problems: read.flatMap(({ problems }) => problems),
  };
}

function problem(path: Path, what: string, hint?: string): Problem {
  return { path, what, hint, at: 'value' };
}

/** Files do not say which cluster they are for. */
function onlyCluster(data: unknown): string | undefined {
  const clusters = valueAt(data, ['clusters']);
  if (!Array.isArray(clusters) || clusters.length !== 1) return undefined;
  return textAt(clusters[0], 'name');
}

function withFiles(section: Readonly<Record<string | number, unknown>>, read: ReferenceSection): unknown {
  const runs = Object.fromEntries(
    Object.entries(read.runs).map(([name, run]) => [name, withOwn(run, valueAt(section, ['runs', name]))]),
  );
  const beside = (key: 'rules' | 'targets') => ({ ...read[key], ...own(section, key) });
  return { ...section, rules: beside('rules'), targets: beside('targets'), runs: { ...own(section, 'runs'), ...runs } };
}

function own(section: Readonly<Record<string | number, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = section[key];
  return isMapping(value) ? value : {};
}

/** A run that is to be of mode turns has no use for the canary of its file. */
function withOwn(run: Readonly<Record<string, unknown>>, changes: unknown): unknown {
  const { canary: _, ...withoutCanary } = run;
  return merged(valueAt(changes, ['mode']) === 'turns' ? withoutCanary : run, changes);
}

interface ReadFile {
  readonly objects: readonly ReferenceObject[];
  readonly problems: readonly FileProblem[];
}

function objectsIn(file: string, readText: (path: string) => string): ReadFile {
  const failed = (what: string, hint?: string): ReadFile => ({
    objects: [],
    problems: [{ source: file, what, hint }],
  });
  let text: string;
  try {
    text = readText(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    return failed(`cannot be read (${code})`, 'the path is relative to this file');
  }
  if (text.length > fileAtMost) return failed(`is longer than ${fileAtMost} characters`);
  const documents = parseAllDocuments(text, { prettyErrors: false });
  // The parser's own messages quote the text.
  if (!Array.isArray(documents)) return failed('has no object');
  const broken = documents.findIndex(({ errors }) => errors.length > 0);
  if (broken >= 0) return failed(`is no YAML, in its document ${broken + 1}`);
  if (documents.some(hasAlias)) return failed('has an alias (*), which is not read here');
  const found: readonly unknown[] = documents.map((document) => document.toJS()).filter((each) => each !== null);
  const secrets = found.some((each) => checkSecrets(textsIn(each, [])).length > 0);
  if (secrets) return failed('has what looks like a secret', 'a Job reads secrets of its namespace by their names');
  const objects = found.flatMap((each) => (textAt(each, 'kind') === 'List' ? listAt(each, 'items') : [each]));
  return { objects: objects.map((object) => ({ source: file, object })), problems: [] };
}

function hasAlias(document: Parameters<typeof visit>[0]): boolean {
  let found = false;
  visit(document, (_, node) => {
    found ||= isAlias(node);
  });
  return found;
}

function textsIn(value: unknown, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((each, index) => textsIn(each, [...path, index]));
  return isMapping(value) ? Object.entries(value).flatMap(([key, each]) => textsIn(each, [...path, key])) : [];
}
