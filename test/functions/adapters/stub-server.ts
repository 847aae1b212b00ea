import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface StubAnswer {
  /** 200 unless said otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or text and bytes as they are. */
  readonly body?: unknown;
}

/** An answer, or what happens to the connection instead: `hang` never answers, `stall` begins to, `cut` closes it. */
export type StubReply = StubAnswer | 'hang' | 'stall' | 'cut';

export interface StubServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Connections that were ever opened. */
  connections(): number;
  /** Closes what is open; new connections are still taken. */
  dropConnections(): void;
}

export interface StubOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A server on loopback that answers as the test says; it ends with the test. */
export async function startStub(
  answer: (request: SeenRequest, nth: number) => StubReply,
  { tls }: StubOptions = {},
): Promise<StubServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;

  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stub');
    const { method = '', headers } = request;
    const query = Object.fromEntries(url.searchParams);
    const noted = { method, path: url.pathname, query, headers, body: await text(request) };
    seen.push(noted);
    const reply = answer(noted, seen.length);
    if (reply === 'hang') return;
    if (reply === 'stall') {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
      return;
    }
    if (reply === 'cut') {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers: more = {}, body = {} } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  }

  const listener = (request: http.IncomingMessage, response: http.ServerResponse) => void handle(request, response);
  const server = tls === undefined ? http.createServer(listener) : https.createServer({ ...tls }, listener);
  server.on(tls === undefined ? 'connection' : 'secureConnection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    dropConnections: () => server.closeAllConnections(),
  };
}
