import { createHmac } from 'node:crypto';
import { Transient } from '../../core/text/errors.ts';
import type { RuleCalls } from '../../ports/node-turns.ts';
import { type GuardedGetOptions, guardedRequest } from './guarded-get.ts';

/** Bytes of an answer. */
const bodyAtMostBytes = 256 * 1024;

/** As webhooks are signed: HMAC-SHA256 over the bytes of the body, `sha256=<hex>`. */
const signatureHeader = 'x-poolkeeper-signature-256';

/** Rules of type http: one POST each, to addresses that the configuration chose, by the rules of tickets. */
export function ruleCalls(options: GuardedGetOptions): RuleCalls {
  return {
    async post(http, url, event) {
      const body = JSON.stringify(event);
      try {
        const signature = await signatureOf(http.signingSecret, body, options);
        const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8', ...signature };
        const request = { url, headers, body, bodyAtMostBytes };
        const answer = await guardedRequest('POST', http, request, options);
        return { kind: 'answered', status: answer.status, said: answer.body };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        return { kind: cause.kind === 'unreachable' ? 'silent' : 'refused', why: cause.message };
      }
    },
  };
}

async function signatureOf(
  secret: string | undefined,
  body: string,
  { secrets }: GuardedGetOptions,
): Promise<Readonly<Record<string, string>>> {
  if (secret === undefined) return {};
  const [key = ''] = await secrets.read(secret);
  if (key.trim() === '') throw new Transient('the signing secret is not set');
  return { [signatureHeader]: `sha256=${createHmac('sha256', key.trim()).update(body).digest('hex')}` };
}
