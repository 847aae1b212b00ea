import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import type { SendMailOptions } from 'nodemailer';
import { slackComplaint } from '../fakes/slack-limits.ts';
import { wordsOf } from '../functions/adapters/messengers/slack-words.ts';
import type { Reply, Serve } from './wire.ts';

/** What the other sides hold, without any wire: each takes what it would take, at once. */
export interface Sides {
  readonly slack: SlackSide;
  readonly hook: HookSide;
  readonly ses: Mailbox;
  readonly smtp: Mailbox;
  readonly pagerduty: PagerDutySide;
  readonly alertmanager: AlertmanagerSide;
  readonly feed: HookSide;
}

export function openSides(): Sides {
  return {
    slack: slackSide(),
    hook: slackHookSide(),
    ses: mailbox(),
    smtp: mailbox(),
    pagerduty: pagerDutySide(),
    alertmanager: alertmanagerSide(),
    feed: feedSide(),
  };
}

export interface ChannelMessage {
  readonly ts: string;
  readonly thread: string | undefined;
  readonly delivery: string;
  words: string;
  deleted: boolean;
}

export interface SlackSide {
  readonly serve: Serve;
  readonly messages: readonly ChannelMessage[];
  archived: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** One channel of a workspace, with what it refuses. */
function slackSide(): SlackSide {
  const messages: ChannelMessage[] = [];
  let clock = 1000;

  function post(body: Body): Body {
    const complaint = slackComplaint(body);
    if (complaint !== undefined) return { ok: false, error: complaint };
    const thread = typeof body['thread_ts'] === 'string' ? body['thread_ts'] : undefined;
    if (thread !== undefined && find(thread) === undefined) return { ok: false, error: 'thread_not_found' };
    clock += 1;
    const ts = `${clock}.000100`;
    messages.push({ ts, thread, delivery: deliveryOf(body), words: wordsIn(body), deleted: false });
    return { ok: true, channel: 'C0123456789', ts };
  }

  function update(body: Body): Body {
    const message = find(body['ts']);
    if (message === undefined) return { ok: false, error: 'message_not_found' };
    const complaint = slackComplaint(body);
    if (complaint !== undefined) return { ok: false, error: complaint };
    message.words = wordsIn(body);
    return { ok: true, channel: 'C0123456789', ts: message.ts };
  }

  function read(query: URLSearchParams, inThread: boolean): Body {
    const thread = query.get('ts');
    if (inThread && find(thread) === undefined) return { ok: false, error: 'thread_not_found' };
    const shown = messages.filter((each) => !each.deleted && (inThread ? each.thread === thread : !each.thread));
    return {
      ok: true,
      messages: shown.toReversed().map(({ ts, delivery }) => ({
        ts,
        metadata: { event_type: 'poolkeeper_delivery', event_payload: { delivery } },
      })),
    };
  }

  function find(ts: unknown): ChannelMessage | undefined {
    return messages.find((each) => each.ts === ts && !each.deleted);
  }

  function answer(method: string, text: string): Body {
    switch (method) {
      case 'conversations.history':
      case 'conversations.replies':
        return read(new URLSearchParams(text), method === 'conversations.replies');
      case 'chat.postMessage':
        return side.archived ? { ok: false, error: 'is_archived' } : post(JSON.parse(text));
      case 'chat.update':
        return side.archived ? { ok: false, error: 'is_archived' } : update(JSON.parse(text));
      default:
        return { ok: true };
    }
  }

  const side = {
    messages,
    archived: false,
    serve: ({ url, body }: { readonly url: string; readonly body: string }): Reply => ({
      status: 200,
      body: JSON.stringify(answer(url.split('/').at(-1) ?? '', body)),
    }),
  };
  return side;
}

function wordsIn(body: Body): string {
  return wordsOf({
    text: String(body['text'] ?? ''),
    blocks: Array.isArray(body['blocks']) ? body['blocks'] : [],
  });
}

function deliveryOf({ metadata }: Body): string {
  return /"delivery":"(\w+)"/.exec(JSON.stringify(metadata))?.[1] ?? '';
}

/** One thing that a target took: of which incident, in which state. */
export interface Taken {
  readonly incident: string;
  readonly state: 'FIRING' | 'RECOVERING' | 'RESOLVED';
}

export interface Mailbox {
  readonly taken: readonly Taken[];
  take(headers: Readonly<Record<string, string>>): void;
}

function mailbox(): Mailbox {
  const taken: Taken[] = [];
  return {
    taken,
    take(headers) {
      taken.push({ incident: headers['X-Poolkeeper-Incident'] ?? '', state: stateOf(headers['X-Poolkeeper-State']) });
    },
  };
}

export function headersOfSes({ Content: content }: SendEmailCommandInput): Readonly<Record<string, string>> {
  return Object.fromEntries((content?.Simple?.Headers ?? []).map(({ Name: name, Value: value }) => [name, value]));
}

export function headersOfSmtp({ headers }: SendMailOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}

export interface HookSide {
  readonly serve: Serve;
  readonly taken: readonly Taken[];
  gone: boolean;
}

/** An incoming webhook of Slack. */
function slackHookSide(): HookSide {
  const taken: Taken[] = [];
  const side = {
    taken,
    gone: false,
    serve: ({ body }: { readonly body: string }): Reply => {
      if (side.gone) return { status: 404, body: 'no_service' };
      const words = wordsIn(JSON.parse(body));
      taken.push({ incident: /`(PK-\d+)`/.exec(words)?.[1] ?? '', state: stateOf(words) });
      return { status: 200, body: 'ok' };
    },
  };
  return side;
}

/** A webhook for CloudEvents: what is told again under the same id counts once. */
function feedSide(): HookSide {
  const taken: Taken[] = [];
  const ids = new Set<string>();
  const side = {
    taken,
    gone: false,
    serve: ({ body }: { readonly body: string }): Reply => {
      if (side.gone) return { status: 410, body: '' };
      const { id, data } = JSON.parse(body);
      if (!ids.has(id)) taken.push({ incident: data.name, state: data.state.toUpperCase() });
      ids.add(id);
      return { status: 204, body: '' };
    },
  };
  return side;
}

export interface PagerDutySide {
  readonly serve: Serve;
  /** Alerts ever opened, by key; the last is the one of now. */
  readonly alerts: ReadonlyMap<string, readonly ('triggered' | 'acknowledged' | 'resolved')[]>;
  gone: boolean;
}

function pagerDutySide(): PagerDutySide {
  const alerts = new Map<string, ('triggered' | 'acknowledged' | 'resolved')[]>();
  const side = {
    alerts,
    gone: false,
    serve: ({ body }: { readonly body: string }): Reply => {
      if (side.gone) return { status: 403, body: '' };
      const { event_action: action, dedup_key: key } = JSON.parse(body);
      const known = alerts.get(key) ?? [];
      alerts.set(key, known);
      const isOpen = known.length > 0 && known.at(-1) !== 'resolved';
      if (action === 'trigger' && !isOpen) known.push('triggered');
      if (action === 'acknowledge' && isOpen) known[known.length - 1] = 'acknowledged';
      if (action === 'resolve' && isOpen) known[known.length - 1] = 'resolved';
      return { status: 202, body: '{"status":"success"}' };
    },
  };
  return side;
}

export interface AlertmanagerSide {
  readonly serve: Serve;
  /** Instant until which each alert fires, ms, by its labels. */
  readonly until: ReadonlyMap<string, number>;
  gone: boolean;
}

function alertmanagerSide(): AlertmanagerSide {
  const until = new Map<string, number>();
  const side = {
    until,
    gone: false,
    serve: ({ body }: { readonly body: string }): Reply => {
      if (side.gone) return { status: 404, body: '' };
      for (const { labels, endsAt } of JSON.parse(body)) {
        until.set(`${labels.cluster}|${labels.pool}|${labels.kind}|${labels.severity}`, Date.parse(endsAt));
      }
      return { status: 200, body: '' };
    },
  };
  return side;
}

function stateOf(text = ''): Taken['state'] {
  if (/RESOLVED/.test(text)) return 'RESOLVED';
  return /RECOVERING/.test(text) ? 'RECOVERING' : 'FIRING';
}
