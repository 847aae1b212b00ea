import type { LostWindows } from '../../core/sequences/lost-windows.ts';
import type { ProblemOfSequence } from '../../core/sequences/sequence-problems.ts';
import type { Observed } from '../../core/text/observed.ts';
import type { SequenceWindow } from '../../ports/tables.ts';

/** What a look at the sequences of a cluster came to. */
export interface KeptSequences {
  /** Undefined: the cluster keeps none. */
  readonly problems: Observed<readonly ProblemOfSequence[]> | undefined;
  /** Fingerprints of those that are done, by name: nothing is read for them until the next sweep. */
  readonly done: Readonly<Record<string, string>>;
  /** Since when some could not be looked at, by name, or a step not be applied, as `sequence/step`. */
  readonly unseen: Readonly<Record<string, string>>;
  /** Records that this installation keeps on the cluster, as `namespace/sequence`. */
  readonly records: readonly string[];
  /** What they hold back by windows. */
  readonly windows: readonly SequenceWindow[];
  /** Where windows were put back that somebody had taken away; absent: nowhere. */
  readonly lost?: readonly LostWindows[] | undefined;
}
