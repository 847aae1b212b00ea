import { columns, width } from '../../text/columns.ts';

/** Before the first line of a command, and before those that go on with it. */
const indent = { first: '     ', rest: '       ' } as const;

/** A command in lines that a shell joins again to the very same words: broken between words where it can be, else
 *  inside a word by closing and reopening its quotes. */
export function shellLines(command: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const { text, glued } of wordsOf(command).flatMap(chunksOf)) {
    const longer = line === '' ? `${indent.first}${text}` : `${line} ${text}`;
    if (!glued && (line === '' || width(longer) + 2 <= columns)) {
      line = longer;
      continue;
    }
    lines.push(glued ? `${line}\\` : `${line} \\`);
    // A space at the start would end the word.
    line = glued ? text : `${indent.rest}${text}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** What stands on one line; `glued` goes on with the word before it. */
interface Chunk {
  readonly text: string;
  readonly glued: boolean;
}

function chunksOf(word: string): readonly Chunk[] {
  const room = columns - indent.rest.length - 2;
  if (width(word) <= room) return [{ text: word, glued: false }];
  return piecesOf(word, room - 2).map((text, index) => ({ text, glued: index > 0 }));
}

/** As a shell splits them; quoted spaces stay inside. */
function wordsOf(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]|['"\\])+/gs) ?? [];
}

/** Each piece is a word of its own to the shell until the break joins them. */
function piecesOf(word: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let quote = '';
  let escaped = false;
  for (const point of word) {
    if (!escaped && width(piece) >= room) {
      pieces.push(`${piece}${quote}`);
      piece = quote;
    }
    piece += point;
    quote = escaped ? quote : quoteAfter(point, quote);
    escaped = !escaped && point === '\\' && quote !== "'";
  }
  return [...pieces, piece];
}

function quoteAfter(point: string, quote: string): string {
  if (quote === '') return point === "'" || point === '"' ? point : '';
  return point === quote ? '' : quote;
}
