import { styleHash } from './page/style.ts';

/** No script, no form, no framing and no external resources: only the page's own style sheet and icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
