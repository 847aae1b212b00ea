import type { PreviewSettings } from '../core/configuration/github.ts';
import type { PreviewNote } from '../core/preview/note.ts';
import type { Preview } from '../core/preview/preview.ts';
import type { Pull } from '../core/preview/pull.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** What is read of a pull request and said on it. Throws Transient, of kind `busy` when GitHub wants us to wait, and
 *  Misconfigured where GitHub refuses for good: the token may not do this, or there is no such repository. */
export interface Pulls {
  /** Undefined: GitHub knows no such pull request. */
  read(repository: string, number: number): Promise<Pull | undefined>;
  /** Said on the commit; repeating it is harmless. */
  setStatus(repository: string, commit: string, status: PullStatus): Promise<void>;
  /** Comments of our own that begin with the marker, oldest first. Nobody else's, whatever it says. */
  findComments(repository: string, number: number, marker: string): Promise<readonly PullComment[]>;
  createComment(repository: string, number: number, body: string): Promise<PullComment>;
  /** Undefined: the comment is gone. */
  editComment(repository: string, comment: number, body: string): Promise<PullComment | undefined>;
}

export interface PullStatus {
  /** At most 140 characters. */
  readonly description: string;
  /** Where more is said; undefined = nowhere. */
  readonly targetUrl: string | undefined;
}

export interface PullComment {
  readonly id: number;
  readonly url: string;
}

/** What is remembered of pull requests. One run at a time may look at one. */
export interface PreviewNotes {
  /** Undefined: another run has it. `heldUntil` ends a run that died. */
  begin(key: PullKey, heldUntil: Date): Promise<LeasedNote | undefined>;
  /** Keeps what is to be remembered and lets the next run in; false when the time was over and another run may have
   *  it. */
  end(held: LeasedNote, note: PreviewNote): Promise<boolean>;
}

export interface PullKey {
  readonly repository: string;
  readonly number: number;
}

export interface LeasedNote {
  readonly key: PullKey;
  readonly note: PreviewNote;
  /** Optimistic lock. */
  readonly version: number;
  readonly heldUntil: Date;
}

export interface PreviewPorts {
  readonly settings: PreviewSettings;
  readonly pulls: Pulls;
  readonly notes: PreviewNotes;
  /** What it would do, as everybody may read it. Throws Transient and Misconfigured as `pulls` does. */
  readonly predict: (pull: Pull) => Promise<Preview>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
