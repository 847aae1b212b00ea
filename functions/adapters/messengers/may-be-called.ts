import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';

/** Whether we may call this URL. The configuration was validated when it was read; a URL in a secret is validated only
 *  here. Plain http is for loopback hosts only. */
export function mayBeCalled(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || forbiddenHost(url.hostname) !== undefined) return false;
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:127\.[\d.]+|localhost|\[::1\])$/.test(url.hostname))
  );
}
