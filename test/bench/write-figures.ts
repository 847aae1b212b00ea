import { readFile, writeFile } from 'node:fs/promises';

const begin = '<!-- figures of the last run; `npm run bench` writes them -->';
const end = '<!-- end of the figures -->';

/** Puts the figures into their place of a page and leaves its words alone. Throws when the page has no such place. */
export async function writeFigures(page: string, figures: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for figures`);
  await writeFile(page, `${text.slice(0, from + begin.length)}\n\n${figures}\n\n${text.slice(to)}`);
}
