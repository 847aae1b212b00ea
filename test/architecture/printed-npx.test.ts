import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folders = ['.github', 'docs', 'events', 'functions', 'infra', 'local', 'test'];
const texts = /\.(?:md|mjs|ts|ya?ml|json|svg|cast|sh)$/;

/** `npx poolkeeper`, in one text or as the words of a command. */
const fetched = /npx[', ]{1,4}poolkeeper/;

const files = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
].filter((path) => texts.test(path) && path !== relative(root, import.meta.filename));

test('[N-29] no command that is printed lets npx fetch a package of our name', () => {
  const fetches = ['npx poolkeeper', "command('npx', 'poolkeeper', 'why')"];
  expect(fetches.filter((text) => !fetched.test(text))).toEqual([]);
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((path) => fetched.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});
