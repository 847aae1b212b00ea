import { join } from 'node:path';

/** Where the prepared configuration lies: where the environment says, else beside the handler. A bundle is one file, so
 *  this module is there too. */
export function configurationPath(named: string | undefined): string {
  return named ?? join(import.meta.dirname, 'poolkeeper.json');
}
