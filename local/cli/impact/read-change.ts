import { stat } from 'node:fs/promises';
import type { Surroundings } from '../command.ts';
import type { ChangeRead } from './change-read.ts';
import type { ChangeSource } from './impact-request.ts';
import { readFolders } from './read-folders.ts';
import { readGit } from './read-git.ts';
import { isGithubName, readGithub } from './read-github.ts';

/** From two folders, from a local clone, or from GitHub for an `owner/name` that is not a local folder. Throws
 *  Misconfigured and Transient. */
export async function readChange(wish: ChangeSource, surroundings: Surroundings): Promise<ChangeRead> {
  if (wish.kind === 'folders') {
    const headRemedy = 'give a clone that knows it (--repo) instead of two folders';
    const files = await readFolders(wish.before, wish.after);
    return { files, origin: undefined, defaultBranch: undefined, headRemedy };
  }
  const isClone = !isGithubName(wish.repository) || (await isFolder(wish.repository));
  return isClone ? readGit(wish.repository, wish) : readGithub(wish.repository, wish, surroundings);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
