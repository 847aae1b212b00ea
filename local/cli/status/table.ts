import { safeLine } from '../../../functions/core/text/safe-text.ts';

/** A row of cells, by the names of their columns. */
export type Row = Readonly<Record<string, string>>;

/** Characters of one cell. The last cell of a row, which is a sentence, has more. */
const cellAtMost = 60;
const sentenceAtMost = 160;

/** Aligned columns under their names in capitals, as kubectl prints them; an empty cell is `-`. */
export function tableText(columns: readonly string[], rows: readonly Row[]): string {
  const last = columns.length - 1;
  const cells = rows.map((row) =>
    columns.map((column, index) => safeLine(row[column] ?? '', index === last ? sentenceAtMost : cellAtMost) || '-'),
  );
  const lines = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, index) => (index === last ? cell : cell.padEnd(widths[index] ?? 0))).join('   '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
