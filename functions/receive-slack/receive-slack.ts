import { createHash } from 'node:crypto';
import { type AttentionAsked, cloudEvent } from '../../events/index.ts';
import type { SlackButtons } from '../core/configuration/alerts.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import { BadInput } from '../core/text/errors.ts';
import type { AttentionQueue } from '../ports/queues.ts';
import type { Replays } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type Reply, type WebHandler } from '../shell/answer.ts';
import { mediaType, readText } from '../shell/body.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { type Press, readPress } from './press.ts';
import { requireSignature, signatureHoldsSeconds } from './require-signature.ts';

/** `secret` is the signing secret. */
export interface ReceiveSlackPorts extends SecretPorts {
  readonly configuration: { readonly alerts: Pick<Configuration['alerts'], 'targets' | 'slackButtons'> };
  readonly attention: AttentionQueue;
  readonly replays: Replays;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** A press comes with the whole message that it was made on: some 10 kB of ours. */
const slackBodyAtMostBytes = 256 * 1024;

/** `POST /slack`: a verified press of a button becomes one AttentionAsked on the alert queue. Slack waits 3 s, so
 *  nothing is done here: not even whether the incident is open is looked up. It never changes a cluster. */
export function receiveSlack(ports: ReceiveSlackPorts): WebHandler {
  const { clock, logger, metrics, replays, newId } = ports;
  const live = liveSecret(ports);
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    if (mediaType(request.headers) !== 'application/x-www-form-urlencoded') {
      throw new BadInput('Slack sends forms', { status: 415 });
    }
    const text = await readText(request, slackBodyAtMostBytes);
    const now = clock();
    const signature = await requireSignature(text, request.headers, live, now);
    const press = readPress(text);
    requireAllowed(press, ports);
    if (press.wish === undefined) return { status: 200, reason: 'nothing to do' };
    const id = createHash('sha256').update(signature).digest('hex').slice(0, 32);
    // Both sides of the time in which the signature holds.
    if (!(await replays.isFirst(`slack/${id}`, 2 * signatureHoldsSeconds))) {
      return { status: 200, reason: 'this was taken already' };
    }
    return ask(press, press.wish, { id, now, ports });
  });
}

async function ask(
  { channel, user, by }: Press,
  wish: NonNullable<Press['wish']>,
  { id, now, ports }: { readonly id: string; readonly now: Date; readonly ports: ReceiveSlackPorts },
): Promise<Reply> {
  const acknowledgeFor = ports.configuration.alerts.slackButtons?.acknowledgeForSeconds ?? 0;
  const event: AttentionAsked = cloudEvent({
    type: 'poolkeeper.attention.asked.v1',
    id: `slack/${id}`,
    source: '/poolkeeper/receive-slack',
    subject: `PK-${wish.number}`,
    time: now,
    correlation: `PK-${wish.number}`,
    data: {
      wish: wish.wish,
      number: wish.number,
      seenSeq: wish.seenSeq,
      by,
      reason: '',
      forSeconds: wish.forSeconds ?? acknowledgeFor,
      askedAt: now.toISOString(),
      answer: { channel, user },
    },
  });
  await ports.attention.send(event);
  return {
    status: 200,
    reason: 'queued',
    about: { correlation: `PK-${wish.number}` },
  };
}

/** Throws BadInput 403 for another workspace, a channel that is no target, and people who may not. */
function requireAllowed(
  { from, channel, user }: Press,
  { configuration: { alerts } }: Pick<ReceiveSlackPorts, 'configuration'>,
): void {
  const { slackButtons, targets } = alerts;
  const isTarget = targets.some((target) => target.kind === 'slack' && target.channel === channel);
  if (slackButtons !== undefined && isTarget && mayPress(slackButtons, from, user)) return;
  throw new BadInput('buttons may not be pressed there, or not by this person', { status: 403 });
}

function mayPress({ team, users }: SlackButtons, from: readonly string[], user: string): boolean {
  return from.includes(team) && (users.length === 0 || users.includes(user));
}
