import { describe, expect, test } from 'vitest';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import type { AppProject } from '../../../../functions/core/guard/app-project.ts';
import { type Guard, guardsText, readGuards } from '../../../../functions/core/guard/guard-record.ts';
import { forgetByHand } from '../../../../functions/core/guard/open-by-hand.ts';
import { openGuardsOf } from '../../../../functions/core/guard/open-guards.ts';
import { type GuardFacts, type GuardSubject, planProject } from '../../../../functions/core/guard/plan-project.ts';
import { namesHeldBack, windowsAfter } from '../../../../functions/core/guard/sync-windows.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, anApplication, anAppProject, anOperation, aPool, aRecord } from '../../../fakes/index.ts';

const now = new Date('2026-03-02T10:10:00Z');
const victim: Guard = { application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] };
const namesake: Guard = { application: 'team-a/nodes', cluster: 'prod', pools: ['infra'] };
const open = { since: '2026-03-02T10:05:00Z', why: 'a push' };

/** A project that accepts the Applications of a tenant. */
function shared(guards: readonly Guard[], isClosed = true): AppProject {
  const closed = new Set(isClosed ? ['nodes'] : []);
  return anAppProject({
    sourceNamespaces: ['team-*'],
    windows: windowsAfter([], { closed, open: new Set() }),
    record: { kind: 'guards', guards },
  });
}

function subject(application: Partial<Application>, change: Partial<GuardSubject> = {}): GuardSubject {
  return { application: anApplication(application), affected: ['worker'], isGuarded: true, push: undefined, ...change };
}

const tenant: Partial<Application> = { namespace: 'team-a', uid: 'u-t' };

/** Paused and confirmed, for the Application with this hold. */
function pausedFor(name: string, id: string): Pool {
  const record = aRecord({ holds: [aHold({ id, phase: 'syncing' })] });
  return aPool({ name, paused: true, generation: 2, observedGeneration: 2, record: { kind: 'record', record } });
}

function factsOf(subjects: readonly GuardSubject[], pools: readonly Pool[] = [], gone: readonly string[] = []) {
  const facts: GuardFacts = {
    cluster: 'prod',
    subjects,
    gone: new Set(gone),
    pools: [aPool(), aPool({ name: 'infra', uid: 'u-infra' }), ...pools],
    expectSyncWithinSeconds: 900,
    now,
  };
  return facts;
}

function isClosedAfter(project: AppProject, facts: GuardFacts): boolean {
  const { write } = planProject(project, facts);
  return namesHeldBack(write?.windows ?? project.windows).has('nodes');
}

const running = anOperation({ phase: 'Running', message: '' });

describe('an Application of a tenant with the name of another one', () => {
  test('[N-6] [C-11] does not open their window by a commit that affects no pool', () => {
    const push = { at: now.toISOString(), revision: 'c'.repeat(40), harmless: 'only a README' };
    const subjects = [subject(tenant, { affected: ['infra'], push })];

    const plan = planProject(shared([victim, namesake]), factsOf(subjects));

    expect(plan.awaiting).toEqual([]);
    expect(isClosedAfter(shared([victim, namesake]), factsOf(subjects))).toBe(true);
  });

  test('[N-6] [C-11] keeps the pools of the other paused for as long as its sync leaves their window open', () => {
    const project = shared([victim, namesake]);
    const compared = { ...tenant, operation: running, reconciledAt: now.toISOString() };
    const subjects = [subject(compared, { affected: ['infra'] })];
    const pools = [pausedFor('infra', 'sync/hub/team-a/nodes'), pausedFor('worker', 'sync/hub/openshift-gitops/nodes')];

    const { write } = planProject(project, factsOf(subjects, pools));
    const after = {
      ...project,
      windows: write?.windows ?? [],
      record: { kind: 'guards' as const, guards: write?.guards ?? [] },
    };

    expect(namesHeldBack(after.windows).has('nodes')).toBe(false);
    expect(openGuardsOf([after], { cluster: 'prod', pool: 'worker' })).toContainEqual({
      argocd: 'hub',
      application: 'team-a/nodes',
    });
  });

  test('[N-6] [C-11] does not keep a missing window away by a sync of its own that affects no pool with the level', () => {
    const subjects = [subject({}), subject({ ...tenant, operation: running }, { affected: [], isGuarded: false })];

    expect(isClosedAfter(shared([victim], false), factsOf(subjects))).toBe(true);
  });
});

test('[N-6] [N-30] an Application of another cluster of this name keeps the window of its own name closed', () => {
  const [own, other] = [
    { ...victim, clusterId: 'aaaaaaaa' },
    { ...namesake, clusterId: 'bbbbbbbb' },
  ];
  const pools = [pausedFor('worker', 'sync/hub/openshift-gitops/nodes')];
  const syncing = anOperation({ phase: 'Running', message: 'Sync operation blocked by sync window' });
  const subjects = [subject({ operation: syncing, reconciledAt: now.toISOString() })];
  const facts = { ...factsOf(subjects, pools, ['sync/hub/team-a/nodes']), ids: ['aaaaaaaa'] };

  const plan = planProject(shared([own, other]), facts);

  expect(plan.ofNamesakes).toEqual(['team-a/nodes']);
  expect(plan.write).toBeUndefined();
  expect(plan.waiting.map(({ why }) => why)).toContain(
    'team-a/nodes of another cluster prod has the same name in this project',
  );
});

describe('an Application that affects no pool with the level, and has the name of a guarded one', () => {
  const plain: Partial<Application> = { namespace: 'team-b', uid: 'u-b', resources: [] };
  const without = { affected: [], isGuarded: false };
  const parked = anOperation({ phase: 'Running', message: 'Sync operation blocked by sync window' });
  const outOfSync = { status: 'OutOfSync' as const, revisions: ['c'.repeat(40)] };

  test.each([
    ['asked for by a person', { operation: parked }],
    ['automated', { automated: true, operation: undefined, sync: outOfSync }],
  ])('[N-6] [N-30] is named where its sync waits for the window of the other: %s', (_, state) => {
    const subjects = [subject({}), subject({ ...plain, ...state }, without)];

    const plan = planProject(shared([victim]), factsOf(subjects));

    expect(plan.heldToo).toEqual([{ application: 'team-b/nodes', by: ['openshift-gitops/nodes'] }]);
    expect(plan.write).toBeUndefined();
  });

  test.each([
    ['nothing of it waits', shared([victim]), {}],
    ['the window is away', shared([victim], false), { operation: anOperation({ phase: 'Running', message: '' }) }],
  ])('[N-6] is not named where %s', (_, project, state) => {
    const plan = planProject(project, factsOf([subject({ ...plain, ...state }, without)]));

    expect(plan.heldToo).toEqual([]);
  });
});

test('[N-6] a guard whose window is missing counts as open for its pools', () => {
  const asked = { cluster: 'prod', pool: 'worker' };

  expect(openGuardsOf([shared([victim], false)], asked)).toEqual([
    { argocd: 'hub', application: 'openshift-gitops/nodes' },
  ]);
  expect(openGuardsOf([shared([victim])], asked)).toEqual([]);
});

test('[N-6] an Application that is gone from another Argo CD instance frees none of the same name here', () => {
  const project = shared([victim]);
  const elsewhere = factsOf([], [], ['sync/other/openshift-gitops/nodes']);
  const here = factsOf([], [], [`sync/${project.argocd}/openshift-gitops/nodes`]);

  expect(isClosedAfter(project, elsewhere)).toBe(true);
  expect(isClosedAfter(project, here)).toBe(false);
});

test('[N-6] an Application of another Argo CD instance in another project frees none of the same name here', () => {
  const subjects = [subject({ argocd: 'other', project: 'elsewhere' })];

  expect(isClosedAfter(shared([victim]), factsOf(subjects))).toBe(true);
});

test('[N-6] [C-11] a thousand Applications that say they affect a pool leave a record that is read again, and what was guarded stays', () => {
  const project = shared([victim]);
  const subjects = Array.from({ length: 1000 }, (_, index) =>
    subject({ ...tenant, name: `flood-${index}-${'x'.repeat(100)}` }),
  );

  const { write, leftOut, changes } = planProject(project, factsOf(subjects));
  const opened = write?.guards.map((guard) => ({ ...guard, open: { ...open, why: 'w'.repeat(40) } })) ?? [];

  expect(leftOut.length).toBeGreaterThan(0);
  expect(changes).toHaveLength(1000 - leftOut.length);
  expect(readGuards(guardsText(opened) ?? '').kind).toBe('guards');
  expect(write?.guards[0]).toEqual(victim);
});

describe('[N-6] [C-11] [N-30] hundreds of guards that are open at once', () => {
  const open = { since: '2026-03-02T10:00:00.000Z', why: `a push, ${'w'.repeat(280)} of somebody` };
  const guardsWith = (count: number, pools: readonly string[]) =>
    Array.from({ length: count }, (_, index) => ({
      ...victim,
      application: `openshift-gitops/app-${index}`,
      pools: [...pools],
      open,
    }));
  const many = Array.from({ length: 20 }, (_, index) => `pool-${index}`);

  test.each([
    ['with long reasons', guardsWith(600, ['worker']), ['worker']],
    ['with long reasons and many pools', guardsWith(600, many), ['*']],
  ])('%s leave a record that is read again and written once', (_, guards, pools) => {
    const project = { ...shared([]), record: { kind: 'guards' as const, guards } };

    const { write } = planProject(project, factsOf([]));
    const text = guardsText(write?.guards ?? []) ?? '';
    const again = planProject({ ...project, record: readGuards(text), windows: write?.windows ?? [] }, factsOf([]));

    expect(text.length).toBeLessThan(192 * 1024);
    expect(readGuards(text)).toEqual({ kind: 'guards', guards: write?.guards });
    expect(write?.guards).toHaveLength(600);
    expect(write?.guards[0]).toMatchObject({ pools, open: { since: open.since, why: 'a push ... ww of somebody' } });
    expect(again.write).toBeUndefined();
  });

  test('keep their reasons while there is room', () => {
    const project = { ...shared([]), record: { kind: 'guards' as const, guards: guardsWith(100, many) } };

    expect(planProject(project, factsOf([])).write?.guards ?? project.record.guards).toEqual(project.record.guards);
  });
});

test('[N-6] a record that is longer than any object may have is told as that', () => {
  expect(readGuards('x'.repeat(300_000))).toEqual({
    kind: 'unreadable',
    why: 'annotation poolkeeper.dev/guards: has 300000 characters, more than an object may have in all',
  });
});

describe('[N-6] an Application whose project lists its namespace', () => {
  const standing = (pattern: string): AppProject => ({
    ...shared([{ ...namesake, pools: ['worker'] }]),
    sourceNamespaces: [pattern],
  });

  test.each([
    'team-a',
    'team-*',
    '*',
    'team-?',
    'team-[ab]',
    'team-[!b]',
    '{team-a,team-b}',
    'team-{a,b}',
    '/^team-[ab]$/',
  ])('as %s keeps its guard, and gets one', (pattern) => {
    const facts = factsOf([subject(tenant)]);
    const unguarded = anAppProject({ sourceNamespaces: [pattern] });

    expect(isClosedAfter(standing(pattern), facts)).toBe(true);
    expect(planProject(standing(pattern), facts).changes).toEqual([]);
    expect(isClosedAfter(unguarded, facts)).toBe(true);
  });

  test('no more keeps the guard that it has while it names the project, and gets none', () => {
    const facts = factsOf([subject(tenant)]);

    expect(isClosedAfter(standing('team-b'), facts)).toBe(true);
    expect(isClosedAfter(anAppProject({ sourceNamespaces: ['team-b'] }), facts)).toBe(false);
  });
});

test('[N-6] what a guard was open for in vain is not written again by each look, however its record is read', () => {
  const tried = { revisions: ['f'.repeat(16)], until: '2026-03-02T11:00:00Z' };
  const unanswered = { times: 2, since: '2026-03-02T09:00:00Z' };
  const read = readGuards(guardsText([{ ...victim, tried, unanswered }]) ?? '');
  const project: AppProject = { ...shared([]), record: read };
  const waits = subject({ automated: true, sync: { status: 'OutOfSync', revisions: ['c'.repeat(40)] } });

  expect(planProject(project, factsOf([waits])).write).toBeUndefined();
});

test.each([
  ['for a pause', open, 3],
  [
    'for a commit that affects no pool',
    { ...open, harmless: { revision: 'c'.repeat(40), until: now.toISOString() } },
    2,
  ],
])('[N-6] a guard that was open %s in vain counts only with its pools paused', (_, opened, times) => {
  const unanswered = { times: 2, since: '2026-03-02T09:00:00Z' };
  const waits = subject({ automated: true, sync: { status: 'OutOfSync', revisions: ['c'.repeat(40)] } });
  const facts = { ...factsOf([waits]), now: new Date('2026-03-02T10:30:00Z') };
  const { write } = planProject(shared([{ ...victim, unanswered, open: opened }], false), facts);

  expect(write?.guards[0]?.unanswered).toEqual({ ...unanswered, times });
});

describe('a guard whose turn in a sequence has not come', () => {
  const push = { at: now.toISOString(), revision: 'c'.repeat(40), harmless: 'only a README' };
  const plan = (notTheirTurn?: GuardFacts['notTheirTurn']) =>
    isClosedAfter(shared([victim]), { ...factsOf([subject({ automated: true }, { push })]), notTheirTurn });

  test('[S2-15] stays closed, also for a commit that affects no pool', () => {
    expect(plan()).toBe(false);
    expect(plan(new Map([['sync/hub/openshift-gitops/nodes', { why: 'wave 5 is not healthy' }]]))).toBe(true);
  });

  test.each([victim, { ...victim, open }])(
    '[S2-15] [N-6] stays, or closes, when it affects no pool any more: %j',
    (guard) => {
      const facts = factsOf([subject({}, { affected: [], isGuarded: false })]);
      const isClosed = (notTheirTurn?: GuardFacts['notTheirTurn']) =>
        isClosedAfter(shared([guard], guard === victim), { ...facts, notTheirTurn });

      expect(isClosed()).toBe(false);
      expect(isClosed(new Map([['sync/hub/openshift-gitops/nodes', { why: 'wave 5 is not healthy' }]]))).toBe(true);
    },
  );

  test.each([
    ['with a guard of before', [victim, namesake]],
    ['without a guard', [victim]],
  ])('[S2-15] [N-6] [N-29] of a namesake is told to who affects no pool any more and would sync, %s', (_, guards) => {
    const sync = { status: 'OutOfSync' as const, revisions: ['c'.repeat(40)] };
    const other = { ...tenant, automated: true, sync };
    const facts = factsOf([subject({}), subject(other, { affected: [], isGuarded: false })]);

    const plan = planProject(shared(guards), {
      ...facts,
      notTheirTurn: new Map([
        ['sync/hub/openshift-gitops/nodes', { why: 'its turn in sequence rollout has not come' }],
      ]),
    });

    expect(plan.heldToo).toEqual([{ application: 'team-a/nodes', by: ['openshift-gitops/nodes'] }]);
    expect(isClosedAfter(shared(guards), facts)).toBe(true);
  });

  test('[S2-15] of a namesake keeps the window of both closed', () => {
    const worker = pausedFor('worker', 'sync/hub/openshift-gitops/nodes');
    const infra = pausedFor('infra', 'sync/hub/openshift-gitops/nodes');
    const facts = factsOf([subject({}, { affected: ['worker'] })]);
    const isClosed = (notTheirTurn?: GuardFacts['notTheirTurn']) =>
      isClosedAfter(shared([victim, namesake]), { ...facts, pools: [worker, infra], notTheirTurn });

    expect(isClosed()).toBe(false);
    expect(isClosed(new Map([['sync/hub/team-a/nodes', { why: 'wave 5 is not healthy' }]]))).toBe(true);
  });
});

test.each([
  ['its own turn has not come', 'openshift-gitops', {}, [true, undefined]],
  ['the turn of one of its name has not come', 'team-a', {}, [false, undefined]],
  ['whether its own has come cannot be read', 'openshift-gitops', { isUnread: true as const }, [false, true]],
])('[S2-15] [N-6] a sync that waits is left to its sequence to tell only where %s', (_, namespace, how, expected) => {
  const turn = { why: 'sequence virt has not come to it', ...how };
  const operation = anOperation({ phase: 'Running', message: 'Sync operation blocked by sync window' });
  const facts = factsOf([subject({ operation })], [pausedFor('worker', 'sync/hub/openshift-gitops/nodes')]);
  const notTheirTurn = new Map([[`sync/hub/${namespace}/nodes`, turn]]);

  const { waiting } = planProject(shared([victim, namesake]), { ...facts, notTheirTurn });
  const ofTurn = waiting.filter(({ why }) => why.includes(turn.why));

  expect(ofTurn.map(({ isTurn, isTurnUnread }) => [isTurn, isTurnUnread])).toEqual([expected]);
});

test("[N-6] [C-13] a window that allows syncs is nobody else's to take away, whatever its description says", () => {
  const [ours] = windowsAfter([], { closed: new Set(['nodes']), open: new Set() });
  const theirs = { ...ours, kind: 'allow', schedule: '0 22 * * 2', duration: '4h' };

  const closed = windowsAfter([theirs], { closed: new Set(['nodes']), open: new Set() });

  expect(closed).toEqual([theirs, ours]);
  expect(windowsAfter(closed, { closed: new Set(), open: new Set(['nodes']) })).toEqual([theirs]);
});

test('[N-6] [N-30] thousands of Applications of one project are not compared each with each', () => {
  const guards = Array.from({ length: 300 }, (_, index) => ({ ...victim, application: `openshift-gitops/g${index}` }));
  const windows = windowsAfter([], { closed: new Set(guards.map((_, index) => `g${index}`)), open: new Set() });
  const project = { ...shared(guards), windows };
  const guarded = guards.map((_, index) => subject({ name: `g${index}`, uid: `g${index}` }));
  let reads = 0;
  const others = Array.from({ length: 2_000 }, (_, index): GuardSubject => {
    const application = anApplication({ name: `p${index}`, uid: `p${index}`, resources: [] });
    return {
      affected: [],
      isGuarded: false,
      push: undefined,
      get application() {
        reads += 1;
        return application;
      },
    };
  });

  const { write, changes } = planProject(project, factsOf([...guarded, ...others]));

  expect([write, changes]).toEqual([undefined, []]);
  expect(reads).toBeLessThan(20 * others.length);
});

test('[N-6] [N-29] the command that forgets guards takes the record away, and their windows from the end', () => {
  const windows = windowsAfter([{ kind: 'allow' }], { closed: new Set(['a', 'b', 'c']), open: new Set() });

  const text = forgetByHand(anAppProject({ windows }), ['openshift-gitops/a', 'team-a/c']);

  expect(text).toMatch(/^oc -n openshift-gitops patch appprojects.argoproj.io default --type json -p /);
  expect(JSON.parse(/'(.*)'$/.exec(text)?.[1] ?? '')).toEqual([
    { op: 'remove', path: '/metadata/annotations/poolkeeper.dev~1guards' },
    { op: 'test', path: '/spec/syncWindows/3/applications/0', value: 'c' },
    { op: 'remove', path: '/spec/syncWindows/3' },
    { op: 'test', path: '/spec/syncWindows/1/applications/0', value: 'a' },
    { op: 'remove', path: '/spec/syncWindows/1' },
  ]);
});
