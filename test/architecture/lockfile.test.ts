import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
);

/** `npm ci` refuses a lock file that leaves out the package of one platform: then a fresh clone cannot be installed
 *  anywhere. */
test('[C-9] the lock file holds the tools of every platform', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => name.startsWith('@'))
      .filter(
        (name) =>
          lock.packages[`node_modules/${name}`] === undefined &&
          lock.packages[`${path}/node_modules/${name}`] === undefined,
      ),
  );

  expect(missing).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(JSON.stringify(lock)).not.toMatch(/"resolved"/);
});
