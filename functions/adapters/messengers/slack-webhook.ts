import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import type { Messenger, SendOutcome } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Post } from './http-post.ts';
import { liveValues } from './live-values.ts';
import { mayBeCalled } from './may-be-called.ts';
import { failureOf } from './slack-outcome.ts';

export interface SlackWebhookOptions {
  readonly urlSecret: string;
  readonly secrets: Secrets;
  /** Time limit of one call. Default 8 s. */
  readonly timeoutMs?: number | undefined;
  readonly post: Post;
}

/** Slack by an incoming webhook: the last resort. It answers a bare `ok`, so a message can be neither edited, nor
 *  replied to, nor found again; what people must know is posted again. */
export function slackWebhookMessenger(options: SlackWebhookOptions): Messenger {
  return {
    post: (message) => post(options, message),
    edit: async (remote, message) => (isNews(message) ? post(options, message) : { kind: 'sent', remote }),
    reply: (_remote, message) => post(options, message),
    find: async () => 'unable',
  };
}

function isNews({ occasion }: OutgoingMessage): boolean {
  return occasion === 'opened' || occasion === 'reopened' || occasion === 'resolved';
}

async function post(
  { secrets, urlSecret, timeoutMs, post: send }: SlackWebhookOptions,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  const urls = await liveValues(secrets, urlSecret);
  if (typeof urls === 'string') return { kind: 'not-sent', why: urls, retryAfterSeconds: undefined };
  const [url] = urls;
  if (url === undefined) return { kind: 'dead', why: 'the webhook URL is not set' };
  if (!mayBeCalled(url)) return { kind: 'dead', why: 'the webhook URL is not an https:// address that may be called' };
  const { text = '', blocks = [] } = message.slack ?? {};
  const body = JSON.stringify(blocks.length === 0 ? { text } : { text, blocks });
  const posted = await send({
    url,
    headers: { 'content-type': 'application/json' },
    body,
    timeoutMs: timeoutMs ?? 8000,
  });
  const failed = failureOf(posted);
  if (failed !== undefined) return failed;
  if (posted.kind !== 'answered') return { kind: 'unknown', why: 'no answer' };
  const answer = posted.body.trim().slice(0, 100);
  if (posted.status === 200 && answer === 'ok') {
    return { kind: 'sent', remote: { channel: 'webhook', id: message.deliveryId } };
  }
  if (posted.status === 200) return { kind: 'unknown', why: `the webhook answered ${JSON.stringify(answer)}` };
  if (posted.status === 400 && /^invalid_(?:blocks|payload)|too_long|no_text/.test(answer))
    return { kind: 'invalid', why: answer };
  return { kind: 'dead', why: `HTTP ${posted.status} ${/^[\w ]*$/.test(answer) ? answer : ''}`.trim() };
}
