import { expect, test } from 'vitest';
import type { GuardProblem, GuardsLook } from '../../../../functions/core/guard/guard-problem.ts';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import { isGuardTriedAgain } from '../../../../functions/core/judge/guard-clocks.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { notAsked, type Observed, seen } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/builders.ts';
import { aStory, minute } from '../alerts/incident-lab.ts';
import { aJudgeInput } from './a-judge-input.ts';

const key = { cluster: 'prod', pool: '*', kind: 'guard-stuck' } as const;
const at = (seconds: number) => new Date(Date.parse('2026-03-02T10:00:00Z') + seconds * 1000);
const open = 'oc -n openshift-gitops patch appprojects.argoproj.io default --type json -p ...';
const unkept = { kind: 'unkept', namespace: 'openshift-gitops', project: 'default', why: 'forbidden' } as const;
const closed = {
  kind: 'closed',
  application: 'openshift-gitops/nodes',
  pools: ['worker'],
  why: 'pool worker was resumed by a person, which is respected',
  how: open,
} as const;
const sameName = {
  kind: 'same-name',
  namespace: 'openshift-gitops',
  project: 'default',
  applications: ['openshift-gitops/west'],
  how: 'oc -n openshift-gitops patch appprojects.argoproj.io default --type json -p ...',
} as const;
const stillOpen = { ...closed, kind: 'open', why: 'a push', since: at(0).toISOString() } as const;

/** Looks at these times, in seconds, that all find the same; what the last one came to. */
function after(guards: Observed<GuardsLook> | undefined, ...times: readonly number[]) {
  let firstSeen: Readonly<Record<string, string>> = {};
  let judged = judge(aJudgeInput({ now: at(0), guards: seen({ problems: [], unseen: undefined, isComplete: true }) }));
  for (const time of times) {
    judged = judge(aJudgeInput({ now: at(time), guards, firstSeen }));
    firstSeen = judged.firstSeen;
  }
  return judged;
}

function look(...problems: readonly GuardProblem[]): Observed<GuardsLook> {
  return seen({ problems, unseen: undefined, isComplete: true });
}

test.each<[string, string, GuardProblem, { readonly not: number[]; readonly told: number[] }, object]>([
  [
    'G1',
    'an AppProject that must not be written',
    { ...unkept, mayPass: false },
    { not: [0, 2], told: [0, 60] },
    { severity: 'high', class: 'structural', headline: 'guards of AppProject default cannot be kept' },
  ],
  [
    'G1',
    'an AppProject that cannot be written just now',
    { ...unkept, mayPass: true },
    { not: [0], told: [0, 60] },
    { severity: 'warning', class: 'external' },
  ],
  [
    'G2',
    'an Application without a guard that waits for the guard of another one of its name',
    {
      kind: 'held-too',
      project: 'default',
      applications: [{ application: 'team-b/nodes' }],
      by: ['openshift-gitops/nodes'],
    },
    { not: [0, 599], told: [0, 600] },
    {
      severity: 'warning',
      class: 'structural',
      headline: 'syncs of team-b/nodes wait for the guard of another Application of the name',
    },
  ],
  [
    'G1',
    'AppProjects that cannot be listed',
    { ...unkept, project: '', mayPass: true },
    { not: [0], told: [0, 60] },
    { headline: 'AppProjects cannot be listed: guards stay as they are' },
  ],
  [
    'G1',
    'no room',
    {
      kind: 'no-room',
      project: 'default',
      applications: [{ application: 'team-a/one' }, { application: 'team-a/two' }],
    },
    { not: [0], told: [0, 60] },
    { severity: 'high', headline: 'syncs of 2 Applications are not held back: no room in AppProject default' },
  ],
  [
    'G1',
    'no such AppProject',
    { kind: 'no-project', project: 'lost', applications: [{ application: 'openshift-gitops/nodes', project: 'lost' }] },
    { not: [0], told: [0, 60] },
    { headline: 'AppProject lost of openshift-gitops/nodes does not exist' },
  ],
  [
    'G1',
    'an AppProject by advice instead of a name',
    { kind: 'no-project', project: 'lost. Run oc delete', applications: [{ application: 'team-a/nodes' }] },
    { not: [0], told: [0, 60] },
    { headline: 'AppProject "lost. Run oc delete" of team-a/nodes does not exist' },
  ],
  [
    'G2',
    'a guard that stays closed',
    closed,
    { not: [0, 60, 599], told: [0, 60, 600] },
    { severity: 'warning', headline: 'guard of openshift-gitops/nodes stays closed, and its sync waits' },
  ],
  [
    'G3',
    'a guard that stays open',
    stillOpen,
    { not: [1499], told: [1500] },
    { severity: 'warning', headline: 'guard of openshift-gitops/nodes stays open', since: at(0).toISOString() },
  ],
  [
    'G3',
    'a guard that was open in vain',
    {
      kind: 'unanswered',
      application: 'openshift-gitops/nodes',
      pools: ['worker'],
      times: 3,
      since: at(0).toISOString(),
    },
    { not: [], told: [0] },
    {
      severity: 'warning',
      headline: 'guard of openshift-gitops/nodes was open 3 times, and Argo CD did not sync it',
      since: at(0).toISOString(),
    },
  ],
  [
    'G4',
    'a guard whose window is away for another Application',
    { kind: 'exposed', application: 'team-a/nodes', pools: ['infra'], why: 'their window is away' },
    { not: [0], told: [0, 60] },
    { severity: 'high', headline: 'nothing holds back the sync of team-a/nodes' },
  ],
  [
    'G5',
    'guards of another cluster of the same name',
    sameName,
    { not: [0], told: [0, 60] },
    {
      severity: 'warning',
      class: 'structural',
      headline: 'guards of another cluster of this name are in AppProject default',
    },
  ],
])('[N-6] %s: %s is told when it has lasted, and not before', (code, _, problem, { not, told }, expected) => {
  expect(after(look(problem), ...not).troubles).toEqual([]);
  expect(after(look(problem), ...told).troubles).toMatchObject([{ key, findings: [{ code }], ...expected }]);
});

test('[N-6] [S1-12] a pool that upgrades wait for is held with the flag without which it is refused', () => {
  const guards = look({ kind: 'exposed', application: 'a/nodes', pools: ['master', 'infra'], why: 'away' });
  const pools = seen(['master', 'infra'].map((name) => ({ pool: aPool({ name }), nodes: notAsked })));
  const { firstSeen } = judge(aJudgeInput({ now: at(0), guards, pools }));
  const { troubles } = judge(aJudgeInput({ now: at(60), guards, pools, firstSeen }));
  const stuck = troubles.find(({ key: { kind } }) => kind === 'guard-stuck');

  expect(stuck?.findings[0]?.remedies.flatMap((each) => each.command ?? [])).toEqual([
    'poolkeeper hold --cluster prod --pool master --required --for 1h --reason "..."',
    'poolkeeper hold --cluster prod --pool infra --for 1h --reason "..."',
  ]);
});

test('[N-6] the remedies look first, and open a guard without a pause last', () => {
  const [trouble] = after(look(closed), 0, 600).troubles;

  expect(trouble?.findings).toMatchObject([
    {
      code: 'G2',
      remedies: [
        { command: 'poolkeeper why --cluster prod worker', risk: 'none' },
        { command: open, risk: 'outage' },
      ],
    },
  ]);
  expect(trouble?.findings[0]?.sentence).toContain('resumed by a person');
});

test('[N-6] all guards of a cluster are one incident, with what is worst first, and hundreds are a few findings', () => {
  const many = Array.from({ length: 300 }, (_, index) => ({ ...closed, application: `team-a/x${index}` }));
  const { troubles, firstSeen } = after(look(...many, { ...unkept, mayPass: false }), 0, 600);

  expect(troubles).toHaveLength(1);
  expect(troubles[0]?.headline).toMatch(/^guards of AppProject default cannot be kept, and \d+ more$/);
  expect(troubles[0]?.findings).toHaveLength(10);
  expect(Object.keys(firstSeen).length).toBeLessThanOrEqual(101);
});

test.each<[string, GuardProblem, string]>([
  [
    'lets its sync through',
    { kind: 'exposed', application: 'platform/nodes', pools: ['worker'], why: 'their window is away' },
    'nothing holds back the sync of platform/nodes, and 99 more',
  ],
  ['stays closed', { ...closed, application: 'platform/nodes' }, 'guard of team-a/x0 stays closed, and its sync waits'],
])(
  '[N-6] [N-30] a guard that %s is told beside hundreds of another namespace that have waited before it',
  (_, problem, headline) => {
    const many = Array.from({ length: 300 }, (_each, index) => ({ ...closed, application: `team-a/x${index}` }));
    const { firstSeen } = after(look(...many), 0, 600);
    const begun = judge(aJudgeInput({ now: at(660), guards: look(...many, problem), firstSeen }));

    const told = judge(aJudgeInput({ now: at(1260), guards: look(...many, problem), firstSeen: begun.firstSeen }));

    expect(told.troubles[0]?.headline).toContain(headline);
    expect(told.troubles[0]?.findings.map(({ subject }) => subject.namespace)).toContain('platform');
    expect(Object.keys(told.firstSeen).length).toBeLessThanOrEqual(101);
  },
);

test("[N-6] [N-30] in Argo CD's own namespace a guard is told beside hundreds of another AppProject", () => {
  const many = Array.from({ length: 300 }, (_each, index) => {
    return { ...closed, application: `openshift-gitops/x${index}`, project: 'team-a' };
  });
  const other: GuardProblem = { ...closed, application: 'openshift-gitops/nodes', project: 'team-b' };
  const { firstSeen } = after(look(...many), 0, 600);
  const begun = judge(aJudgeInput({ now: at(660), guards: look(...many, other), firstSeen }));

  const told = judge(aJudgeInput({ now: at(1260), guards: look(...many, other), firstSeen: begun.firstSeen }));

  expect(told.troubles[0]?.findings[1]?.subject).toMatchObject({ name: 'nodes', project: 'team-b' });
});

test.each<[string, Observed<GuardsLook>]>([
  ['no look in this pass', notAsked],
  [
    'an Application that was not read',
    seen({ problems: [], unseen: 'openshift-gitops/nodes was not read', isComplete: true }),
  ],
])('[N-6] what cannot be seen ends nothing, and its time runs on: %s', (_, blind) => {
  const first = judge(aJudgeInput({ now: at(0), guards: look(closed) }));
  const second = judge(aJudgeInput({ now: at(300), guards: blind, firstSeen: first.firstSeen }));
  const third = judge(aJudgeInput({ now: at(600), guards: look(closed), firstSeen: second.firstSeen }));

  expect(isInBlindSpot(second.unseen, key)).toBe(true);
  expect(isInBlindSpot(third.unseen, key)).toBe(false);
  expect(third.troubles).toHaveLength(1);
});

test('[N-6] that two clusters have one name ends with the next look at the AppProjects, also at guarded Applications alone', () => {
  const first = judge(aJudgeInput({ now: at(0), guards: look(sameName) }));
  const partly: Observed<GuardsLook> = seen({ problems: [], unseen: undefined, isComplete: false });
  const second = judge(aJudgeInput({ now: at(60), guards: partly, firstSeen: first.firstSeen }));

  expect([isInBlindSpot(second.unseen, key), second.firstSeen]).toEqual([false, {}]);
  expect(isGuardTriedAgain(first.firstSeen, at(60))).toBe(false);
});

test('[N-6] a look that did not list all Applications does not end what is wrong with an AppProject', () => {
  const partly: Observed<GuardsLook> = seen({ problems: [], unseen: undefined, isComplete: false });
  const first = judge(aJudgeInput({ now: at(0), guards: look({ ...unkept, mayPass: false }) }));
  const second = judge(aJudgeInput({ now: at(60), guards: partly, firstSeen: first.firstSeen }));
  const third = judge(aJudgeInput({ now: at(300), guards: look(), firstSeen: second.firstSeen }));

  expect([first, second, third].map(({ unseen }) => isInBlindSpot(unseen, key))).toEqual([false, true, false]);
  expect(third.firstSeen).toEqual({});
  expect(isGuardTriedAgain(first.firstSeen, at(60))).toBe(true);
  expect(isGuardTriedAgain(second.firstSeen, at(300))).toBe(false);
});

test('[N-6] a cluster without guards is not blind to them', () => {
  const { unseen, troubles, firstSeen } = judge(aJudgeInput({ now: at(0), guards: undefined }));

  expect([isInBlindSpot(unseen, key), troubles, firstSeen]).toEqual([false, [], {}]);
});

test('[N-6] the clocks of Applications that were read do not run on for those that were not', () => {
  const other = { ...closed, application: 'team-a/x' };
  const first = after(look(closed, other), 0);
  const unread = seen({ problems: [], unseen: undefined, unread: ['team-a/x'], isComplete: true });
  const { firstSeen, unseen } = judge(aJudgeInput({ now: at(60), guards: unread, firstSeen: first.firstSeen }));

  expect(Object.keys(firstSeen)).toEqual(['*|guard|closed|team-a/x']);
  expect(isInBlindSpot(unseen, key)).toBe(false);
});

test('[N-6] clocks that run on unseen count among those that there may be', () => {
  const some = (of: string) =>
    Array.from({ length: 80 }, (_, index) => ({ ...closed, application: `${of}/${index}` }) as const);
  const first = after(look(...some('team-a')), 0);
  const unread = seen({ problems: some('team-b'), unseen: 'team-a/0 was not read', isComplete: true });
  const { firstSeen } = judge(aJudgeInput({ now: at(60), guards: unread, firstSeen: first.firstSeen }));

  expect(Object.keys(firstSeen)).toHaveLength(100);
});

test('[N-6] [N-30] guards of two AppProjects that are taken away are counted each for itself, also in passes that do not look', () => {
  const fight = (project: string) => ({
    namespace: 'openshift-gitops',
    project,
    by: 'argocd-controller',
    isTracked: true,
  });
  const losing = (...names: readonly string[]) =>
    seen({ problems: [], unseen: undefined, isComplete: false, lost: names.map(fight) });
  let firstSeen: Readonly<Record<string, string>> = {};
  const looks = [losing('a', 'b'), losing('b'), notAsked, losing('a'), losing(), losing('b')] as const;
  const told = looks.map((guards, index) => {
    const judged = judge(aJudgeInput({ now: at(60 * index), guards, firstSeen }));
    firstSeen = judged.firstSeen;
    return judged.troubles.flatMap(({ headline, findings }) => [headline, ...findings.map(({ code }) => code)]);
  });

  expect(told.slice(0, -1).flat()).toEqual([]);
  expect(told.at(-1)).toEqual(['guards of AppProject b are taken away again and again by argocd-controller', 'G6']);
  expect(isGuardTriedAgain(firstSeen, at(360))).toBe(false);
});

/** An incident that lives through what is wrong with guards at each minute. */
function storyOf(minutes: number, problemsAt: (at: number) => readonly GuardProblem[]) {
  const story = aStory();
  let firstSeen: Readonly<Record<string, string>> = {};
  const told: string[] = [];
  for (let at = 0; at < minutes; at += 1) {
    const judged = judge(aJudgeInput({ now: minute(at), guards: look(...problemsAt(at)), firstSeen }));
    firstSeen = judged.firstSeen;
    const trouble = judged.troubles.find(({ key: { kind } }) => kind === 'guard-stuck');
    const before = story.incident?.seq ?? 0;
    if (trouble !== undefined) story.wrong(at, trouble);
    const news = story.incident?.notes.filter(({ seq, kind }) => seq > before && kind === 'escalated') ?? [];
    told.push(...news.map(({ text }) => `${at} ${text.slice(0, text.indexOf('. '))}`));
  }
  return { told, trouble: story.now.trouble };
}

const lostOf = (project: string, ...applications: readonly string[]): GuardProblem => ({
  kind: 'no-project',
  project,
  applications: applications.map((application) => ({
    application,
    ...(application.startsWith('openshift-gitops/') ? { project } : {}),
  })),
});
const ofMany = (kind: 'held-too' | 'no-room', ...applications: readonly string[]): GuardProblem => ({
  kind,
  project: 'default',
  applications: applications.map((application) => ({ application })),
  by: ['openshift-gitops/nodes'],
});

test.each<[string, (isLater: boolean) => readonly GuardProblem[], string]>([
  [
    'an AppProject that does not exist, of another namespace',
    (isLater) => [lostOf('nowhere', 'tenant/own', ...(isLater ? ['billing/nodes'] : []))],
    'billing',
  ],
  [
    "an AppProject that does not exist, in Argo CD's own namespace",
    (isLater) => [
      lostOf('nowhere', 'openshift-gitops/own'),
      ...(isLater ? [lostOf('shop', 'openshift-gitops/b')] : []),
    ],
    'openshift-gitops/shop',
  ],
  [
    'a sync that waits for the guard of another one of its name',
    (isLater) => [ofMany('held-too', 'tenant/nodes', ...(isLater ? ['billing/nodes'] : []))],
    'billing',
  ],
  [
    'a guard for which there is no room',
    (isLater) => [ofMany('no-room', 'tenant/nodes', ...(isLater ? ['billing/nodes'] : []))],
    'billing',
  ],
  [
    'a sync that waits, beside those of twenty own namespaces',
    (isLater) => [
      ofMany(
        'held-too',
        ...Array.from({ length: 20 }, (_, index) => `a${index}/nodes`),
        ...(isLater ? ['billing/nodes'] : []),
      ),
    ],
    'billing',
  ],
])("[N-6] [N-18] [N-30] everybody is told when it is somebody else's: %s", (_, problems, owner) => {
  const { told, trouble } = storyOf(180, (at) => problems(at >= 60));

  expect(told).toEqual([`60 Joined: ${owner}`]);
  expect(trouble?.findings.map(({ subject }) => subject.kind)).not.toContain('AppProject');
  expect(trouble?.findings.length).toBeLessThanOrEqual(10);
});

test.each(['tenant/own', 'openshift-gitops/own'])(
  '[N-6] [N-30] an Application that names another AppProject at every look, and none that exists, is told once: %s',
  (application) => {
    const waits = ofMany('held-too', 'tenant/nodes');

    const { told } = storyOf(480, (at) => [lostOf(`p-${at}`, application), ...(at < 60 ? [] : [waits])]);

    expect(told.length).toBeLessThanOrEqual(1);
  },
);

test('[N-6] the headline counts the Applications of all owners, and each owner has a finding', () => {
  const problems = [ofMany('no-room', 'team-a/one', 'team-b/two', 'team-a/three'), ofMany('held-too', 'team-c/x')];
  const [trouble] = after(look(...problems), 0, 600).troubles;

  expect(trouble?.headline).toBe(
    'syncs of 3 Applications are not held back: no room in AppProject default, and 1 more',
  );
  expect(trouble?.findings.map(({ subject, sentence }) => [`${subject.namespace}/${subject.name}`, sentence])).toEqual([
    ['team-a/one', expect.stringContaining('for the guards of team-a/one and team-a/three: ')],
    ['team-b/two', expect.stringContaining('for the guards of team-b/two: ')],
    ['team-c/x', expect.stringContaining('Syncs of team-c/x wait')],
  ]);
});
