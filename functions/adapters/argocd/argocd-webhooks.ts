import * as http from 'node:http';
import * as https from 'node:https';
import type { RelaySettings } from '../../core/configuration/argocd.ts';
import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';
import { addressOf, type Endpoint } from '../../core/relay/endpoints.ts';
import { type AnswerMeaning, readAnswer } from '../../core/relay/read-answer.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import type { Deadline } from '../../ports/time.ts';

export interface ArgocdWebhooksOptions {
  /** Milliseconds, per request until its answer begins. Argo CD queues a webhook and answers at once. */
  readonly timeoutMs?: number;
  readonly deadline: Deadline;
}

/** One delivery to pass on. */
interface Webhook {
  readonly relay: RelaySettings;
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Argo CD's webhook servers: one POST each time, the bytes unchanged, no redirect, a hard time limit. Only the status
 *  of an answer is kept: its body may repeat what was sent. A new connection each time: the next request comes after
 *  seconds, often from another container. By Node's own client, because undici would be a third of the bundle. */
export function argocdWebhooks({ timeoutMs = 10_000, deadline }: ArgocdWebhooksOptions) {
  return {
    async post({ relay, endpoint, headers, body }: Webhook): Promise<AnswerMeaning> {
      const address = addressThatMayBeCalled(addressOf(endpoint, relay));
      const known = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const options: https.RequestOptions = {
        method: 'POST',
        headers: { ...Object.fromEntries(known), 'user-agent': 'poolkeeper', 'content-length': body.byteLength },
        agent: false,
        signal: deadline(timeoutMs),
        ...given({ ca: relay.ca }),
      };
      try {
        return readAnswer(await statusOf(address, options, body));
      } catch (cause) {
        throw new Transient(`${address.host} did not answer: ${codeOf(cause)}`, { kind: 'unreachable' });
      }
    },
  };
}

function statusOf(address: URL, options: https.RequestOptions, body: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = address.protocol === 'https:' ? https : http;
    const posting = request(address, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      // The body of the answer is not read.
      answer.destroy();
    });
    posting.on('error', reject);
    posting.end(body);
  });
}

/** The configuration was validated when it was prepared; a bundle may contain an older one. */
function addressThatMayBeCalled(address: string | undefined): URL {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null) throw new Misconfigured(['the relay of an Argo CD instance has no address']);
  const why = forbiddenHost(url.hostname);
  if (why !== undefined) throw new Misconfigured([`the relay of an Argo CD instance ${why}`]);
  return url;
}

/** Only the code: messages of TLS and DNS errors contain addresses and certificates. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown failure';
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  if (inner instanceof Error && inner.name !== 'TimeoutError') return codeOf(inner);
  if (inner instanceof Error) return 'no answer in time';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
