import type { AttentionAsked } from '../../events/index.ts';
import { attentionBounds } from '../../functions/core/alerts/attention.ts';
import { attentionEvent } from '../../functions/core/requests/attention-event.ts';
import { IncidentRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { incidentsShown } from '../../functions/status/build-status.ts';
import { Status } from '../../functions/status/status.ts';
import { defaultPort } from '../flags.ts';
import { askStatus } from './ask-status.ts';
import { baseUrl, type Command, type ExitStatus, readArgsAndWords, type Surroundings } from './command.ts';
import { typedRequest } from './typed-request.ts';

type Wish = AttentionAsked['data']['wish'];

const where = `  --queue URL       alert queue of a deployment (output AlertQueueUrl of the stack), with your own AWS credentials
                    (default: POOLKEEPER_ALERT_QUEUE_URL)
  --service URL     or the address of \`npm start\` on this machine (default: http://127.0.0.1:${defaultPort})
  --status URL      address of the deployment's status page, without /status; with it the incident is looked up before
                    anything is asked through the queue. The token is read from POOLKEEPER_STATUS_TOKEN
  --by NAME         who asks (default: USER)

Exit status: 0 = requested, 1 = there is no such incident, it is over, or it was refused, 2 = nothing answers, or the
command line or the token is wrong.
`;

export const ack: Command = {
  about: 'acknowledge an incident: no reminders and no paging for a while',
  help: `Acknowledges an incident. Reminders, paging and escalation stop until the time is over or the incident gets worse;
message edits and the resolution still come.

  npx poolkeeper ack PK-7 --for 2h --reason "label comes with PR 482"

  --for TIME        how long: 30m, 2h, 1h30m; at most 72h
  --reason "..."    why; people will read it
${where}`,
  run: (args, surroundings) => attend('acknowledge', args, surroundings),
};

export const snooze: Command = {
  about: 'snooze an incident without acknowledging it',
  help: `Stops reminders, paging and escalation of an incident for a while, without acknowledging it.

  npx poolkeeper snooze PK-7 --for 8h --reason "maintenance window tomorrow"

  --for TIME        how long: 30m, 2h, 1h30m; at most 72h
  --reason "..."    why; people will read it
${where}`,
  run: (args, surroundings) => attend('snooze', args, surroundings),
};

export const recheck: Command = {
  about: 'check the cluster of an incident now',
  help: `Checks the cluster of an incident now instead of within a minute.

  npx poolkeeper recheck PK-7

${where}`,
  run: (args, surroundings) => attend('recheck', args, surroundings),
};

async function attend(wish: Wish, args: readonly string[], surroundings: Surroundings): Promise<ExitStatus> {
  const { request, by, to, statusUrl } = read(wish, args, surroundings);
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

interface Asked {
  readonly request: IncidentRequest;
  readonly by: string;
  readonly to: { readonly kind: 'queue' | 'service'; readonly url: string };
  /** Where the incident is looked up first; undefined: nowhere. */
  readonly statusUrl: string | undefined;
}

const text = { type: 'string' } as const;
const flags = { for: text, reason: text, queue: text, service: text, status: text, by: text };

function read(wish: Wish, args: readonly string[], { environment }: Surroundings): Asked {
  const { values, words } = readArgsAndWords(args, flags);
  const [name = '', ...more] = words;
  const number = /^(?:PK-)?([1-9]\d{0,8})$/i.exec(name)?.[1];
  if (number === undefined || more.length > 0)
    throw new Misconfigured(['which incident? For example PK-7, as in its message']);
  const queue = values.queue ?? (values.service === undefined ? environment['POOLKEEPER_ALERT_QUEUE_URL'] : undefined);
  const to: Asked['to'] =
    queue === undefined
      ? { kind: 'service', url: baseUrl(values.service ?? `http://127.0.0.1:${defaultPort}`, '--service') }
      : { kind: 'queue', url: baseUrl(queue, '--queue') };
  const asked = values.status === undefined ? undefined : baseUrl(values.status, '--status');
  return {
    request: requestOf(wish, Number(number), values),
    by: (values.by ?? environment['USER'] ?? 'somebody').slice(0, 100),
    to,
    statusUrl: asked ?? (to.kind === 'service' ? to.url : undefined),
  };
}

function requestOf(
  kind: Wish,
  incident: number,
  { for: typedTime, reason = '' }: { readonly for?: string | undefined; readonly reason?: string | undefined },
): IncidentRequest {
  if (kind !== 'recheck' && reason.trim() === '')
    throw new Misconfigured(['--reason is missing: why? It is shown to others']);
  return typedRequest(
    IncidentRequest,
    { kind, incident, reason, forSeconds: durationSeconds(typedTime ?? '') },
    { typedTime, longest: `${attentionBounds.most / 3600}h` },
  );
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
  if (answer.status !== 202) throw new Transient(`${service} answered ${answer.status}`);
}

function noAnswer(url: string, cause: unknown): Transient {
  return new Transient(`${url} does not answer; is npm start running? On AWS: --queue`, { kind: 'unreachable', cause });
}
