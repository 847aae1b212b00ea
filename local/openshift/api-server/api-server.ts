import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { accessReviewPath, reviewAccess } from './access-review.ts';
import { methodNotAllowed, notFound } from './api-error.ts';
import { isAnonymous, managerOf, refuseAnonymous } from './caller.ts';
import { discover } from './discovery.ts';
import { createFaults, type Faults, type RequestFacts } from './faults.ts';
import { answerObjectRequest } from './object-request.ts';
import type { Registry } from './registry.ts';
import { type Reply, sendFault, sendRefusal, sendReply } from './reply.ts';
import { negotiate } from './representation.ts';
import { readBody } from './request-body.ts';
import { factsOf } from './request-facts.ts';
import { parseTarget, type Target } from './request-path.ts';
import { pods } from './resource-types.ts';
import { respondWithWatch } from './watch-response.ts';

export interface ApiServerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** The one bearer token that is let in. */
  readonly token: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What `GET /version` calls itself, as `v1.34.4`. */
  readonly gitVersion: string;
  /** What a pod has logged; undefined: nobody knows. */
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

/** How many requests are remembered. */
const rememberedRequests = 10_000;

/** How long a client may keep an idle connection. Milliseconds. As kube-apiserver, far longer than clients do. */
const idleConnectionMs = 180_000;

/** The Kubernetes REST dialect on loopback. Status codes and bodies are those of kube-apiserver 1.34, found by
 *  asking one. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const faults = createFaults();
  const requests: RequestFacts[] = [];
  const watches = new Set<() => void>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const facts = factsOf(request, url);
    requests.push(facts);
    if (requests.length > rememberedRequests) requests.shift();
    const body = await readBody(request);
    await pause(options.clock, faults.delayOf(facts));
    const strike = faults.strike(facts);
    if (strike && !strike.afterwards) return sendFault(response, strike.fault);
    const reply = route({ request, response, url, facts, body });
    if (strike) return sendFault(response, strike.fault);
    if (reply) sendReply(response, reply);
  }

  /** `undefined` once a watch has taken the response over. */
  function route({ request, response, url, facts, body }: Exchange): Reply | undefined {
    const open = openPath(url.pathname, options.gitVersion);
    if (open) return open;
    const anonymous = isAnonymous(request, options.token);
    const target = parseTarget(url.pathname);
    if (anonymous) throw refuseAnonymous(facts.verb, url.pathname, target);
    if (url.pathname === accessReviewPath) return reviewAccess(facts.method, body);
    if (!target) return answerOtherPath(facts);
    if (target.subresource === 'log' && target.type === pods) return logReply(options, target, url);
    const { accept, 'content-type': contentType = '' } = request.headers;
    if (facts.verb !== 'watch') {
      const { method, query } = facts;
      return answerObjectRequest(options.registry, {
        method,
        target,
        query,
        accept,
        contentType,
        body,
        manager: managerOf(request),
      });
    }
    const { registry, clock } = options;
    const representation = negotiate(accept, false);
    const ended = (finish: () => void) => void watches.delete(finish);
    watches.add(respondWithWatch({ registry, clock, target, query: facts.query, representation, response, ended }));
    return undefined;
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => sendRefusal(response, error));
  };
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    requests: () => requests,
    forgetRequests: () => void requests.splice(0),
    async stop() {
      for (const finish of [...watches]) finish();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly facts: RequestFacts;
  readonly body: string;
}

/** Paths that need no token. */
function openPath(pathname: string, gitVersion: string): Reply | undefined {
  if (['/healthz', '/livez', '/readyz'].includes(pathname)) return { code: 200, text: 'ok' };
  if (pathname !== '/version') return undefined;
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { code: 200, body: { major, minor, gitVersion, gitTreeState: 'clean', platform: 'linux/amd64' } };
}

function answerOtherPath({ method, path }: RequestFacts): Reply {
  const discovered = discover(path);
  if (discovered === undefined) return { code: 404, text: '404 page not found\n' };
  if (method !== 'GET') throw methodNotAllowed();
  return { code: 200, body: discovered };
}

/** The kubelet's answer, by way of the API server. */
function logReply({ registry, podLog }: ApiServerOptions, { name, namespace }: Target, url: URL): Reply {
  const log = registry.get(pods, name, namespace) && podLog?.(namespace, name);
  if (log === undefined) throw notFound(pods, name);
  const lines = log.split('\n').slice(-1 - Number(url.searchParams.get('tailLines') ?? log.length));
  return { code: 200, text: lines.join('\n').slice(0, Number(url.searchParams.get('limitBytes') ?? log.length)) };
}

function pause(clock: Clock, delayMs: number): Promise<void> {
  return delayMs > 0 ? new Promise((resolve) => void clock.setTimeout(resolve, delayMs)) : Promise.resolve();
}
