import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attackOf, attackTexts } from './regex/attack-texts.ts';
import { stepCounter } from './regex/count-steps.ts';
import { parseRegex } from './regex/parse-regex.ts';
import { patternsIn } from './regex/patterns-in.ts';
import { superlinearText } from './regex/superlinear.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['functions', 'events'].map((folder) => patternsIn(root, folder));
const literals = folders.flatMap((found) => found.literals);

/** Regular expressions that are built while running, and why each is linear. */
const built: Readonly<Record<string, string>> = {
  'functions/adapters/yaml/read-manifests.ts': 'names of kinds, one beside the other, and `items["\']?\\s*:`',
  'functions/core/argocd/refused-sync.ts': 'every repeat ends at a quote, and begins behind one',
  'functions/core/configuration/alerts.ts': 'anchored, over one value of our own configuration',
  'functions/core/configuration/github.ts': 'anchored, over one value of our own configuration',
  'functions/core/impact/report/text.ts': '`.{1,n}` takes whatever comes',
  'functions/core/openshift/names-rendered-kind.ts': 'five blanks at most, and names of kinds, one beside the other',
  'functions/core/preview/hide-names.ts': 'one escaped name, without a repeat',
};

describe('[N-30] regular expressions over texts of strangers', () => {
  test('take steps in proportion to the length of the text, whatever it is', () => {
    const seen = new Map<string, string>();
    for (const { path, source, flags } of literals) seen.set(`/${source}/${flags}`, path);

    const superlinear = [...seen].flatMap(([pattern, path]) => {
      const end = pattern.lastIndexOf('/');
      const text = superlinearText(pattern.slice(1, end), pattern.slice(end + 1));
      return text === undefined ? [] : [`${path}: ${pattern} with ${text}`];
    });

    expect(superlinear).toEqual([]);
    // Some seconds of computing: no machine is so busy.
  }, 600_000);

  test('stand in the code: what is built while running is known, with a reason', () => {
    const paths = new Set(folders.flatMap((found) => found.built.map(({ path }) => path)));

    expect([...paths].toSorted()).toEqual(Object.keys(built).toSorted());
  });
});

describe('the count of steps', () => {
  test.each([
    ['a repeat that is tried anew from each of its characters', String.raw`\s+$`],
    ['a beginning that its own repeat takes', '(?<![A-Za-z0-9])eyJ[\\w-]{8,}\\.[\\w-]{8,}'],
    ['a repeat within a repeat', '^(?:\\s|#[^\\n]*|%[^\\n]*)*$'],
    ['two repeats of the same side by side', '^a*a*b'],
    ['two ways to take the same', '^(?:a|a)*b'],
    ['an open text between two words', 'ignoring MC[\\s\\S]*version'],
    ['a look back from every place', '(?<=<[^>]*)x'],
    ['a wide bound', '[a-z.]{1,1000}='],
    ['a repeat that only the last word may follow', String.raw`\s+\S*$`],
  ])('finds %s', (_what, source) => {
    expect(superlinearText(source, 'g')).toBeDefined();
  });

  test.each([
    ['a repeat that nothing follows', String.raw`\s+`],
    ['a repeat that ends where the next one may begin', '<([^<>]*)>'],
    ['a repeat from the start', '^[a-z]+$'],
    ['a repeat that begins at the border of a word', '(?<![a-z])[a-z]+='],
    ['a way out for whatever was not closed', '-----BEGIN [A-Z]{1,40}-----[\\s\\S]*?(?:-----END|$)'],
  ])('lets pass %s', (_what, source) => {
    expect(superlinearText(source, 'g')).toBeUndefined();
  });

  test('is that of a matcher which finds what JavaScript finds', () => {
    const wrong = literals.flatMap(({ path, source, flags }) => {
      const node = parseRegex(source);
      const counter = stepCounter(node, flags);
      const native = new RegExp(source, flags.replace('g', ''));
      return attackTexts(node, flags)
        .filter((_, index) => index % 37 === 0)
        .map((text) => attackOf(text, 3))
        .filter((text) => {
          const found = native.exec(text);
          const expected = found === null ? undefined : [found.index, found.index + found[0].length];
          return JSON.stringify(counter.firstMatch(text)) !== JSON.stringify(expected);
        })
        .map((text) => `${path}: /${source}/${flags} in ${JSON.stringify(text)}`);
    });

    expect(wrong).toEqual([]);
  });
});
