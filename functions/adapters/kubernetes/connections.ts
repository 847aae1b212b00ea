import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { given } from '../../core/text/given.ts';
import type { Deadline } from '../../ports/time.ts';

export interface ConnectionsOptions {
  readonly server: string;
  /** PEM; undefined: Node's built-in certificate authorities. */
  readonly ca?: string | undefined;
  /** True for loopback hosts only; `connectCluster` enforces it. */
  readonly skipTLSVerify?: boolean | undefined;
  /** Name in the server's certificate, if it is not the host of the URL. */
  readonly serverName?: string | undefined;
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly deadline: Deadline;
}

export interface PlainRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The connections to one API server. */
export interface Connections {
  /** The answer as soon as its headers are there; a redirect is one. Throws whatever the connection throws. */
  request(asked: PlainRequest): Promise<http.IncomingMessage>;
  /** Ends them; for CLI programs and tests. */
  close(): void;
}

/** Milliseconds until there is a connection. */
const connectWithin = 5_000;

/** One pool of connections for the life of the process. A TLS handshake costs more than a GET and a PATCH together, and
 *  client-node's own KubeConfig makes one for every call once a CA is set. By Node's own client: undici would be a
 *  third of the bundle. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { server, ca, skipTLSVerify, serverName, clientCertificate, deadline } = options;
  const isSecure = URL.parse(server)?.protocol === 'https:';
  const kept = {
    keepAlive: true,
    /** Below the idle limit of common load balancers (60 s). */
    keepAliveInitialDelay: 30_000,
    keepAliveMsecs: 30_000,
    /** Reads of a diagnosis are parallel; more would only queue in the API server's priority and fairness. */
    maxSockets: 8,
    maxFreeSockets: 8,
    /** Below the 90 s after which a Go API server closes an idle connection. A call has its own deadline. */
    timeout: 60_000,
  };
  const agent = isSecure
    ? new https.Agent({
        ...kept,
        ...given({ ca, servername: serverName }),
        ...(skipTLSVerify === true ? { rejectUnauthorized: false } : {}),
        ...clientCertificate,
      })
    : new http.Agent(kept);
  const { request: open } = isSecure ? https : http;

  return {
    request({ url, method, headers, body, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const sent = open(url, { method, agent, headers: { ...headers, ...length }, ...given({ signal }) }, (answer) => {
        // An answer that has begun ends by the signal as well.
        resolve(signal === undefined ? answer : addAbortSignal(signal, answer));
      });
      sent.on('error', (cause) => reject(signal?.aborted === true ? signal.reason : cause));
      // An upgrade that nobody asked for ends it without a word.
      sent.on('close', () => reject(new Error('the connection was closed without an answer')));
      sent.on('socket', (socket) => {
        if (socket.connecting) giveUpConnecting(socket, { isSecure, signal: deadline(connectWithin) });
      });
      sent.end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}

function giveUpConnecting(socket: Socket, { isSecure, signal }: { isSecure: boolean; signal: AbortSignal }): void {
  const giveUp = () => {
    socket.destroy(new Error('no connection in time'));
  };
  const forget = () => {
    signal.removeEventListener('abort', giveUp);
  };
  signal.addEventListener('abort', giveUp);
  socket.once(isSecure ? 'secureConnect' : 'connect', forget);
  socket.once('close', forget);
}
