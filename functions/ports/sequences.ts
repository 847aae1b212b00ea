/** The records of sequences, each in a ConfigMap of the cluster. */
export interface SequenceRecords {
  /** Undefined: there is none yet. Throws Transient, `forbidden` without permission. */
  load(namespace: string, sequence: string): Promise<StoredSequence | undefined>;
  /** Writes it if it is still as it was read; undefined: if there is none. Throws Transient, `conflict` if somebody was
   *  faster. */
  save(namespace: string, sequence: string, written: StoredSequence): Promise<void>;
}

export interface StoredSequence {
  readonly text: string;
  /** Of the ConfigMap; undefined: it is not there yet. */
  readonly resourceVersion: string | undefined;
}

/** Writes what sequences apply. Every call throws Transient: `forbidden` without permission, `conflict` where another
 *  field manager owns a field with another value. */
export interface ObjectWriter {
  /** Server-side apply. `check`: nothing is written. */
  apply(path: string, manifest: Readonly<Record<string, unknown>>, mode: 'check' | 'write'): Promise<void>;
  /** A merge patch. Throws Transient `conflict` if its resourceVersion is not the current one. */
  patch(path: string, change: Readonly<Record<string, unknown>>): Promise<void>;
  /** False: there was none. */
  remove(path: string): Promise<boolean>;
}
