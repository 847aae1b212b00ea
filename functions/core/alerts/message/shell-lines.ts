import { columns, width } from '../../text/columns.ts';

/** Indent of the first line of a command and of its continuation lines. */
const indent = { first: '     ', rest: '       ' } as const;

/** A command in lines that a shell joins again to the same words: broken between words if possible, else inside a word
 *  by closing and reopening its quotes. */
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
    // A leading space would end the word.
    line = glued ? text : `${indent.rest}${text}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** One piece of a line; `glued` continues the word before it. */
interface Chunk {
  readonly text: string;
  readonly glued: boolean;
}

function chunksOf(word: string): readonly Chunk[] {
  const room = columns - indent.rest.length - 2;
  if (width(word) <= room) return [{ text: word, glued: false }];
  return piecesOf(word, room - 2).map((text, index) => ({ text, glued: index > 0 }));
}

/** Split as a shell does; quoted spaces stay inside a word. */
function wordsOf(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]|['"\\])+/gs) ?? [];
}

/** The pieces are joined into one word by the line break. */
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
