import type { PreviewSettings } from '../core/configuration/github.ts';
import type { Compared, Parting } from '../core/preview/compared.ts';
import type { PreviewNote } from '../core/preview/note.ts';
import type { Preview } from '../core/preview/preview.ts';
import type { Pull } from '../core/preview/pull.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** Access to pull requests. Throws Transient, of kind `busy` if GitHub wants us to wait, and Misconfigured if GitHub
 *  refuses permanently: missing permission, or no such repository. */
export interface Pulls {
  /** Undefined: GitHub has no such pull request. */
  read(repository: string, number: number): Promise<Pull | undefined>;
  /** Sets a status on the commit; repeating it is harmless. */
  setStatus(repository: string, commit: string, status: PullStatus): Promise<void>;
  /** Our own comments that begin with the marker, oldest first. Never those of others, whatever they contain. */
  findComments(repository: string, number: number, marker: string): Promise<readonly PullComment[]>;
  createComment(repository: string, number: number, body: string): Promise<PullComment>;
  /** Undefined: the comment no longer exists. */
  editComment(repository: string, comment: string, body: string): Promise<PullComment | undefined>;
}

export interface PullStatus {
  /** At most 140 characters. */
  readonly description: string;
  /** Link to details; undefined: none. */
  readonly targetUrl: string | undefined;
}

export interface PullComment {
  readonly id: string;
  readonly url: string;
}

/** What is stored about pull requests. One run at a time may handle one. */
export interface PreviewNotes {
  /** Undefined: another run has it. `heldUntil` ends the lease of a crashed run. */
  begin(key: PullKey, heldUntil: Date): Promise<LeasedNote | undefined>;
  /** Stores the note and ends the lease; false if the lease had expired and another run may have it. */
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
  /** Where it and its base branch are now. Throws Transient and Misconfigured like `pulls`. */
  readonly parting: (pull: Pull) => Promise<Parting>;
  /** The commits that one of the target repository was made of, the base first; undefined: there is no such commit.
   *  Throws Transient and Misconfigured like `pulls`. */
  readonly parentsOf: (repository: string, commit: string) => Promise<readonly string[] | undefined>;
  /** The newest commit of the target repository that two have in common. The same. */
  readonly mergeBaseOf: (repository: string, one: string, other: string) => Promise<string | undefined>;
  /** The preview as every reader of the repository may see it. Throws Transient and Misconfigured like `pulls`. */
  readonly predict: (pull: Pull, compared: Compared) => Promise<Preview>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
