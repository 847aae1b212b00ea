import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { httpPost, type Post } from '../../../../functions/adapters/messengers/http-post.ts';
import { slackMessenger } from '../../../../functions/adapters/messengers/slack.ts';
import { slackWebhookMessenger } from '../../../../functions/adapters/messengers/slack-webhook.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import type { OutgoingMessage } from '../../../../functions/core/alerts/outgoing.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import type { Messenger } from '../../../../functions/ports/messages.ts';
import type { Secrets } from '../../../../functions/ports/secrets.ts';
import { type SlackFault, type SlackServer, startSlack } from '../../../fakes/slack-server.ts';

const post = httpPost(systemRuntime.deadline);

const message: OutgoingMessage = {
  deliveryId: 'd1',
  occasion: 'opened',
  slack: { text: 'hello', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'hello' } }], broadcast: true },
};
const since = new Date('2026-03-02T10:00:00Z');

let slack: SlackServer;

beforeEach(async () => {
  slack = await startSlack();
});

afterEach(() => slack.close());

function messengerWith(secrets: Secrets = { read: async () => ['xoxb-good'] }): Messenger {
  return slackMessenger({
    post,
    apiUrl: `${slack.apiUrl}/`,
    channel: 'C1',
    tokenSecret: 'slack',
    secrets,
    timeoutMs: 500,
  });
}

function error(word: string): SlackFault {
  return { kind: 'error', error: word };
}

describe('what an answer of Slack means for a message', () => {
  test.each([
    [
      '429 with Retry-After',
      { kind: 'status', status: 429, headers: { 'retry-after': '17' } },
      { kind: 'not-sent', retryAfterSeconds: 17 },
    ],
    ['429 without it', { kind: 'status', status: 429 }, { kind: 'not-sent', retryAfterSeconds: 30 }],
    ['ratelimited', error('ratelimited'), { kind: 'not-sent', retryAfterSeconds: 30 }],
    ['invalid_blocks', error('invalid_blocks'), { kind: 'invalid' }],
    ['msg_blocks_too_long', error('msg_blocks_too_long'), { kind: 'invalid' }],
    ['msg_too_long', error('msg_too_long'), { kind: 'invalid' }],
    ['channel_not_found', error('channel_not_found'), { kind: 'dead', why: 'channel_not_found' }],
    ['not_in_channel', error('not_in_channel'), { kind: 'dead' }],
    ['is_archived', error('is_archived'), { kind: 'dead' }],
    ['restricted_action', error('restricted_action'), { kind: 'dead' }],
    ['invalid_auth', error('invalid_auth'), { kind: 'dead' }],
    ['token_revoked', error('token_revoked'), { kind: 'dead' }],
    ['account_inactive', error('account_inactive'), { kind: 'dead' }],
    ['missing_scope', error('missing_scope'), { kind: 'dead' }],
    ['message_not_found', error('message_not_found'), { kind: 'gone' }],
    ['cant_update_message', error('cant_update_message'), { kind: 'unchangeable' }],
    ['edit_window_closed', error('edit_window_closed'), { kind: 'unchangeable' }],
    ['internal_error', error('internal_error'), { kind: 'unknown' }],
    ['fatal_error', error('fatal_error'), { kind: 'unknown' }],
    ['HTTP 500', { kind: 'status', status: 500 }, { kind: 'unknown' }],
    ['a page of some proxy', { kind: 'body', body: '<html>sign in</html>' }, { kind: 'unknown' }],
    ['ok without a place', { kind: 'body', body: '{"ok":true}' }, { kind: 'unknown' }],
    ['a broken connection', { kind: 'drop', accepted: false }, { kind: 'unknown' }],
    [
      'a word that is not known here',
      error('brand_new_error'),
      { kind: 'not-sent', why: 'brand_new_error', retryAfterSeconds: undefined },
    ],
  ] satisfies [string, SlackFault, object][])('[N-18] %s', async (_name, fault, outcome) => {
    slack.failNext('chat.update', fault);

    expect(await messengerWith().edit({ channel: 'C1', id: '1.0' }, message)).toMatchObject(outcome);
    expect(slack.calls).toHaveLength(1);
  });

  test('nobody behind the name', async () => {
    const nowhere = slackMessenger({
      post,
      apiUrl: 'http://nowhere.invalid/api',
      channel: 'C1',
      tokenSecret: 'slack',
      secrets: { read: async () => ['xoxb-good'] },
    });

    expect(await nowhere.post(message)).toMatchObject({ kind: 'not-sent', retryAfterSeconds: undefined });
  });
});

describe('what is sent', () => {
  test('[C-6] carries the delivery id as metadata and unfurls nothing', async () => {
    await messengerWith().post(message);

    expect(slack.calls[0]).toMatchObject({
      method: 'chat.postMessage',
      token: 'xoxb-good',
      body: {
        channel: 'C1',
        text: 'hello',
        metadata: { event_type: 'poolkeeper_delivery', event_payload: { delivery: 'd1' } },
        unfurl_links: false,
        unfurl_media: false,
        link_names: false,
      },
    });
  });

  test('[C-6] an edit always has its blocks, and a reply says whether it is loud', async () => {
    const posted = await messengerWith().post(message);
    if (posted.kind !== 'sent') throw new Error(posted.why);
    await messengerWith().edit(posted.remote, message);
    await messengerWith().reply(posted.remote, message);

    expect(slack.calls[1]?.body).toMatchObject({ ts: posted.remote.id, blocks: message.slack?.blocks });
    expect(slack.calls[2]?.body).toMatchObject({ thread_ts: posted.remote.id, reply_broadcast: true });
  });

  test('[C-6] a reply that lands outside its thread is taken back, and its message counts as gone', async () => {
    const posted = await messengerWith().post(message);
    if (posted.kind !== 'sent') throw new Error(posted.why);
    slack.delete(posted.remote.id);

    expect(await messengerWith().reply(posted.remote, message)).toMatchObject({ kind: 'gone' });
    expect(slack.messages).toEqual([]);
  });

  test('[C-6] a reply counts as sent where the answer does not show the message', async () => {
    slack.failNext('chat.postMessage', { kind: 'body', body: '{"ok":true,"channel":"C1","ts":"2.0"}' });

    expect(await messengerWith().reply({ channel: 'C1', id: '1.0' }, message)).toEqual({
      kind: 'sent',
      remote: { channel: 'C1', id: '2.0' },
    });
  });

  test('during a rotation the other live token is tried', async () => {
    const outcome = await messengerWith({ read: async () => ['xoxb-too-new', 'xoxb-good'] }).post(message);

    expect(outcome.kind).toBe('sent');
    expect(slack.calls.map(({ token }) => token)).toEqual(['xoxb-too-new', 'xoxb-good']);
  });

  test('a token that cannot be read now is no refusal', async () => {
    const secrets = {
      read: async () => {
        throw new Transient('the secret store does not answer');
      },
    };

    expect(await messengerWith(secrets).post(message)).toMatchObject({ kind: 'not-sent' });
    const hook = slackWebhookMessenger({ post, urlSecret: 'hook', secrets });
    expect(await hook.post(message)).toMatchObject({ kind: 'not-sent' });
    await expect(messengerWith(secrets).find('d1', since, undefined)).rejects.toThrow(Transient);
  });

  test('no outcome says a token or the address of a webhook', async () => {
    const bad = await messengerWith({ read: async () => ['xoxb-very-secret'] }).post(message);
    const broken = await messengerWith({ read: async () => ['xoxb-very-secret\nx'] }).post(message);
    await slack.close();
    const hookAt = (url: string) =>
      slackWebhookMessenger({
        post,
        urlSecret: 'hook',
        secrets: { read: async () => [url] },
      });
    const closed = await hookAt(slack.webhookUrl.replace('secret', 'very-secret')).post(message);
    const nothing = await hookAt('no address at all, very-secret').post(message);

    const outcomes = [bad, broken, closed, nothing];
    expect(outcomes.map(({ kind }) => kind)).toEqual(['dead', 'not-sent', 'not-sent', 'dead']);
    expect(JSON.stringify(outcomes)).not.toContain('very-secret');
  });
});

describe('reading back', () => {
  test('[N-18] looks through all pages, from a minute before the claim', async () => {
    const messenger = messengerWith();
    await messenger.post({ ...message, deliveryId: 'wanted' });
    for (let count = 0; count < 250; count += 1) await messenger.post({ ...message, deliveryId: `other-${count}` });

    const found = await messenger.find('wanted', since, undefined);

    expect(found).toEqual({ channel: 'C1', id: slack.messages[0]?.ts });
    const reads = slack.calls.filter(({ method }) => method === 'conversations.history');
    expect(reads.map(({ body }) => [body['oldest'], body['include_all_metadata']])).toEqual([
      ['1772445540.000000', 'true'],
      ['1772445540.000000', 'true'],
    ]);
  });

  test('[N-18] finds out also where others have written a lot since', async () => {
    const from = since.getTime() / 1000;
    // One a second, newest first, as Slack answers.
    const written = Array.from({ length: 5_000 }, (_, index) => from + 5_000 - index);
    const history: Post = async ({ body }) => {
      const asked = new URLSearchParams(body);
      const [oldest, latest] = [Number(asked.get('oldest')), Number(asked.get('latest') ?? from + 9_999)];
      const within = written.filter((ts) => ts > oldest && ts < latest);
      const at = Number(asked.get('cursor') ?? 0);
      const messages = within.slice(at, at + 200).map((ts) => ({ ts: ts.toFixed(6) }));
      const next_cursor = at + 200 < within.length ? String(at + 200) : '';
      const answer = { ok: true, messages, response_metadata: { next_cursor } };
      return { kind: 'answered', status: 200, retryAfterSeconds: undefined, body: JSON.stringify(answer) };
    };
    const messenger = slackMessenger({
      post: history,
      apiUrl: 'https://slack.example.com/api',
      channel: 'C1',
      tokenSecret: 'slack',
      secrets: { read: async () => ['xoxb-good'] },
    });

    expect(await messenger.find('d1', since, undefined)).toBe('absent');
  });

  test('[N-18] finds a reply in its thread only', async () => {
    const messenger = messengerWith();
    const parent = await messenger.post(message);
    if (parent.kind !== 'sent' || message.slack === undefined) throw new Error('not sent');
    await messenger.reply(parent.remote, {
      ...message,
      deliveryId: 'reply',
      slack: { ...message.slack, broadcast: false },
    });

    expect(await messenger.find('reply', since, parent.remote)).toEqual({ channel: 'C1', id: slack.messages[1]?.ts });
    expect(await messenger.find('reply', since, undefined)).toBe('absent');
    expect(await messenger.find('reply', since, { channel: 'C1', id: '9.9' })).toBe('absent');
  });

  test.each([
    ['missing_scope', 'unable'],
    ['channel_not_found', 'unable'],
  ] as const)('[N-18] %s: it can never be read', async (word, answer) => {
    slack.failNext('conversations.history', error(word));

    expect(await messengerWith().find('d1', since, undefined)).toBe(answer);
  });

  test.each([
    ['429', { kind: 'status', status: 429 }],
    ['503', { kind: 'status', status: 503 }],
    ['a broken connection', { kind: 'drop', accepted: false }],
    ['internal_error', error('internal_error')],
    ['a word that is not known here', error('brand_new_error')],
  ] satisfies [string, SlackFault][])('[N-18] %s: nobody knows, so nothing may be posted', async (_name, fault) => {
    slack.failNext('conversations.history', fault);

    await expect(messengerWith().find('d1', since, undefined)).rejects.toThrow(Transient);
  });
});

describe('an incoming webhook', () => {
  function hook(): Messenger {
    return slackWebhookMessenger({
      post,
      urlSecret: 'hook',
      secrets: { read: async () => [slack.webhookUrl] },
      timeoutMs: 500,
    });
  }

  test('[C-6] edits post what people must know and leave the rest', async () => {
    const remote = { channel: 'webhook', id: 'd1' };
    for (const occasion of ['refreshed', 'changed', 'reminder', 'resolved'] as const) {
      expect(await hook().edit(remote, { ...message, occasion })).toMatchObject({ kind: 'sent' });
    }

    expect(slack.messages).toHaveLength(1);
  });

  test('[N-18] a form that is too large is refused as such', async () => {
    const blocks = Array.from({ length: 60 }, () => ({ type: 'divider' }));

    expect(await hook().post({ ...message, slack: { text: 'x', blocks, broadcast: false } })).toMatchObject({
      kind: 'invalid',
      why: 'invalid_blocks',
    });
  });

  test.each([
    [{ kind: 'status', status: 404 }, 'dead'],
    [{ kind: 'status', status: 403 }, 'dead'],
    [{ kind: 'body', body: '<html>sign in</html>' }, 'unknown'],
  ] satisfies [SlackFault, string][])('[N-18] %o is %s', async (fault, kind) => {
    slack.failNext('webhook', fault);

    expect(await hook().post(message)).toMatchObject({ kind });
  });

  test('without an address it is dead', async () => {
    const none = slackWebhookMessenger({
      post,
      urlSecret: 'hook',
      secrets: { read: async () => [] },
    });

    expect(await none.post(message)).toMatchObject({ kind: 'dead' });
  });
});
