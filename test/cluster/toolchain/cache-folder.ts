import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where built parts are kept between runs, outside the checkout: a fresh clone on the same machine builds nothing
 *  again. */
export function cacheFolder(): string {
  const base =
    process.env['POOLKEEPER_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'poolkeeper');
  return join(base, 'toolchain');
}
