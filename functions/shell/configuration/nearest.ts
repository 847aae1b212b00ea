/** The candidate that a person most likely meant: the one that `written` begins with, or the nearest within a third
 *  of its length in edits. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(written.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.ceil(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  const longer = candidates.find((each) => each.length > 4 && written.startsWith(each));
  return ranked[0]?.candidate ?? longer;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = cell(rows, row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = isSwap(a, b, row, column) ? cell(rows, row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      line.push(Math.min(cell(rows, row - 1, column) + 1, (line[column - 1] ?? 0) + 1, replaced, swapped));
    }
    rows.push(line);
  }
  return cell(rows, a.length, b.length);
}

function cell(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}

function isSwap(a: string, b: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
}
