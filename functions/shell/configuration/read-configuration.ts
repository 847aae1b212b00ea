import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import { calendarWarnings, readCalendarFiles } from './calendar-files.ts';
import { readCertificateAuthorities } from './certificate-authorities.ts';
import { checkFleetLock } from './check-fleet-lock.ts';
import { checkNodeTurns } from './check-node-turns.ts';
import { checkReferences } from './check-references.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkSequenceRoom } from './check-sequence-room.ts';
import { checkSequences } from './check-sequences.ts';
import { checkTurnJobs } from './check-turn-jobs.ts';
import { fillIn } from './fill-in.ts';
import { type Layer, type Layered, type LayerProblem, readLayers } from './layers.ts';
import { movedKeyProblems, movedKeyWarnings } from './moved-keys.ts';
import { isSamePath, type Path, type Problem, pathText } from './problem.ts';
import { checkSchema } from './schema-problems.ts';
import { looksSecret } from './secret-looking.ts';
import { readTurnFiles } from './turn-files.ts';
import { type Position, readYaml } from './yaml-text.ts';

export interface ReadOptions {
  /** Path of the file, for messages and for the files it names. */
  readonly source: string;
  /** Reads a file that the configuration names, relative to `source`. Default: from the disk. */
  readonly readText?: (path: string) => string;
  /** Hears of what works and should be written otherwise, and of what cannot be known, in the form of the problems.
   *  Default: nobody does. */
  readonly warn?: (warning: string) => void;
  /** Hears, in the same form, of certificate authorities that are not here because only a pod has them. Default:
   *  whoever reads is that pod, or must have them all, and it is a problem. */
  readonly unread?: (note: string) => void;
}

/** Reads `poolkeeper.yaml`, and the files that it extends. Throws Misconfigured with every problem at once, in the
 *  order of the files, each with file, line, column, path, reason and, where there is one, a hint. No message holds a
 *  value of the file other than a cluster's name. */
export function readConfiguration(text: string, options: ReadOptions): Configuration {
  const { source, readText = besides(source), warn = () => undefined, unread } = options;
  const own: Layer = { source, yaml: readYaml(text) };
  const files = own.yaml.broken ? undefined : readLayers(own, readText);
  const layers = files?.layers ?? [own];
  const faults = layers.flatMap((layer) =>
    layer.yaml.faults.map(({ what, position }) => ({ layer, position, text: what })),
  );
  const ofLayers = files?.problems.map(located) ?? [];
  if (files === undefined || layers.some(({ yaml }) => yaml.broken))
    throw misconfigured(layers, [...faults, ...ofLayers]);
  const { data } = files;
  if (data === undefined || data === null) {
    throw misconfigured(layers, [{ layer: own, position: start, text: 'is empty; clusters is missing' }]);
  }
  const turns = readTurnFiles(data, readText);
  const calendars = readCalendarFiles(turns.data, readText);
  const schema = checkSchema(calendars.data);
  const authorities = readCertificateAuthorities(data, readText);
  const secrets = layers.flatMap((layer) => checkSecrets(layer.yaml.texts).map((problem) => ({ layer, problem })));
  const others = [
    ...schema.problems,
    ...checkReferences(data),
    ...checkSequences(data),
    ...checkSequenceRoom(schema.file?.sequences),
    ...checkNodeTurns(turns.data),
    ...checkTurnJobs(turns.data),
    ...turns.problems,
    ...checkFleetLock(data),
    ...movedKeyProblems(data),
    ...authorities.problems,
    ...(unread === undefined ? authorities.unread : []),
    ...calendars.problems,
  ]
    .map((problem) => inLayer(problem, files))
    .filter(
      ({ layer, place }) => !secrets.some((secret) => secret.layer === layer && isSamePath(secret.problem.path, place)),
    );
  const problems = [...secrets.map(located), ...ofLayers, ...others];
  if (schema.file === undefined || faults.length + problems.length > 0) {
    throw misconfigured(layers, [...faults, ...problems]);
  }
  const told = (each: readonly Problem[]) =>
    linesOf(
      layers,
      each.map((problem) => inLayer(problem, files)),
    );
  for (const line of told([...movedKeyWarnings(data), ...calendarWarnings(data), ...turns.warnings])) warn(line);
  for (const line of told(authorities.unread)) unread?.(line);
  return fillIn(schema.file, authorities.pems);
}

const start: Position = { line: 1, column: 1 };

interface Located {
  readonly layer: Layer;
  readonly position: Position;
  readonly text: string;
}

function located({ layer, problem }: LayerProblem): Located {
  return { layer, position: layer.yaml.position(problem), text: problemText(problem) };
}

/** A problem with all files together, where its cause was written. */
function inLayer(problem: Problem, files: Layered): Located & { readonly place: Path } {
  const { layer, path } = files.writtenAt(problem.path);
  return { layer, position: layer.yaml.position({ path, at: problem.at }), text: problemText(problem), place: path };
}

function misconfigured(layers: readonly Layer[], problems: readonly Located[]): Misconfigured {
  return new Misconfigured(linesOf(layers, problems));
}

function linesOf(layers: readonly Layer[], located: readonly Located[]): readonly string[] {
  return layers.flatMap((layer) =>
    located
      .filter((each) => each.layer === layer)
      .toSorted((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
      .map(({ position: { line, column }, text }) => `${layer.source}:${line}:${column} ${text}`),
  );
}

function problemText({ path, what, hint }: Problem): string {
  const shown = path.map((part) => (typeof part === 'string' && (looksSecret(part) || part.length > 80) ? '…' : part));
  return `${pathText(shown) || '(the file)'}: ${what}${hint === undefined ? '' : `; ${hint}`}`;
}

function besides(source: string): (path: string) => string {
  return (path) => readFileSync(resolve(dirname(source), path), 'utf8');
}
