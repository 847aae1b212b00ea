import { createHash } from 'node:crypto';
import type { Author, Commit, GitPush, GitRepository } from './git-repository.ts';

/** The body of GitHub's `push` webhook, with every field that GitHub sends. */
export function pushPayload(push: GitPush): object {
  const { repository, ref, before, after, forced, commits } = push;
  const sender = account(repository.owner, repository.htmlUrl);
  const empty = '0'.repeat(40);
  return {
    ref,
    before,
    after,
    created: before === empty,
    deleted: after === empty,
    forced,
    base_ref: null,
    compare: `${repository.htmlUrl}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: commits.map((commit) => describeCommit(commit, repository)),
    head_commit: commits.length > 0 ? commits.slice(-1).map((commit) => describeCommit(commit, repository))[0] : null,
    repository: describeRepository(push, sender),
    pusher: { name: commits.at(-1)?.author.name ?? repository.owner, email: commits.at(-1)?.author.email ?? '' },
    sender,
  };
}

function describeCommit(
  { id, message, author, timestamp, added, removed, modified }: Commit,
  { htmlUrl }: GitRepository,
): object {
  const person = describePerson(author);
  const tree_id = createHash('sha1').update(`tree ${id}`).digest('hex');
  return {
    id,
    tree_id,
    distinct: true,
    message,
    timestamp,
    url: `${htmlUrl}/commit/${id}`,
    author: person,
    committer: person,
    added,
    removed,
    modified,
  };
}

function describePerson({ name, email }: Author): object {
  return { name, email, username: email.split('@')[0] };
}

/** A number for a name, always the same one. */
function idOf(name: string): number {
  return createHash('sha1').update(name).digest().readUInt32BE(0) % 900_000_000;
}

function account(login: string, htmlUrl: string): Record<string, unknown> {
  const { origin } = new URL(htmlUrl);
  const api = `${origin}/api/v3/users/${login}`;
  const parts = {
    followers_url: 'followers',
    following_url: 'following{/other_user}',
    gists_url: 'gists{/gist_id}',
    starred_url: 'starred{/owner}{/repo}',
    subscriptions_url: 'subscriptions',
    organizations_url: 'orgs',
    repos_url: 'repos',
    events_url: 'events{/privacy}',
    received_events_url: 'received_events',
  };
  return {
    login,
    id: idOf(login),
    node_id: Buffer.from(`04:User${idOf(login)}`).toString('base64'),
    avatar_url: `${origin}/avatars/${login}`,
    gravatar_id: '',
    url: api,
    html_url: `${origin}/${login}`,
    ...urls(api, parts),
    type: 'User',
    site_admin: false,
  };
}

function urls(base: string, parts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([key, path]) => [key, `${base}/${path}`]));
}

const repositoryPaths = {
  forks_url: 'forks',
  keys_url: 'keys{/key_id}',
  collaborators_url: 'collaborators{/collaborator}',
  teams_url: 'teams',
  hooks_url: 'hooks',
  issue_events_url: 'issues/events{/number}',
  events_url: 'events',
  assignees_url: 'assignees{/user}',
  branches_url: 'branches{/branch}',
  tags_url: 'tags',
  blobs_url: 'git/blobs{/sha}',
  git_tags_url: 'git/tags{/sha}',
  git_refs_url: 'git/refs{/sha}',
  trees_url: 'git/trees{/sha}',
  statuses_url: 'statuses/{sha}',
  languages_url: 'languages',
  stargazers_url: 'stargazers',
  contributors_url: 'contributors',
  subscribers_url: 'subscribers',
  subscription_url: 'subscription',
  commits_url: 'commits{/sha}',
  git_commits_url: 'git/commits{/sha}',
  comments_url: 'comments{/number}',
  issue_comment_url: 'issues/comments{/number}',
  contents_url: 'contents/{+path}',
  compare_url: 'compare/{base}...{head}',
  merges_url: 'merges',
  archive_url: '{archive_format}{/ref}',
  downloads_url: 'downloads',
  issues_url: 'issues{/number}',
  pulls_url: 'pulls{/number}',
  milestones_url: 'milestones{/number}',
  notifications_url: 'notifications{?since,all,participating}',
  labels_url: 'labels{/name}',
  releases_url: 'releases{/id}',
  deployments_url: 'deployments',
};

function describeRepository({ repository, commits }: GitPush, sender: Record<string, unknown>): object {
  const { owner, name, htmlUrl, cloneUrl, defaultBranch } = repository;
  const { origin, host } = new URL(htmlUrl);
  const pushedAt = commits.at(-1)?.timestamp ?? new Date(0).toISOString();
  const seconds = Math.floor(Date.parse(pushedAt) / 1000);
  const id = idOf(`${owner}/${name}`);
  return {
    id,
    node_id: Buffer.from(`010:Repository${id}`).toString('base64'),
    name,
    full_name: `${owner}/${name}`,
    private: true,
    owner: { name: owner, email: `${owner}@example.com`, ...sender },
    html_url: htmlUrl,
    description: null,
    fork: false,
    url: htmlUrl,
    ...urls(`${origin}/api/v3/repos/${owner}/${name}`, repositoryPaths),
    created_at: seconds - 86_400,
    updated_at: pushedAt,
    pushed_at: seconds,
    git_url: `git://${host}/${owner}/${name}.git`,
    ssh_url: `git@${host}:${owner}/${name}.git`,
    clone_url: cloneUrl,
    svn_url: htmlUrl,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: 0,
    license: null,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: 'private',
    custom_properties: {},
    forks: 0,
    open_issues: 0,
    watchers: 0,
    default_branch: defaultBranch,
    stargazers: 0,
    master_branch: defaultBranch,
  };
}
