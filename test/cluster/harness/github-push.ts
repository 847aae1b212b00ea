import { randomUUID } from 'node:crypto';
import { githubSignature } from '../../../local/run/github-signature.ts';
import type { Commit, Repository } from './git-server.ts';
import { noCommit } from './git-server.ts';

/** The body of GitHub's `push` event for a commit; the fields Argo CD and Poolkeeper read, and those around them. */
export function githubPush(repository: Omit<Repository, 'commit'>, commit: Commit) {
  const [owner = '', name = ''] = repository.name.split('/');
  const author = { name: 'Ada', email: 'ada@example.com', username: 'ada' };
  const entry = {
    id: commit.after,
    tree_id: commit.after,
    distinct: true,
    message: commit.message,
    timestamp: '2026-01-01T00:00:00Z',
    url: `${repository.htmlUrl}/commit/${commit.after}`,
    author,
    committer: author,
    added: commit.added,
    removed: commit.removed,
    modified: commit.modified,
  };
  return {
    ref: `refs/heads/${repository.branch}`,
    before: commit.before,
    after: commit.after,
    base_ref: null,
    created: commit.before === noCommit,
    deleted: false,
    forced: false,
    compare: `${repository.htmlUrl}/compare/${commit.before.slice(0, 12)}...${commit.after.slice(0, 12)}`,
    commits: [entry],
    head_commit: entry,
    pusher: { name: 'ada', email: 'ada@example.com' },
    sender: { login: 'ada', id: 1, type: 'User' },
    repository: {
      id: 1,
      node_id: 'R_1',
      name,
      full_name: repository.name,
      private: true,
      owner: { name: owner, login: owner, id: 2, type: 'Organization' },
      html_url: repository.htmlUrl,
      clone_url: repository.cloneUrl,
      ssh_url: `git@127.0.0.1:${repository.name}.git`,
      git_url: `git://127.0.0.1/${repository.name}.git`,
      default_branch: repository.branch,
      master_branch: repository.branch,
    },
  };
}

export interface Delivery {
  readonly url: string;
  readonly body: unknown;
  /** GitHub's event name. */
  readonly event?: string;
  /** Signs the body with it; without one nothing is signed, as GitHub does. */
  readonly secret?: string;
  readonly deliveryId?: string;
}

/** Delivers a webhook as GitHub does, and gives back the answer's status and text. */
export async function deliver({
  url,
  body,
  event = 'push',
  secret,
  deliveryId = randomUUID(),
}: Delivery): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/lab',
    'x-github-event': event,
    'x-github-delivery': deliveryId,
  };
  if (secret !== undefined) headers['x-hub-signature-256'] = githubSignature(bytes, secret);
  const answer = await fetch(url, { method: 'POST', headers, body: bytes });
  return { status: answer.status, text: await answer.text() };
}
