import { isSilence, Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { ChangeInDoubt } from '../change-in-doubt.ts';
import type { Surroundings } from '../command.ts';

export interface Steps {
  /** Lines about what was refused. */
  readonly left: string[];
  /** @param otherwise what is so if it is refused, for people
   *  @param work what it has done, in words; undefined: there was nothing to do */
  take(otherwise: string, work: () => Promise<string | undefined>): Promise<void>;
  /** From now on nothing that is refused ends all of it. */
  goOn(): void;
  hasBegun(): boolean;
}

/** Does one thing after another. What is refused before anything was changed ends all of it. */
export function oneByOne(out: Surroundings['out']): Steps {
  const left: string[] = [];
  let isBegun = false;
  return {
    left,
    hasBegun: () => isBegun,
    goOn() {
      isBegun = true;
    },
    async take(otherwise, work) {
      try {
        const said = await work();
        if (said === undefined) return;
        isBegun = true;
        out(`  ${said}\n`);
      } catch (cause) {
        // What nobody answered to may have been done.
        const isInDoubt = isSilence(cause) || cause instanceof ChangeInDoubt;
        isBegun ||= isInDoubt;
        if (!isBegun || !isExpected(cause)) throw cause;
        left.push(`${otherwise}${isInDoubt ? ', as far as is known' : ''}: ${cause.message}`);
      }
    },
  };
}

/** Not a defect. */
export function isExpected(cause: unknown): cause is Transient | Misconfigured {
  return cause instanceof Transient || cause instanceof Misconfigured;
}
