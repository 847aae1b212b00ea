import { expect, test } from 'vitest';
import { byNeed } from '../../../../functions/core/alerts/by-need.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Severity, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { anIncident, aTrouble } from '../../../fakes/index.ts';

interface Change {
  readonly number: number;
  readonly cluster?: string;
  readonly pool?: string;
  readonly kind?: TroubleKind;
  readonly severity?: Severity;
  readonly since?: string;
  readonly namespace?: string;
  readonly project?: string;
}

function incident({ number, cluster = 'prod', pool = 'worker', kind = 'run-failed', ...change }: Change) {
  const { severity = 'high', since = '2026-03-02T10:00:00.000Z', namespace = 'team', project } = change;
  const key = { cluster, pool, kind };
  const findings = [
    finding({
      code: 'A1',
      subject: { ...ref('Application', 'x', namespace), ...(project === undefined ? {} : { project }) },
      sentence: '',
      confidence: 'certain',
      class: 'external',
    }),
  ];
  return anIncident({ key, number, since, trouble: aTrouble({ key, severity, since, findings }) });
}

/** Three Applications that run "since 2020" on fifty pools, and three whose syncs failed there. */
const crowd = Array.from({ length: 50 }, (_, at) =>
  (['sync-stuck', 'run-failed', 'paused-too-long'] as const).map((kind, place) =>
    incident({
      number: 1 + 3 * at + place,
      pool: `p${at}`,
      kind,
      since: '2020-01-01T00:00:00.000Z',
      namespace: 'evil',
    }),
  ),
).flat();

test('[N-30] whoever lets syncs fail on every pool hides no incident of another kind, cluster or namespace', () => {
  const drain = incident({ number: 900, kind: 'drain-blocked', namespace: '' });
  const elsewhere = incident({ number: 901, cluster: 'test' });
  const beside = incident({ number: 902, pool: 'infra' });

  const shown = byNeed([...crowd, drain, elsewhere, beside]).map(({ number }) => number);

  expect(shown.slice(0, 4)).toEqual([1, 2, 3, 900]);
  expect(shown.slice(0, 15)).toEqual(expect.arrayContaining([901, 902]));
});

test('[N-30] the worst come first, then the one that was opened first, whatever its trouble says of its begin', () => {
  const old = incident({ number: 3 });
  const young = incident({ number: 8, since: '2020-01-01T00:00:00.000Z' });
  const critical = incident({ number: 9, severity: 'critical' });

  expect(byNeed([young, old, critical]).map(({ number }) => number)).toEqual([9, 3, 8]);
});

test('what nobody was told of yet comes last, in the order in which it began', () => {
  const pending = (pool: string, since: string) => ({
    ...incident({ number: 0, pool, since }),
    state: 'pending' as const,
  });
  const late = pending('late', '2026-03-02T10:05:00.000Z');
  const early = pending('early', '2026-03-02T10:01:00.000Z');

  expect(byNeed([late, early, incident({ number: 5 })]).map(({ key }) => key.pool)).toEqual([
    'worker',
    'early',
    'late',
  ]);
});

test("[N-30] whoever lets syncs fail on every pool hides none of another AppProject in Argo CD's own namespace", () => {
  const many = Array.from({ length: 50 }, (_, at) => incident({ number: 1 + at, pool: `p${at}`, project: 'team-a' }));
  const other = incident({ number: 900, project: 'team-b' });

  expect(byNeed([...many, other])[1]?.number).toBe(900);
});
