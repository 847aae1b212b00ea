import { readFile, writeFile } from 'node:fs/promises';

/** Where the figures of one part stand; the first part has no name. */
function marks(part: string): readonly [string, string] {
  const named = part === '' ? '' : ` of ${part}`;
  return [
    `<!-- figures${named} of the last run; \`npm run bench\` writes them -->`,
    `<!-- end of the figures${named} -->`,
  ];
}

/** Puts the figures into their place of a page and leaves its words alone. Throws when the page has no such place. */
export async function writeFigures(page: string, figures: string, part = ''): Promise<void> {
  const [begin, end] = marks(part);
  const text = await readFile(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for figures`);
  await writeFile(page, `${text.slice(0, from + begin.length)}\n\n${figures}\n\n${text.slice(to)}`);
}
