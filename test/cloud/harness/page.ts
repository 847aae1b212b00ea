import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** A piece of a page that its reader types (`sh`) or puts into a file (`yaml`). */
export interface Block {
  /** The nearest heading above, without its marks. */
  readonly section: string;
  readonly language: string;
  readonly lines: readonly string[];
}

/** All fenced blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let section = '';
  let open: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of readFileSync(`${docs}${page}`, 'utf8').split('\n')) {
    if (line.startsWith('```')) {
      if (open !== undefined) blocks.push({ section, ...open });
      open = open === undefined ? { language: line.slice(3).trim(), lines: [] } : undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line.startsWith('#')) section = line.replace(/^#+ /, '');
  }
  return blocks;
}

/** What a shell takes at once: a line, with those that continue it. */
export function commandsOf({ lines }: Block): readonly string[] {
  return lines
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
