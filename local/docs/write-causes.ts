import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { catalogue } from '../../functions/core/diagnose/catalogue.ts';
import { causesPage } from './causes-page.ts';

const root = join(import.meta.dirname, '..', '..');
/** Where findings are judged; other suites only carry them. */
const suites = ['test/functions/core/diagnose', 'test/functions/core/judge', 'test/functions/core/alerts'];
const filesNamed = 2;

/** The tests that name a code, the rules' own first. */
export function proofsOfCauses(): ReadonlyMap<string, readonly string[]> {
  const tests = suites
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .toSorted()
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));
  return new Map(
    catalogue
      .flatMap(({ causes }) => causes)
      .map(({ code }) => {
        const naming = tests.filter(({ text }) => text.includes(`'${code}'`)).map(({ path }) => path);
        return [code, naming.slice(0, filesNamed)] as const;
      }),
  );
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(root, 'docs/causes.md'), causesPage(proofsOfCauses()));
}
