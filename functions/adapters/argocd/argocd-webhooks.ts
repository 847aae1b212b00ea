import * as http from 'node:http';
import * as https from 'node:https';
import type { RelaySettings } from '../../core/configuration/argocd.ts';
import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';
import { addressOf, type Endpoint } from '../../core/relay/endpoints.ts';
import { type ReadAnswer, readAnswer } from '../../core/relay/read-answer.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import type { Deadline } from '../../ports/time.ts';

export interface ArgocdWebhooksOptions {
  /** Of one request until its answer begins. Argo CD queues a webhook and answers at once. Milliseconds. */
  readonly timeoutMs?: number;
  readonly deadline: Deadline;
}

interface Webhook {
  readonly relay: RelaySettings;
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Argo CD's webhook servers: one POST each time, the bytes as they are, no redirect, a hard time limit. Nothing of
 *  an answer is kept but its status: it may repeat what was sent. A connection of its own each time: the next comes
 *  after seconds, often from elsewhere; and Node's own client, because undici would be a third of the bundle. */
export function argocdWebhooks({ timeoutMs = 10_000, deadline }: ArgocdWebhooksOptions) {
  return {
    async post({ relay, endpoint, headers, body }: Webhook): Promise<ReadAnswer> {
      const address = addressThatMayBeCalled(addressOf(endpoint, relay));
      const known = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const options: https.RequestOptions = {
        method: 'POST',
        headers: { ...Object.fromEntries(known), 'user-agent': 'poolkeeper', 'content-length': body.byteLength },
        agent: false,
        signal: deadline(timeoutMs),
        ...(relay.ca === undefined ? {} : { ca: relay.ca }),
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
      // What it says is not read.
      answer.destroy();
    });
    posting.on('error', reject);
    posting.end(body);
  });
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
  if (inner instanceof Error && inner.name !== 'TimeoutError') return codeOf(inner);
  if (inner instanceof Error) return 'no answer in time';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
