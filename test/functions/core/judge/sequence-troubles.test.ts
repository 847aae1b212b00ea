import { expect, it } from 'vitest';
import { judge } from '../../../../functions/core/judge/judge.ts';
import type { ProblemOfSequence } from '../../../../functions/core/sequences/sequence-problems.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aJudgeInput } from './a-judge-input.ts';

const problem: ProblemOfSequence = {
  sequence: 'virt',
  kind: 'timeout',
  item: 'storage@prod/waitFor',
  cluster: 'prod',
  since: '2026-11-22T10:00:00.000Z',
  why: 'sc ceph is not there',
};

function troublesOf(...problems: readonly ProblemOfSequence[]) {
  return judge(aJudgeInput({ now: new Date('2026-11-22T12:00:00.000Z'), sequences: seen(problems) })).troubles;
}

it.each([
  { kind: 'timeout', code: 'Q1', steering: 'skip virt storage@prod/waitFor' },
  { kind: 'unseen', code: 'Q1', steering: undefined },
  { kind: 'aborted', code: 'Q1', steering: 'go-on virt' },
  { kind: 'regression', code: 'Q2', steering: 'skip virt storage@prod/waitFor' },
  { kind: 'refused', code: 'Q3', steering: undefined },
] as const)(
  '[S2-10] [S2-11] [S2-19] a sequence that does not go on is told: $kind is $code, with what a person may decide',
  ({ kind, code, steering }) => {
    const [trouble] = troublesOf({ ...problem, kind });

    expect(trouble).toMatchObject({
      key: { pool: '*', kind: 'sequence-stuck' },
      headline: 'sequence virt does not go on',
      since: problem.since,
      findings: [
        {
          code,
          remedies: [
            { command: 'poolkeeper sequence status virt' },
            ...(steering === undefined
              ? []
              : [
                  {
                    command: `poolkeeper sequence ${steering} --reason 'decided by ...'`,
                    risk: 'low',
                  },
                ]),
          ],
        },
      ],
    });
    expect(trouble?.findings[0]?.sentence).toContain('sc ceph is not there');
  },
);

it('[S2-10] the sequences of a cluster are one incident, and none is told where nothing is wrong', () => {
  const two = troublesOf(problem, { ...problem, sequence: 'other', kind: 'regression' });

  expect(troublesOf()).toEqual([]);
  expect(two).toHaveLength(1);
  expect(two[0]?.headline).toBe('sequences virt and other do not go on');
  expect(two[0]?.findings.map(({ code }) => code)).toEqual(['Q1', 'Q2']);
});

it('[N-30] a sequence with any number of Applications that are not healthy hides no other, and what comes is news', () => {
  const own = Array.from({ length: 30 }, (_, at) => ({ ...problem, kind: 'drift' as const, item: `evil/x${at}@prod` }));
  const other = { ...problem, sequence: 'platform' };

  const [before] = troublesOf(...own);
  const [after] = troublesOf(...own, other);

  expect(after?.findings[0]?.sentence).toContain('Sequence platform: ');
  expect(after?.digest.replace(/;high$/, '')).not.toBe(before?.digest.replace(/;warning$/, ''));
  expect(after?.findings).toHaveLength(10);
  const late = { ...problem, kind: 'drift' as const, item: 'team/late@prod', since: '2026-11-22T11:00:00.000Z' };
  expect(troublesOf(...own, late)[0]?.digest).not.toBe(before?.digest);
  // Nothing of the others is news because it had no room beside it.
  const without = new Set(before?.digest.split(';'));
  const fresh = troublesOf(...own, late)[0]
    ?.digest.split(';')
    .filter((part) => !without.has(part));
  expect(fresh).toEqual([expect.stringContaining('team/late')]);
});

it('[S2-12] an object that others changed is told as that, with what a person may decide', () => {
  const drift = {
    ...problem,
    kind: 'drift',
    item: 'cnv@prod',
    why: 'spec.channel: changed by oc since it was applied',
  } as const;

  const [trouble] = troublesOf(drift);

  expect(trouble).toMatchObject({
    key: { pool: '*', kind: 'sequence-stuck' },
    severity: 'warning',
    headline: 'what sequence virt applied was changed',
    findings: [
      {
        code: 'Q4',
        remedies: [
          { command: 'poolkeeper sequence status virt' },
          { command: "poolkeeper sequence go-on virt --reason 'decided by ...'" },
          { command: "poolkeeper sequence skip virt cnv@prod --reason 'decided by ...'" },
        ],
      },
    ],
  });
  expect(trouble?.findings[0]?.sentence).toContain('spec.channel: changed by oc');
  expect(troublesOf(drift, problem)[0]).toMatchObject({ severity: 'high', headline: 'sequence virt does not go on' });
});

const anna = { who: 'anna', why: 'nothing may reboot tonight', at: '2026-11-22T09:30:00.000Z' };

it.each(['drift', 'aborted'] as const)(
  '[S2-12] [N-29] of a sequence that somebody has paused, nothing to type ends that (%s)',
  (kind) => {
    const [finding] = troublesOf({ ...problem, kind, paused: anna })[0]?.findings ?? [];

    const remedies = finding?.remedies ?? [];
    expect(remedies.filter(({ command }) => command?.includes('go-on'))).toEqual([]);
    expect(remedies.map(({ title }) => title).join()).toContain(
      'ask anna first, who has paused it (nothing may reboot tonight)',
    );
  },
);

it('[S2-12] [N-29] knows the sequences that somebody has paused, for whoever is to steer them', () => {
  const other = { ...problem, sequence: 'infra', item: 'x@prod' };

  expect(
    troublesOf({ ...problem, paused: anna }, { ...problem, item: 'b@prod', paused: anna }, other)[0]?.paused,
  ).toEqual([{ sequence: 'virt', who: 'anna' }]);
  expect(troublesOf(problem, other)[0]).not.toHaveProperty('paused');
});

it('[S2-12] [N-29] to skip an object that is gone says that higher waves go on', () => {
  const titles = troublesOf({ ...problem, kind: 'drift', isGone: true })[0]?.findings[0]?.remedies.map(
    ({ title }) => title,
  );

  expect(titles?.at(-1)).toBe(
    'Do without it: it counts as healthy though it is gone, higher waves go on, and pools among them resume',
  );
});

it('[S2-15] [N-30] windows that are taken away are counted of each cluster for itself, also over passes that do not look', () => {
  const windows = { namespace: 'openshift-gitops', project: 'platform', by: 'argocd-controller', isTracked: false };
  const lost = (...clusters: readonly string[]) =>
    clusters.map((cluster) => ({ ...windows, sequence: 'virt', cluster }));
  const looks = [lost('prod', 'edge', 'west'), lost('edge'), undefined, lost(), lost('edge')];
  let firstSeen: Readonly<Record<string, string>> = {};
  const passes = looks.map((lostWindows, minute) => {
    const now = new Date(Date.parse('2026-11-22T12:00:00.000Z') + minute * 60_000);
    const sequences = lostWindows === undefined ? notAsked : seen(minute === 4 ? [problem] : []);
    const judged = judge(aJudgeInput({ now, sequences, lostWindows, firstSeen }));
    firstSeen = judged.firstSeen;
    return judged.troubles;
  });

  expect(passes.slice(0, -1).flat()).toEqual([]);
  expect(passes.at(-1)).toMatchObject([{ severity: 'high', headline: 'sequence virt does not go on' }]);
  const found = passes.at(-1)?.flatMap(({ findings }) => findings) ?? [];
  expect(found.map(({ code }) => code).toSorted()).toEqual(['G6', 'Q1']);
  expect(found.find(({ code }) => code === 'G6')?.sentence).toBe(
    'Sequence virt: its sync windows are taken out of AppProject openshift-gitops/platform of cluster edge by argocd-controller whenever they are put back; until then nothing holds back the syncs there of Applications whose turn has not come.',
  );
});
