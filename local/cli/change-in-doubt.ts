import { Transient } from '../../functions/core/text/errors.ts';

/** Nobody knows whether the pool was changed: the answer to the patch is lost. */
export class ChangeInDoubt extends Transient {
  constructor(pool: string, cause: Transient) {
    const { kind, isAnswered, message } = cause;
    super(`pool ${pool} may have been changed or not; look before you repeat it: ${message}`, {
      kind,
      isAnswered,
      cause,
    });
  }
}
