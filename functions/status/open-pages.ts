import type { WebHandler } from '../shell/answer.ts';
import { renderCauses } from './page/causes.ts';
import { pageHeaders } from './page-headers.ts';

/** Public pages: `GET /healthz` says that the service answers, `GET /causes` explains the cause codes and contains
 *  nothing of any cluster. Every other path goes to `next`. */
export function withOpenPages(next: WebHandler): WebHandler {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/healthz')) return Response.json({ ok: true }, { headers: { 'cache-control': 'no-store' } });
    return pathname.endsWith('/causes') ? causes() : next(request);
  };
}

/** Rendered once, with the first request: everybody may ask for it, and it has 74 KB. */
let rendered: string | undefined;

/** The same for everyone until the next deployment. */
export function causes(): Response {
  rendered ??= renderCauses();
  return new Response(rendered, { headers: { ...pageHeaders, 'cache-control': 'public, max-age=3600' } });
}
