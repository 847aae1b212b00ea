import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StandInPull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  readonly state?: string;
  readonly draft?: boolean;
  /** `owner/name` that the commits are in; null = gone. */
  readonly from?: string | null;
}

export interface StandInComment {
  readonly id: number;
  readonly user: number;
  body: string;
  /** How often it was edited. */
  edits: number;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is done all the same, as when the answer got lost. */
  readonly after?: boolean;
  /** How often; default once. */
  readonly times?: number;
}

export interface PullsStandIn {
  readonly api: string;
  readonly requests: readonly string[];
  readonly comments: StandInComment[];
  readonly statuses: readonly { readonly sha: string; readonly body: Readonly<Record<string, unknown>> }[];
  /** The pull request as GitHub describes it from now on. */
  set(pull: StandInPull): void;
  /** Runs before an answer to a matching request is given. */
  before(match: RegExp, run: () => void | Promise<void>): void;
  refuse(match: RegExp, refusal: Refusal): void;
  close(): Promise<void>;
}

interface Asked {
  /** The part of the path that names something. */
  readonly id: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
}

export const ourUser = 41;
const repository = 'acme/platform';

/** The part of GitHub's REST API that pull requests are read and told by, on loopback. */
export async function startPulls(): Promise<PullsStandIn> {
  const pulls = new Map<number, StandInPull>();
  const comments: StandInComment[] = [];
  const statuses: { sha: string; body: Record<string, unknown> }[] = [];
  const requests: string[] = [];
  const refusals: { match: RegExp; refusal: Refusal; left: number }[] = [];
  const hooks: { match: RegExp; run: () => void | Promise<void> }[] = [];

  function commentBody({ id, user, body }: StandInComment) {
    return { id, body, user: { id: user }, html_url: `https://github.com/${repository}/pull/12#issuecomment-${id}` };
  }

  const routes: readonly (readonly [RegExp, (asked: Asked) => readonly [number, unknown]])[] = [
    [/^GET \/user$/, () => [200, { id: ourUser, login: 'poolkeeper' }]],
    [/^GET \/pulls\/(\d+)$/, ({ id }) => found(pulls.get(Number(id)), pullBody)],
    [/^GET \/compare\/\w+\.\.\.\w+$/, () => [200, { merge_base_commit: { sha: 'b'.repeat(40) } }]],
    [/^POST \/statuses\/(\w+)$/, ({ id, body }) => [201, statuses.push({ sha: id, body })]],
    [/^GET \/issues\/(\d+)\/comments$/, ({ url }) => [200, page(url).map(commentBody)]],
    [/^POST \/issues\/(\d+)\/comments$/, ({ body }) => [201, commentBody(make(String(body['body'])))]],
    [/^PATCH \/issues\/comments\/(\d+)$/, ({ id, body }) => found(edit(Number(id), String(body['body'])), commentBody)],
  ];

  function page({ searchParams }: URL): readonly StandInComment[] {
    const size = Number(searchParams.get('per_page') ?? 30);
    const number = Number(searchParams.get('page') ?? 1);
    return comments.slice((number - 1) * size, number * size);
  }

  function make(body: string): StandInComment {
    const made = { id: 1000 + comments.length, user: ourUser, body, edits: 0 };
    comments.push(made);
    return made;
  }

  function edit(id: number, body: string): StandInComment | undefined {
    const known = comments.find((each) => each.id === id);
    if (known === undefined) return undefined;
    known.body = body;
    known.edits += 1;
    return known;
  }

  function route(method: string, url: URL, body: Record<string, unknown>): readonly [number, unknown] {
    const named = `${method} ${url.pathname.replace(`/repos/${repository}`, '')}`;
    for (const [pattern, handle] of routes) {
      const match = pattern.exec(named);
      if (match !== null) return handle({ id: match[1] ?? '', url, body });
    }
    return [404, { message: 'Not Found' }];
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://stand-in');
    const named = `${request.method} ${request.url}`;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    requests.push(named);
    for (const hook of hooks.filter(({ match }) => match.test(named))) await hook.run();
    const refused = refusals.find(({ match, left }) => left > 0 && match.test(named));
    if (refused !== undefined) refused.left -= 1;
    const text = Buffer.concat(chunks).toString();
    const done = refused && !refused.refusal.after ? undefined : route(request.method ?? '', url, parsed(text));
    const [status, body] = refused ? [refused.refusal.status, { message: 'no' }] : (done ?? [500, {}]);
    response.writeHead(status, { 'content-type': 'application/json', ...refused?.refusal.headers });
    response.end(JSON.stringify(body));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    api: `http://127.0.0.1:${port}`,
    requests,
    comments,
    statuses,
    set: (pull) => void pulls.set(pull.number, pull),
    before: (match, run) => void hooks.push({ match, run }),
    refuse: (match, refusal) => void refusals.push({ match, refusal, left: refusal.times ?? 1 }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function found<T>(value: T | undefined, bodyOf: (value: T) => unknown): readonly [number, unknown] {
  return value === undefined ? [404, { message: 'Not Found' }] : [200, bodyOf(value)];
}

function parsed(text: string): Record<string, unknown> {
  return text === '' ? {} : JSON.parse(text);
}

function pullBody({ number, head, base, state = 'open', draft = false, from = repository }: StandInPull) {
  return {
    number,
    state,
    draft,
    head: { sha: head, ref: 'topic', repo: from === null ? null : { full_name: from } },
    base: {
      ref: base,
      sha: 'a'.repeat(40),
      repo: { full_name: repository, html_url: `https://github.com/${repository}`, default_branch: 'main' },
    },
  };
}
