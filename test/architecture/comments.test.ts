import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Columns, as of the formatter, which leaves comments alone. */
const columns = 120;

/** A line that is a comment, or the middle of one. */
const comment = /^\s*(?:\/\/|\/\*|\*)/;

test('no comment is wider than the code', () => {
  const wide = ['events', 'functions', 'infra', 'local', 'test'].flatMap(filesBelow).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        comment.test(line) && line.length > columns ? [`${path.slice(root.length + 1)}:${index + 1}`] : [],
      ),
  );

  expect(wide).toEqual([]);
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?ts$|\.mjs$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
