import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { coreRooms } from './core-rooms.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['docs', 'events', 'functions', 'infra', 'local', 'test'];
const paths = folders.flatMap(filesBelow);
const fileNames = new Set(paths.map((path) => basename(path)));

interface Page {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Without fenced blocks: what is a link or a heading. */
  readonly prose: string;
}

const pages = [...readdirSync(root), ...paths].filter((path) => path.endsWith('.md')).map(readPage);

/** A path from the root wherever it stands, commands included: not the end of a longer path or of a URL. */
const pathFromRoot = new RegExp(`(?<![\\w./:@-])(?:${folders.join('|')})/[\\w./-]*`, 'g');

/** A file of code or a page, or a folder of the functions, by its name as the whole of a code span. */
const namedFile = /`([\w./-]+\.(?:ts|mjs|py|md|snap)|(?:core|ports|adapters|shell|keep-pools)\/[\w./-]+)`/g;

const link = /\]\(([^)\s]+)\)/g;

test('every path that a document names exists', () => {
  const gone = pages.flatMap(({ path, text }) =>
    [...text.matchAll(pathFromRoot)]
      .filter(([named]) => !isThere(withoutStop(named)))
      .map(([named]) => `${path}: ${named}`),
  );

  expect(pages.length).toBeGreaterThan(20);
  expect(gone).toEqual([]);
});

test('every file that a document names exists, from the root, beside the document or by its name alone', () => {
  const gone = pages.flatMap(({ path, text }) =>
    [...text.matchAll(namedFile)]
      .map(([, named = '']) => named)
      .filter((named) => !isThere(named) && !isThere(beside(path, named)) && !fileNames.has(named))
      .map((named) => `${path}: ${named}`),
  );

  expect(gone).toEqual([]);
});

test('every row of a table has as many cells as its heading: others are not shown', () => {
  const rows = pages.flatMap(({ path, prose }) =>
    prose.split('\n\n').flatMap((block) => {
      const cells = block
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map(
          (line) =>
            line
              .replaceAll(/`[^`]*`/g, '')
              .replaceAll('\\|', '')
              .split('|').length,
        );
      return cells.map((count) => ({ path, isAsHeading: count === cells[0] }));
    }),
  );

  expect(rows.length).toBeGreaterThan(1000);
  expect(rows.filter(({ isAsHeading }) => !isAsHeading)).toEqual([]);
});

test('every relative link of a document leads to a file, and its anchor to a heading', () => {
  const dead = pages.flatMap(({ path, prose }) =>
    [...prose.matchAll(link)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target))
      .map((target) => `${path}: ${target}`),
  );

  expect(dead).toEqual([]);
});

test('docs/architecture.md names every folder of the core, of keep-pools and of local, and every area of the ports', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const named = (folder: string, end: string, isNamed: (entry: Dirent) => boolean) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(isNamed)
      .map(({ name }) => `\`${basename(name, '.ts')}${end}\``);

  const expected = [
    ...['functions/core', 'functions/keep-pools', 'local'].flatMap((folder) =>
      named(folder, '/', (entry) => entry.isDirectory()),
    ),
    ...named('functions/ports', '', (entry) => entry.isFile()),
  ];

  expect(expected.length).toBeGreaterThan(30);
  expect(expected.filter((name) => !page.includes(name))).toEqual([]);
});

test('docs/architecture.md lists the rooms of the core in their order', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = page.split('`functions/core/` is divided into rooms');

  const listed = [...table.matchAll(/^\| `([a-z-]+)\/` \|/gm)].map(([, room]) => room);

  expect(listed).toEqual(coreRooms);
});

test('every page that the code names exists, with the heading that it names', () => {
  const named = paths
    .filter((path) => /\.(?:ts|mjs|yaml)$/.test(path) && !path.startsWith('test/'))
    .flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/(?<![\w./-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(
        ([target]) => ({ path, target }),
      ),
    );

  const dead = named.filter(({ target }) => !leadsSomewhere('README.md', target));

  expect(named.length).toBeGreaterThan(10);
  expect(dead).toEqual([]);
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    );
}

function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, prose: text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '') };
}

function isThere(path: string): boolean {
  return existsSync(join(root, path));
}

function withoutStop(path: string): string {
  return path.replace(/\.+$/, '');
}

function beside(page: string, target: string): string {
  return normalize(join(dirname(page), target)).replaceAll('\\', '/');
}

function leadsSomewhere(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : beside(page, file);
  if (!isThere(path)) return false;
  return anchor === undefined || anchorsOf(path).has(anchor);
}

/** As GitHub makes them of headings, and those that a page sets itself. */
function anchorsOf(path: string): ReadonlySet<string> {
  const { prose } = readPage(path);
  const seen = new Map<string, number>();
  const ofHeadings = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return new Set([...ofHeadings, ...[...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)]);
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
