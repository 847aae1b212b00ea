import type { Status } from '../../../functions/status/status.ts';
import { inForm, type OutputForm } from '../output.ts';
import type { Listing } from './listings.ts';
import { tableText } from './table.ts';

/** A listing in one of its forms. `name`: the first two columns of each row, as a script reads them. */
export async function listingText(listing: Listing, status: Status, output: OutputForm | 'name'): Promise<string> {
  const rows = listing.rows(status);
  if (output === 'name') {
    const names = namesIn(listing.columns);
    return rows.map((row) => `${names.map((column) => row[column] ?? '').join('/')}\n`).join('');
  }
  return inForm(output, {
    data: listing.data(status),
    text: () => tableText(listing.columns, rows),
    wide: () => tableText(wideColumns(listing), rows),
  });
}

export function wideColumns({ columns, wide }: Listing): readonly string[] {
  return [...columns.slice(0, -1), ...wide, ...columns.slice(-1)];
}

/** `prod/worker` for what belongs to a pool; else the first column. */
function namesIn(columns: readonly string[]): readonly string[] {
  return columns[0] === 'cluster' ? columns.slice(0, 2) : columns.slice(0, 1);
}
