import { wrap } from '../../functions/core/text/columns.ts';
import { widest } from './step-printer.ts';

const margin = '            | ';

/** What somebody reads, a message or the answer of a command, behind a line of its own; lines that are too long go on
 *  below their indentation. */
export function inTheMargin(text: string): readonly string[] {
  return text.trimEnd().split('\n').flatMap(inColumns);
}

function inColumns(line: string): readonly string[] {
  if (margin.length + line.length <= widest) return [`${margin}${line}`.trimEnd()];
  const indent = `${margin}${/^ */.exec(line)?.[0] ?? ''}`;
  return wrap(line, { first: indent, rest: `${indent}  ` }, widest);
}
