import { BadInput } from '../core/text/errors.ts';
import type { PreviewQueue, RelayQueue, WorkQueue } from '../ports/queues.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type Reply, type WebHandler } from '../shell/answer.ts';
import { mediaType, parseAs, parseJson, readText } from '../shell/body.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { GithubPull, whyNoPreview } from './github-pull.ts';
import { GithubPush } from './github-push.ts';
import { passOn } from './pass-on.ts';
import { pullSeen } from './pull-seen.ts';
import { pushSeen } from './push-seen.ts';
import { requireSignature } from './require-signature.ts';

/** `secret` is the webhook's. */
export interface ReceiveGithubPorts extends SecretPorts {
  readonly work: WorkQueue;
  /** Undefined: pull requests get no preview. */
  readonly previews?: PreviewQueue | undefined;
  /** Undefined: pushes are relayed to no Argo CD. */
  readonly relays?: RelayQueue | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** GitHub sends up to 25 MB, but a Lambda takes 6 MB of JSON in which the quotes of this body are escaped. What is
 *  larger is refused here with words, and the sweep finds the sync. Source: Lambda quotas, invocation payload. */
const githubBodyAtMostBytes = 4 * 1024 * 1024;

/** What becomes of a push that is refused for its size. The sweep looks every `sweepEverySeconds`: 5 min by default. A
 *  delivery lists every commit with its message and files. */
const tooLargeHint =
  'a push of this size is not paused for: its sync is found by looking, within five minutes unless configured otherwise. Push fewer commits or files at once, or squash them, to make deliveries smaller';

/** `POST /github`: a verified push becomes one PushSeen on the work queue, a pull request one PullSeen on that of
 *  the previews. GitHub waits 10 s and never tries again by itself, so nothing but the queue is called, and a queue
 *  that does not take it is answered with 503: such a delivery shows as failed and can be delivered again, under the
 *  same id. */
export function receiveGithub(ports: ReceiveGithubPorts): WebHandler {
  const { logger, metrics, newId } = ports;
  const live = liveSecret(ports);
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    const isForm = sendsForm(request.headers);
    const text = await readText(request, githubBodyAtMostBytes, tooLargeHint);
    await requireSignature(text, request.headers, live);
    const delivery = readHeader(request.headers, 'X-GitHub-Delivery', /^[\w-]{1,64}$/);
    const event = readHeader(request.headers, 'X-GitHub-Event', /^\w{1,64}$/);

    const json = isForm ? payloadOf(text) : text;
    const verified: Verified = { event, delivery, receivedAt: ports.clock(), text, json, headers: request.headers };
    const reply = await answerTo(verified, ports).catch((cause: unknown) => passOnRefused(cause, verified, ports));
    // Last: whatever happens to the relay, the pause is under way. If the relay queue does not accept it the delivery
    // fails, so that it can be redelivered.
    await passOn({ ...verified, awaitsPause: hasQueuedPush(event, reply) }, ports);
    return reply;
  });
}

/** What GitHub signed goes to Argo CD also if we cannot read it: without us it would have got it. Nothing is paused for
 *  it, so nothing is waited for. Throws the BadInput, which then says so, and whatever else was thrown. */
async function passOnRefused(cause: unknown, verified: Verified, ports: ReceiveGithubPorts): Promise<never> {
  if (!(cause instanceof BadInput)) throw cause;
  const isPassedOn = await passOn({ ...verified, awaitsPause: false }, ports);
  if (!isPassedOn) throw cause;
  const { message, status } = cause;
  throw new BadInput(`${message}; no pool is paused for it, and it is passed on to Argo CD`, { status, cause });
}

interface Verified {
  readonly event: string;
  readonly delivery: string;
  /** Of one reception, by which the relay knows what keep-pools made of it: GitHub repeats the delivery. */
  readonly receivedAt: Date;
  readonly text: string;
  /** What it says: the same, or the payload of a form. */
  readonly json: string;
  readonly headers: RequestHeaders;
}

async function answerTo(verified: Verified, ports: ReceiveGithubPorts): Promise<Reply> {
  const { event, delivery, json } = verified;
  if (event === 'ping') return { status: 200, reason: 'pong', body: { delivery }, about: { delivery } };
  if (event === 'pull_request') return queuePull(verified, ports);
  if (event !== 'push') return dropped(delivery, `events of type ${event} are not used`);
  return queuePush(parseAs(GithubPush, parseJson(json)), verified, ports);
}

function hasQueuedPush(event: string, { body }: Reply): boolean {
  return event === 'push' && body?.['accepted'] === true;
}

async function queuePush(
  push: GithubPush,
  { delivery, receivedAt }: Verified,
  { work }: ReceiveGithubPorts,
): Promise<Reply> {
  if (!/^refs\/(?:heads|tags)\/./.test(push.ref)) return dropped(delivery, 'the ref is neither a branch nor a tag');
  await work.send(pushSeen(push, { delivery, receivedAt }));
  return {
    status: 202,
    reason: 'push queued',
    body: { accepted: true, delivery },
    about: { delivery, correlation: delivery, repository: push.repository.full_name, ref: push.ref },
  };
}

async function queuePull({ json, delivery, receivedAt }: Verified, { previews }: ReceiveGithubPorts): Promise<Reply> {
  if (previews === undefined) return dropped(delivery, 'previews of pull requests are not configured');
  const pull = parseAs(GithubPull, parseJson(json));
  const why = whyNoPreview(pull);
  if (why !== undefined) return dropped(delivery, why);
  await previews.send(pullSeen(pull, { delivery, receivedAt }));
  return {
    status: 202,
    reason: 'pull request queued',
    body: { accepted: true, delivery },
    about: { delivery, correlation: delivery, repository: pull.repository.full_name, ref: pull.pull_request.base.ref },
  };
}

function dropped(delivery: string, reason: string): Reply {
  return { status: 202, reason, body: { accepted: false, delivery }, about: { delivery } };
}

/** Whether the delivery is a form with the JSON in it, which is what GitHub sends unless told otherwise. */
function sendsForm(headers: RequestHeaders): boolean {
  const type = mediaType(headers);
  if (type === 'application/json') return false;
  if (type === 'application/x-www-form-urlencoded') return true;
  const what = 'this is not JSON: choose content type application/json in the settings of the webhook';
  throw new BadInput(what, { status: 415 });
}

/** The JSON in a form of this one field. No more: a signature says nothing of the content type, and a signed JSON that
 *  has `&payload=` in somebody's commit message is no form. */
function payloadOf(form: string): string {
  const payload = form.startsWith('payload=') && !form.includes('&') ? new URLSearchParams(form).get('payload') : null;
  if (payload === null) throw new BadInput('the form is not one payload');
  return payload;
}

function readHeader(headers: RequestHeaders, name: string, form: RegExp): string {
  const value = headers.get(name) ?? '';
  if (form.test(value)) return value;
  throw new BadInput(`header ${name} is ${value === '' ? 'missing' : 'not valid'}`);
}
