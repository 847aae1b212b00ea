import { expect, test } from 'vitest';
import { emergencyTroubles } from '../../../../functions/core/judge/emergency-troubles.ts';
import { aPool } from '../../../fakes/index.ts';
import { aJudgeInput } from './a-judge-input.ts';

const start = '2026-03-02T10:00:00.000Z';
const end = '2026-03-02T11:00:00.000Z';

function judged(now: string, emergency = { who: 'ann', why: 'CVE-2026-1234', since: start, until: end }) {
  const pool = aPool({ record: { kind: 'record', record: { v: 1, holds: [], emergency } } });
  const input = aJudgeInput({ now: new Date(now) });
  return emergencyTroubles({ pool }, input);
}

test('[N-21] an open emergency lane is told at once, with who, why, until and how to close it', () => {
  const [trouble] = judged(start);

  expect(trouble).toMatchObject({
    key: { cluster: 'prod', pool: 'worker', kind: 'emergency' },
    severity: 'high',
    class: 'structural',
    headline: 'emergency lane opened by ann',
    since: start,
  });
  expect(trouble?.findings).toMatchObject([
    { code: 'Z3', remedies: [{ command: 'poolkeeper emergency --cluster prod --pool worker --end' }] },
  ]);
  expect(trouble?.findings[0]?.sentence).toContain('CVE-2026-1234');
});

test.each([
  ['a second before its end', '2026-03-02T10:59:59.000Z', 1],
  ['at its end', end, 0],
])('[N-21] %s', (_, now, count) => {
  expect(judged(now)).toHaveLength(count);
});

test('[N-21] another end, and another person, is another message', () => {
  const [first] = judged(start);
  const [longer] = judged(start, { who: 'ann', why: 'CVE-2026-1234', since: start, until: '2026-03-02T12:00:00.000Z' });
  const [other] = judged(start, { who: 'eve', why: 'CVE-2026-1234', since: start, until: end });

  expect(new Set([first?.digest, longer?.digest, other?.digest]).size).toBe(3);
});

test('[N-21] [N-30] a beginning in the future, as a forged record may have, is no age', () => {
  const [trouble] = judged(start, { who: 'ann', why: 'x', since: '2026-03-02T10:30:00.000Z', until: end });

  expect(trouble?.since).toBe(start);
});
