/** The records of sequences, each in a ConfigMap of the cluster. */
export interface SequenceRecords {
  /** Undefined: there is none yet. Throws Transient, `forbidden` without permission. */
  load(namespace: string, sequence: string): Promise<StoredText | undefined>;
  /** Writes it if it is still as it was read; undefined: if there is none. Throws Transient, `conflict` if somebody was
   *  faster. */
  save(namespace: string, sequence: string, written: StoredText): Promise<void>;
  /** Deletes it if it is still as it was read. Throws Transient, `conflict` if somebody was faster. */
  remove(namespace: string, sequence: string, read: StoredText): Promise<void>;
}

/** What a ConfigMap keeps. */
export interface StoredText {
  readonly text: string;
  /** Of the ConfigMap; undefined: it is not there yet. */
  readonly resourceVersion: string | undefined;
}

/** Writes what sequences apply. Every call throws Transient: `forbidden` without permission, `conflict` where another
 *  field manager owns a field with another value. */
export interface ObjectWriter {
  /** Server-side apply. `check`: nothing is written. Returns the object as it is then. */
  apply(path: string, manifest: Readonly<Record<string, unknown>>, mode: 'check' | 'write'): Promise<unknown>;
  /** Creates it in the collection at `path`, and returns it as it was stored. Throws Transient `conflict` if there is
   *  one of its name. */
  create(path: string, manifest: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** A merge patch. Throws Transient `conflict` if its resourceVersion is not the current one. */
  patch(path: string, change: Readonly<Record<string, unknown>>): Promise<void>;
  /** False: there was none. With `uid`, one that was made anew meanwhile is left alone: Transient `conflict`. */
  remove(path: string, uid?: string): Promise<boolean>;
}
