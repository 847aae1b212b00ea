import { isInDoubt, Transient } from '../../functions/core/text/errors.ts';

/** Nobody knows whether it was changed: the answer to the write is lost. */
export class ChangeInDoubt extends Transient {
  /** @param what what may have been changed, as `pool worker` */
  constructor(what: string, cause: Transient) {
    const { kind, isAnswered, message } = cause;
    super(`${what} may have been changed or not; look before you repeat it: ${message}`, {
      kind,
      isAnswered,
      cause,
    });
  }
}

/** The failure of a write, for whoever asked for it.
 *  @param what what may have been changed, as `pool worker` */
export function failedWrite(what: string, cause: unknown): unknown {
  return cause instanceof Transient && isInDoubt(cause) ? new ChangeInDoubt(what, cause) : cause;
}
