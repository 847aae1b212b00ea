/** Columns of the narrowest usual terminal. */
const widest = 80;

/** Commands to copy. */
const example = /^ {2}(?:npx|npm|oc|kubectl|poolkeeper|source|asciinema) /;
/** `  --config FILE     what it is`, `  import    what it does`. */
const labelled = /^( {2}\S+(?: \S+)* {2,})(\S.*)$/;
const indented = /^( {4,})(\S.*)$/;

interface Block {
  readonly first: string;
  readonly rest: string;
  readonly lines: readonly string[];
}

/** The help of a command in lines that fit; what fits already stays as it was written, and so does what is to be
 *  copied. A line that did not fit goes on with what follows it;
 *  no word is broken. */
export function helpLines(help: string): string {
  const blocks: Block[] = [];
  for (const line of help.split('\n')) {
    const next = blockOf(line);
    const last = blocks.at(-1);
    if (last !== undefined && goesOn(last, next)) blocks[blocks.length - 1] = { ...last, lines: [...last.lines, line] };
    else blocks.push(next);
  }
  return blocks.flatMap(fitted).join('\n');
}

function blockOf(line: string): Block {
  const [, label] = labelled.exec(line) ?? [];
  const [, indent = ''] = indented.exec(line) ?? [];
  if (indent !== '') return { first: indent, rest: indent, lines: [line] };
  return { first: label ?? '', rest: ' '.repeat(label?.length ?? 0), lines: [line] };
}

function goesOn({ rest, lines }: Block, next: Block): boolean {
  const [before = '', line = ''] = [lines.at(-1), next.lines[0]];
  const isFree = line.trim() !== '' && !example.test(line) && !line.startsWith('Exit status');
  return isFree && before.length > widest && !example.test(before) && next.first === rest;
}

function fitted({ first, rest, lines }: Block): readonly string[] {
  const isFixed = lines.every((line) => line.length <= widest) || lines.some((line) => example.test(line));
  if (isFixed) return lines;
  const words = lines.flatMap((line, index) => line.slice(index === 0 ? first.length : rest.length).split(/ +/));
  const broken: string[] = [];
  const [one = '', ...others] = words;
  let line = `${first}${one}`;
  for (const word of others) {
    if (line.length + 1 + word.length <= widest) line += ` ${word}`;
    else {
      broken.push(line);
      line = `${rest}${word}`;
    }
  }
  return [...broken, line];
}
