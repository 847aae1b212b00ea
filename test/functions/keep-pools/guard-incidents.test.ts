import { describe, expect, test } from 'vitest';
import type { GuardFacts } from '../../../functions/core/guard/plan-project.ts';
import { planProject } from '../../../functions/core/guard/plan-project.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { lookAtGuards } from '../../../functions/keep-pools/act/look-at-guards.ts';
import { aHold, anApplication, anAppProject, anOperation, aPool, aRecord } from '../../fakes/index.ts';
import { type GuardLab, guardLab, parked } from './guard-lab.ts';
import { commitB } from './keep-lab.ts';

/** Headline and codes of what is told of guards now. */
function told(lab: GuardLab): readonly string[] {
  return lab.world.tables.incidents
    .all()
    .filter(({ key, state }) => key.kind === 'guard-stuck' && state !== 'ok' && state !== 'pending')
    .map(({ state, trouble }) => `${state}: ${trouble?.findings.map(({ code }) => code).join()} ${trouble?.headline}`);
}

describe('an AppProject that cannot be written', () => {
  test.each(['forbidden', 'invalid'] as const)(
    '[N-6] is told by the second tick, and no longer once it can: %s',
    async (kind) => {
      const lab = guardLab();
      const undo = lab.world.faults.failAll(['argocd.writeGuards'], new Transient(`the answer is ${kind}`, { kind }));
      await lab.tick();
      const first = told(lab);
      await lab.pass(61);
      const second = told(lab);
      undo();
      await lab.pass(600);

      expect(first).toEqual([]);
      expect(second).toEqual(['firing: G1 guards of AppProject default cannot be kept']);
      expect([told(lab), lab.isClosed()]).toEqual([[], true]);
    },
  );

  test('[N-6] is told also where another writer is faster again and again', async () => {
    const lab = guardLab();
    lab.world.faults.on(({ op }) =>
      op === 'argocd.writeGuards'
        ? { kind: 'meanwhile', act: () => void lab.world.argocd.putProject(lab.world.argocd.project()) }
        : undefined,
    );
    await lab.tick();
    await lab.pass(61);

    expect(told(lab)).toEqual(['firing: G1 guards of AppProject default cannot be kept']);
  });

  test('[N-6] [N-30] is told as that, and whoever took the window away once not as doing so again and again', async () => {
    const lab = guardLab();
    await lab.tick();
    lab.world.argocd.putProject({ ...lab.world.argocd.project(), windows: [], windowsBy: 'kubectl-edit' });
    const undo = lab.world.faults.failAll(['argocd.writeGuards']);
    await lab.pass(300);
    const during = told(lab);
    undo();
    await lab.pass(600);

    expect(during).toEqual(['firing: G1 guards of AppProject default cannot be kept']);
    expect([told(lab), lab.isClosed()]).toEqual([[], true]);
  });

  test('[N-6] has a record that nobody understands', async () => {
    const lab = guardLab();
    lab.world.argocd.putProject(anAppProject({ record: { kind: 'unreadable', why: 'v: expected 1' } }));
    await lab.tick();
    await lab.pass(61);

    expect(told(lab)).toEqual(['firing: G1 guards of AppProject default cannot be kept']);
  });

  test('[N-6] [N-30] has a record that cannot be read: the command that forgets it is printed, and sets all up again', async () => {
    const lab = guardLab();
    lab.world.argocd.putProject(anAppProject({ record: { kind: 'unreadable', why: 'v: expected 1' } }));
    await lab.tick();
    await lab.pass(61);
    const [incident] = lab.world.tables.incidents.all();
    const commands = incident?.trouble?.findings.flatMap(({ remedies }) => remedies.map(({ command }) => command));
    // What the command does.
    lab.world.argocd.putProject({ ...lab.world.argocd.project(), record: { kind: 'guards', guards: [] } });
    await lab.pass(600);

    expect(commands).toContain(
      `oc -n openshift-gitops patch appprojects.argoproj.io default --type json -p '[{"op":"remove","path":"/metadata/annotations/poolkeeper.dev~1guards"}]'`,
    );
    expect([told(lab), lab.isClosed()]).toEqual([[], true]);
  });
});

describe('a guard that a sync waits for', () => {
  /** The push has come, and the MCO confirms no pause. */
  async function unconfirmed(seconds: number): Promise<GuardLab> {
    const lab = guardLab();
    await lab.tick();
    lab.asksFor(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(seconds);
    return lab;
  }

  test('[N-6] is told after ten minutes, and no longer once it is open', async () => {
    const [early, late] = [await unconfirmed(540), await unconfirmed(900)];
    const during = told(late);
    late.confirms();
    await late.pass(900);

    expect(told(early)).toEqual([]);
    expect(during).toEqual(['firing: G2 guard of openshift-gitops/nodes stays closed, and its sync waits']);
    expect([told(late), late.isClosed()]).toEqual([[], false]);
  });

  test.each(['argocd.projects', 'argocd.read', 'pools.list'] as const)(
    '[N-6] is not called over while it cannot be seen: %s',
    async (op) => {
      const lab = await unconfirmed(900);
      lab.world.faults.failAll([op]);
      await lab.pass(1800);

      expect(told(lab)).toEqual([expect.stringMatching(/^firing: /)]);
    },
  );
});

test('[N-6] [N-30] an Application that affects no pool, and waits for the window of another one of its name, is told until it goes', async () => {
  const lab = guardLab();
  lab.world.argocd.putProject(anAppProject({ sourceNamespaces: ['team-*'] }));
  const plain = anApplication({ namespace: 'team-b', uid: 'u-b', resources: [], automated: true });
  const outOfSync = { status: 'OutOfSync' as const, revisions: [commitB] };
  await lab.tick();
  lab.world.argocd.putNamesake({ ...plain, operation: undefined, sync: outOfSync });

  await lab.pass(600);
  const early = told(lab);
  await lab.pass(900);
  const late = told(lab);
  lab.world.argocd.putNamesake(plain);
  await lab.pass(600);

  expect(early).toEqual([]);
  expect(late).toEqual(['firing: G2 syncs of team-b/nodes wait for the guard of another Application of the name']);
  expect(told(lab)).toEqual([]);
});

test('[N-6] a guard that is open, and whose Application cannot be read, is told ten minutes after its sync should have begun', async () => {
  const lab = guardLab();
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  await lab.pass(2);
  const wasOpen = !lab.isClosed();
  lab.world.argocd.spoil('nodes');
  await lab.pass(1200);
  const early = told(lab);
  await lab.pass(600);

  expect([wasOpen, early]).toEqual([true, []]);
  expect(told(lab)).toEqual(['firing: G3 guard of openshift-gitops/nodes stays open']);
});

test('[N-6] [N-30] a guard that was open three times in a row, and whose Application Argo CD does not sync, is told until it does', async () => {
  const lab = guardLab();
  await lab.tick();
  // As with a deny window of somebody else: it is compared, and never synced.
  const compared = () => {
    lab.confirms();
    lab.world.argocd.change('nodes', {
      annotations: {},
      reconciledAt: lab.world.clock.now().toISOString(),
      sync: { status: 'OutOfSync', revisions: [commitB] },
    });
  };
  const hours: (readonly string[])[] = [];
  for (let hour = 0; hour < 5; hour += 1) {
    for (let minute = 0; minute < 60; minute += 1) {
      compared();
      await lab.pass(60);
    }
    hours.push(told(lab));
  }
  lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
  await lab.pass(600);

  expect(hours.slice(0, 2)).toEqual([[], []]);
  expect(hours.at(-1)).toEqual([
    expect.stringMatching(
      /^firing: G3 guard of openshift-gitops\/nodes was open [34] times, and Argo CD did not sync it$/,
    ),
  ]);
  expect([told(lab), lab.guard()?.unanswered]).toEqual([[], undefined]);
});

test('[N-6] a guarded Application that cannot be parsed keeps no alert about others from ending', async () => {
  const lab = guardLab();
  lab.world.argocd.put(anApplication({ name: 'tenant', uid: 'u-tenant' }));
  await lab.tick();
  lab.world.argocd.spoil('tenant');
  lab.asksFor(commitB);
  await lab.deliver(lab.operationOf('Running'));
  await lab.pass(900);
  const during = told(lab);
  lab.confirms();
  await lab.pass(900);

  expect(lab.isClosed('tenant')).toBe(true);
  expect(during).toEqual(['firing: G2 guard of openshift-gitops/nodes stays closed, and its sync waits']);
  expect([told(lab), lab.isClosed()]).toEqual([[], false]);
});

test('[N-6] an Application that is pushed to, and whose AppProject does not exist, is told', async () => {
  const lab = guardLab();
  await lab.tick();
  lab.world.argocd.change('nodes', { project: 'lost' });
  await lab.deliver(lab.pushOf(commitB));
  await lab.pass(121);

  expect(told(lab)).toEqual(['firing: G1 AppProject lost of openshift-gitops/nodes does not exist']);
});

/** Whom people have heard of, and the texts of what all were told since. */
function heardIn(lab: GuardLab) {
  const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'guard-stuck');
  const joined = incident?.notes.filter(({ kind }) => kind === 'escalated') ?? [];
  return { heard: incident?.heard?.map(({ owner }) => owner), joined: joined.map(({ text }) => text) };
}

test('[N-6] [N-30] an AppProject by a text that is no name makes nobody known, and the next one that is lost is told to all', async () => {
  const lab = guardLab();
  const nodes = anApplication();
  lab.world.argocd.put({ ...nodes, name: 'shop', uid: 'u-shop', operation: undefined, isAtHome: true });
  await lab.tick();
  lab.world.argocd.change('nodes', { isAtHome: true, project: 'x;n:G1:AppProject openshift-gitops/shop;y' });
  await lab.deliver(lab.pushOf(commitB));
  await lab.pass(121);
  const { heard } = heardIn(lab);
  lab.world.argocd.change('shop', { project: 'shop' });
  await lab.pass(240);

  expect(heard).toEqual(['openshift-gitops/']);
  expect(heardIn(lab).joined).toEqual([expect.stringMatching(/^Joined: openshift-gitops\/shop\. .*AppProject shop/)]);
});

test('[N-6] [N-30] a second Application that waits for the window of another one of its name is told to all', async () => {
  const lab = guardLab();
  lab.world.argocd.putProject(anAppProject({ sourceNamespaces: ['team-*'] }));
  const outOfSync = { status: 'OutOfSync' as const, revisions: [commitB] };
  const waits = (namespace: string) =>
    anApplication({
      namespace,
      uid: `u-${namespace}`,
      resources: [],
      automated: true,
      operation: undefined,
      sync: outOfSync,
    });
  await lab.tick();
  lab.world.argocd.putNamesake(waits('team-b'));
  await lab.pass(1500);
  const before = heardIn(lab);
  lab.world.argocd.putNamesake(waits('team-c'));
  await lab.pass(900);

  expect(before).toEqual({ heard: ['team-b/'], joined: [] });
  expect(heardIn(lab).joined).toEqual([expect.stringMatching(/^Joined: team-c\. .*team-b\/nodes and team-c\/nodes/)]);
});

test.each([
  [undefined, ['closed']],
  ['sequence virt has not come to it', []],
])('[N-6] [S2-15] a turn that has not come is told by its sequence alone: %s', (turn, expected) => {
  const application = anApplication({ operation: anOperation({ phase: 'Running', message: '' }) });
  const id = `sync/${application.argocd}/openshift-gitops/nodes`;
  const facts: GuardFacts = {
    cluster: 'prod',
    subjects: [{ application, affected: ['worker'], isGuarded: true, push: undefined }],
    gone: new Set(),
    pools: [aPool({ record: { kind: 'record', record: aRecord({ holds: [aHold({ id })] }) } })],
    notTheirTurn: new Map(turn === undefined ? [] : [[id, { why: turn }]]),
    expectSyncWithinSeconds: 900,
    now: new Date('2026-03-02T10:10:00Z'),
  };
  const project = anAppProject();
  const plan = planProject(project, facts);
  const last = [{ kind: 'project' as const, plan, facts, stored: project, failure: undefined }];

  const { problems } = lookAtGuards({ read: { projects: [project], unreadable: [] }, facts, all: last, last }, true);

  expect(problems.map(({ kind }) => kind)).toEqual(expected);
});

test('[N-6] the view of a cluster has what cannot be kept first, and says how many guards it does not show', async () => {
  const lab = guardLab();
  for (let index = 0; index < 24; index += 1) {
    const operation = anOperation({ phase: 'Running', message: parked, startedAt: '2026-03-02T10:00:00Z' });
    lab.world.argocd.put(anApplication({ name: `team-${index}`, uid: `u-${index}`, operation }));
  }
  const last = { name: 'zebra', namespace: 'team-z', uid: 'u-z' };
  const operation = anOperation({ phase: 'Running', message: parked, startedAt: '2026-03-02T10:00:00Z' });
  lab.world.argocd.putProject(anAppProject({ sourceNamespaces: ['team-*'] }));
  lab.world.argocd.put(anApplication({ ...last, operation }));
  lab.world.argocd.putProject(anAppProject({ name: 'broken', record: { kind: 'unreadable', why: 'v: expected 1' } }));

  await lab.tick();
  await lab.pass(61);
  const [view] = await lab.ports.views.list();
  const names = view?.guards?.map(({ about }) => about) ?? [];

  expect([names[0], names.length, names.at(-1)]).toEqual(['AppProject broken', 21, '6 more']);
  expect(names.slice(1, 3)).toContain('team-z/zebra');
});

test("[N-6] [N-30] in the view, waiting guards of one AppProject in Argo CD's own namespace hide none of another", async () => {
  const lab = guardLab();
  const operation = anOperation({ phase: 'Running', message: parked, startedAt: '2026-03-02T10:00:00Z' });
  for (let index = 0; index < 24; index += 1)
    lab.world.argocd.put(anApplication({ name: `a-${index}`, uid: `u-${index}`, operation }));
  lab.world.argocd.putProject(anAppProject({ name: 'team-b' }));
  lab.world.argocd.put(anApplication({ name: 'zebra', uid: 'u-z', project: 'team-b', operation }));

  await lab.tick();
  await lab.pass(61);
  const [view] = await lab.ports.views.list();

  expect(view?.guards?.slice(0, 2).map(({ about }) => about)).toContain('openshift-gitops/zebra');
});
