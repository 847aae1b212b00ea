import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubAttempt {
  /** Counted from 1; its id is `idOf` this. */
  readonly id: number;
  readonly guid: string;
  readonly repository_id: number | null;
  readonly delivered_at: string;
  readonly event: string;
  readonly status_code: number;
  readonly redelivery: boolean;
  /** Fields that are listed otherwise. */
  readonly listedAs?: Readonly<Record<string, unknown>>;
}

/** The id of an attempt as GitHub gives it: more than a number can hold. */
export function idOf(attempt: number): string {
  return `${3_804_004_623_172_239_360n + BigInt(attempt)}`;
}

/** What the stand-in answers instead. `after`: the redelivery is made all the same. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of its body. */
  readonly message?: string;
  readonly after?: boolean;
}

export interface GithubStandIn {
  readonly api: string;
  /** Method and path with query, oldest first. */
  readonly requests: readonly string[];
  readonly tokens: ReadonlySet<string>;
  /** Answers that cost nothing of the rate limit. */
  readonly notModified: number;
  /** Attempts that were asked for again. */
  readonly redelivered: readonly number[];
  /** A delivery that GitHub made, newest listed first. */
  deliver(attempt: Partial<HubAttempt> & { readonly guid: string; readonly delivered_at: string }): void;
  /** Redeliveries of it fail as well. */
  loseAlways(guid: string): void;
  refuseNext(method: 'GET' | 'POST', refusal: Refusal): void;
  close(): Promise<void>;
}

/** The part of GitHub's REST API that lists and repeats webhook deliveries, on loopback: cursors, Link headers,
 *  ETags, and what it answers when it will not. Pages of `pageSize`, whatever is asked for. */
export async function startGithub(hookPath: string, pageSize = 100): Promise<GithubStandIn> {
  const attempts: HubAttempt[] = [];
  const requests: string[] = [];
  const tokens = new Set<string>();
  const redelivered: number[] = [];
  const refusals: { readonly method: string; readonly refusal: Refusal }[] = [];
  let notModified = 0;
  const deliveries = `${hookPath}/deliveries`;
  const lost = new Set<string>();

  function list(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('cursor')?.replace('v1_', '') ?? 0);
    const etag = `"${attempts.length}-${from}"`;
    if (request.headers['if-none-match'] === etag) {
      notModified += 1;
      response.writeHead(304).end();
      return;
    }
    const more = from + pageSize < attempts.length;
    // As GitHub does it, but for a host that must never get the token.
    const link = `<https://elsewhere.invalid${deliveries}?per_page=100&cursor=v1_${from + pageSize}>; rel="next"`;
    response.writeHead(200, { 'content-type': 'application/json', etag, ...(more ? { link } : {}) });
    const entries = attempts.slice(from, from + pageSize);
    const listed = entries.map(({ listedAs, ...entry }) => ({ ...entry, id: idOf(entry.id), ...listedAs }));
    response.end(JSON.stringify(listed).replaceAll(/"id":"(\d+)"/g, '"id":$1'));
  }

  function repeat(asked: string, response: ServerResponse, refusal: Refusal | undefined): void {
    const known = attempts.find(({ id, listedAs }) => `${listedAs?.['id'] ?? idOf(id)}` === asked);
    if (known === undefined) {
      response.writeHead(404).end('{}');
      return;
    }
    redelivered.push(known.id);
    attempts.unshift({
      ...known,
      id: known.id + 1000,
      redelivery: true,
      status_code: lost.has(known.guid) ? 502 : 202,
    });
    response.writeHead(refusal?.status ?? 202).end('{}');
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://stand-in');
    requests.push(`${request.method} ${request.url}`);
    tokens.add(request.headers.authorization ?? '');
    const at = refusals.findIndex(({ method }) => method === request.method);
    const [refused] = at < 0 ? [] : refusals.splice(at, 1);
    const id = url.pathname.match(/\/deliveries\/(\d+)\/attempts$/)?.[1];
    if (refused !== undefined && refused.refusal.after !== true) {
      const { status, headers, message = 'no' } = refused.refusal;
      response.writeHead(status, { ...headers }).end(JSON.stringify({ message }));
    } else if (request.method === 'POST' && id !== undefined) repeat(id, response, refused?.refusal);
    else if (request.method === 'GET' && url.pathname === deliveries) list(request, url, response);
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    api: `http://127.0.0.1:${port}`,
    requests,
    tokens,
    get notModified() {
      return notModified;
    },
    redelivered,
    deliver(attempt) {
      const id = attempts.length + 1;
      attempts.unshift({ id, event: 'push', repository_id: null, status_code: 502, redelivery: false, ...attempt });
    },
    loseAlways: (guid) => void lost.add(guid),
    refuseNext: (method, refusal) => void refusals.push({ method, refusal }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
