import { styleHash } from './page/style.ts';

/** No script, no form, no frame around it, nothing from elsewhere: only our own style sheet and the icon in the
 *  page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of every page of ours. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
