import { attentionBounds } from '../../functions/core/alerts/attention-bounds.ts';
import type { IncidentRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { defaultPort } from '../run/default-port.ts';
import { baseUrl, type Command, type ExitStatus, readArgsAndWords, type Surroundings } from './command.ts';
import type { AskedAttention, Wish } from './send-attention.ts';
import { typedRequest } from './typed-request.ts';

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
  help: `Acknowledges an incident. Reminders, paging and escalation stop until the time is over or the incident gets worse;
message edits and the resolution still come.

  poolkeeper ack PK-7 --for 2h --reason "label comes with PR 482"

  --for TIME        how long: 30m, 2h, 1h30m; at most 72h
  --reason "..."    why; people will read it
${where}`,
  run: (args, surroundings) => attend('acknowledge', args, surroundings),
};

export const snooze: Command = {
  help: `Stops reminders, paging and escalation of an incident for a while, without acknowledging it.

  poolkeeper snooze PK-7 --for 8h --reason "maintenance window tomorrow"

  --for TIME        how long: 30m, 2h, 1h30m; at most 72h
  --reason "..."    why; people will read it
${where}`,
  run: (args, surroundings) => attend('snooze', args, surroundings),
};

export const recheck: Command = {
  help: `Checks the cluster of an incident now instead of within a minute.

  poolkeeper recheck PK-7

${where}`,
  run: (args, surroundings) => attend('recheck', args, surroundings),
};

async function attend(wish: Wish, args: readonly string[], surroundings: Surroundings): Promise<ExitStatus> {
  const asked = await read(wish, args, surroundings);
  const { sendAttention } = await import('./send-attention.ts');
  return sendAttention(wish, asked, surroundings);
}

const text = { type: 'string' } as const;

const flags = { for: text, reason: text, queue: text, service: text, status: text, by: text };

async function read(wish: Wish, args: readonly string[], { environment }: Surroundings): Promise<AskedAttention> {
  const { values, words } = readArgsAndWords(args, flags);
  const [name = '', ...more] = words;
  const number = /^(?:PK-)?([1-9]\d{0,8})$/i.exec(name)?.[1];
  if (number === undefined || more.length > 0)
    throw new Misconfigured(['which incident? For example PK-7, as in its message']);
  const queue = values.queue ?? (values.service === undefined ? environment['POOLKEEPER_ALERT_QUEUE_URL'] : undefined);
  const to: AskedAttention['to'] =
    queue === undefined
      ? { kind: 'service', url: baseUrl(values.service ?? `http://127.0.0.1:${defaultPort}`, '--service') }
      : { kind: 'queue', url: baseUrl(queue, '--queue') };
  const asked = values.status === undefined ? undefined : baseUrl(values.status, '--status');
  return {
    request: await requestOf(wish, Number(number), values),
    by: (values.by ?? environment['USER'] ?? 'somebody').slice(0, 100),
    to,
    statusUrl: asked ?? (to.kind === 'service' ? to.url : undefined),
  };
}

async function requestOf(
  kind: Wish,
  incident: number,
  { for: typedTime, reason = '' }: { readonly for?: string | undefined; readonly reason?: string | undefined },
): Promise<IncidentRequest> {
  if (kind !== 'recheck' && reason.trim() === '')
    throw new Misconfigured(['--reason is missing: why? It is shown to others']);
  const { IncidentRequest } = await import('../../functions/core/requests/request.ts');
  return typedRequest(
    IncidentRequest,
    { kind, incident, reason, forSeconds: durationSeconds(typedTime ?? '') },
    { typedTime, longest: `${attentionBounds.most / 3600}h` },
  );
}
