import * as z from 'zod';
import { emptyNote, type PreviewNote } from '../../core/preview/note.ts';
import { given } from '../../core/text/given.ts';
import type { Row } from './row.ts';
import { openTable, type TableOptions } from './table.ts';

/** Seconds: 180 days since the last preview. After that the comment is found by its marker. */
const keepSeconds = 180 * 24 * 3600;

const Stored = z.object({
  heldUntil: z.string(),
  /** A number in older rows. */
  comment: z.union([z.int(), z.string()]).transform(String).optional(),
  told: z.object({ head: z.string(), base: z.string(), since: z.string() }).optional(),
  said: z.object({ digest: z.string(), url: z.string() }).optional(),
});
type Stored = z.infer<typeof Stored>;

interface Key {
  readonly repository: string;
  readonly number: number;
}

/** One row per pull request: the claim of the current run, its comment, and the last preview. Conditional writes only,
 *  so that of many runs one gets it. The row format is private to this file. */
export function previewNotes(options: TableOptions) {
  const table = openTable(options);
  const rowKey = ({ repository, number }: Key) => ({ pk: `preview#${repository.toLowerCase()}`, sk: `${number}` });

  function draft(key: Key, version: number, stored: Stored) {
    return { ...rowKey(key), version, body: JSON.stringify(stored), keepSeconds };
  }

  return {
    async begin(key: Key, heldUntil: Date) {
      const row = await table.read(rowKey(key));
      const stored = row && read(row);
      if (stored !== undefined && Date.parse(stored.heldUntil) > options.clock().getTime()) return undefined;
      const version = (row?.version ?? 0) + 1;
      const { comment, told, said } = stored ?? {};
      // Whoever dies may have said something else.
      const mine = draft(key, version, { ...given({ comment, told }), heldUntil: heldUntil.toISOString() });
      const written = await table.write(
        mine,
        row === undefined ? { kind: 'absent' } : { kind: 'version', version: row.version },
      );
      if (written.kind === 'refused') return undefined;
      return { key, version, heldUntil, note: { ...emptyNote, comment, told, ...given({ said }) } };
    },

    async end({ key, version }: { readonly key: Key; readonly version: number }, note: PreviewNote): Promise<boolean> {
      const { comment, told, said } = note;
      const free: Stored = {
        heldUntil: new Date(0).toISOString(),
        ...given({ comment, told, said }),
      };
      const written = await table.write(draft(key, version + 1, free), { kind: 'version', version });
      return written.kind === 'written';
    },
  };
}

/** A row of another version is ignored; the comment is then found by its marker. */
function read({ body }: Row): Stored | undefined {
  try {
    return Stored.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
