import { expect, test } from 'vitest';
import { ageText, clipped, lastingText, listed, quoted } from '../../../../functions/core/text/phrases.ts';
import { command, mergePatch } from '../../../../functions/core/text/shell-words.ts';

test.each([
  [40_000, '40 s'],
  [12 * 60_000, '12 min'],
  [130 * 60_000, '2 h 10 min'],
  [120 * 60_000, '2 h'],
  [9 * 24 * 3_600_000, '9 days'],
  [-5, '0 s'],
])('%i ms are %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

test.each([
  ['2026-03-02T13:50:00.000Z', '12 min, since 2026-03-02T13:50:00.000Z'],
  ['2026-03-02T14:02:00.000Z', 'first seen at 2026-03-02T14:02:00.000Z'],
])('[N-29] no duration is claimed for what was first seen now: %s', (since, text) => {
  expect(lastingText(since, '2026-03-02T14:02:00.000Z')).toBe(text);
});

test('long lists of names end in a number', () => {
  expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
  expect(listed(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
});

test('long texts lose their middle, because causes stand at the end', () => {
  const text = `begin ${'x'.repeat(900)} end`;

  const short = quoted(text, 60);

  expect(short).toMatch(/^begin x+ \.\.\. x+ end$/);
  expect(short.length).toBeLessThanOrEqual(65);
});

test('[N-30] text of characters that take two units each is cut as a schema counts it, and at no half of one', () => {
  const short = clipped(`x${'\u{1f600}'.repeat(900)}`, 600);

  expect(short.length).toBeLessThanOrEqual(605);
  expect(short.isWellFormed()).toBe(true);
});

test('[N-29] marks of no width hide no credential of a text of the cluster', () => {
  expect(clipped('failed: pass\u200Bword=hunter2')).toBe('failed: password=[removed]');
  expect(clipped('failed: -----BEGIN\u200B X----- abc')).toBe('failed: [PEM removed]');
});

test('a name with a quote or a semicolon stays one argument of the pasted command', () => {
  expect(command('oc', 'label', 'node', "w'; rm -rf /")).toBe(`oc label node 'w'\\''; rm -rf /'`);
  expect(mergePatch({ kind: 'pdb', name: 'web', namespace: 'shop' }, { spec: { maxUnavailable: 1 } })).toBe(
    `oc -n shop patch pdb web --type merge -p '{"spec":{"maxUnavailable":1}}'`,
  );
});
