import { createHash } from 'node:crypto';
import type { AttentionAsked, PressRefusal } from '../../events/index.ts';
import { channelReach } from '../core/alerts/targets.ts';
import { attentionEvent } from '../core/requests/attention-event.ts';
import { whySteeredInVain } from '../core/requests/below-message.ts';
import type { ApprovalRequest, SteerRequest } from '../core/requests/request.ts';
import { askedOfSequence } from '../core/requests/steer-sequence.ts';
import { takeApproval } from '../core/requests/take-approval.ts';
import { mayAsk, type Requester } from '../core/requests/who-may.ts';
import { BadInput } from '../core/text/errors.ts';
import { given } from '../core/text/given.ts';
import { answering, type WebHandler } from '../shell/answer.ts';
import { mediaType, readText } from '../shell/body.ts';
import { liveSecret } from '../shell/live-secret.ts';
import { type Press, readPress } from './press.ts';
import type { ReceiveSlackPorts } from './receive-slack-ports.ts';
import { requireSignature, signatureHoldsSeconds } from './require-signature.ts';
import { takeCommand } from './take-command.ts';

/** A press or a command comes with the whole message that it was made on: some 10 kB of ours. */
const slackBodyAtMostBytes = 256 * 1024;

/** `POST /slack`: a verified press of a button becomes one AttentionAsked on the alert queue, a command one
 *  RequestAsked. Slack waits 3 s, so nothing else is done here, mostly not even a check whether the incident is open.
 *  Only an approval, and what is asked of a sequence or by a command, is stored at once: in the queue anybody who may
 *  send there could claim that Slack had signed it. */
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
    const form = new URLSearchParams(text);
    // Slack checks the certificate of an entrance from time to time.
    if (form.get('ssl_check') === '1') return { status: 200, reason: 'checked' };
    if (form.has('command')) return takeCommand(form, { signature, at }, ports);
    const press = readPress(text, ports.configuration.alerts.slackButtons?.acknowledgeForSeconds);
    requireAllowed(press, ports);
    if (press.approval !== undefined) await storeApproval(press.approval, press, at, ports);
    const { request: asked, channel, user, by } = press;
    if (asked === undefined) return { status: 200, reason: 'nothing to do' };
    const id = createHash('sha256').update(signature).digest('hex').slice(0, 32);
    const steered = press.steering && (await steer(press.steering, { press, id: `slack/${id}`, at }, ports));
    // The signature is valid this long before and after its time.
    if (!(await replays.isFirst(`slack/${id}`, 2 * signatureHoldsSeconds))) {
      return { status: 200, reason: 'already accepted' };
    }
    const from = {
      id: `slack/${id}`,
      source: '/poolkeeper/receive-slack',
      by,
      answer: { channel, user },
      pressed: press.approval && pressedOf(press.approval),
      steered,
    } as const;
    const event = attentionEvent(asked, from, now);
    await ports.attention.send(event);
    return { status: 200, reason: 'queued', about: { correlation: `PK-${asked.incident}` } };
  });
}

/** Stored under the time of the signature, so that a replay changes nothing. Throws BadInput 403 for people who are not
 *  on the list of the pool. */
async function storeApproval(
  request: ApprovalRequest,
  press: Press,
  at: Date,
  { configuration, approvals, timeline, logger }: ReceiveSlackPorts,
): Promise<void> {
  const taken = takeApproval(request, requesterOf(press), configuration, at);
  if (taken.entry !== undefined) await timeline.append([taken.entry]);
  if (taken.kind === 'refused') {
    logger.warn('request to approve is refused', { pool: request.pool, why: taken.why });
    throw new BadInput('this person may not approve that', { status: 403 });
  }
  for (const approval of taken.approvals) await approvals.save(approval);
}

function pressedOf({ kind: verb, cluster, pool, config }: ApprovalRequest): AttentionAsked['data']['pressed'] {
  return { verb, cluster, pool, config };
}

interface Signed {
  readonly press: Press;
  readonly id: string;
  readonly at: Date;
}

/** Stores what is asked of a sequence, if the message that it is asked below is of the incident that there is; told is
 *  what came of that, and nothing else. */
async function steer(
  request: SteerRequest,
  signed: Signed,
  ports: ReceiveSlackPorts,
): Promise<AttentionAsked['data']['steered']> {
  const { sequence, act, incident, shown } = request;
  const refused = await whyRefused(request, signed.press, ports);
  if (refused === undefined) await storeSteering(request, signed, ports);
  else ports.logger.warn('request about a sequence is refused', { sequence, act, incident, why: refused });
  return { sequence, ...given({ cluster: shown?.cluster, refused }) };
}

/** One small read, as Slack does not wait for long. */
async function whyRefused(
  { incident: number, shown }: SteerRequest,
  { channel }: Press,
  { incidents, configuration }: ReceiveSlackPorts,
): Promise<PressRefusal | undefined> {
  if (shown === undefined) return 'earlier-version';
  const { cluster, episode } = shown;
  const incident = await incidents.loadOne({ cluster, pool: '*', kind: 'sequence-stuck' });
  return whySteeredInVain(incident, { number, episode }, channelReach(configuration.alerts, channel));
}

/** Stored under the signature, so that a replay changes nothing: in the queue anybody who may send there could claim
 *  that Slack had signed it. */
async function storeSteering(
  request: SteerRequest,
  { press, id, at }: Signed,
  { sequenceRequests, logger }: ReceiveSlackPorts,
): Promise<void> {
  const asked = askedOfSequence(request, { id, who: `${press.by} (Slack ${press.user})`, at });
  if (asked === undefined) throw new BadInput('a skip names a step');
  await sequenceRequests.save(asked);
  logger.info('request about a sequence', { sequence: asked.sequence, act: request.act, by: asked.request.said.who });
}

function requesterOf({ from, home, channel, user, by }: Press): Requester {
  return { surface: 'slack', who: by, user, workspaces: from, home, channel };
}

/** Throws BadInput 403 for another workspace, a person of another, a channel that is no target, and people without
 *  permission. */
function requireAllowed(press: Press, { configuration }: Pick<ReceiveSlackPorts, 'configuration'>): void {
  const { request, approval, steering } = press;
  // A button that only opens a page requests nothing, but its workspace is checked all the same.
  const permission = mayAsk(
    steering?.kind ?? approval?.kind ?? request?.kind ?? 'recheck',
    requesterOf(press),
    configuration.alerts,
  );
  if (permission.kind === 'refused')
    throw new BadInput('buttons are not allowed there, or not for this person', { status: 403 });
}
