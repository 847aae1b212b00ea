import { Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';

/** The valid values of a secret; a text says why they cannot be read now. */
export async function liveValues(secrets: Secrets, name: string): Promise<readonly string[] | string> {
  try {
    return await secrets.read(name);
  } catch (error) {
    if (error instanceof Transient) return error.message;
    throw error;
  }
}
