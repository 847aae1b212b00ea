import { expect, test } from 'vitest';
import { describeGoals, type Goal, isMissed } from './goal.ts';

const pause: Goal = { what: 'Read back', atMost: 2, unit: '×', rounds: [] };

test('a goal is missed when most rounds are above it, and by less than the noise when a quarter is not', () => {
  const goals: readonly Goal[] = [
    { ...pause, rounds: [1.8, 1.9, 2.1, 1.9] },
    { ...pause, rounds: [1.9, 2.1, 2.2, 2.3] },
    { ...pause, rounds: [2.1, 2.1, 2.2, 2.3] },
  ];
  expect(goals.map(isMissed)).toEqual([false, false, true]);
  expect(describeGoals(goals).split('\n')).toEqual([
    '- Read back: at most 2.00 ×. Met: 1.90 × (1.80 × to 1.90 ×).',
    '- Read back: at most 2.00 ×. Missed by less than the noise: 2.10 × (1.90 × to 2.20 ×).',
    '- Read back: at most 2.00 ×. Missed: 2.10 × (2.10 × to 2.20 ×).',
  ]);
});

test('a goal that was measured in no round is no goal that is met', () => {
  expect(() => isMissed(pause)).toThrow('no samples');
});
