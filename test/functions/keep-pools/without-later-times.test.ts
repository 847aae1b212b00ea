import { describe, expect, test } from 'vitest';
import { emptyCheckpoint } from '../../../functions/keep-pools/observe/observe.ts';
import { withoutLaterTimes } from '../../../functions/keep-pools/observe/without-later-times.ts';

const now = new Date('2026-03-02T10:00:00.000Z');
const before = '2026-03-02T09:00:00.000Z';
const later = '2026-03-02T15:00:00.000Z';

const seen = (firstSeen: Readonly<Record<string, string>>) =>
  withoutLaterTimes({ ...emptyCheckpoint('prod'), firstSeen }, now).firstSeen;

describe('[N-30] what a checkpoint remembers, after a clock was set back', () => {
  test('counts from now, where it began later than now', () => {
    expect(seen({ 'worker|pending': later, 'infra|pending': before })).toEqual({
      'worker|pending': now.toISOString(),
      'infra|pending': before,
    });
  });

  test('[decoy] when a window opens lies ahead, and stays', () => {
    expect(seen({ 'worker|opens': later })).toEqual({ 'worker|opens': later });
  });

  test('[decoy] names of nodes and reasons stay, also where they end like a year to come', () => {
    const named = { '*|undone|nodes|worker': 'worker-2099', '*|refused|why|worker': 'no 2098' };

    expect(seen(named)).toEqual(named);
  });
});
