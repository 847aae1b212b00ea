import { createHash } from 'node:crypto';

/** An entry as GitHub's REST API lists it. */
export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  readonly size?: number;
}

/** Modes of files that are not plain ones, by path: `120000` is a symbolic link, `160000` a submodule. */
export type Modes = Readonly<Record<string, string>>;

/** Git's id of a file's content. */
export function blobId(content: string): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The entries of every folder of a commit, by path; the root's path is empty. Equal folders have equal ids. */
export function treesOf(
  files: ReadonlyMap<string, string>,
  modes: Modes = {},
): ReadonlyMap<string, readonly TreeEntry[]> {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]]);
  for (const [path, content] of files) {
    const mode = modes[path] ?? '100644';
    const isSubmodule = mode === '160000';
    const entry: TreeEntry = {
      path: path.slice(path.lastIndexOf('/') + 1),
      mode,
      type: isSubmodule ? 'commit' : 'blob',
      sha: blobId(content),
      ...(isSubmodule ? {} : { size: Buffer.byteLength(content) }),
    };
    folderIn(folders, parentOf(path)).set(entry.path, entry);
  }
  for (const path of [...folders.keys()].filter((each) => each !== '').sort((a, b) => depth(b) - depth(a)))
    folderIn(folders, parentOf(path)).set(path.slice(path.lastIndexOf('/') + 1), {
      path: path.slice(path.lastIndexOf('/') + 1),
      mode: '040000',
      type: 'tree',
      sha: treeId([...folderIn(folders, path).values()]),
    });
  return new Map([...folders].map(([path, entries]) => [path, [...entries.values()]]));
}

export function treeId(entries: readonly TreeEntry[]): string {
  return createHash('sha1')
    .update(JSON.stringify(entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))))
    .digest('hex');
}

function depth(path: string): number {
  return path.split('/').length;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function folderIn(folders: Map<string, Map<string, TreeEntry>>, path: string): Map<string, TreeEntry> {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const made = new Map<string, TreeEntry>();
  folders.set(path, made);
  if (path !== '') folderIn(folders, parentOf(path));
  return made;
}
