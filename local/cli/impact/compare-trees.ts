import { butaneIncludes } from '../../../functions/adapters/yaml/butane-includes.ts';
import { referencesIn } from '../../../functions/adapters/yaml/references-in.ts';
import { isForPeople } from '../../../functions/core/impact/unjudged.ts';
import { mayInclude } from '../../../functions/core/routing/butane-includes.ts';
import {
  type ChangedFile,
  type FilesRead,
  type IncludedFile,
  isButaneFile,
  isManifestFile,
  isNamedAsButane,
  type ObservedFile,
  type ToolFolder,
  toolOfFile,
  toolsOfEntry,
} from '../../../functions/core/routing/changed-file.ts';
import { fromRoot } from '../../../functions/core/routing/go-path.ts';
import { unique } from '../../../functions/core/text/unique.ts';

/** A folder at one commit: path from its root -> entry. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export interface TreeEntry {
  /** Same content, same id. */
  readonly id: string;
  readonly kind: 'file' | 'link' | 'submodule';
  readonly sizeBytes: number;
}

/** Reads the content of an entry. */
export type ReadText = (tree: 'before' | 'after', path: string, entry: TreeEntry) => Promise<string | undefined>;

/** Larger files cannot be manifests: the API server limits a request to 1.5 MiB. */
const fileAtMostBytes = 2 * 1024 * 1024;
/** More than a person could review; what is left out counts as unknown. */
const filesAtMost = 5_000;

/** The files that differ between two trees, with both versions, and where a tool renders manifests. */
export async function compareTrees(before: Tree, after: Tree, read: ReadText): Promise<FilesRead> {
  const paths = unique([...before.keys(), ...after.keys()]).toSorted();
  const changed = paths.filter((path) => !isSameEntry(before.get(path), after.get(path)));
  const files: ChangedFile[] = [];
  for (const path of changed.slice(0, filesAtMost)) {
    files.push({
      path,
      before: await observed('before', path, before.get(path), read),
      after: await observed('after', path, after.get(path), read),
    });
  }
  const left = changed.length - files.length;
  return {
    files,
    tools: withUses(toolsOf([...before, ...after]), await usesOf({ before, after }, read)),
    included: await includedIn(changed.slice(0, filesAtMost), { before, after }, read),
    incomplete: left > 0 ? `${changed.length} files changed, and only the first ${filesAtMost} were read` : undefined,
  };
}

/** To Git, a file and the symbolic link to what it says have one content. */
function isSameEntry(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.id === b?.id && a?.kind === b?.kind;
}

async function observed(
  tree: 'before' | 'after',
  path: string,
  entry: TreeEntry | undefined,
  read: ReadText,
): Promise<ObservedFile> {
  if (entry === undefined) return { kind: 'absent' };
  if (entry.kind === 'link') return { kind: 'unread', why: 'it is a symbolic link' };
  if (entry.kind === 'submodule') return { kind: 'unread', why: 'it is a submodule' };
  if (!isManifestFile(path) && !isButaneFile(path)) return { kind: 'unread', why: 'by its name it is not a manifest' };
  if (entry.sizeBytes > fileAtMostBytes)
    return { kind: 'unread', why: `it is larger than ${fileAtMostBytes / 1024 / 1024} MiB` };
  const text = await read(tree, path, entry);
  return text === undefined ? { kind: 'unread', why: 'it is not text' } : { kind: 'text', text };
}

function toolsOf(entries: readonly (readonly [string, TreeEntry])[]): readonly ToolFolder[] {
  const found = new Map<string, ToolFolder>();
  for (const [path, { kind }] of entries)
    for (const tool of toolsOfEntry(path, kind)) found.set(`${tool.folder}\n${tool.tool}`, tool);
  return [...found.values()];
}

/** Kustomizations that are read for what they take from beside their folders; of more it is not known. */
const kustomizationsAtMost = 200;

/** By the folder of a kustomization: the places elsewhere that it refers to, at either commit. One that cannot be read
 *  is left out. */
async function usesOf(
  trees: Readonly<Record<'before' | 'after', Tree>>,
  read: ReadText,
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const entries = (['before', 'after'] as const).flatMap((tree) =>
    [...trees[tree]].flatMap(([path, entry]) => {
      const own = entry.kind === 'file' ? toolOfFile(path) : undefined;
      return own?.tool === 'kustomize' ? [{ tree, path, entry, folder: own.folder }] : [];
    }),
  );
  const found = new Map<string, readonly string[] | undefined>();
  const once = [...new Map(entries.map((each) => [`${each.path}\n${each.entry.id}`, each])).values()];
  if (once.length > kustomizationsAtMost) return found;
  for (const { tree, path, entry, folder } of once) {
    const text = await read(tree, path, entry);
    const references = text === undefined ? undefined : referencesIn(text);
    const places = references?.map((each) => fromRoot(`${folder}/${each}`));
    const before = found.has(folder) ? found.get(folder) : [];
    found.set(folder, places && before && unique([...before, ...places]));
  }
  return found;
}

/** Butane files that are read for what they include; with more, they may include anything. */
const butaneAtMost = 500;

/** The changed files that Butane files at either commit include, changed or not. */
async function includedIn(
  changed: readonly string[],
  trees: Readonly<Record<'before' | 'after', Tree>>,
  read: ReadText,
): Promise<readonly IncludedFile[]> {
  if (changed.length === 0) return [];
  const entries = (['before', 'after'] as const).flatMap((tree) =>
    [...trees[tree]].flatMap(([path, entry]) =>
      entry.kind === 'file' && entry.sizeBytes <= fileAtMostBytes && isNamedAsButane(path)
        ? [{ tree, path, entry }]
        : [],
    ),
  );
  const once = [...new Map(entries.map((each) => [`${each.path}\n${each.entry.id}`, each])).values()];
  if (once.length > butaneAtMost)
    return changed.filter((path) => !isForPeople(path)).map((path) => ({ path, by: '', makes: undefined }));
  const found: IncludedFile[] = [];
  for (const { tree, path: by, entry } of once) {
    const includes = butaneIncludes((await read(tree, by, entry)) ?? '');
    const paths = changed.filter((path) => path !== by && mayInclude(includes, path));
    found.push(...paths.map((path) => ({ path, by, makes: includes.makes })));
  }
  return found;
}

function withUses(
  tools: readonly ToolFolder[],
  uses: ReadonlyMap<string, readonly string[] | undefined>,
): readonly ToolFolder[] {
  return tools.map((each) => (each.tool === 'kustomize' ? { ...each, uses: uses.get(each.folder) } : each));
}

/** Text, or undefined if the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}
