import * as z from 'zod';
import type { AttentionAsked } from '../../events/index.ts';
import { attentionEvent } from '../../functions/core/requests/attention-event.ts';
import type { IncidentRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { incidentsShown } from '../../functions/status/build-status.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus } from './ask-status.ts';
import type { ExitStatus, Surroundings } from './command.ts';

export type Wish = AttentionAsked['data']['wish'];

export interface AskedAttention {
  readonly request: IncidentRequest;
  readonly by: string;
  readonly to: { readonly kind: 'queue' | 'service'; readonly url: string };
  /** Where the incident is looked up first; undefined: nowhere. */
  readonly statusUrl: string | undefined;
}
/** Sends the request to the queue or the service, unless the incident is known to be over. Throws Misconfigured and
 *  Transient. */
export async function sendAttention(
  wish: Wish,
  { request, by, to, statusUrl }: AskedAttention,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const now = surroundings.now();
  const name = `PK-${request.incident}`;
  const known = await lookUp(name, statusUrl, surroundings);
  if (known.kind === 'not-there') {
    surroundings.note(`poolkeeper: ${known.why}; nothing was requested`);
    return 1;
  }
  const id = `person/${wish}/${name}/${now.toISOString()}`;
  const event = attentionEvent(request, { id, source: '/poolkeeper/person', by }, now);
  await (to.kind === 'queue' ? sendThere(to.url, event) : sendHere(to.url, event));
  const doubt = known.kind === 'unknown' ? ` Whether there is such an incident is not known: ${known.why}.` : '';
  surroundings.out(`Requested: ${wish} ${name}.${doubt} The message and the status page show the result.\n`);
  return 0;
}

type LookedUp =
  | { readonly kind: 'there' }
  | { readonly kind: 'not-there'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

const Listed = Status.pick({ incidents: true, unread: true }).loose();

/** Whether the incident can still be attended to. Throws Misconfigured if the token is missing or refused, Transient if
 *  nothing answers.
 *  @param url address of the status page; undefined: nobody can be asked */
async function lookUp(
  name: string,
  url: string | undefined,
  surroundings: Pick<Surroundings, 'environment'>,
): Promise<LookedUp> {
  if (url === undefined) return { kind: 'unknown', why: 'a queue answers nothing; add --status' };
  const { status, body } = await askStatus(url, surroundings).catch((cause: unknown) => {
    throw cause instanceof Transient ? noAnswer(url, cause) : cause;
  });
  const read = Listed.safeParse(body);
  if (!read.success) return { kind: 'unknown', why: `${url}/status answered ${status}, and no status` };
  const { incidents, unread } = read.data;
  if (unread.includes('incidents')) return { kind: 'unknown', why: 'the status page could not read the incidents' };
  const found = incidents.find((each) => each.name === name);
  if (found === undefined && incidents.length >= incidentsShown)
    return { kind: 'unknown', why: `the status page lists ${incidents.length} others, and no more` };
  if (found === undefined) return { kind: 'not-there', why: `${name} does not exist, or is over` };
  if (found.state !== 'resolved') return { kind: 'there' };
  return {
    kind: 'not-there',
    why: `${name} is over${found.resolvedAt === undefined ? '' : ` since ${found.resolvedAt}`}`,
  };
}

/** The SDK is loaded on demand: other commands start faster without it. */
async function sendThere(url: string, event: AttentionAsked): Promise<void> {
  const { openSqsOf, sqsAttentionQueue } = await import('../../functions/adapters/aws/sqs.ts');
  await sqsAttentionQueue({ client: openSqsOf(url), url }).send(event);
}

async function sendHere(service: string, event: AttentionAsked): Promise<void> {
  const answer = await fetch(`${service}/attention`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: unknown) => {
    throw noAnswer(service, cause);
  });
  if (answer.status !== 202) throw await refusalOf(service, answer);
}

const Refusal = z.object({ reason: z.string() });

/** A refusal of a Poolkeeper has its reason; whatever else answers is not the one that was meant. */
async function refusalOf(service: string, answer: Response): Promise<Misconfigured | Transient> {
  const refusal = Refusal.safeParse(await answer.json().catch(() => undefined));
  if (answer.status >= 500) return new Transient(`${service} answered ${answer.status}`);
  if (refusal.success && [400, 409, 413, 415, 422].includes(answer.status)) return new Transient(refusal.data.reason);
  return new Misconfigured([`${service} answered ${answer.status}; is it npm start on this machine? On AWS: --queue`]);
}

function noAnswer(url: string, cause: unknown): Transient {
  return new Transient(`${url} does not answer; is npm start running? On AWS: --queue`, { kind: 'unreachable', cause });
}
