import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { defaultPort } from '../../run/default-port.ts';
import { baseUrl, type Surroundings } from '../command.ts';

/** Flags of every command that asks a running Poolkeeper what it knows. */
export const statusFlags = { url: { type: 'string' }, cluster: { type: 'string' } } as const;

export const statusFlagsHelp = `  --url URL         address of Poolkeeper (default: POOLKEEPER_URL, then http://127.0.0.1:${defaultPort}); its token in
                    POOLKEEPER_STATUS_TOKEN
  --cluster C       only this cluster`;

export const typedUrlHelp =
  '  --url URL         address of Poolkeeper (default: POOLKEEPER_URL); its token in POOLKEEPER_STATUS_TOKEN';

/** The address of a command without a default: typed, else POOLKEEPER_URL. Throws Misconfigured for none. */
export function typedUrl(typed: string | undefined, { environment }: Pick<Surroundings, 'environment'>): string {
  if (typed !== undefined) return baseUrl(typed, '--url');
  const url = environment['POOLKEEPER_URL'];
  if (url === undefined) throw new Misconfigured(['--url is missing: the address of Poolkeeper, or POOLKEEPER_URL']);
  return baseUrl(url, 'POOLKEEPER_URL');
}

/** The address that is asked. Throws Misconfigured for what is none. */
export function statusUrl(typed: string | undefined, { environment }: Pick<Surroundings, 'environment'>): string {
  if (typed !== undefined) return baseUrl(typed, '--url');
  return baseUrl(environment['POOLKEEPER_URL'] ?? `http://127.0.0.1:${defaultPort}`, 'POOLKEEPER_URL');
}
