import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import type { AskGithub } from './github-answers.ts';

/** An entry of a listing: its type and its object id, by which contents are compared. */
export interface GitEntry {
  readonly kind: 'file' | 'link' | 'submodule' | 'folder';
  readonly sha: string;
  /** Bytes; undefined if it is not a file. */
  readonly size: number | undefined;
}

/** Names and object ids of a folder at one commit; never contents. */
export interface GitListing {
  /** By path from the folder. */
  readonly entries: ReadonlyMap<string, GitEntry>;
  /** GitHub left entries out: more than 100,000, or 7 MB. Source: GitHub REST API, "Get a tree". */
  readonly isCut: boolean;
}

const Tree = z.object({
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string(), size: z.number().optional() }),
  ),
  truncated: z.boolean(),
});

/** How many listings, and entries in all of them together, are cached for conditional requests: the commit after this
 *  push is the one before the next. */
const listingsKept = 8;
const entriesKept = 200_000;

/** Lists the files of a commit or tree, by its id. Throws Transient for a commit that GitHub does not have. */
export function gitTrees(ask: AskGithub) {
  const kept = new Map<string, { readonly etag: string; readonly listing: GitListing }>();

  function keep(key: string, etag: string | undefined, listing: GitListing): void {
    kept.delete(key);
    if (etag === undefined || listing.isCut) return;
    kept.set(key, { etag, listing });
    let entries = 0;
    for (const [index, each] of [...kept.keys()].toReversed().entries()) {
      entries += kept.get(each)?.listing.entries.size ?? 0;
      if (index >= listingsKept || entries > entriesKept) kept.delete(each);
    }
  }

  return async function list(
    repository: string,
    sha: string,
    { signal, recursive }: { readonly signal: AbortSignal; readonly recursive: boolean },
  ): Promise<GitListing> {
    const path = `/git/trees/${sha}${recursive ? '?recursive=1' : ''}`;
    const key = `${repository}${path}`;
    const known = kept.get(key);
    const answer = await ask(repository, { path, shape: Tree, what: 'list of files', signal, etag: known?.etag });
    if (answer.kind === 'unchanged' && known !== undefined) return known.listing;
    if (answer.kind !== 'answer')
      throw new Transient(`GitHub has no commit ${sha.slice(0, 12)}, or it may not be read`);
    const listing = listingOf(answer.body);
    keep(key, answer.etag, listing);
    return listing;
  };
}

export type ListTree = ReturnType<typeof gitTrees>;

function listingOf({ tree, truncated }: z.infer<typeof Tree>): GitListing {
  const entries = tree.map(({ path, mode, type, sha, size }): readonly [string, GitEntry] => [
    path,
    { kind: kindOf(mode, type), sha, size },
  ]);
  return { entries: new Map(entries), isCut: truncated };
}

function kindOf(mode: string, type: string): GitEntry['kind'] {
  if (type === 'tree') return 'folder';
  if (type === 'commit') return 'submodule';
  return mode === '120000' ? 'link' : 'file';
}
