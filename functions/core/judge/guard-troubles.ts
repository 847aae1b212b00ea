import { remedy } from '../diagnose/remedies.ts';
import { digestOf } from '../findings/digest.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import { ownerOf } from '../findings/owner.ts';
import type { Finding, ObjectRef, Remedy, Severity, Trouble, TroubleClass } from '../findings/trouble.ts';
import { guardWait } from '../gates/guard-waits.ts';
import { waitSentence } from '../gates/wait.ts';
import { type GuardProblem, guardStuckAfterSeconds, type ToldApplication } from '../guard/guard-problem.ts';
import { refreshCommand } from '../guard/refresh.ts';
import { isRequiredForUpgrade } from '../openshift/pool.ts';
import { earliest, plusSeconds, secondsSince } from '../text/instant.ts';
import { kindWord } from '../text/kind-words.ts';
import { seenValue } from '../text/observed.ts';
import { asWord, counted, listed, quoted } from '../text/phrases.ts';
import { poolCommand } from '../text/pool-command.ts';
import { byTurns } from '../text/rounds.ts';
import { command, poolkeeperCommand } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { GuardClocks } from './guard-clocks.ts';
import type { JudgeInput } from './input.ts';
import { remediesOfLost } from './lost-windows.ts';
import { makeTrouble } from './make-trouble.ts';

/** Seconds. What cannot be written or read is told when the second tick has found it too: rechecks follow within
 *  seconds, ticks within a minute. */
const secondTickSeconds = 30;

/** Guards that let no sync through for longer than they should, or any, or that cannot be kept: one trouble for all of
 *  a cluster. */
export function guardTroubles(
  input: JudgeInput,
  { since, lost }: Pick<GuardClocks, 'since' | 'lost'>,
): readonly Trouble[] {
  const { cluster, guards, now } = input;
  if (guards?.kind !== 'seen') return [];
  const stood = guards.value.problems.flatMap((problem) => stuck(problem, since.get(problem), input));
  const due = inOrder([...stood, ...lost].flatMap(byOwner));
  const [first] = due;
  if (first === undefined) return [];
  const applications = unique(due.flatMap(({ problem }) => applicationsOf(problem)));
  const pools = unique(due.flatMap(({ problem }) => ('pools' in problem ? problem.pools : [])));
  const more = unique(due.map(({ whole }) => whole)).length - 1;
  const severity = due.some(({ problem }) => severityOf(problem) === 'high') ? 'high' : 'warning';
  const told = due.slice(0, findingsAtMost);
  const trouble = makeTrouble({
    key: { cluster, pool: '*', kind: 'guard-stuck' },
    severity,
    headline: `${headlineOf(first.whole)}${more === 0 ? '' : `, and ${more} more`}`,
    since: earliest(due.map((each) => each.since)) ?? now.toISOString(),
    findings: told.map((each) => findingOf(each, input)),
    facts: [
      { label: applications.length === 1 ? 'Application' : 'Applications', value: listed(applications, 3) },
      { label: pools.length === 1 ? 'Pool' : 'Pools', value: listed(pools, 3) },
    ].filter(({ value }) => value !== ''),
  });
  // Whose finding has no room is known by it.
  const known = unique([...told, ...firstOfEach(due)]);
  const digest = digestOf(
    severity,
    known.map((each) => findingOf(each, input)),
  );
  return [{ ...trouble, digest }];
}

/** What is wrong for many at once, as each of them has it. */
function byOwner({ problem, since }: Omit<StuckGuard, 'whole'>): readonly StuckGuard[] {
  switch (problem.kind) {
    case 'no-room':
    case 'no-project':
    case 'held-too': {
      const owned = Map.groupBy(problem.applications, (each) => ownerOf(guardedRef(each)));
      return [...owned.values()].map((applications) => ({
        problem: { ...problem, applications },
        whole: problem,
        since,
      }));
    }
    default:
      return [{ problem, whole: problem, since }];
  }
}

/** Of each kind the first of every owner. */
function firstOfEach(due: readonly StuckGuard[]): readonly StuckGuard[] {
  const owned = Map.groupBy(due, ({ problem }) => `${problem.kind} ${turnOf(problem)}`);
  return [...owned.values()].flatMap((each) => each.slice(0, 1));
}

/** Of hundreds of made-up Applications, a few say it. */
const findingsAtMost = 10;

/** What lets syncs through unprotected comes first. */
const order: readonly GuardProblem['kind'][] = [
  'no-room',
  'exposed',
  'lost',
  'unkept',
  'open',
  'unanswered',
  'closed',
  'held-too',
  'no-project',
  'same-name',
];

/** The worst first, and of each kind those of every owner or AppProject by turns: whoever can make up any number
 *  hides none of others. */
function inOrder(due: readonly StuckGuard[]): readonly StuckGuard[] {
  const ofKinds = Map.groupBy(due, ({ problem }) => problem.kind);
  return order.flatMap((kind) => byTurns(ofKinds.get(kind) ?? [], ({ problem }) => turnOf(problem)));
}

function turnOf(problem: GuardProblem): string {
  switch (problem.kind) {
    case 'no-room':
    case 'no-project':
    case 'held-too':
      return ownerOf(firstRef(problem));
    case 'exposed':
    case 'closed':
    case 'unanswered':
    case 'open':
      return ownerOf(guardedRef(problem));
    default:
      return problem.project;
  }
}

interface StuckGuard {
  /** As far as it is one owner's. */
  readonly problem: GuardProblem;
  readonly whole: GuardProblem;
  readonly since: string;
}

/** Empty: it has not lasted long enough. */
function stuck(
  problem: GuardProblem,
  seenSince: string | undefined,
  { policy, now }: JudgeInput,
): readonly Omit<StuckGuard, 'whole'>[] {
  if (problem.kind === 'unanswered') return [{ problem, since: problem.since }];
  if (problem.kind === 'open') {
    const due = plusSeconds(new Date(problem.since), policy.expectSyncWithinSeconds + guardStuckAfterSeconds);
    return Date.parse(due) <= now.getTime() ? [{ problem, since: problem.since }] : [];
  }
  const least = problem.kind === 'closed' || problem.kind === 'held-too' ? guardStuckAfterSeconds : secondTickSeconds;
  return seenSince !== undefined && secondsSince(seenSince, now) >= least ? [{ problem, since: seenSince }] : [];
}

function severityOf(problem: GuardProblem): Severity {
  if (problem.kind === 'unkept') return problem.mayPass ? 'warning' : 'high';
  return problem.kind === 'no-room' || problem.kind === 'exposed' || problem.kind === 'lost' ? 'high' : 'warning';
}

function applicationsOf(problem: GuardProblem): readonly string[] {
  if (problem.kind === 'same-name') return problem.applications;
  if ('applications' in problem) return problem.applications.map(({ application }) => application);
  return 'application' in problem ? [problem.application] : [];
}

function headlineOf(problem: GuardProblem): string {
  switch (problem.kind) {
    case 'unkept':
      return problem.project === ''
        ? 'AppProjects cannot be listed: guards stay as they are'
        : `guards of AppProject ${problem.project} cannot be kept`;
    case 'no-room':
      return `syncs of ${counted(problem.applications.length, 'Application')} are not held back: no room in AppProject ${problem.project}`;
    case 'no-project':
      return `AppProject ${asWord(problem.project)} of ${listed(applicationsOf(problem), 2)} does not exist`;
    case 'exposed':
      return `nothing holds back the sync of ${problem.application}`;
    case 'closed':
      return `guard of ${problem.application} stays closed, and its sync waits`;
    case 'held-too':
      return `syncs of ${listed(applicationsOf(problem), 2)} wait for the guard of another Application of the name`;
    case 'unanswered':
      return `guard of ${problem.application} was open ${problem.times} times, and Argo CD did not sync it`;
    case 'open':
      return `guard of ${problem.application} stays open`;
    case 'lost':
      return `guards of AppProject ${problem.project} are taken away again and again by ${problem.by}`;
    case 'same-name':
      return `guards of another cluster of this name are in AppProject ${problem.project}`;
    default:
      return problem satisfies never;
  }
}

interface Telling {
  readonly code: string;
  readonly subject: ObjectRef;
  readonly sentence: string;
  readonly class: TroubleClass;
  readonly remedies: readonly Remedy[];
}

function findingOf({ problem, since }: StuckGuard, input: JudgeInput): Finding {
  const readAt = input.now.toISOString();
  const { subject, ...telling } = tellingOf(problem, since, input);
  const value = 'why' in problem ? quoted(problem.why) : 'last look';
  return finding({ ...telling, subject, confidence: 'certain', evidence: [evidence(subject, 'guard', value, readAt)] });
}

function tellingOf(problem: GuardProblem, since: string, input: JudgeInput): Telling {
  const { cluster } = input;
  switch (problem.kind) {
    case 'unkept':
      return unkept(problem);
    case 'no-room': {
      const names = listed(applicationsOf(problem), 3);
      return {
        code: 'G1',
        subject: firstRef(problem),
        sentence: `The record of AppProject ${problem.project} has no room for the guards of ${names}: their syncs are not held back.`,
        class: 'structural',
        remedies: [remedy('Give Applications of other namespaces AppProjects of their own')],
      };
    }
    case 'no-project':
      return {
        code: 'G1',
        subject: firstRef(problem),
        sentence: `${listed(applicationsOf(problem), 3)} cannot be guarded, because AppProject ${asWord(problem.project)} does not exist; Argo CD does not sync them either.`,
        class: 'structural',
        remedies: [
          remedy('Create the AppProject, or correct spec.project of the Application', { who: 'application owner' }),
        ],
      };
    case 'held-too':
      return heldToo(problem);
    case 'exposed':
      return exposed(problem, input);
    case 'closed':
      return closed(problem, since, cluster);
    case 'unanswered':
      return unanswered(problem);
    case 'open':
      return open(problem);
    case 'lost':
      return lostAgain(problem);
    case 'same-name':
      return sameName(problem, cluster);
    default:
      return problem satisfies never;
  }
}

function unkept({ namespace, project, why, mayPass, how }: Extract<GuardProblem, { kind: 'unkept' }>): Telling {
  const of = project === '' ? 'The AppProjects' : `AppProject ${project}`;
  return {
    code: 'G1',
    subject: ref('AppProject', project, namespace),
    sentence: `${of} cannot be read or written, so that no guard there is opened or closed: ${quoted(why)}.`,
    class: mayPass ? 'external' : 'structural',
    remedies: [
      remedy('Have the doctor compare the rights of Poolkeeper with those that the level needs', {
        command: poolkeeperCommand('doctor'),
      }),
      ...(project === '' || namespace === ''
        ? []
        : [
            remedy('See its windows, its record and who else writes it, in managedFields', {
              command: command('oc', '-n', namespace, ...shown('AppProject', project)),
            }),
          ]),
      ...(how === undefined
        ? []
        : [
            remedy(
              'Forget the record, which cannot be read. All guards of the project are set up again by the next look at all Applications',
              { command: how, risk: 'low' },
            ),
          ]),
    ],
  };
}

function shown(kind: string, name: string): readonly string[] {
  return ['get', kindWord(kind), name, '-o', 'yaml', '--show-managed-fields'];
}

function closed(problem: Extract<GuardProblem, { kind: 'closed' }>, since: string, cluster: string): Telling {
  const { application: about, pools, why, how, elsewhere, isTurnUnread = false } = problem;
  return {
    code: 'G2',
    subject: guardedRef(problem),
    // Its command is a remedy, and the alert is this one.
    sentence: waitSentence({ ...guardWait({ about, why, pools, since, elsewhere, isTurnUnread }), timeout: undefined }),
    class: 'external',
    remedies: [
      ...(isTurnUnread
        ? [
            remedy('See whether the first cluster of its sequence, which keeps the record, can be read', {
              command: poolkeeperCommand('doctor'),
            }),
          ]
        : pools.slice(0, 2).map((pool) =>
            remedy(`See what pool ${pool} waits for, and who can end it`, {
              command: poolkeeperCommand('why', '--cluster', cluster, pool),
            }),
          )),
      ...(how === undefined
        ? []
        : [
            remedy('Last resort: open it without a pause. Nodes may reboot in the middle of the sync', {
              command: how,
              risk: 'outage',
            }),
          ]),
    ],
  };
}

function guardedRef({ application, project }: ToldApplication): ObjectRef {
  const [namespace = '', name = ''] = application.split('/');
  const object = ref('Application', name, namespace);
  return project === undefined ? object : { ...object, project };
}

/** What is wrong for many is about the first Application of each owner. */
function firstRef({ applications }: { readonly applications: readonly ToldApplication[] }): ObjectRef {
  return guardedRef(applications[0] ?? { application: '' });
}

function heldToo(problem: Extract<GuardProblem, { kind: 'held-too' }>): Telling {
  const { project, by } = problem;
  const [names, others] = [listed(applicationsOf(problem), 3), listed(by, 3)];
  return {
    code: 'G2',
    subject: firstRef(problem),
    sentence: `Syncs of ${names} wait: Argo CD's windows go by the name alone, and the one of ${others} in AppProject ${project}, which is guarded, holds them back too, until it opens for a sync of its own.`,
    class: 'structural',
    remedies: [
      remedy('Give Applications of one name AppProjects of their own, or other names', { who: 'application owner' }),
    ],
  };
}

function exposed(
  problem: Extract<GuardProblem, { kind: 'exposed' }>,
  { cluster, pools: seen }: Pick<JudgeInput, 'cluster' | 'pools'>,
): Telling {
  const { application, pools, why } = problem;
  const required = (seenValue(seen) ?? []).filter(({ pool }) => isRequiredForUpgrade(pool));
  const flagsOf = (name: string) => (required.some(({ pool }) => pool.name === name) ? ['--required'] : []);
  return {
    code: 'G4',
    subject: guardedRef(problem),
    sentence: `Nothing holds back a sync of ${application}, and ${listed(pools, 3)} ${pools.length === 1 ? 'is' : 'are'} not paused: ${quoted(why)}.`,
    class: 'structural',
    remedies: [
      remedy('Give Applications of other namespaces AppProjects of their own'),
      ...pools.slice(0, 2).map((pool) =>
        remedy(`Hold pool ${pool} until its sync is over`, {
          command: `${poolCommand('hold', { cluster, pool }, ...flagsOf(pool))} --for 1h --reason "..."`,
        }),
      ),
    ],
  };
}

function sameName(
  { namespace, project, applications, how }: Extract<GuardProblem, { kind: 'same-name' }>,
  cluster: string,
) {
  return {
    code: 'G5',
    subject: ref('AppProject', project, namespace),
    sentence: `AppProject ${project} has guards of another cluster that is called ${cluster} (${listed(applications, 3)}), which are left to the Poolkeeper that keeps that one.`,
    class: 'structural',
    remedies: [
      remedy('Give the clusters different names, in the poolkeeper.yaml of either Poolkeeper'),
      remedy(
        `If no other Poolkeeper has a cluster ${cluster}, because this one was installed anew, or the Application was moved away while Poolkeeper was upgraded: forget them. All guards of the project are set up again by the next look at all Applications`,
        { command: how, risk: 'low' },
      ),
    ],
  } satisfies Telling;
}

function lostAgain({ namespace, project, by, isTracked }: Extract<GuardProblem, { kind: 'lost' }>): Telling {
  return {
    code: 'G6',
    subject: ref('AppProject', project, namespace),
    sentence: `${by} takes the sync windows of Poolkeeper out of AppProject ${project} whenever they are put back; until then nothing holds back the syncs there, and pools are paused by pushes and syncs alone.`,
    class: 'structural',
    remedies: remediesOfLost({ namespace, project, isTracked }),
  };
}

function unanswered(problem: Extract<GuardProblem, { kind: 'unanswered' }>): Telling {
  const { application, times, since } = problem;
  return {
    code: 'G3',
    subject: guardedRef(problem),
    sentence: `The guard of ${application} was open ${times} times since ${since}, each time with its pools paused, and Argo CD did not sync it, though it is OutOfSync and syncs by itself. It is opened again, and its pools are paused, about once an hour, and for each new commit.`,
    class: 'external',
    remedies: [
      remedy('See why Argo CD does not sync it: its conditions, and sync windows of others in its AppProject', {
        command: seen(application),
      }),
    ],
  };
}

function seen(application: string): string {
  const [namespace = '', name = ''] = application.split('/');
  return command('oc', '-n', namespace, ...shown('Application', name));
}

function open(problem: Extract<GuardProblem, { kind: 'open' }>): Telling {
  const { application, why } = problem;
  const [namespace = '', name = ''] = application.split('/');
  return {
    code: 'G3',
    subject: guardedRef(problem),
    sentence: `The guard of ${application} is open, its pools stay paused, and no sync is seen: ${quoted(why)}.`,
    class: 'external',
    remedies: [
      remedy('See the Application, and whether Argo CD compares it', {
        command: seen(application),
      }),
      remedy('Ask Argo CD to compare it with Git', {
        command: refreshCommand({ namespace, name }),
      }),
    ],
  };
}
