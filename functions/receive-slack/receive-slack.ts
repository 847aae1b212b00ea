import { createHash } from 'node:crypto';
import type { Configuration } from '../core/configuration/configuration.ts';
import { attentionEvent } from '../core/requests/attention-event.ts';
import { mayAsk } from '../core/requests/who-may.ts';
import { BadInput } from '../core/text/errors.ts';
import type { AttentionQueue } from '../ports/queues.ts';
import type { Replays } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type WebHandler } from '../shell/answer.ts';
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
 *  nothing is done here, not even a check whether the incident is open. It never changes a cluster. */
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
    const press = readPress(text, ports.configuration.alerts.slackButtons?.acknowledgeForSeconds);
    requireAllowed(press, ports);
    const { request: asked, channel, user, by } = press;
    if (asked === undefined) return { status: 200, reason: 'nothing to do' };
    const id = createHash('sha256').update(signature).digest('hex').slice(0, 32);
    // The signature is valid this long before and after its time.
    if (!(await replays.isFirst(`slack/${id}`, 2 * signatureHoldsSeconds))) {
      return { status: 200, reason: 'already accepted' };
    }
    const from = { id: `slack/${id}`, source: '/poolkeeper/receive-slack', by, answer: { channel, user } } as const;
    const event = attentionEvent(asked, from, now);
    await ports.attention.send(event);
    return { status: 200, reason: 'queued', about: { correlation: `PK-${asked.incident}` } };
  });
}

/** Throws BadInput 403 for another workspace, a channel that is no target, and people without permission. */
function requireAllowed(
  { from, channel, user, by, request }: Press,
  { configuration }: Pick<ReceiveSlackPorts, 'configuration'>,
): void {
  const requester = { surface: 'slack', who: by, user, workspaces: from, channel } as const;
  // A button that only opens a page requests nothing, but its workspace is checked all the same.
  const permission = mayAsk(request?.kind ?? 'recheck', requester, configuration.alerts);
  if (permission.kind === 'refused')
    throw new BadInput('buttons are not allowed there, or not for this person', { status: 403 });
}
