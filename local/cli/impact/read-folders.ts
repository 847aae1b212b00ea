import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { compareTrees, type Tree, type TreeEntry, textOf } from './compare-trees.ts';

/** The files that differ between two folders. Throws Misconfigured if one is not a folder. */
export async function readFolders(before: string, after: string): Promise<FilesRead> {
  const roots = { before, after };
  const [one, other] = [await treeOf(before), await treeOf(after)];
  return compareTrees(one, other, async (tree, path) => textOf(await readFile(join(roots[tree], path))));
}

async function treeOf(root: string): Promise<Tree> {
  const found = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Misconfigured([`--dir ${root}: is not a readable folder`], { cause });
  });
  const tree = new Map<string, TreeEntry>();
  for (const entry of found) {
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (path === '.git' || path.startsWith('.git/')) continue;
    if (entry.isFile() || entry.isSymbolicLink())
      tree.set(path, await entryOf(join(root, path), entry.isSymbolicLink()));
  }
  return tree;
}

async function entryOf(file: string, isLink: boolean): Promise<TreeEntry> {
  const content = isLink ? Buffer.from(await readlink(file)) : await readFile(file);
  const { size } = await lstat(file);
  return { id: createHash('sha256').update(content).digest('hex'), kind: isLink ? 'link' : 'file', sizeBytes: size };
}
