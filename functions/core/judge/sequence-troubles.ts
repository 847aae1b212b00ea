import { askFirst } from '../diagnose/ask-first.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, PausedSequence, Remedy, Severity, Trouble, TroubleClass } from '../findings/trouble.ts';
import { severityRank } from '../findings/trouble-words.ts';
import type { LostWindows } from '../sequences/lost-windows.ts';
import type { ProblemOfSequence, SequenceProblem } from '../sequences/sequence-problems.ts';
import { earliest } from '../text/instant.ts';
import { listed, quoted } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { JudgeInput } from './input.ts';
import { type LostWindowsClocks, remediesOfLost } from './lost-windows.ts';
import { makeTrouble } from './make-trouble.ts';

/** A problem of a sequence, or windows of it that somebody takes away whenever they are put back. */
interface Told extends Omit<ProblemOfSequence, 'kind'> {
  readonly kind: SequenceProblem['kind'] | 'lost';
  readonly windows?: LostWindows | undefined;
}

interface Telling {
  readonly code: string;
  readonly says: (problem: Told) => string;
  readonly class: TroubleClass;
  readonly severity: Severity;
}

const tellings: Readonly<Record<Told['kind'], Telling>> = {
  timeout: {
    code: 'Q1',
    says: ({ item, why }) => (item === '' ? quoted(why) : `${item} is not open in time: ${quoted(why)}`),
    class: 'structural',
    severity: 'high',
  },
  unseen: {
    code: 'Q1',
    says: ({ item, why }) =>
      item === ''
        ? `it cannot be looked at, and nothing of it goes on: ${quoted(why)}`
        : `${item} cannot be read, and its wave waits: ${quoted(why)}`,
    class: 'external',
    severity: 'warning',
  },
  aborted: { code: 'Q1', says: ({ why }) => `it was ${quoted(why)}`, class: 'structural', severity: 'high' },
  regression: {
    code: 'Q2',
    says: ({ item, why }) =>
      `${item} is no longer healthy, and higher waves have begun: ${quoted(why)}. Nothing more begins until it is`,
    class: 'structural',
    severity: 'high',
  },
  refused: {
    code: 'Q3',
    says: ({ item, why }) => `${item === '' ? 'its record' : item} cannot be asked: ${quoted(why)}`,
    class: 'structural',
    severity: 'high',
  },
  drift: {
    code: 'Q4',
    says: ({ item, why }) => `the object of ${item} is no longer as it was applied: ${quoted(why)}. It is left so`,
    class: 'structural',
    severity: 'warning',
  },
  lost: {
    code: 'G6',
    says: ({ why }) =>
      `its sync windows are taken out of ${why} whenever they are put back; until then nothing holds back the syncs there of Applications whose turn has not come`,
    class: 'structural',
    severity: 'high',
  },
};

/** Sequences that do not go on, or whose objects others have changed, or their windows: one trouble for all whose
 *  records the cluster keeps.
 *  @param lost what `lostWindowsClocks` tells */
export function sequenceTroubles(
  { cluster, sequences, now }: JudgeInput,
  lost: LostWindowsClocks['told'] = [],
): readonly Trouble[] {
  const problems = sequences?.kind === 'seen' ? inOrder([...sequences.value, ...lost.map(toldOf)]) : [];
  if (problems.length === 0) return [];
  const names = unique(problems.map(({ sequence }) => sequence));
  const found = problems.slice(0, digestedAtMost).map((problem) => findingOf(problem, now.toISOString()));
  const isHigh = problems.some(({ kind }) => tellings[kind].severity === 'high');
  const trouble = makeTrouble({
    key: { cluster, pool: '*', kind: 'sequence-stuck' },
    severity: isHigh ? 'high' : 'warning',
    headline: headlineOf(names, problems),
    since: earliest(problems.map(({ since }) => since)) ?? now.toISOString(),
    findings: found,
    facts: [
      { label: 'Sequences', value: listed(names, 3) },
      { label: 'What waits', value: listed(unique(problems.map(({ item }) => item)).filter(Boolean), 3) },
    ].filter(({ value }) => value !== ''),
  });
  const paused = pausedAmong(problems.slice(0, findingsAtMost));
  // What is not told for lack of room is no news when it is told again.
  return [
    { ...trouble, findings: trouble.findings.slice(0, findingsAtMost), ...(paused.length === 0 ? {} : { paused }) },
  ];
}

function toldOf({ since, ...windows }: LostWindowsClocks['told'][number]): Told {
  const { sequence, cluster, namespace, project, by } = windows;
  const why = `AppProject ${namespace}/${project} of cluster ${cluster} by ${by}`;
  return { kind: 'lost', sequence, item: '', cluster, since, why, windows };
}

function pausedAmong(problems: readonly Told[]): readonly PausedSequence[] {
  const whoOf = new Map(
    problems.flatMap(({ sequence, paused }) => (paused === undefined ? [] : [[sequence, paused.who] as const])),
  );
  return [...whoOf].map(([sequence, who]) => ({ sequence, who }));
}

/** Of every sequence one after the other, the worst first and the newest of these: one with any number of Applications
 *  that are not healthy hides no other sequence, and what comes to it is news. */
function inOrder(problems: readonly Told[]): readonly Told[] {
  const rankOf = ({ kind }: Told) => severityRank(tellings[kind].severity);
  const sorted = problems.toSorted((a, b) => rankOf(a) - rankOf(b) || Date.parse(b.since) - Date.parse(a.since));
  return byTurns(sorted, ({ sequence }) => sequence);
}

function headlineOf(names: readonly string[], problems: readonly Told[]): string {
  const [one] = names;
  const taken = problems.flatMap(({ windows }) => windows ?? []);
  if (taken.length > 0 && problems.every(({ kind }) => kind === 'drift' || kind === 'lost'))
    return `windows of sequence ${taken[0]?.sequence} are taken away again and again by ${listed(unique(taken.map(({ by }) => by)), 2)}`;
  if (problems.every(({ kind }) => kind === 'drift')) return `what sequence ${listed(names, 2)} applied was changed`;
  return names.length === 1 ? `sequence ${one} does not go on` : `sequences ${listed(names, 2)} do not go on`;
}

/** Of ten thousand steps on a cluster that is gone, a few say it. */
const findingsAtMost = 10;
/** And so many are known by when it is asked what is new. */
const digestedAtMost = 500;

function findingOf(problem: Told, readAt: string): Finding {
  const { sequence, item, kind, why } = problem;
  const telling = tellings[kind];
  const of = ref('Sequence', item === '' ? sequence : `${sequence}/${item}`);
  return finding({
    code: telling.code,
    subject: of,
    sentence: `Sequence ${sequence}: ${telling.says(problem)}.`,
    confidence: 'certain',
    class: telling.class,
    evidence: [evidence(of, 'last look', quoted(why), readAt)],
    remedies: [
      remedy('See what each step waits for', { command: poolkeeperCommand('sequence', 'status', sequence) }),
      ...steering(problem),
    ],
  });
}

/** What a person may decide instead. */
function steering({ sequence, item, kind, paused, isGone, windows }: Told): readonly Remedy[] {
  const goesOn = (title: string) =>
    paused === undefined ? remedy(title, { command: decide('go-on', sequence), risk: 'low' }) : askFirst(paused, title);
  const decide = (...words: readonly string[]) => poolkeeperCommand('sequence', ...words, '--reason', 'decided by ...');
  switch (kind) {
    case 'timeout':
    case 'regression':
      if (item === '') return [];
      return [
        remedy('Count it as healthy, if nothing needs it: higher waves go on', {
          command: decide('skip', sequence, item),
          risk: 'low',
        }),
      ];
    case 'aborted':
      return [goesOn('Let it go on, once the cause is gone')];
    case 'drift':
      return [
        goesOn('Have it applied again, if it is gone'),
        remedy(skipOfDrift[isGone === true ? 'gone' : 'changed'], {
          command: decide('skip', sequence, item),
          risk: 'low',
        }),
      ];
    case 'lost':
      return windows === undefined ? [] : remediesOfLost(windows);
    case 'refused':
    case 'unseen':
      return [];
    default:
      return kind satisfies never;
  }
}

/** A step that is skipped counts as healthy, also for what waits for it. */
const skipOfDrift = {
  changed: 'Leave it as it is, count it as healthy from now on, and hear no more of it',
  gone: 'Do without it: it counts as healthy though it is gone, higher waves go on, and pools among them resume',
} as const;
