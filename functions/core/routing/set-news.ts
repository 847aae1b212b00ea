import { fromRoot } from './go-path.ts';
import type { ParsedFiles } from './parsed-files.ts';
import { namesOf, type RoutedPush } from './push.ts';
import { pushedOf } from './revision.ts';
import type { GitGenerator, SetRoute } from './route.ts';
import { hasTooMany, isReadBy, literalPart, mayBeFile } from './set-concerned.ts';

/** Why an ApplicationSet may generate something else than before, and because of what. */
export interface SetNews {
  readonly path: string;
  readonly why: string;
}

/** Which changed files may change the output of an ApplicationSet; undefined: none. A files generator reads their
 *  content; a folders generator only their paths, so that only new or removed folders count. Unknown is a match. */
export function setNews(set: SetRoute, push: RoutedPush, files: ParsedFiles): SetNews | undefined {
  const observed = { repositories: namesOf(push), pushed: pushedOf(push) };
  const reading = set.generators.filter((each) => isReadBy(each, observed));
  const path = hasTooMany(reading, files.files.length + movedIn(files).length)
    ? anyOf(files)
    : firstNews(reading, files);
  return path === undefined
    ? undefined
    : { path, why: `ApplicationSet ${set.ref.name} generates Applications from it` };
}

function firstNews(generators: readonly GitGenerator[], files: ParsedFiles): string | undefined {
  for (const generator of generators) {
    const path = newsOf(generator, files);
    if (path !== undefined) return path;
  }
  return undefined;
}

function anyOf({ files }: ParsedFiles): string {
  return files[0]?.path ?? 'the list of changed files';
}

/** The file or folder that changes it. */
function newsOf({ reads, paths }: GitGenerator, read: ParsedFiles): string | undefined {
  const { files, incomplete } = read;
  if (incomplete !== undefined || paths.length === 0) return anyOf(read);
  if (reads === 'files') return files.find(({ path }) => paths.some((pattern) => mayBeFile(pattern, path)))?.path;
  return movedIn(read).find((folder) => paths.some((pattern) => mayHold(pattern, folder)));
}

function movedIn({ files, folders }: ParsedFiles): readonly string[] {
  return folders === undefined ? foldersOf(files) : [...folders.appeared, ...folders.vanished];
}

/** Folders of files that were added or removed: any of them may have appeared or vanished with the file. */
function foldersOf(files: ParsedFiles['files']): readonly string[] {
  const moved = files.filter(({ before, after }) => before.kind === 'absent' || after.kind === 'absent');
  return moved.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []));
}

/** Whether the pattern may match this folder, or one in it. A star stands for one part of a path. */
function mayHold(pattern: string, folder: string): boolean {
  const literal = literalPart(pattern);
  const isNear = isWithin(folder, literal) || isWithin(literal, folder);
  return isNear && (pattern.includes('**') || depth(folder) <= depth(fromRoot(pattern)));
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || `${path}/`.startsWith(`${folder}/`);
}

function depth(path: string): number {
  return path === '' ? 0 : path.split('/').length;
}
