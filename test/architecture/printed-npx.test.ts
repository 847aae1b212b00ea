import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folders = ['.github', 'docs', 'events', 'functions', 'infra', 'local', 'test'];
const texts = /\.(?:md|mjs|ts|ya?ml|json|svg|cast|sh)$/;

/** `npx poolkeeper` with or without flags, in one text or as the words of a command. */
const byNpx = /npx[', ]{1,4}(?:--[a-z-]+[', ]{1,4})?poolkeeper/;

/** What people read while they stand in the checkout. */
const ofCheckout = ['README.md', 'local/demo/run-demo.ts', 'test/bench/newcomer.ts'];

const files = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
].filter((path) => texts.test(path) && path !== relative(root, import.meta.filename));

test('[N-29] no command is printed with npx, which runs what the folder or the public registry has under our name', () => {
  const made = ['npx poolkeeper', 'npx --no-install poolkeeper', "command('npx', '--no-install', 'poolkeeper', 'why')"];
  expect(made.filter((text) => !byNpx.test(text))).toEqual([]);
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((path) => byNpx.test(readFileSync(join(root, path), 'utf8')))).toEqual(ofCheckout);
});
