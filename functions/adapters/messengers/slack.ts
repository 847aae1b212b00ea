import type { RemoteRef } from '../../core/alerts/incident.ts';
import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import { slackSections } from '../../core/alerts/slack-text.ts';
import { Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import { withoutTrailing } from '../../core/text/trailing.ts';
import type { Messenger, NotWhispered, SendOutcome } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Post } from './http-post.ts';
import { liveValues } from './live-values.ts';
import { isBadToken, isOfChannel, isRecord, refusalOf, type SlackAnswer, slackAnswer } from './slack-outcome.ts';

export interface SlackOptions {
  /** Base URL of the Web API, e.g. `https://slack.com/api`. */
  readonly apiUrl: string;
  /** Channel id. */
  readonly channel: string;
  readonly tokenSecret: string;
  readonly secrets: Secrets;
  /** Time limit of one call. Default 8 s; Slack usually answers well under one. */
  readonly timeoutMs?: number | undefined;
  readonly post: Post;
}

const eventType = 'poolkeeper_delivery';
/** Our clock and Slack's may differ. */
const skewSeconds = 60;
/** Seconds from its claim within which a message was posted, if it was: its claim and its time limit are over by far.
 *  What others write afterwards, however much, does not keep it from being looked for. */
const postedWithinSeconds = 600;
/** Messages per page, and pages, that are searched for one of ours. Source: Slack recommends at most 200 a page. */
const page = { size: 200, most: 5 } as const;

/** Slack by a bot token: one message per incident, edited in place, with a thread. Calls are made once: only the
 *  sender, who knows what was claimed, decides about retries. Needs `chat:write`, and `channels:history` to read
 *  back. */
export function slackMessenger(options: SlackOptions): Messenger {
  return {
    post: (message) => send(options, 'chat.postMessage', bodyOf(message, {})),
    edit: (remote, message) => send(options, 'chat.update', bodyOf(message, { ts: remote.id }), remote.channel),
    reply: (remote, message) => reply(options, remote, message),
    find: (deliveryId, since, thread) => find(options, deliveryId, since, thread),
    whisper: (to, text) => whisper(options, to, text),
  };
}

/** Slack puts a reply whose message was deleted into the channel, as one of its own, and only its answer shows that:
 *  it is taken back, and goes with the message that is posted anew. Source: slack-go/slack issue 1571. */
async function reply(options: SlackOptions, remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome> {
  const body = bodyOf(message, { thread_ts: remote.id, reply_broadcast: message.slack?.broadcast ?? false });
  const answer = await put(options, 'chat.postMessage', body, remote.channel);
  if (answer.outcome.kind !== 'sent' || !isOutsideThreads(answer.body)) return answer.outcome;
  const { id: ts, channel } = answer.outcome.remote;
  await call(options, 'chat.delete', 'application/json; charset=utf-8', JSON.stringify({ channel, ts }));
  return { kind: 'gone', why: 'its message was deleted, and its thread with it' };
}

/** Always with blocks: an edit with text alone would remove them; an empty list means none. */
function bodyOf({ slack, deliveryId }: OutgoingMessage, more: Readonly<Record<string, unknown>>) {
  return {
    text: slack?.text ?? '',
    blocks: slack?.blocks ?? [],
    metadata: { event_type: eventType, event_payload: { delivery: deliveryId } },
    unfurl_links: false,
    unfurl_media: false,
    link_names: false,
    ...more,
  };
}

async function send(
  options: SlackOptions,
  method: string,
  body: Readonly<Record<string, unknown>>,
  channel?: string,
): Promise<SendOutcome> {
  return (await put(options, method, body, channel)).outcome;
}

interface Sent {
  readonly outcome: SendOutcome;
  /** What Slack answered, if it took the message. */
  readonly body?: Readonly<Record<string, unknown>>;
}

async function put(
  options: SlackOptions,
  method: string,
  body: Readonly<Record<string, unknown>>,
  channel: string = options.channel,
): Promise<Sent> {
  if (!isChannel(channel)) return { outcome: { kind: 'gone', why: 'its message was sent in another way' } };
  const answer = await call(options, method, 'application/json; charset=utf-8', JSON.stringify({ ...body, channel }));
  switch (answer.kind) {
    case 'failed':
      return { outcome: answer.outcome };
    case 'refused':
      // Its message stays where it was; whoever reads the channel of today is told anew.
      return channel !== options.channel && isOfChannel(answer.error)
        ? { outcome: { kind: 'gone', why: answer.error } }
        : { outcome: refusalOf(answer.error) };
    case 'ok': {
      const remote = remoteOf(answer.body, channel);
      return remote === undefined
        ? { outcome: { kind: 'unknown', why: 'Slack did not say where the message stands' } }
        : { outcome: { kind: 'sent', remote }, body: answer.body };
    }
    default:
      return answer satisfies never;
  }
}

/** An answer without the message says nothing of it. */
function isOutsideThreads({ message }: Readonly<Record<string, unknown>> = {}): boolean {
  return isRecord(message) && message['thread_ts'] === undefined;
}

/** What was sent before the target became a channel stands in none. */
function isChannel(channel: string): boolean {
  return /^[A-Z][A-Z0-9]*$/.test(channel);
}

/** With each valid token in turn: during a rotation the newest may not be active yet, or the older one revoked. */
async function call(options: SlackOptions, method: string, contentType: string, body: string): Promise<SlackAnswer> {
  const { apiUrl, timeoutMs = 8000, post } = options;
  const url = `${withoutTrailing(apiUrl, '/')}/${method}`;
  const tokens = await liveValues(options.secrets, options.tokenSecret);
  if (typeof tokens === 'string') return { kind: 'failed', outcome: notRead(tokens) };
  let answer: SlackAnswer = { kind: 'refused', error: 'not_authed' };
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
    answer = slackAnswer(await post({ url, headers, body, timeoutMs }));
    if (answer.kind !== 'refused' || !isBadToken(answer.error)) return answer;
  }
  return answer;
}

async function whisper(
  options: SlackOptions,
  to: { readonly channel: string; readonly user: string },
  text: string,
): Promise<NotWhispered | undefined> {
  const body = JSON.stringify({ ...to, text, blocks: slackSections(text), link_names: false });
  const answer = await call(options, 'chat.postEphemeral', 'application/json; charset=utf-8', body);
  if (answer.kind === 'ok') return undefined;
  const outcome = answer.kind === 'failed' ? answer.outcome : refusalOf(answer.error);
  const retryAfterSeconds = outcome.kind === 'not-sent' ? outcome.retryAfterSeconds : undefined;
  // Most of what it refuses is about the person, as one who has left the channel; some is its own failure.
  const passing = answer.kind === 'failed' || outcome.kind === 'unknown' || retryAfterSeconds !== undefined;
  return { why: outcome.why, passing, retryAfterSeconds };
}

function notRead(why: string): Exclude<SendOutcome, { kind: 'sent' }> {
  return { kind: 'not-sent', why: `the token could not be read: ${why}`, retryAfterSeconds: undefined };
}

function remoteOf(body: Readonly<Record<string, unknown>>, channel: string): RemoteRef | undefined {
  const { ts } = body;
  if (typeof ts !== 'string' || ts === '') return undefined;
  return { channel: typeof body['channel'] === 'string' ? body['channel'] : channel, id: ts };
}

async function find(
  options: SlackOptions,
  deliveryId: string,
  since: Date,
  thread: RemoteRef | undefined,
): Promise<RemoteRef | 'absent' | 'unable'> {
  const channel = thread?.channel ?? options.channel;
  const query = {
    channel,
    oldest: (since.getTime() / 1000 - skewSeconds).toFixed(6),
    latest: (since.getTime() / 1000 + postedWithinSeconds).toFixed(6),
    include_all_metadata: 'true',
    limit: String(page.size),
    ...(thread === undefined ? {} : { ts: thread.id }),
  };
  let cursor: string | undefined;
  for (let count = 0; count < page.most; count += 1) {
    const read = await readPage(options, { ...query, ...given({ cursor }) });
    if (typeof read === 'string') return read;
    const found = messagesOf(read).find((message) => deliveryOf(message) === deliveryId);
    if (found !== undefined) return remoteOf({ ts: found['ts'] }, channel) ?? 'absent';
    cursor = cursorOf(read);
    if (cursor === undefined) return 'absent';
  }
  throw new Transient(`Slack: more than ${page.most * page.size} messages around ${since.toISOString()}`);
}

/** One page of a channel or a thread. Throws Transient if a retry may succeed. */
async function readPage(
  options: SlackOptions,
  query: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>> | 'absent' | 'unable'> {
  const method = query['ts'] === undefined ? 'conversations.history' : 'conversations.replies';
  const body = new URLSearchParams(query).toString();
  const answer = await call(options, method, 'application/x-www-form-urlencoded', body);
  if (answer.kind === 'ok') return answer.body;
  if (answer.kind === 'refused' && answer.error === 'thread_not_found') return 'absent';
  if (answer.kind === 'refused' && refusalOf(answer.error).kind === 'dead') return 'unable';
  throw new Transient(`Slack ${method}: ${whyOf(answer)}`, { kind: 'unreachable' });
}

function whyOf(answer: Exclude<SlackAnswer, { kind: 'ok' }>): string {
  return answer.kind === 'refused' ? answer.error : answer.outcome.why;
}

function messagesOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(body['messages']) ? body['messages'].filter(isRecord) : [];
}

function deliveryOf({ metadata }: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(metadata) || metadata['event_type'] !== eventType) return undefined;
  return isRecord(metadata['event_payload']) ? metadata['event_payload']['delivery'] : undefined;
}

function cursorOf({ response_metadata: more }: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = isRecord(more) ? more['next_cursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
