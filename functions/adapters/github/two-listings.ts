import { meetsAnyOf } from '../../core/routing/by-folder.ts';
import { unique } from '../../core/text/unique.ts';
import type { GitEntry, GitListing, ListTree } from './git-trees.ts';
import { folderOf } from './repository-paths.ts';

/** The listings of a repository at two commits, as far as they were read. */
export interface TwoListings {
  /** By path from the root; without folders. */
  readonly before: ReadonlyMap<string, GitEntry>;
  readonly after: ReadonlyMap<string, GitEntry>;
  /** Why unchanged folders are missing; undefined: none is missing, or none that was requested. */
  readonly incomplete: string | undefined;
}

interface Comparing {
  readonly list: ListTree;
  readonly repository: string;
  readonly from: string;
  readonly to: string;
  readonly folders: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Most listing requests for a repository that is too large for one. */
  readonly listings: number;
}

/** Both commits with one request each; a repository too large for that is walked folder by folder where the two
 *  differ. */
export async function twoListings(comparing: Comparing): Promise<TwoListings> {
  const { list, repository, from, to, signal } = comparing;
  const [before, after] = await Promise.all(
    [from, to].map((commit) => list(repository, commit, { signal, recursive: true })),
  );
  if (before !== undefined && after !== undefined && !before.isCut && !after.isCut)
    return { before: filesOf(before), after: filesOf(after), incomplete: undefined };
  return walk(comparing);
}

function filesOf({ entries }: GitListing): ReadonlyMap<string, GitEntry> {
  return new Map([...entries].filter(([, { kind }]) => kind !== 'folder'));
}

/** Paths that differ. */
export function changedPaths({ before, after }: TwoListings): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => !isSame(before.get(path), after.get(path))).toSorted();
}

/** Characters of a path whose folders are compared: a path of many folders costs the square of its length. */
const pathAtMost = 500;

/** Folders that exist at only one commit, the topmost of each; undefined if a path is too long to tell. `changed`:
 *  paths that differ. */
export function movedFolders(
  { before, after }: TwoListings,
  changed: readonly string[],
): { readonly appeared: readonly string[]; readonly vanished: readonly string[] } | undefined {
  const paths = [before, after].flatMap((listing) => [...listing.keys()]);
  if (paths.some(({ length }) => length > pathAtMost)) return undefined;
  return {
    appeared: foldersOnlyIn(after, before, changed),
    vanished: foldersOnlyIn(before, after, changed),
  };
}

function foldersOnlyIn(
  here: ReadonlyMap<string, GitEntry>,
  there: ReadonlyMap<string, GitEntry>,
  changed: readonly string[],
): readonly string[] {
  const paths = changed.filter((path) => here.has(path) && !there.has(path));
  if (paths.length === 0) return [];
  const known = new Set<string>();
  for (const path of there.keys()) {
    // All parents of a known folder are known.
    for (let folder = folderOf(path); folder !== '' && !known.has(folder); folder = folderOf(folder)) known.add(folder);
  }
  const found = paths.flatMap((path) => foldersAbove(path).findLast((folder) => !known.has(folder)) ?? []);
  return unique(found);
}

/** Nearest first, without the root. */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

function isSame(a: GitEntry | undefined, b: GitEntry | undefined): boolean {
  return a !== undefined && b !== undefined && a.sha === b.sha && a.kind === b.kind;
}

interface Folder {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

async function walk({ list, repository, from, to, folders, signal, listings }: Comparing): Promise<TwoListings> {
  const before = new Map<string, GitEntry>();
  const after = new Map<string, GitEntry>();
  // The folders, their parents and everything below them.
  const isAsked = meetsAnyOf(folders ?? []);
  const open: Folder[] = [{ path: '', before: from, after: to }];
  let left = listings;
  let isFolderCut = false;

  async function entriesOf(sha: string | undefined): Promise<ReadonlyMap<string, GitEntry>> {
    if (sha === undefined) return new Map();
    left -= 1;
    const { entries, isCut } = await list(repository, sha, { signal, recursive: false });
    isFolderCut ||= isCut;
    return entries;
  }

  for (const folder of open) {
    if (left < 2) return { before, after, incomplete: 'the repository is too large to be read for one push' };
    const was = await entriesOf(folder.before);
    const is = folder.before === folder.after ? was : await entriesOf(folder.after);
    const below = inFolder(folder.path, was, is);
    for (const { path, one, other } of below) {
      keepFile(before, path, one);
      keepFile(after, path, other);
    }
    const next = below.map(({ path, one, other }) => ({ path, before: folderId(one), after: folderId(other) }));
    open.push(...next.filter((each) => each.before !== each.after || (each.after !== undefined && isAsked(each.path))));
  }
  if (isFolderCut) return { before, after, incomplete: 'a folder of the repository is too large to be listed' };
  const why = 'the repository is too large to list its unchanged folders';
  return { before, after, incomplete: folders === undefined ? why : undefined };
}

function keepFile(files: Map<string, GitEntry>, path: string, entry: GitEntry | undefined): void {
  if (entry !== undefined && entry.kind !== 'folder') files.set(path, entry);
}

function inFolder(folder: string, was: ReadonlyMap<string, GitEntry>, is: ReadonlyMap<string, GitEntry>) {
  return unique([...was.keys(), ...is.keys()]).map((name) => ({
    path: folder === '' ? name : `${folder}/${name}`,
    one: was.get(name),
    other: is.get(name),
  }));
}

function folderId(entry: GitEntry | undefined): string | undefined {
  return entry?.kind === 'folder' ? entry.sha : undefined;
}
