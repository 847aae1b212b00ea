import type { RowKey, Table } from './table.ts';

export interface VersionedDraft extends RowKey {
  /** The version that was read; 0: never stored. */
  readonly version: number;
  readonly keepSeconds: number;
  readonly bodyOf: (version: number) => string;
}

/** Writes version + 1 if the stored version is the one that was read. False if another writer was faster. */
export async function saveVersion(table: Table, draft: VersionedDraft): Promise<boolean> {
  const { pk, sk, version, keepSeconds, bodyOf } = draft;
  const written = await table.write(
    { pk, sk, keepSeconds, version: version + 1, body: bodyOf(version + 1) },
    version === 0 ? { kind: 'absent' } : { kind: 'version', version },
  );
  return written.kind === 'written';
}
