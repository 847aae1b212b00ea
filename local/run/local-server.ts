import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { methodToAsk, type WebHandler } from '../../functions/shell/answer.ts';
import { PlainAnswer, PlainRequest, type WebAnswer } from '../../functions/shell/exchange.ts';
import { type ArrivingBodies, arrivingBodies } from './arriving-bodies.ts';
import { boundWaitingConnections } from './waiting-connections.ts';

/** Handlers by method and path, as `POST /github`; `*` stands for any method, `{proxy+}` for the rest of the path. */
export type Routes = Readonly<Record<string, WebHandler>>;

export interface LocalServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Milliseconds for a whole request: GitHub itself waits 10 s for its answer. */
const requestTimeoutMs = 30_000;

/** Milliseconds between two looks for requests that take longer: in between they hold what they have sent. */
const connectionsCheckingMs = 5_000;

export interface LocalServerOptions {
  /** Paths that accept any Host header, because they require a secret: a tunnel for webhooks sends its public name.
   *  Default: none. */
  readonly anyHost?: readonly string[];
  /** True: every address of this machine, under any Host header, which is for routes that ask for a secret or tell
   *  nothing. Default: loopback alone. */
  readonly everywhere?: boolean;
  /** Reads bodies. Default: as much of each as any function takes. */
  readonly bodies?: ArrivingBodies;
}

/** Serves web handlers: on loopback and only under a loopback name, unless told otherwise. Else a web page whose name
 *  resolves to 127.0.0.1 (DNS rebinding), or a tunnel, could read the status page, which needs no token here. Bodies
 *  are passed on as bytes, because signatures are over bytes. Throws what `listen` throws, such as EADDRINUSE.
 *  @param routes or what tells them anew for each request */
export async function startLocalServer(
  routes: Routes | (() => Routes),
  port: number,
  { anyHost = [], everywhere = false, bodies = arrivingBodies() }: LocalServerOptions = {},
): Promise<LocalServer> {
  const served = typeof routes === 'function' ? routes : () => routes;
  const times = { requestTimeout: requestTimeoutMs, connectionsCheckingInterval: connectionsCheckingMs };
  const server = createServer(times, (incoming, outgoing) => {
    if (incoming.socket.destroyed) return;
    answer(incoming, { routes: served(), bodies, anyHost: everywhere ? ['/{proxy+}'] : anyHost })
      .then((response) => reply(outgoing, response))
      .catch(() => {
        if (!outgoing.headersSent) outgoing.writeHead(500);
        outgoing.end();
      });
  });
  boundWaitingConnections(server);
  await listen(server, port, everywhere);
  const address = server.address();
  return { url: `http://127.0.0.1:${isTcp(address) ? address.port : port}`, stop: () => close(server) };
}

interface Answering {
  readonly routes: Routes;
  readonly bodies: ArrivingBodies;
  readonly anyHost: readonly string[];
}

async function answer(incoming: IncomingMessage, { routes, bodies, anyHost }: Answering): Promise<WebAnswer> {
  // Before anything is answered: also a request that is refused holds its headers until its body has come.
  const body = await bodies.read(incoming);
  if (body === undefined)
    return new Response('too many requests are on their way\n', { status: 503, headers: { connection: 'close' } });
  const host = incoming.headers.host ?? '';
  const url = addressOf(incoming.url ?? '/');
  if (url === null) return new Response('invalid URL\n', { status: 400 });
  if (!isThisMachine(host) && !anyHost.some((path) => isAt(path, url.pathname)))
    return new Response('this server only answers to 127.0.0.1 and localhost\n', { status: 421 });
  const method = methodToAsk(incoming.method ?? 'GET');
  const handler = routes[`${method} ${url.pathname}`] ?? routes[`* ${url.pathname}`] ?? below(routes, url.pathname);
  if (handler === undefined) return notFound(routes);
  return handler(new PlainRequest({ method, url: url.href, fields: incoming.headers }, body));
}

/** Null: no address. To parse a webhook's plain path, which is what it seems, would cost as much as its schema. */
function addressOf(target: string): Pick<URL, 'href' | 'pathname'> | null {
  const base = 'http://127.0.0.1';
  return /^\/[\w-]+$/.test(target) ? { href: base + target, pathname: target } : URL.parse(target, base);
}

/** The handler of everything below a path. */
function below(routes: Routes, pathname: string): WebHandler | undefined {
  const found = Object.keys(routes).find((route) => route.startsWith('* ') && isAt(route.slice(2), pathname));
  return found === undefined ? undefined : routes[found];
}

const rest = '{proxy+}';

function isAt(path: string, pathname: string): boolean {
  return path.endsWith(rest) ? pathname.startsWith(path.slice(0, -rest.length)) : path === pathname;
}

function isThisMachine(host: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host);
}

function notFound(routes: Routes): Response {
  const known = Object.keys(routes).map((route) => `  ${route.replace('* ', '')}`);
  return new Response(`not found; the paths are:\n${known.join('\n')}\n`, { status: 404 });
}

async function reply(outgoing: ServerResponse, answered: WebAnswer): Promise<void> {
  if (answered instanceof PlainAnswer) {
    // With its length an answer is one write, without it four: head, size, content and end of the chunks.
    outgoing.writeHead(answered.status, { ...answered.fields, 'content-length': Buffer.byteLength(answered.content) });
    outgoing.end(answered.content);
    return;
  }
  outgoing.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body !== null && answered.headers.get('content-type') === 'text/event-stream') {
    // Ends when either side does; the answer hears of it. A pipeline would wait for who has left before it began.
    if (outgoing.destroyed) await answered.body.cancel();
    else await pipeline(Readable.fromWeb(answered.body), outgoing).catch(() => undefined);
    return;
  }
  outgoing.end(Buffer.from(await answered.arrayBuffer()));
}

/** Everywhere is what Node takes for it where no address is given: also IPv6, if the machine has it. */
function listen(server: Server, port: number, everywhere: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, everywhere ? undefined : '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function isTcp(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
