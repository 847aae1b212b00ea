import { askFirst } from '../diagnose/ask-first.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Remedy, Trouble } from '../findings/trouble.ts';
import type { ProblemOfRun, RunProblem } from '../node-turns/run-question.ts';
import { earliest } from '../text/instant.ts';
import { listed, quoted } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

const codes: Readonly<Record<RunProblem['kind'], string>> = {
  job: 'V1',
  node: 'V2',
  refused: 'V3',
  moved: 'V3',
  canary: 'V3',
  skipped: 'V3',
  gate: 'V3',
  unseen: 'V3',
  lost: 'V3',
};

/** Runs that wait for a person, one trouble for all of the cluster. */
export function runTroubles({ cluster, runs, now }: JudgeInput): readonly Trouble[] {
  const problems = runs?.kind === 'seen' ? runs.value : [];
  if (problems.length === 0) return [];
  const names = unique(problems.map(({ run }) => run));
  const nodes = unique(problems.map(({ node }) => node)).filter(Boolean);
  const what = problems.every(({ isAborted }) => isAborted === true) ? 'aborted' : 'blocked';
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'run-blocked' },
      severity: 'high',
      headline: names.length === 1 ? `run ${names[0]} is ${what}` : `runs ${listed(names, 2)} are ${what}`,
      since: earliest(problems.map(({ since }) => since)) ?? now.toISOString(),
      findings: problems.slice(0, findingsAtMost).map((problem) => findingOf(problem, now.toISOString())),
      facts: [
        { label: 'Runs', value: listed(names, 3) },
        { label: 'Nodes', value: listed(nodes, 3) },
        { label: 'Progress', value: unique(problems.map(({ progress }) => progress)).join('; ') },
      ].filter(({ value }) => value !== ''),
    }),
  ];
}

const findingsAtMost = 10;

function findingOf(problem: ProblemOfRun, readAt: string): Finding {
  const { run, node, kind, why, progress } = problem;
  const of = ref('Run', node === '' ? run : `${run}/${node}`);
  const where = node === '' ? '' : `node ${node}: `;
  return finding({
    code: codes[kind],
    subject: of,
    sentence: `Run ${run}${progress === '' ? '' : ` (${progress})`}: ${where}${quoted(why)}.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [evidence(of, 'last look', quoted(why), readAt)],
    remedies: [
      ...steering(problem),
      remedy('See what each node waits for', { command: poolkeeperCommand('run', 'status', run) }),
    ],
  });
}

/** What a person may decide, the safest first. */
function steering({ run, node, kind, maySkip, mayRetry, isAborted, paused }: ProblemOfRun): readonly Remedy[] {
  const goesOn = (title: string) =>
    paused === undefined ? remedy(title, { command: decide('go-on', run), risk: 'low' }) : askFirst(paused, title);
  const ends = (title: string) =>
    paused === undefined
      ? remedy(title, { command: decide('abort', run), risk: 'outage' })
      : askFirst(paused, title, 'abort does not wait until that pause ends');
  const decide = (...words: readonly string[]) => poolkeeperCommand('run', ...words, '--reason', 'decided by ...');
  const skips = () =>
    remedy('Leave this node as it is, and let the others go on', { command: decide('skip', run, node), risk: 'low' });
  const makesAnew = () =>
    remedy('Have its Job made anew, where its rule says now, once you know that none of it runs', {
      command: decide('retry', run, node),
      risk: 'low',
    });
  switch (kind) {
    case 'job':
      return [
        remedy('Let it try again, once the cause is gone', { command: decide('retry', run, node), risk: 'low' }),
        skips(),
      ];
    case 'moved':
      return [goesOn('Take the nodes to what is rendered now')];
    case 'canary':
      return [goesOn('Let the others go without it, as far as no more nodes are unavailable than may be')];
    case 'skipped':
      return [
        remedy('Give it another turn', { command: decide('retry', run, node), risk: 'low' }),
        ends('End the run: the pool resumes, and the MCO takes what is left without jobs'),
      ];
    case 'lost':
      return [
        goesOn('Go on from what was found again'),
        ends('End the run: clean-ups of what was found run, and the MCO takes what is left without jobs'),
      ];
    case 'refused':
    case 'unseen':
      if (isAborted === true)
        return [remedy('Let it take what is left, with Jobs', { command: decide('start', run), risk: 'low' })];
      return [...(mayRetry === true ? [makesAnew()] : []), ...(maySkip === true ? [skips()] : [])];
    case 'gate':
    case 'node':
      return [];
    default:
      return kind satisfies never;
  }
}
