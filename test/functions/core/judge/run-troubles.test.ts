import { expect, test } from 'vitest';
import { runTroubles } from '../../../../functions/core/judge/run-troubles.ts';
import type { ProblemOfRun } from '../../../../functions/core/node-turns/run-question.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aJudgeInput } from './a-judge-input.ts';

const failed: ProblemOfRun = {
  run: 'upgrade',
  kind: 'job',
  node: 'w2',
  since: '2026-11-22T09:00:00.000Z',
  why: 'databases/move failed: exit code 3: primary not found',
  progress: '1 of 5 nodes is done',
};

test.each(['refused', 'unseen'] as const)('[S4-20] a Job that cannot be made (%s) may be skipped', (kind) => {
  const runs = seen([{ ...failed, kind, maySkip: true as const }]);
  const [trouble] = runTroubles(aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs }));

  const [first] = trouble?.findings[0]?.remedies ?? [];
  expect(first?.command).toContain('skip upgrade w2');
});

test('[S4-14] [S4-20] a Job that nobody can look at may be made anew by `retry`', () => {
  const runs = seen([{ ...failed, kind: 'unseen' as const, mayRetry: true as const }]);
  const [trouble] = runTroubles(aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs }));

  const [first] = trouble?.findings[0]?.remedies ?? [];
  expect(first?.command).toContain('retry upgrade w2');
});

test.each([
  { kind: 'job', code: 'V1', steering: 'retry upgrade w2' },
  { kind: 'node', code: 'V2', steering: undefined },
  { kind: 'refused', code: 'V3', steering: undefined },
  { kind: 'moved', code: 'V3', steering: 'go-on upgrade' },
  { kind: 'skipped', code: 'V3', steering: 'retry upgrade w2' },
  { kind: 'unseen', code: 'V3', steering: undefined },
  { kind: 'gate', code: 'V3', steering: undefined },
] as const)(
  '[S4-20] a run that is blocked ($kind) is one incident with node, progress, cause and one action first',
  ({ kind, code, steering }) => {
    const [trouble, ...more] = runTroubles(
      aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs: seen([{ ...failed, kind }]) }),
    );

    expect(more).toEqual([]);
    expect(trouble).toMatchObject({
      key: { pool: '*', kind: 'run-blocked' },
      severity: 'high',
      headline: 'run upgrade is blocked',
      since: failed.since,
      findings: [{ code, sentence: `Run upgrade (1 of 5 nodes is done): node w2: ${failed.why}.` }],
    });
    const [first] = trouble?.findings[0]?.remedies ?? [];
    expect(first?.command).toContain(steering ?? 'status upgrade');
  },
);

test('[S4-20] runs that go on, or could not be looked at, are no incident', () => {
  expect(runTroubles(aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs: seen([]) }))).toEqual([]);
  expect(
    runTroubles(aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs: unreadable('it did not answer') })),
  ).toEqual([]);
});

test.each(['moved', 'lost'] as const)(
  '[S4-20] [N-29] of a run that somebody has paused, nothing to type ends that (%s)',
  (kind) => {
    const paused = { who: 'anna', why: 'disk vendor is in the rack', at: '2026-11-22T09:30:00.000Z' };
    const [trouble] = runTroubles(
      aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs: seen([{ ...failed, kind, paused }]) }),
    );

    const remedies = trouble?.findings[0]?.remedies ?? [];
    expect(remedies.filter(({ command }) => command?.includes('go-on'))).toEqual([]);
    expect(remedies[0]?.title).toContain('ask anna first, who has paused it (disk vendor is in the rack)');
  },
);

test.each(['skipped', 'lost'] as const)(
  '[S4-20] [N-29] nor does what ends the run go past whoever has paused it (%s)',
  (kind) => {
    const paused = { who: 'anna', why: 'disk vendor is in the rack', at: '2026-11-22T09:30:00.000Z' };
    const [trouble] = runTroubles(
      aJudgeInput({ now: new Date('2026-11-22T10:00:00.000Z'), runs: seen([{ ...failed, kind, paused }]) }),
    );

    const remedies = trouble?.findings[0]?.remedies ?? [];
    expect(remedies.filter(({ command }) => command?.includes('abort'))).toEqual([]);
    const end = remedies.find(({ title }) => title.startsWith('End the run'));
    expect(end?.title).toMatch(/ask anna first, .*, since abort does not wait until that pause ends$/);
  },
);
