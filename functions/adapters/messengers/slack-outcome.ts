import type { SendOutcome } from '../../ports/messages.ts';
import type { Posted } from './http-post.ts';

/** Seconds to wait if Slack asks to wait without saying how long. */
const defaultPauseSeconds = 30;

/** Slack's errors by what they mean for a message; their meaning is at `SendOutcome`. Source: Slack Web API,
 *  chat.postMessage and chat.update. */
const rateLimited = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

/** The form of the message is refused: a simpler one may be accepted. */
const invalid = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_attachments',
  'no_text',
  'metadata_too_large',
]);

/** The channel refuses, or there is none. */
const ofChannel = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_thread_only_channel',
  'restricted_action_non_threadable_channel',
  'invalid_channel',
]);

/** The target refuses until a person changes something in Slack or in the configuration. */
const dead = new Set([
  ...ofChannel,
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'missing_scope',
  'no_permission',
  'access_denied',
  'not_allowed_token_type',
  'org_login_required',
  'team_access_not_granted',
  'ekm_access_denied',
]);

/** The message that was to be edited or replied to does not exist any more. */
const gone = new Set(['message_not_found', 'thread_not_found', 'cannot_reply_to_message']);

/** The message that was to be edited stays as it is: by the workspace's rules for edits, or as that of another App. */
const unchangeable = new Set(['edit_window_closed', 'cant_update_message']);

/** Slack's errors for when it does not know whether the message was accepted. */
const unknown = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

/** Errors for which a second valid value of the secret may help. */
const badToken = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive']);

/** An answer of Slack's Web API. */
export type SlackAnswer =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'failed'; readonly outcome: Exclude<SendOutcome, { kind: 'sent' }> };

/** Interprets one answer of the Web API; the HTTP status takes precedence over the body. */
export function slackAnswer(posted: Posted): SlackAnswer {
  const early = failureOf(posted);
  if (early !== undefined) return { kind: 'failed', outcome: early };
  const body = posted.kind === 'answered' ? objectOf(posted.body) : undefined;
  if (body === undefined) return { kind: 'failed', outcome: { kind: 'unknown', why: 'Slack answered no JSON' } };
  if (body['ok'] === true) return { kind: 'ok', body };
  return { kind: 'refused', error: typeof body['error'] === 'string' ? body['error'] : 'no error named' };
}

/** Failures visible in the HTTP answer itself, the same for the Web API and for webhooks. Undefined: read the body. */
export function failureOf(posted: Posted): Exclude<SendOutcome, { kind: 'sent' }> | undefined {
  if (posted.kind === 'unreached') return notSent(`Slack was not reached: ${posted.why}`);
  if (posted.kind === 'cut off') return { kind: 'unknown', why: `no answer of Slack: ${posted.why}` };
  const { status, retryAfterSeconds } = posted;
  if (status === 429) return notSent('Slack asks to wait', retryAfterSeconds ?? defaultPauseSeconds);
  if (status >= 500 || status === 408) return { kind: 'unknown', why: `Slack answered HTTP ${status}` };
  return undefined;
}

/** Meaning of an error of the Web API for a message. With an unknown error the message was not sent, and may be
 *  retried. */
export function refusalOf(error: string): Exclude<SendOutcome, { kind: 'sent' }> {
  if (rateLimited.has(error)) return notSent(error, defaultPauseSeconds);
  if (invalid.has(error)) return { kind: 'invalid', why: error };
  if (dead.has(error)) return { kind: 'dead', why: error };
  if (gone.has(error)) return { kind: 'gone', why: error };
  if (unchangeable.has(error)) return { kind: 'unchangeable', why: error };
  if (unknown.has(error)) return { kind: 'unknown', why: error };
  return notSent(/^[a-z_]{1,60}$/.test(error) ? error : 'an unknown error');
}

/** Whether the error says that nothing can be written in that channel, while another one may take it. */
export function isOfChannel(error: string): boolean {
  return ofChannel.has(error);
}

/** Whether the error may end with another valid value of the token. */
export function isBadToken(error: string): boolean {
  return badToken.has(error);
}

function notSent(why: string, retryAfterSeconds?: number): Exclude<SendOutcome, { kind: 'sent' }> {
  return { kind: 'not-sent', why, retryAfterSeconds };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
