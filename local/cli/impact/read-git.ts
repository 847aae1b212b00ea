import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { command } from '../../../functions/core/text/shell-words.ts';
import { compareTrees, type Tree, type TreeEntry, textOf } from './compare-trees.ts';

const run = promisify(execFile);

/** Bytes. Largest output of `git`. */
const outputAtMostBytes = 256 * 1024 * 1024;

export interface GitChange {
  readonly files: FilesRead;
  /** The commit, and the commit or tree, that are compared. */
  readonly before: string;
  readonly after: string;
  /** Why that is the branch alone, though it is behind its base; absent: it is what merging it pushes. */
  readonly unmerged?: string | undefined;
  /** Address of the remote that is pushed to; undefined if there is none. */
  readonly origin: string | undefined;
  /** Branch of the remote's HEAD; undefined if the clone does not know it. */
  readonly defaultBranch: string | undefined;
  /** How the clone gets to know it. */
  readonly headRemedy: string;
  /** The branch that the base is called by; undefined: it is called otherwise, as by a commit or tag. */
  readonly branch: string | undefined;
}

/** What merging `to` into `from` pushes, in a local clone, as for a pull request. Fetches and changes nothing. Throws
 *  Misconfigured. */
export async function readGit(repository: string, { from, to }: { readonly from: string; readonly to: string }) {
  const git = gitIn(repository);
  const [start, end] = [await commitOf(git, from, '--from'), await commitOf(git, to, '--to')];
  const base = await git(['merge-base', start, end]).catch(() => Buffer.from(start));
  const mergeBase = base.toString().trim();
  const { before, after, unmerged } = await whatToCompare(git, { start, end, mergeBase, from });
  const trees = { before: await treeOf(git, before), after: await treeOf(git, after) };
  const files = await compareTrees(trees.before, trees.after, async (_tree, _path, { id }) =>
    textOf(await git(['cat-file', 'blob', id])),
  );
  const { remote, branch } = await branchOf(git, from);
  const origin = await textOr(git, ['remote', 'get-url', remote]);
  const head = await textOr(git, ['symbolic-ref', `refs/remotes/${remote}/HEAD`]);
  const defaultBranch = head?.slice(`refs/remotes/${remote}/`.length);
  const headRemedy = `let the clone know it (\`${command('git', 'remote', 'set-head', remote, '--auto')}\`)`;
  return { files, before, after, unmerged, origin, defaultBranch, headRemedy, branch } satisfies GitChange;
}

/** The branch that a name is of, as Git reads it, and its remote: that of `upstream/main` is another repository than a
 *  fork that is `origin`. What is checked out (`HEAD`) is no name of one. */
async function branchOf(
  git: Git,
  name: string,
): Promise<{ readonly remote: string; readonly branch: string | undefined }> {
  const unnamed = { remote: 'origin', branch: undefined };
  if (name === 'HEAD' || name === '@') return unnamed;
  const full = await textOr(git, [
    'rev-parse',
    '--symbolic-full-name',
    '--verify',
    '--quiet',
    '--end-of-options',
    name,
  ]);
  const [, place, rest = ''] = /^refs\/(heads|remotes)\/(.+)$/.exec(full ?? '') ?? [];
  if (place === undefined) return unnamed;
  if (place === 'heads') return { remote: 'origin', branch: rest };
  const remotes = (await textOr(git, ['remote']))?.split('\n') ?? [];
  const [remote] = remotes.filter((each) => rest.startsWith(`${each}/`)).toSorted((a, b) => b.length - a.length);
  return remote === undefined ? unnamed : { remote, branch: rest.slice(remote.length + 1) };
}

interface Parting {
  readonly start: string;
  readonly end: string;
  readonly mergeBase: string;
  /** What the base is called. */
  readonly from: string;
}

/** Of a branch that is behind, its base may have moved what it changes: then what Git makes of both counts. That leaves
 *  a tree in the clone to which nothing refers, and which Git removes in time. */
async function whatToCompare(
  git: Git,
  { start, end, mergeBase, from }: Parting,
): Promise<Pick<GitChange, 'before' | 'after' | 'unmerged'>> {
  const branch = { before: mergeBase, after: end };
  if (mergeBase === start || mergeBase === end) return branch;
  try {
    const [tree = ''] = (await git(['merge-tree', '--write-tree', start, end])).toString().split('\n');
    return { before: start, after: tree };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const isConflict = cause.cause instanceof Error && 'code' in cause.cause && cause.cause.code === 1;
    const why = isConflict
      ? `it conflicts with ${from}`
      : 'to merge them takes Git 2.38 and a clone that may be written';
    return { ...branch, unmerged: why };
  }
}

function textOr(git: Git, args: readonly string[]): Promise<string | undefined> {
  return git(args).then(
    (text) => text.toString().trim(),
    () => undefined,
  );
}

type Git = (args: readonly string[]) => Promise<Buffer>;

function gitIn(repository: string): Git {
  return async (args) => {
    try {
      const { stdout } = await run('git', ['-C', repository, ...args], {
        encoding: 'buffer',
        maxBuffer: outputAtMostBytes,
      });
      return stdout;
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
        throw new Misconfigured(['git is not installed; --dir BEFORE AFTER works without it'], { cause });
      throw new Transient(`git ${args[0]} failed in ${repository}`, { cause });
    }
  };
}

/** The name may be a branch, a tag, a commit or `HEAD~2`; it is never parsed as an option. */
async function commitOf(git: Git, name: string, flag: string): Promise<string> {
  try {
    return (await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])).toString().trim();
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    throw new Misconfigured([`${flag} ${name}: not a commit of the repository given by --repo`], { cause });
  }
}

async function treeOf(git: Git, commit: string): Promise<Tree> {
  const listed = (await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit])).toString('utf8');
  const entries = listed.split('\0').flatMap((line): readonly (readonly [string, TreeEntry])[] => {
    const [, mode, id = '', size, path = ''] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/.exec(line) ?? [];
    return mode === undefined ? [] : [[path, { id, kind: kindOf(mode), sizeBytes: Number(size) || 0 }]];
  });
  return new Map(entries);
}

/** Source: git-ls-tree. Of a submodule Git has the commit, not the content. */
function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '160000') return 'submodule';
  return mode === '120000' ? 'link' : 'file';
}
