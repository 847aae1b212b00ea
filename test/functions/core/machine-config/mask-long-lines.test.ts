import { expect, test } from 'vitest';
import { readNodeReason } from '../../../../functions/core/diagnose/text/node-reason.ts';
import { maskLines } from '../../../../functions/core/machine-config/mask.ts';

// Quadratic work on these takes minutes, cubic work longer: the time limit of the test would end it.

test('[N-30] a line of blanks of any length is masked in linear time', () => {
  expect(maskLines(`a:${' '.repeat(250_000)}b\nplain`).at(-1)).toBe('plain');
});

test('[N-30] a reason with a long run of blanks after a command is read in linear time', () => {
  const reason = readNodeReason(`running a: x${' '.repeat(15_000)}y`);

  expect(JSON.stringify(reason)).toContain('running a');
});
