import type { WebHandler } from '../shell/answer.ts';

/** `GET /healthz` says to anybody that the service answers, and nothing else; every other path is `next`'s. */
export function withHealth(next: WebHandler): WebHandler {
  return async (request) =>
    new URL(request.url).pathname === '/healthz'
      ? Response.json({ ok: true }, { headers: { 'cache-control': 'no-store' } })
      : next(request);
}
