import { type AttentionAsked, cloudEvent } from '../../events/index.ts';
import { attentionBounds } from '../../functions/core/alerts/attention.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { defaultPort } from '../flags.ts';
import { baseUrl, type Command, readArgsAndWords, type Surroundings } from './command.ts';

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
  const { number, forSeconds, reason, by, to } = read(wish, args, surroundings);
  const now = surroundings.now();
  const event: AttentionAsked = cloudEvent({
    type: 'poolkeeper.attention.asked.v1',
    id: `person/${wish}/PK-${number}/${now.toISOString()}`,
    source: '/poolkeeper/person',
    subject: `PK-${number}`,
    time: now,
    correlation: `PK-${number}`,
    data: { wish, number, by, reason, forSeconds, askedAt: now.toISOString() },
  });
  await (to.kind === 'queue' ? sendThere(to.url, event) : sendHere(to.url, event));
  surroundings.out(`Requested: ${wish} PK-${number}. The message and the status page show the result.\n`);
  return 0;
}

interface Asked {
  readonly number: number;
  readonly forSeconds: number;
  readonly reason: string;
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
    number: Number(number),
    ...(wish === 'recheck' ? { forSeconds: 0, reason: values.reason ?? '' } : said(values.for, values.reason)),
    by: (values.by ?? environment['USER'] ?? 'somebody').slice(0, 100),
    to:
      queue === undefined
        ? { kind: 'service', url: baseUrl(values.service ?? `http://127.0.0.1:${defaultPort}`, '--service') }
        : { kind: 'queue', url: baseUrl(queue, '--queue') },
  };
}

function said(time: string | undefined, reason: string | undefined): Pick<Asked, 'forSeconds' | 'reason'> {
  const seconds = durationSeconds(time ?? '');
  const problems = [
    ...(seconds !== undefined && seconds >= attentionBounds.least && seconds <= attentionBounds.most
      ? []
      : ['--for: how long? 30m, 2h, 1h30m; 1m to 72h']),
    ...((reason ?? '').trim() === '' ? ['--reason: why? It is shown to others'] : []),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
  return { forSeconds: seconds ?? 0, reason: (reason ?? '').slice(0, 300) };
}

/** The SDK is loaded on demand: other commands start faster without it. */
async function sendThere(url: string, event: AttentionAsked): Promise<void> {
  const { openSqs, sqsAttentionQueue } = await import('../../functions/adapters/aws/sqs.ts');
  const region = regionOf(url);
  await sqsAttentionQueue({ client: openSqs(region === undefined ? {} : { region }), url }).send(event);
}

/** A queue is called in its own region, whatever the person's AWS profile says. */
export function regionOf(queue: string): string | undefined {
  return /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\./.exec(queue)?.[1];
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
