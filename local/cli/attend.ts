import type { AttentionAsked } from '../../events/index.ts';
import { attentionBounds } from '../../functions/core/alerts/attention.ts';
import { attentionEvent } from '../../functions/core/requests/attention-event.ts';
import { IncidentRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { defaultPort } from '../flags.ts';
import { baseUrl, type Command, readArgsAndWords, type Surroundings } from './command.ts';
import { typedRequest } from './typed-request.ts';

type Wish = AttentionAsked['data']['wish'];

const where = `  --queue URL       alert queue of a deployment (output AlertQueueUrl of the stack), with your own AWS credentials
                    (default: POOLKEEPER_ALERT_QUEUE_URL)
  --service URL     or the address of \`npm start\` on this machine (default: http://127.0.0.1:${defaultPort})
  --by NAME         who asks (default: USER)
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

async function attend(wish: Wish, args: readonly string[], surroundings: Surroundings): Promise<0> {
  const { request, by, to } = read(wish, args, surroundings);
  const now = surroundings.now();
  const name = `PK-${request.incident}`;
  const id = `person/${wish}/${name}/${now.toISOString()}`;
  const event = attentionEvent(request, { id, source: '/poolkeeper/person', by }, now);
  await (to.kind === 'queue' ? sendThere(to.url, event) : sendHere(to.url, event));
  surroundings.out(`Requested: ${wish} ${name}. The message and the status page show the result.\n`);
  return 0;
}

interface Asked {
  readonly request: IncidentRequest;
  readonly by: string;
  readonly to: { readonly kind: 'queue' | 'service'; readonly url: string };
}

const text = { type: 'string' } as const;
const flags = { for: text, reason: text, queue: text, service: text, by: text };

function read(wish: Wish, args: readonly string[], { environment }: Surroundings): Asked {
  const { values, words } = readArgsAndWords(args, flags);
  const [name = '', ...more] = words;
  const number = /^(?:PK-)?([1-9]\d{0,8})$/i.exec(name)?.[1];
  if (number === undefined || more.length > 0)
    throw new Misconfigured(['which incident? For example PK-7, as in its message']);
  const queue = values.queue ?? (values.service === undefined ? environment['POOLKEEPER_ALERT_QUEUE_URL'] : undefined);
  return {
    request: requestOf(wish, Number(number), values),
    by: (values.by ?? environment['USER'] ?? 'somebody').slice(0, 100),
    to:
      queue === undefined
        ? { kind: 'service', url: baseUrl(values.service ?? `http://127.0.0.1:${defaultPort}`, '--service') }
        : { kind: 'queue', url: baseUrl(queue, '--queue') },
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
    throw new Transient(`${service} does not answer; is npm start running? On AWS: --queue`, {
      kind: 'unreachable',
      cause,
    });
  });
  if (answer.status !== 202) throw new Transient(`${service} answered ${answer.status}`);
}
