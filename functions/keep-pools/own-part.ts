import { Transient } from '../core/text/errors.ts';
import type { Logger } from '../ports/telemetry.ts';

/** What came of a part of a pass. */
export type PartDone<T> =
  | { readonly value: T; readonly failure: undefined }
  /** Why it could not be done. */
  | { readonly value: undefined; readonly failure: Transient };

/** Does a part of a pass that the others do not need. That it failed is logged, with what it is about, and returned:
 *  the others are done, and the pass fails at its end, so that the queue redelivers its event. */
export async function ownPart<T>(
  part: string,
  about: Readonly<Record<string, unknown>>,
  act: () => Promise<T>,
  { logger }: { readonly logger: Logger },
): Promise<PartDone<T>> {
  try {
    return { value: await act(), failure: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn(`${part} failed`, { ...about, why: cause.message });
    return { value: undefined, failure: cause };
  }
}

/** The first failure, if there is one. */
export function firstFailure(parts: readonly { readonly failure?: Transient | undefined }[]): Transient | undefined {
  return parts.find(({ failure }) => failure !== undefined)?.failure;
}
