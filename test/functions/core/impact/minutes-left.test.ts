import { expect, test } from 'vitest';
import { minutesLeft } from '../../../../functions/core/impact/estimate.ts';
import { aPool } from '../../../fakes/builders.ts';

test.each([
  ['one at a time', 10, 4, undefined, 48],
  ['three at a time', 10, 4, '3', 16],
  ['a share of all, also of those that are done', 10, 4, '20%', 24],
  ['a value that the MCO cannot read counts as one', 10, 4, 'many', 48],
  ['nobody is left', 10, 10, undefined, undefined],
])('what is left of a rollout, at 8 min a node: %s', (_, machines, updated, maxUnavailable, minutes) => {
  const counts = { ...aPool().counts, machines, updated };

  expect(minutesLeft(aPool({ counts, maxUnavailable }), 8)).toBe(minutes);
});
