import type { WebHandler } from '../../functions/shell/answer.ts';
import { pageHeaders } from '../../functions/status/page-headers.ts';
import { mailPart, outboxPage } from './outbox-page.ts';

/** A mail has its styles in its elements. Nothing else is allowed: no script, no form, nothing that is fetched. */
const mailHeaders = {
  ...pageHeaders,
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups",
};

/** `GET /outbox` and the mails below it, only on this machine: the messages of the run in the browser. */
export function outboxRoute(directory: string): WebHandler {
  return async ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD')
      return new Response('use GET\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    const file = new URL(url).pathname.replace(/^\/outbox\/?/, '');
    if (file === '')
      return new Response(await outboxPage(directory), { headers: { ...pageHeaders, 'cache-control': 'no-store' } });
    const part = await mailPart(directory, file);
    if (part === undefined) return new Response('there is no such message; see /outbox\n', { status: 404 });
    const headers = file.endsWith('.txt')
      ? { ...mailHeaders, 'content-type': 'text/plain; charset=utf-8' }
      : mailHeaders;
    return new Response(part, { headers: { ...headers, 'cache-control': 'no-store' } });
  };
}
