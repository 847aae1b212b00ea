import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { GitHost } from '../openshift/argocd/git-host.ts';
import { GitData } from './git-data.ts';
import type { Modes } from './git-objects.ts';
import {
  type Answer,
  aboutRepository,
  absent,
  type CommitStatus,
  type IssueComment,
  ourUser,
  type PullRequest,
  PullRequests,
  type RepositoryRequest,
} from './pull-requests.ts';

export interface GithubApiOptions {
  readonly host: GitHost;
  /** Of the repositories' addresses, as `https://git.example.com`. */
  readonly origin: string;
  /** On loopback; 0, the default, takes a free one. */
  readonly port?: number;
  /** Files that are not plain ones. */
  readonly modes?: Modes;
  /** A recursive listing is truncated after so many entries; GitHub's limit, the default, is 100,000. */
  readonly entriesAtMost?: number;
  /** The rate limit, for all requests until the server is closed; 5,000, the default, is GitHub's for an hour. A 304
   *  costs nothing. */
  readonly requestsAtMost?: number;
}

/** A response that matching requests get instead of the real one. */
export interface GithubFault {
  /** Method and path with query: `POST /repos/acme/platform/statuses/...`. */
  readonly request: RegExp;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of its body; absent: one that says nothing. */
  readonly message?: string;
  /** How many times; default 1. */
  readonly times?: number;
  /** True: the request is carried out all the same, as when only the response gets lost. */
  readonly isDone?: boolean;
}

export interface GithubApi {
  /** Base URL without a final slash. */
  readonly api: string;
  /** Method and path with query, oldest first. */
  readonly requests: readonly string[];
  readonly authorizations: ReadonlySet<string>;
  /** How many responses were 304. */
  readonly notModified: number;
  /** On commits and pull requests, oldest first. A test may add comments of others. */
  readonly statuses: readonly CommitStatus[];
  readonly comments: IssueComment[];
  /** On which commits that one stands; unless said, it is not known. */
  setParents(commit: string, parents: readonly string[]): void;
  /** Opens it, or replaces its description. */
  setPull(pull: PullRequest): void;
  /** Runs `run` before each matching request is answered. */
  before(request: RegExp, run: () => void): void;
  fail(fault: GithubFault): void;
  /** What is said of the rate limit from now on, in these headers. */
  limitWith(headers: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

/** The part of GitHub's REST API that Poolkeeper uses, for the repositories of a simulated host, on loopback: trees,
 *  blobs, comparisons, pull requests, statuses, comments and the sign-in of an App, with ETags and injected faults.
 *  Source: GitHub REST API, 2022-11-28. Branches of the simulated host share no history but what `setParents` says:
 *  without it, a comparison names the newest commit of the first as their merge base. */
export async function startGithubApi(options: GithubApiOptions): Promise<GithubApi> {
  const api = new LoopbackGithub(options);
  await api.listen(options.port ?? 0);
  return api;
}

class LoopbackGithub implements GithubApi {
  /** Empty until the server listens. */
  api = '';
  notModified = 0;
  readonly requests: string[] = [];
  readonly authorizations = new Set<string>();
  readonly statuses: readonly CommitStatus[];
  readonly comments: IssueComment[];
  private readonly options: GithubApiOptions;
  private readonly gitData: GitData;
  private readonly pulls = new PullRequests();
  private readonly hooks: { readonly request: RegExp; readonly run: () => void }[] = [];
  private readonly faults: { readonly fault: GithubFault; left: number }[] = [];
  private readonly server: Server;
  private spent = 0;
  private said: Readonly<Record<string, string>> | undefined;

  constructor(options: GithubApiOptions) {
    const { modes = {}, entriesAtMost = 100_000 } = options;
    this.options = options;
    this.gitData = new GitData({ modes, entriesAtMost, requests: this.requests });
    this.statuses = this.pulls.statuses;
    this.comments = this.pulls.comments;
    this.server = createServer((request, response) => {
      this.respond(request, response).catch(() => response.destroy());
    });
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    const address = this.server.address();
    const listening = typeof address === 'object' && address !== null ? address.port : port;
    this.api = `http://127.0.0.1:${listening}`;
  }

  setParents(commit: string, parents: readonly string[]): void {
    this.gitData.setParents(commit, parents);
  }

  setPull(pull: PullRequest): void {
    this.pulls.set(pull);
  }

  before(request: RegExp, run: () => void): void {
    this.hooks.push({ request, run });
  }

  fail(fault: GithubFault): void {
    this.faults.push({ fault, left: fault.times ?? 1 });
  }

  limitWith(headers: Readonly<Record<string, string>>): void {
    this.said = headers;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://github.invalid');
    const method = request.method ?? 'GET';
    const named = `${method} ${request.url}`;
    this.requests.push(named);
    this.authorizations.add(request.headers.authorization ?? '');
    const body = await bodyOf(request);
    for (const hook of this.hooks.filter((each) => each.request.test(named))) hook.run();
    const failing = this.faults.find(({ fault, left }) => left > 0 && fault.request.test(named));
    if (failing !== undefined) {
      failing.left -= 1;
      if (failing.fault.isDone === true) this.answer(method, url, body);
      const { status, headers, message = 'no' } = failing.fault;
      response.writeHead(status, { ...headers }).end(JSON.stringify({ message }));
      return;
    }
    this.send(response, this.answer(method, url, body), request.headers);
  }

  private send(response: ServerResponse, { status, body, plain }: Answer, asked: IncomingHttpHeaders): void {
    const isPlain = plain !== undefined && asked.accept === 'application/vnd.github.sha';
    // Ids are numbers in GitHub's JSON, and those that a number cannot hold are text here.
    const text = isPlain ? plain : JSON.stringify(body ?? {}).replaceAll(/"id":"(\d+)"/g, '"id":$1');
    const etag = `"${createHash('sha1').update(text).digest('hex')}"`;
    if (status === 200 && asked['if-none-match'] === etag) {
      this.notModified += 1;
      response.writeHead(304, { etag, ...this.limits() }).end();
      return;
    }
    this.spent += 1;
    response.writeHead(status, { 'content-type': 'application/json', etag, ...this.limits() }).end(text);
  }

  private get requestsAtMost(): number {
    return this.options.requestsAtMost ?? 5_000;
  }

  private limits(): Readonly<Record<string, string>> {
    if (this.said !== undefined) return this.said;
    const left = Math.max(0, this.requestsAtMost - this.spent);
    return { 'x-ratelimit-limit': `${this.requestsAtMost}`, 'x-ratelimit-remaining': `${left}` };
  }

  private answer(method: string, url: URL, body: unknown): Answer {
    const { host, origin } = this.options;
    if (this.spent >= this.requestsAtMost) return { status: 403, body: { message: 'API rate limit exceeded' } };
    const [, fullName, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const repository = fullName === undefined ? undefined : host.find(`${origin}/${fullName}`);
    if (repository !== undefined) return this.answerAboutRepository(rest, { repository, method, url, body });
    if (url.pathname === '/user') return { status: 200, body: { id: ourUser, login: 'poolkeeper' } };
    if (method === 'POST' && /^\/app\/installations\/1\/access_tokens$/.test(url.pathname))
      return { status: 201, body: { token: 'installation-token', expires_at: '2999-01-01T00:00:00Z' } };
    return absent;
  }

  /** `rest`: the path after `/repos/owner/name`. */
  private answerAboutRepository(rest: string, request: RepositoryRequest): Answer {
    const { repository, url } = request;
    if (rest === '') return { status: 200, body: aboutRepository(repository) };
    const [, what = '', id = ''] =
      /^\/(git\/trees|git\/blobs|git\/commits|commits|compare|statuses|pulls|issues|installation)(?:\/(.*))?$/.exec(
        rest,
      ) ?? [];
    switch (what) {
      case 'git/trees':
        return this.gitData.tree(repository, id, url.searchParams.get('recursive') === '1');
      case 'git/blobs':
        return this.gitData.blob(repository, id);
      case 'git/commits':
        return this.gitData.commitObject(repository, id);
      case 'commits':
        return this.gitData.commit(repository, decodeURIComponent(id));
      case 'compare':
        return this.gitData.compare(repository, decodeURIComponent(id));
      case 'statuses':
        return this.pulls.addStatus(id, request);
      case 'pulls':
        return this.pulls.show(Number(id), request);
      case 'issues':
        return this.pulls.answerIssue(id, request);
      case 'installation':
        return { status: 200, body: { id: 1 } };
      default:
        return absent;
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
