import { liveHash } from './page/live.ts';
import { styleHash } from './page/style.ts';

/** No form, no framing and no external resources: only the page's own style sheet and icon, and what is added. */
function contentSecurityPolicy(...added: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    'img-src data:',
    ...added,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sent with every page; it has no script. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Sent with the status page: its own script, which asks its own address. */
export const livePageHeaders = {
  ...pageHeaders,
  'content-security-policy': contentSecurityPolicy(`script-src '${liveHash}'`, "connect-src 'self'"),
};
