import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { slackComplaint } from './slack-limits.ts';

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  text: string;
  blocks: readonly unknown[];
  readonly broadcast: boolean;
  readonly metadata: unknown;
  edits: number;
}

export interface SlackCall {
  readonly method: string;
  readonly token: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What happens to a call instead of an answer. `accepted`: it is done first, and only the answer is lost. */
export type SlackFault =
  | { readonly kind: 'drop'; readonly accepted: boolean }
  | { readonly kind: 'hang'; readonly accepted: boolean }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'error'; readonly error: string; readonly accepted?: boolean }
  | { readonly kind: 'body'; readonly body: string };

export interface SlackServer {
  /** Base URL of the Web API. */
  readonly apiUrl: string;
  /** A webhook of channel `C-HOOK`. */
  readonly webhookUrl: string;
  /** Everything that stands in the channels now, oldest first. */
  readonly messages: readonly SlackMessage[];
  readonly calls: readonly SlackCall[];
  /** Channel ids as keys; calls to others answer `channel_not_found`. */
  readonly channels: Map<string, 'open' | 'archived' | 'not a member'>;
  /** Tokens that are accepted. */
  readonly tokens: Set<string>;
  /** Whether the app may read channels (`channels:history`). */
  mayRead: boolean;
  /** The next calls of the method fail so, one each. */
  failNext(method: string, ...faults: readonly SlackFault[]): void;
  /** A person deletes a message. */
  delete(ts: string): void;
  close(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

/** A Slack workspace on loopback, as far as messages go; it refuses what Slack refuses. */
export async function startSlack(): Promise<SlackServer> {
  const messages: SlackMessage[] = [];
  const calls: SlackCall[] = [];
  const channels = new Map<string, 'open' | 'archived' | 'not a member'>([['C1', 'open']]);
  const tokens = new Set(['xoxb-good']);
  const faults = new Map<string, SlackFault[]>();
  let clock = 1_772_445_600_000_100;
  let mayRead = true;

  function add(channel: string, body: Body): SlackMessage {
    clock += 1_000_100;
    const message: SlackMessage = {
      channel,
      ts: `${Math.floor(clock / 1_000_000)}.${String(clock % 1_000_000).padStart(6, '0')}`,
      thread: typeof body['thread_ts'] === 'string' ? body['thread_ts'] : undefined,
      text: String(body['text'] ?? ''),
      blocks: Array.isArray(body['blocks']) ? body['blocks'] : [],
      broadcast: body['reply_broadcast'] === true,
      metadata: body['metadata'],
      edits: 0,
    };
    messages.push(message);
    return message;
  }

  function post(body: Body): Body {
    const channel = String(body['channel']);
    const problem = channelProblem(channel) ?? slackComplaint(body);
    if (problem !== undefined) return { ok: false, error: problem };
    const { thread_ts: thread, ...rest } = body;
    // A reply whose message is gone stands in the channel.
    const { ts, text } = add(channel, messages.some((each) => each.ts === thread) ? body : rest);
    const message =
      messages.find((each) => each.ts === ts)?.thread === undefined ? { text } : { text, thread_ts: thread };
    return { ok: true, channel, ts, message };
  }

  function remove({ channel, ts }: Body): Body {
    const index = messages.findIndex((message) => message.ts === ts && message.channel === channel);
    if (index < 0) return { ok: false, error: 'message_not_found' };
    messages.splice(index, 1);
    return { ok: true, channel, ts };
  }

  function update(body: Body): Body {
    const channel = String(body['channel']);
    const message = messages.find(({ ts }) => ts === body['ts']);
    const problem = channelProblem(channel) ?? (message === undefined ? 'message_not_found' : slackComplaint(body));
    if (problem !== undefined || message === undefined) return { ok: false, error: problem ?? 'message_not_found' };
    message.text = String(body['text'] ?? '');
    message.blocks = Array.isArray(body['blocks']) ? body['blocks'] : [];
    message.edits += 1;
    return { ok: true, channel, ts: message.ts, text: message.text };
  }

  function read(body: Body, inThread: boolean): Body {
    const channel = String(body['channel']);
    if (!mayRead) return { ok: false, error: 'missing_scope' };
    if (channels.get(channel) === undefined) return { ok: false, error: 'channel_not_found' };
    if (inThread && !messages.some(({ ts }) => ts === body['ts'])) return { ok: false, error: 'thread_not_found' };
    const isInside = (message: SlackMessage) =>
      inThread ? message.thread === body['ts'] || message.ts === body['ts'] : isInChannel(message);
    const matching = messages.filter((message) => message.channel === channel && isInside(message));
    const newestFirst = inThread ? matching : matching.toReversed();
    const from = Number(body['cursor'] ?? 0);
    const size = Math.min(Number(body['limit'] ?? 100), 200);
    const shown = newestFirst.slice(from, from + size);
    const next = from + size < newestFirst.length ? String(from + size) : '';
    const metadata = body['include_all_metadata'] === 'true';
    return {
      ok: true,
      messages: shown.map((each) => ({
        ts: each.ts,
        text: each.text,
        ...(metadata ? { metadata: each.metadata } : {}),
      })),
      has_more: next !== '',
      response_metadata: { next_cursor: next },
    };
  }

  function isInChannel({ thread, broadcast }: SlackMessage): boolean {
    return thread === undefined || broadcast;
  }

  function channelProblem(channel: string): string | undefined {
    switch (channels.get(channel)) {
      case 'open':
        return undefined;
      case 'archived':
        return 'is_archived';
      case 'not a member':
        return 'not_in_channel';
      default:
        return 'channel_not_found';
    }
  }

  function answer(method: string, body: Body): Body {
    switch (method) {
      case 'chat.postMessage':
        return post(body);
      case 'chat.postEphemeral':
        return { ok: true, message_ts: '1772445600.000100' };
      case 'chat.update':
        return update(body);
      case 'chat.delete':
        return remove(body);
      case 'conversations.history':
        return read(body, false);
      case 'conversations.replies':
        return read(body, true);
      default:
        return { ok: false, error: 'unknown_method' };
    }
  }

  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://slack').pathname;
    const method = path.startsWith('/services/') ? 'webhook' : path.replace('/api/', '');
    const body = bodyOf(request.headers['content-type'] ?? '', await readText(request));
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    calls.push({ method, token, body });
    const fault = faults.get(method)?.shift();
    if (method === 'webhook') return hook(body, fault, request, response);
    const authorised = tokens.has(token);
    const act = () => (authorised ? answer(method, body) : { ok: false, error: 'invalid_auth' });
    if (fault === undefined) return json(response, act());
    if ('accepted' in fault && fault.accepted === true) act();
    play(fault, request, response);
  }

  function hook(
    body: Body,
    fault: SlackFault | undefined,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): void {
    const complaint = slackComplaint(body);
    if (fault !== undefined && !('accepted' in fault && fault.accepted === true)) {
      play(fault, request, response);
      return;
    }
    if (complaint !== undefined) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(complaint);
      return;
    }
    add('C-HOOK', body);
    if (fault !== undefined) play(fault, request, response);
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  }

  const server = http.createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    apiUrl: `http://127.0.0.1:${port}/api`,
    webhookUrl: `http://127.0.0.1:${port}/services/T1/B1/secret`,
    messages,
    calls,
    channels,
    tokens,
    get mayRead() {
      return mayRead;
    },
    set mayRead(allowed) {
      mayRead = allowed;
    },
    failNext(method, ...more) {
      faults.set(method, [...(faults.get(method) ?? []), ...more]);
    },
    delete(ts) {
      const index = messages.findIndex((message) => message.ts === ts);
      if (index >= 0) messages.splice(index, 1);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(fault: SlackFault, request: http.IncomingMessage, response: http.ServerResponse): void {
  switch (fault.kind) {
    case 'drop':
      request.socket.destroy();
      return;
    case 'hang':
      return;
    case 'status':
      response.writeHead(fault.status, { ...fault.headers }).end('');
      return;
    case 'error':
      json(response, { ok: false, error: fault.error });
      return;
    case 'body':
      response.writeHead(200, { 'content-type': 'text/html' }).end(fault.body);
      return;
    default:
      fault satisfies never;
  }
}

function json(response: http.ServerResponse, body: Body): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function bodyOf(type: string, text: string): Body {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  return JSON.parse(text);
}
