import type { WebHandler } from '../shell/answer.ts';
import { renderCauses } from './page/causes.ts';
import { pageHeaders } from './page-headers.ts';

/** What anybody may read: `GET /healthz` says that the service answers, `GET /causes` explains the codes of its
 *  messages and knows nothing of any cluster. Every other path is `next`'s. */
export function withOpenPages(next: WebHandler): WebHandler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/healthz')) return Response.json({ ok: true }, { headers: { 'cache-control': 'no-store' } });
    return pathname.endsWith('/causes') ? causes() : next(request);
  };
}

/** The same for everybody until the next version is deployed. */
export function causes(): Response {
  return new Response(renderCauses(), { headers: { ...pageHeaders, 'cache-control': 'public, max-age=3600' } });
}
