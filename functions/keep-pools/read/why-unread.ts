import { Transient } from '../../core/text/errors.ts';
import type { Logger } from '../../ports/telemetry.ts';

/** Why an optional read is missing: one that only avoids a pause, predicts a drain or explains a problem. A bug of ours
 *  in such a read is logged and must not stop the pass or keep a pool from being written. */
export function whyUnread(cause: unknown, logger: Logger): string {
  if (cause instanceof Transient) return cause.message;
  logger.error('an optional part of the pass failed', { error: cause });
  return 'an internal error of Poolkeeper; see its log';
}
