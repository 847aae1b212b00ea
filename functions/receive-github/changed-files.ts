import type { PushSeen } from '../../events/index.ts';
import type { GithubPush } from './github-push.ts';

export type ChangedFiles = PushSeen['data']['files'];

/** GitHub lists no more commits than this in a push, without saying that the list is cut. Source: docs.github.com, push
 *  payload. */
const commitsAtMost = 2048;
/** GitHub lists no more files than this per commit, without saying that the list is cut. Same source. */
const filesPerCommitAtMost = 3000;
/** Bytes of JSON. A queue message is limited to 1 MiB, and should stay small locally and on AWS. */
const pathsAtMostBytes = 200_000;

/** Every path that a push touches, each once, in the order of its commits; or why the list may be incomplete. */
export function changedFiles(push: GithubPush): ChangedFiles {
  const why = whyIncomplete(push);
  if (why !== undefined) return { kind: 'unknown', why };
  const paths = pathsOf(push);
  if (paths.length === 0) return { kind: 'unknown', why: 'no changed file is listed' };
  if (Buffer.byteLength(JSON.stringify(paths)) > pathsAtMostBytes)
    return { kind: 'unknown', why: `the list of ${paths.length} changed files is too long for a message` };
  return { kind: 'known', paths };
}

function whyIncomplete({ forced, created, commits }: GithubPush): string | undefined {
  if (forced) return 'forced push: files of the dropped commits are not listed';
  if (created) return 'new ref: its commits may have been pushed before';
  if (commits.length >= commitsAtMost) return `${commitsAtMost} commits or more: GitHub cuts the list there`;
  if (commits.some((commit) => filesIn(commit) >= filesPerCommitAtMost))
    return `${filesPerCommitAtMost} files or more in one commit: GitHub cuts the list there`;
  if (commits.some(({ added, modified, removed }) => !added || !modified || !removed))
    return 'a commit does not list its files';
  return undefined;
}

function pathsOf({ commits }: GithubPush): string[] {
  const paths = new Set<string>();
  for (const { added, modified, removed } of commits)
    for (const listed of [added, modified, removed]) for (const path of listed ?? []) paths.add(path);
  return [...paths];
}

function filesIn({ added, modified, removed }: GithubPush['commits'][number]): number {
  return (added?.length ?? 0) + (modified?.length ?? 0) + (removed?.length ?? 0);
}
