import { Agent } from 'undici';
import { given } from '../../core/text/given.ts';

export interface DispatcherOptions {
  /** PEM; undefined: Node's built-in certificate authorities. */
  readonly ca?: string | undefined;
  /** True for loopback hosts only; `connectCluster` enforces it. */
  readonly skipTLSVerify?: boolean | undefined;
  /** Name in the server's certificate, if it is not the host of the URL. */
  readonly serverName?: string | undefined;
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** One connection pool for the life of the process. A TLS handshake costs more than a GET and a PATCH together, and
 *  client-node's own KubeConfig makes one for every call once a CA is set. */
export function openDispatcher({ ca, skipTLSVerify, serverName, clientCertificate }: DispatcherOptions): Agent {
  return new Agent({
    /** Reads of a diagnosis are parallel; more would only queue in the API server's priority and fairness. */
    connections: 8,
    pipelining: 1,
    allowH2: false,
    /** Below the 90 s after which a Go API server closes an idle connection. */
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    connect: {
      timeout: 5_000,
      keepAlive: true,
      /** Below the idle limit of common load balancers (60 s). */
      keepAliveInitialDelay: 30_000,
      ...given({ ca }),
      ...(skipTLSVerify === true ? { rejectUnauthorized: false } : {}),
      ...given({ servername: serverName }),
      ...clientCertificate,
    },
  });
}
