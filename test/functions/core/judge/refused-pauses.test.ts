import { expect, test } from 'vitest';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/builders.ts';
import { aJudgeInput } from './a-judge-input.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 10, minute));

function judged(
  minute: number,
  firstSeen: Readonly<Record<string, string>>,
  change: { readonly why?: string; readonly paused?: boolean },
) {
  const pool = aPool({ paused: change.paused ?? false });
  const pools = seen([{ pool, nodes: notAsked, refusedPause: change.why }]);
  const { troubles, firstSeen: after } = judge(aJudgeInput({ now: at(minute), firstSeen, pools }));
  return { troubles: troubles.filter(({ key }) => key.kind === 'late-pause'), after };
}

test('[N-28] [N-29] a pause that was refused is told with its reason, also by passes in which nothing wants it', () => {
  const refused = judged(0, {}, { why: 'PATCH machineconfigpools/worker: 403' });
  const later = judged(5, refused.after, {});
  const again = judged(10, later.after, { why: 'PATCH machineconfigpools/worker: 403' });
  const over = judged(26, again.after, {});

  for (const { troubles } of [refused, later, again])
    expect(troubles).toMatchObject([
      {
        severity: 'high',
        since: at(0).toISOString(),
        findings: [{ code: 'Z4', sentence: expect.stringContaining('machineconfigpools/worker: 403') }],
      },
    ]);
  expect(over).toEqual({ troubles: [], after: {} });
});

test('[decoy] one that was made after all is no trouble', () => {
  const refused = judged(0, {}, { why: 'PATCH machineconfigpools/worker: 409' });

  expect(judged(1, refused.after, { paused: true }).troubles).toEqual([]);
});
