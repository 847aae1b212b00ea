import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { accessReviewPath, reviewAccess, reviewSelf, selfReviewPath } from './access-review.ts';
import { methodNotAllowed, notFound } from './api-error.ts';
import { isAnonymous, managerOf, refuseAnonymous } from './caller.ts';
import { discover, discoverAtOnce, discoveryAtOnce } from './discovery.ts';
import { createFaults, type Faults, type RequestFacts } from './faults.ts';
import { answerObjectRequest, type ObjectRequest } from './object-request.ts';
import { openApi } from './openapi.ts';
import type { Registry } from './registry.ts';
import { type Reply, sendFault, sendRefusal, sendReply } from './reply.ts';
import { negotiate } from './representation.ts';
import { readBody } from './request-body.ts';
import { factsOf } from './request-facts.ts';
import { parseTarget, type Target } from './request-path.ts';
import { pods } from './resource-types.ts';
import type { Identity } from './self-signed.ts';
import { respondWithWatch } from './watch-response.ts';

export interface ApiServerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** The only bearer token that is accepted. */
  readonly token: string;
  /** On loopback; 0 takes a free one. */
  readonly port: number;
  /** The version that `GET /version` answers, as `v1.34.4`. */
  readonly gitVersion: string;
  /** It speaks TLS with this one; undefined: plain HTTP. */
  readonly identity?: Identity | undefined;
  /** A pod's log; undefined: it has none. */
  readonly podLog?: ((namespace: string, name: string) => string | undefined) | undefined;
}

export interface ApiServer {
  readonly url: string;
  readonly faults: Faults;
  /** The newest requests, oldest first, for tests that count calls. */
  requests(): readonly RequestFacts[];
  forgetRequests(): void;
  stop(): Promise<void>;
}

/** How many requests are kept for `requests()`. */
const rememberedRequests = 10_000;

/** How long a client may keep an idle connection. Milliseconds. Like kube-apiserver's, far longer than clients do. */
const idleConnectionMs = 180_000;

/** The Kubernetes REST API on loopback. Status codes and bodies are those that kube-apiserver 1.34 gave when asked. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const server = new LoopbackServer(options);
  await server.listen();
  return server;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly facts: RequestFacts;
  readonly body: string;
}

class LoopbackServer implements ApiServer {
  /** Empty until the server listens. */
  url = '';
  readonly faults = createFaults();
  private readonly options: ApiServerOptions;
  private readonly received: RequestFacts[] = [];
  /** Ends each open watch. */
  private readonly watches = new Set<() => void>();
  private readonly server: Server;

  constructor(options: ApiServerOptions) {
    this.options = options;
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      this.handle(request, response).catch((error: unknown) => sendRefusal(response, error));
    };
    const keeping = { keepAliveTimeout: idleConnectionMs };
    const { identity } = options;
    this.server =
      identity === undefined
        ? createServer(keeping, listener)
        : createSecureServer({ ...keeping, key: identity.key, cert: identity.certificate }, listener);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port, '127.0.0.1', resolve);
    });
    const { port } = this.server.address() as AddressInfo;
    this.url = `${this.options.identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  requests(): readonly RequestFacts[] {
    return this.received;
  }

  forgetRequests(): void {
    this.received.splice(0);
  }

  async stop(): Promise<void> {
    for (const finish of [...this.watches]) finish();
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const facts = factsOf(request, url);
    this.received.push(facts);
    if (this.received.length > rememberedRequests) this.received.shift();
    const body = await readBody(request);
    await pause(this.options.clock, this.faults.delayOf(facts));
    const strike = this.faults.strike(facts);
    if (strike && !strike.afterwards) return sendFault(response, strike.fault);
    const reply = this.route({ request, response, url, facts, body });
    if (strike) return sendFault(response, strike.fault);
    if (reply) sendReply(response, reply);
  }

  /** Undefined once a watch has taken over the response. */
  private route(exchange: Exchange): Reply | undefined {
    const { request, url, facts, body } = exchange;
    const open = openPath(url.pathname, this.options.gitVersion);
    if (open) return open;
    const anonymous = isAnonymous(request, this.options.token);
    const target = parseTarget(url.pathname);
    if (anonymous) throw refuseAnonymous(facts.verb, url.pathname, target);
    if (url.pathname === accessReviewPath) return reviewAccess(facts.method, body);
    if (url.pathname === selfReviewPath) return reviewSelf(facts.method, this.options.clock.now());
    if (!target) return answerOtherPath(facts, exchange.request.headers.accept ?? '');
    if (target.subresource === 'log' && target.type === pods) return logReply(this.options, target, url);
    const now = this.options.clock.now();
    if (facts.verb !== 'watch') return answerObjectRequest(this.options.registry, objectRequest(exchange, target, now));
    this.watch(exchange, target);
    return undefined;
  }

  private watch({ request, response, facts: { query } }: Exchange, target: Target): void {
    const { registry, clock } = this.options;
    const representation = negotiate({ accept: request.headers.accept, query, now: clock.now() }, false);
    const ended = (finish: () => void) => void this.watches.delete(finish);
    this.watches.add(respondWithWatch({ registry, clock, target, query, representation, response, ended }));
  }
}

function objectRequest(
  { request, facts: { method, query }, body }: Exchange,
  target: Target,
  now: Date,
): ObjectRequest {
  const { accept, 'content-type': contentType = '' } = request.headers;
  return { method, target, query, accept, contentType, body, now, manager: managerOf(request) };
}

/** Paths that need no token. */
function openPath(pathname: string, gitVersion: string): Reply | undefined {
  if (['/healthz', '/livez', '/readyz'].includes(pathname)) return { code: 200, text: 'ok' };
  if (pathname !== '/version') return undefined;
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { code: 200, body: { major, minor, gitVersion, gitTreeState: 'clean', platform: 'linux/amd64' } };
}

function answerOtherPath({ method, path }: RequestFacts, accept: string): Reply {
  const atOnce = discoverAtOnce(path, accept);
  const discovered = atOnce ?? discover(path) ?? openApi(path);
  if (discovered === undefined) return { code: 404, text: '404 page not found\n' };
  if (method !== 'GET') throw methodNotAllowed();
  return { code: 200, body: discovered, ...(atOnce !== undefined && { contentType: discoveryAtOnce }) };
}

/** A pod's log, which the real server gets from the kubelet. */
function logReply({ registry, podLog }: ApiServerOptions, { name, namespace }: Target, url: URL): Reply {
  const log = registry.get(pods, name, namespace) && podLog?.(namespace, name);
  if (log === undefined) throw notFound(pods, name);
  const lines = log.split('\n').slice(-1 - Number(url.searchParams.get('tailLines') ?? log.length));
  return { code: 200, text: lines.join('\n').slice(0, Number(url.searchParams.get('limitBytes') ?? log.length)) };
}

function pause(clock: Clock, delayMs: number): Promise<void> {
  return delayMs > 0 ? new Promise((resolve) => void clock.setTimeout(resolve, delayMs)) : Promise.resolve();
}
