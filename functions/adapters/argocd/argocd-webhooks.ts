import { Agent, request } from 'undici';
import type { RelaySettings } from '../../core/configuration.ts';
import { Misconfigured, Transient } from '../../core/errors.ts';
import { forbiddenHost } from '../../core/outgoing-host.ts';
import { addressOf, type Endpoint } from '../../core/relay/endpoints.ts';
import { type ReadAnswer, readAnswer } from '../../core/relay/read-answer.ts';

export interface ArgocdWebhooksOptions {
  /** Of one request from its beginning to the end of the answer. Argo CD queues a webhook and answers at once. Milliseconds. */
  readonly timeoutMs?: number;
}

interface Webhook {
  readonly relay: RelaySettings;
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Answers of Argo CD are empty or a line; what is longer comes from something else and is not read. */
const answerAtMostBytes = 64 * 1024;

/** Argo CD's webhook servers: one POST each time, the bytes as they are, no redirect, a hard time limit. Nothing of an answer is kept
 *  but its status: it may repeat what was sent. */
export function argocdWebhooks({ timeoutMs = 10_000 }: ArgocdWebhooksOptions = {}) {
  const agents = new Map<string, Agent>();

  function agentFor(ca: string | undefined): Agent {
    const known = agents.get(ca ?? '');
    if (known !== undefined) return known;
    // The second send comes after half a minute: no connection is worth keeping that long.
    const agent = new Agent({
      connections: 2,
      keepAliveTimeout: 4_000,
      connect: { timeout: 5_000, ...(ca === undefined ? {} : { ca }) },
    });
    agents.set(ca ?? '', agent);
    return agent;
  }

  return {
    async post({ relay, endpoint, headers, body }: Webhook): Promise<ReadAnswer> {
      const address = addressThatMayBeCalled(addressOf(endpoint, relay));
      try {
        const answer = await request(address, {
          method: 'POST',
          headers: { ...headers, 'user-agent': 'poolkeeper' },
          body,
          dispatcher: agentFor(relay.ca),
          signal: AbortSignal.timeout(timeoutMs),
        });
        await answer.body.dump({ limit: answerAtMostBytes });
        return readAnswer(answer.statusCode);
      } catch (cause) {
        throw new Transient(`${address.host} did not answer: ${codeOf(cause)}`, { kind: 'unreachable' });
      }
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
}

/** The configuration was checked when it was prepared; a bundle may hold an older one. */
function addressThatMayBeCalled(address: string | undefined): URL {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null) throw new Misconfigured(['the relay of an Argo CD instance has no address']);
  const why = forbiddenHost(url.hostname);
  if (why !== undefined) throw new Misconfigured([`the relay of an Argo CD instance ${why}`]);
  return url;
}

/** The code alone: messages of TLS and DNS errors carry addresses and certificates. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown failure';
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  if (inner instanceof Error) return codeOf(inner);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
