import type { ProblemOfSequence } from '../../core/sequences/judge-sequence.ts';
import type { Observed } from '../../core/text/observed.ts';

/** What a look at the sequences of a cluster came to. */
export interface KeptSequences {
  /** Undefined: the cluster keeps none. */
  readonly problems: Observed<readonly ProblemOfSequence[]> | undefined;
  /** Fingerprints of those that are done, by name: nothing is read for them until the next sweep. */
  readonly done: Readonly<Record<string, string>>;
}
