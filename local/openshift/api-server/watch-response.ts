import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../clock.ts';
import type { Registry } from './registry.ts';
import type { Representation } from './representation.ts';
import type { Target } from './request-path.ts';
import { startWatch, type Watch, type WatchEvent } from './watch-request.ts';

/** How often a watch that asks for bookmarks gets one. Milliseconds. Source: the real server's about once a minute. */
const bookmarkEveryMs = 60_000;

const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

interface WatchResponse {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly representation: Representation;
  readonly response: ServerResponse;
  /** Called once, whichever side ends the watch. */
  readonly ended: (finish: () => void) => void;
}

/** Turns a response into a watch, one JSON line per event, until it times out or the client disconnects. The returned
 *  function ends it. */
export function respondWithWatch({
  registry,
  clock,
  target,
  query,
  representation,
  response,
  ended,
}: WatchResponse): () => void {
  const watch = startWatch(registry, {
    target: { ...target, name: '' },
    query: narrowed(query, target.name),
    representation,
    send,
  });
  if (!response.headersSent) response.writeHead(200, headers);
  response.flushHeaders();
  const timers = response.writableEnded ? [] : timersOf({ clock, query, watch, end });
  response.on('close', finish);
  return finish;

  function send(event: WatchEvent): void {
    if (!response.headersSent) response.writeHead(200, headers);
    response.write(`${JSON.stringify(event)}\n`);
    if (event.type === 'ERROR') response.end();
  }

  function end(): void {
    if (wantsBookmarks(query)) watch.bookmark();
    finish();
    response.end();
  }

  function finish(): void {
    watch.stop();
    for (const timer of timers) timer.cancel();
    ended(finish);
  }
}

function narrowed(query: URLSearchParams, name: string): URLSearchParams {
  if (name === '') return query;
  const named = new URLSearchParams(query);
  named.set('fieldSelector', `metadata.name=${name}`);
  return named;
}

function wantsBookmarks(query: URLSearchParams): boolean {
  return ['1', 'true'].includes(query.get('allowWatchBookmarks') ?? '');
}

function timersOf({
  clock,
  query,
  watch,
  end,
}: {
  clock: Clock;
  query: URLSearchParams;
  watch: Watch;
  end: () => void;
}): Timer[] {
  const seconds = Number(query.get('timeoutSeconds') ?? '0');
  return [
    ...(seconds > 0 ? [clock.setTimeout(end, seconds * 1000)] : []),
    ...(wantsBookmarks(query) ? [repeat(clock, bookmarkEveryMs, () => watch.bookmark())] : []),
  ];
}

function repeat(clock: Clock, everyMs: number, run: () => void): Timer {
  let timer = clock.setTimeout(tick, everyMs);
  function tick(): void {
    run();
    timer = clock.setTimeout(tick, everyMs);
  }
  return { cancel: () => timer.cancel() };
}
