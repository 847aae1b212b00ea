import { createHash } from 'node:crypto';
import type { Configuration } from '../core/configuration/configuration.ts';
import { attentionEvent } from '../core/requests/attention-event.ts';
import type { ApprovalRequest } from '../core/requests/request.ts';
import { takeApproval } from '../core/requests/take-approval.ts';
import { mayAsk } from '../core/requests/who-may.ts';
import { BadInput } from '../core/text/errors.ts';
import type { AttentionQueue } from '../ports/queues.ts';
import type { Approvals, Replays, Timeline } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type WebHandler } from '../shell/answer.ts';
import { mediaType, readText } from '../shell/body.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { type Press, readPress } from './press.ts';
import { requireSignature, signatureHoldsSeconds } from './require-signature.ts';

/** `secret` is the signing secret. */
export interface ReceiveSlackPorts extends SecretPorts {
  readonly configuration: Pick<Configuration, 'alerts' | 'clusters'>;
  readonly attention: AttentionQueue;
  readonly replays: Replays;
  readonly approvals: Pick<Approvals, 'save'>;
  readonly timeline: Pick<Timeline, 'append'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** A press comes with the whole message that it was made on: some 10 kB of ours. */
const slackBodyAtMostBytes = 256 * 1024;

/** `POST /slack`: a verified press of a button becomes one AttentionAsked on the alert queue. Slack waits 3 s, so
 *  nothing else is done here, not even a check whether the incident is open. Only an approval is stored at once: in the
 *  queue anybody who may send there could claim that Slack had signed it. It never changes a cluster. */
export function receiveSlack(ports: ReceiveSlackPorts): WebHandler {
  const { clock, logger, metrics, replays, newId } = ports;
  const live = liveSecret(ports);
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    if (mediaType(request.headers) !== 'application/x-www-form-urlencoded') {
      throw new BadInput('Slack sends forms', { status: 415 });
    }
    const text = await readText(request, slackBodyAtMostBytes);
    const now = clock();
    const { signature, at } = await requireSignature(text, request.headers, live, now);
    const press = readPress(text, ports.configuration.alerts.slackButtons?.acknowledgeForSeconds);
    requireAllowed(press, ports);
    if (press.approval !== undefined) await storeApproval(press.approval, press, at, ports);
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

/** Stored under the time of the signature, so that a replay changes nothing. Throws BadInput 403 for people who are not
 *  on the list of the pool. */
async function storeApproval(
  request: ApprovalRequest,
  { from, channel, user, by }: Press,
  at: Date,
  { configuration, approvals, timeline, logger }: ReceiveSlackPorts,
): Promise<void> {
  const requester = { surface: 'slack', who: by, user, workspaces: from, channel } as const;
  const taken = takeApproval(request, requester, configuration, at);
  if (taken.entry !== undefined) await timeline.append([taken.entry]);
  if (taken.kind === 'refused') {
    logger.warn('request to approve is refused', { pool: request.pool, why: taken.why });
    throw new BadInput('this person may not approve that', { status: 403 });
  }
  for (const approval of taken.approvals) await approvals.save(approval);
}

/** Throws BadInput 403 for another workspace, a channel that is no target, and people without permission. */
function requireAllowed(
  { from, channel, user, by, request, approval }: Press,
  { configuration }: Pick<ReceiveSlackPorts, 'configuration'>,
): void {
  const requester = { surface: 'slack', who: by, user, workspaces: from, channel } as const;
  // A button that only opens a page requests nothing, but its workspace is checked all the same.
  const permission = mayAsk(approval?.kind ?? request?.kind ?? 'recheck', requester, configuration.alerts);
  if (permission.kind === 'refused')
    throw new BadInput('buttons are not allowed there, or not for this person', { status: 403 });
}
