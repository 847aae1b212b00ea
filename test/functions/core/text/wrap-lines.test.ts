import { expect, test } from 'vitest';
import { hangingLines, wrapLines } from '../../../../functions/core/text/columns.ts';

const sentence = `  a sentence ${'of many words '.repeat(12)}`.trimEnd();
const remedy = `     oc -n shop patch pdb web --type merge -p '${'x'.repeat(90)}'`;

test('[C-9] what a command says fits 100 columns and goes on further in, and a command in it stays whole', () => {
  const [first = '', second = '', ...more] = wrapLines(`${sentence}\n${remedy}\n  short  as it is\n`).split('\n');

  expect([first.length <= 100, second.length <= 100]).toEqual([true, true]);
  expect([first, second].map((line) => line.search(/\S/))).toEqual([2, 4]);
  expect(`${first} ${second.trim()}`).toBe(sentence);
  expect(more).toEqual([remedy, '  short  as it is', '']);
});

test('[C-9] a long value goes on below itself, and a command stays whole', () => {
  const label = '    Found  ';

  const [first = '', ...more] = hangingLines(label, sentence.trim());

  expect(first.startsWith(label)).toBe(true);
  expect(more.map((line) => line.search(/\S/))).toEqual(more.map(() => label.length));
  expect([first, ...more].filter((line) => line.length > 100)).toEqual([]);
  expect(hangingLines(label, remedy.trim())).toEqual([`${label}${remedy.trim()}`]);
});
