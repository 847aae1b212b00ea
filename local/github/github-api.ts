import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { GitHost } from '../openshift/argocd/git-host.ts';
import type { GitRepository } from '../openshift/argocd/git-repository.ts';
import { blobId, type Modes, type TreeEntry, treeId, treesOf } from './git-objects.ts';
import {
  type Answer,
  type AskedOfRepository,
  aboutRepository,
  absent,
  type CommitStatus,
  type IssueComment,
  ourUser,
  type PullRequest,
  pullRequests,
} from './pull-requests.ts';

export interface GithubApiOptions {
  readonly host: GitHost;
  /** Under which the host's repositories have their addresses. */
  readonly origin: string;
  /** 0 = any free one. Always on loopback. */
  readonly port?: number;
  /** What is no plain file. */
  readonly modes?: Modes;
  /** A recursive listing with more entries is cut, as GitHub cuts one of more than 100,000. */
  readonly entriesAtMost?: number;
}

/** What is answered in place of the next requests that fit. */
export interface GithubFault {
  /** Method and path with query: `POST /repos/acme/platform/statuses/...`. */
  readonly request: RegExp;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many times; 1 where it is not said. */
  readonly times?: number;
  /** It is done all the same, as when the answer gets lost. */
  readonly isDone?: boolean;
}

export interface GithubApi {
  /** Base URL without a final slash. */
  readonly api: string;
  /** Method and path with query, oldest first. */
  readonly requests: readonly string[];
  readonly authorizations: ReadonlySet<string>;
  /** Answers that said that nothing had changed. */
  readonly notModified: number;
  /** What was said on commits and pull requests, oldest first. Comments of others may be put among these. */
  readonly statuses: readonly CommitStatus[];
  readonly comments: IssueComment[];
  /** Opens it, or describes it anew. */
  setPull(pull: PullRequest): void;
  /** Runs before a request that fits is answered, each time. */
  before(request: RegExp, run: () => void): void;
  fail(fault: GithubFault): void;
  close(): Promise<void>;
}

/** The part of GitHub's REST API that Poolkeeper uses, for the repositories of a simulated host, on loopback: trees,
 *  blobs, comparisons, pull requests, statuses, comments and the sign-in of an App, with marks (ETag) and whatever goes
 *  wrong.
 *  Source: GitHub REST API, 2022-11-28. Branches of the simulated host have no common past: a comparison names the
 *  newest commit of the first. */
export async function startGithubApi({
  host,
  origin,
  port = 0,
  modes,
  entriesAtMost = 100_000,
}: GithubApiOptions): Promise<GithubApi> {
  const requests: string[] = [];
  const authorizations = new Set<string>();
  const pulls = pullRequests();
  const hooks: { readonly request: RegExp; readonly run: () => void }[] = [];
  const faults: { readonly fault: GithubFault; left: number }[] = [];
  let notModified = 0;

  function tree(repository: GitRepository, sha: string, recursive: boolean): Answer {
    const trees = treesOf(repository.filesAt(sha), modes);
    if (repository.resolve(sha) === sha) return listing(trees, '', recursive);
    for (const commit of commitsOf(repository)) {
      const folders = treesOf(repository.filesAt(commit), modes);
      const folder = [...folders].find(([, entries]) => treeId(entries) === sha)?.[0];
      if (folder !== undefined) return listing(folders, folder, recursive);
    }
    return absent;
  }

  function listing(trees: ReadonlyMap<string, readonly TreeEntry[]>, folder: string, recursive: boolean): Answer {
    const own = trees.get(folder) ?? [];
    const below = recursive
      ? [...trees].flatMap(([path, entries]) => entries.map((entry) => ({ ...entry, path: joined(path, entry.path) })))
      : own;
    return {
      status: 200,
      body: { sha: treeId(own), tree: below.slice(0, entriesAtMost), truncated: below.length > entriesAtMost },
    };
  }

  function blob(repository: GitRepository, sha: string): Answer {
    for (const commit of commitsOf(repository))
      for (const content of repository.filesAt(commit).values())
        if (blobId(content) === sha)
          return {
            status: 200,
            body: { sha, encoding: 'base64', content: inLines(Buffer.from(content).toString('base64')) },
          };
    return absent;
  }

  /** The host keeps no list of its commits: those that were asked for are known. */
  const commits = new Map<GitRepository, Set<string>>();

  function commitsOf(repository: GitRepository): ReadonlySet<string> {
    const known = commits.get(repository) ?? new Set<string>();
    commits.set(repository, known);
    for (const text of requests.flatMap((request) => request.match(/[0-9a-f]{40}/g) ?? []))
      if (repository.resolve(text) === text) known.add(text);
    const head = repository.head();
    if (head !== undefined) known.add(head.id);
    return known;
  }

  function ofRepository(rest: string, asked: AskedOfRepository): Answer {
    const { repository, url } = asked;
    if (rest === '') return { status: 200, body: aboutRepository(repository) };
    const [, what = '', id = ''] =
      /^\/(git\/trees|git\/blobs|commits|compare|statuses|pulls|issues|installation)(?:\/(.*))?$/.exec(rest) ?? [];
    switch (what) {
      case 'git/trees':
        return tree(repository, id, url.searchParams.get('recursive') === '1');
      case 'git/blobs':
        return blob(repository, id);
      case 'commits':
        return commit(repository, decodeURIComponent(id));
      case 'compare':
        return compare(repository, decodeURIComponent(id));
      case 'statuses':
        return pulls.status(id, asked);
      case 'pulls':
        return pulls.pull(Number(id), asked);
      case 'issues':
        return pulls.issue(id, asked);
      case 'installation':
        return { status: 200, body: { id: 1 } };
      default:
        return absent;
    }
  }

  function commit(repository: GitRepository, revision: string): Answer {
    const sha = repository.resolve(revision);
    return sha === undefined ? { status: 422, body: { message: 'No commit found' } } : { status: 200, body: { sha } };
  }

  function compare(repository: GitRepository, range: string): Answer {
    const [base = '', head = ''] = range.split('...').map((each) => repository.resolve(each));
    if (base === '' || head === '') return absent;
    const [before, after] = [repository.filesAt(base), repository.filesAt(head)];
    const files = [...new Set([...before.keys(), ...after.keys()])]
      .filter((path) => before.get(path) !== after.get(path))
      .map((filename) => ({ filename, status: statusOf(before.has(filename), after.has(filename)) }));
    return { status: 200, body: { merge_base_commit: { sha: base }, files } };
  }

  function answer(method: string, url: URL, body: unknown): Answer {
    const [, fullName, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const repository = fullName === undefined ? undefined : host.find(`${origin}/${fullName}`);
    if (repository !== undefined) return ofRepository(rest, { repository, method, url, body });
    if (url.pathname === '/user') return { status: 200, body: { id: ourUser, login: 'poolkeeper' } };
    if (method === 'POST' && /^\/app\/installations\/1\/access_tokens$/.test(url.pathname))
      return { status: 201, body: { token: 'installation-token', expires_at: '2999-01-01T00:00:00Z' } };
    return absent;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://github.invalid');
    const method = request.method ?? 'GET';
    const named = `${method} ${request.url}`;
    requests.push(named);
    authorizations.add(request.headers.authorization ?? '');
    const body = await bodyOf(request);
    for (const hook of hooks.filter((each) => each.request.test(named))) hook.run();
    const failing = faults.find(({ fault, left }) => left > 0 && fault.request.test(named));
    if (failing !== undefined) {
      failing.left -= 1;
      if (failing.fault.isDone === true) answer(method, url, body);
      response.writeHead(failing.fault.status, { ...failing.fault.headers }).end('{"message":"no"}');
      return;
    }
    const { status, body: content } = answer(method, url, body);
    const text = JSON.stringify(content ?? {});
    const etag = `"${createHash('sha1').update(text).digest('hex')}"`;
    const limits = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999' };
    if (status === 200 && request.headers['if-none-match'] === etag) {
      notModified += 1;
      response.writeHead(304, { etag, ...limits }).end();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', etag, ...limits }).end(text);
  }

  const server = createServer((request, response) => void respond(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;

  return {
    api: `http://127.0.0.1:${listening}`,
    requests,
    authorizations,
    get notModified() {
      return notModified;
    },
    statuses: pulls.statuses,
    comments: pulls.comments,
    setPull: pulls.set,
    before: (request, run) => void hooks.push({ request, run }),
    fail: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function statusOf(was: boolean, is: boolean): string {
  if (!was) return 'added';
  return is ? 'modified' : 'removed';
}

/** GitHub breaks base64 after sixty signs. */
function inLines(text: string): string {
  return text.replace(/.{60}/g, '$&\n');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
