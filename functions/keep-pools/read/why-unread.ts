import { Transient } from '../../core/text/errors.ts';
import type { Logger } from '../../ports/telemetry.ts';

/** Why something is not known that only spares a pause, foretells a drain or explains a trouble. A fault of ours in
 *  working it out is one more reason, and none to leave a pool as it is: no pass ends by it, and the log has it. */
export function whyUnread(cause: unknown, logger: Logger): string {
  if (cause instanceof Transient) return cause.message;
  logger.error('what a pass can do without could not be worked out', { error: cause });
  return 'a fault of Poolkeeper, which its log tells';
}
