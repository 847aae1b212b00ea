import { describe, expect, test } from 'vitest';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { quiet } from '../../../../functions/core/gates/quiet.ts';
import { aGateQuestion } from './a-gate-question.ts';

const controllers = { kind: 'seen' as const, value: [] };
const longClosed = { quiet: '2026-03-02T09:00:00.000Z' };

function askedAbout(begins: readonly (string | undefined)[]) {
  const unclearSyncs = begins.map((begunAt, index) => ({ name: `shop/app-${index}`, begunAt }));
  return quiet.ask(aGateQuestion({ evidence: { ...noEvidence, controllers }, closedSince: longClosed, unclearSyncs }));
}

describe('[N-30] [N-7] a sync of which nobody knows yet what it changes', () => {
  test('is waited for from its own begin, however long the gate has been closed for other reasons', () => {
    expect(askedAbout(['2026-03-02T08:00:00Z', '2026-03-02T09:59:50Z'])).toMatchObject({
      open: false,
      why: expect.stringContaining('the running sync of shop/app-1 may have brought'),
      opensAt: '2026-03-02T10:14:50.000Z',
    });
  });

  test('and no longer than for a push, whatever its Application says of its begin', () => {
    expect(askedAbout(['2026-03-02T09:44:59Z', undefined]).open).toBe(true);
    expect(askedAbout(['2026-03-02T10:04:00Z'])).toMatchObject({ open: false, opensAt: '2026-03-02T10:15:00.000Z' });
    expect(askedAbout(['2030-01-01T00:00:00Z']).open).toBe(true);
  });
});
