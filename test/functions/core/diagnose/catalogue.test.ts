import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, causeOf } from '../../../../functions/core/diagnose/catalogue.ts';
import { causeTitles } from '../../../../functions/core/diagnose/cause-titles.ts';
import { causesPage } from '../../../../local/docs/causes-page.ts';

const root = join(import.meta.dirname, '../../../..');
const codes = catalogue.flatMap(({ causes }) => causes.map(({ code }) => code));

/** Where findings are judged; other suites only carry them. This file names codes too, and proves none. */
const suites = ['diagnose', 'judge', 'alerts'].map((room) => join(root, 'test/functions/core', room));

function testTexts(): readonly string[] {
  return suites
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.test.ts') && path !== import.meta.filename)
    .map((path) => readFileSync(path, 'utf8'));
}

/** Codes as they stand in the rules: `code: 'P1'`, `code: x ? 'A1' : 'A2'`, tables of patterns. */
function codesOfTheRules(): readonly string[] {
  const folders = ['functions/core/diagnose/rules', 'functions/core/judge'];
  const files = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)));
  const texts = [...files, join(root, 'functions/core/alerts/notify-failing.ts')].map((path) =>
    readFileSync(path, 'utf8'),
  );
  const found = texts.flatMap((text) => [
    ...[...text.matchAll(/\bcode:\s*([^,;{]*)/g)].flatMap(([, value = '']) => quotedCodes(value)),
  ]);
  return [...new Set(found)].toSorted();
}

function quotedCodes(text: string): readonly string[] {
  return [...text.matchAll(/'([A-Z]\d{1,2}|self-deadlock)'/g)].map(([, code = '']) => code);
}

test('every code that a rule gives has an entry', () => {
  const unknown = codesOfTheRules().filter((code) => causeOf(code) === undefined);

  expect(codesOfTheRules().length).toBeGreaterThan(50);
  expect(unknown).toEqual([]);
});

test('every entry has its title where headlines look it up, and no title is left over', () => {
  const titles = catalogue.flatMap(({ causes }) => causes.map(({ code, title }) => [code, title]));

  expect(Object.fromEntries(titles)).toEqual(causeTitles);
});

test('no code stands there twice', () => {
  expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted());
});

test('[N-12] every entry is named by a test that proves it', () => {
  const tests = testTexts();

  expect(codes.filter((code) => !tests.some((text) => text.includes(`'${code}'`)))).toEqual([]);
});

test('[S1-12] [N-31] every entry about the platform says where its remedy comes from', () => {
  // Syncs, late pauses, sequences and Poolkeeper itself have this repository as their source.
  const own = /^[AZBMQGFV]\d/;
  const entries = catalogue.flatMap(({ causes }) => causes).filter(({ code }) => !own.test(code));

  expect(entries.filter(({ sources = [] }) => sources.length === 0).map(({ code }) => code)).toEqual([]);
  expect(entries.flatMap(({ sources = [] }) => sources).every((url) => URL.canParse(url))).toBe(true);
});

test('[S1-12] what takes a node or a pod away also says where it must not be done', () => {
  const takesAway = /\breboot|delete the (?:pod|machine)|replace (?:it|the machine)|another machine|force/i;
  const entries = catalogue.flatMap(({ causes }) => causes).filter(({ remedy }) => takesAway.test(remedy));

  expect(entries.filter(({ notFor }) => notFor === undefined).map(({ code }) => code)).toEqual([]);
});

test('[S1-12] docs/causes.md is what the catalogue says: what it means, how it is known, what to do', () => {
  expect(readFileSync(join(root, 'docs/causes.md'), 'utf8')).toBe(causesPage());
});
