import { join } from 'node:path';

/** Path of the prepared configuration: from the environment, else beside the handler. A bundle is one file, so this
 *  module is there too. */
export function configurationPath(named: string | undefined): string {
  return named ?? join(import.meta.dirname, 'poolkeeper.json');
}
