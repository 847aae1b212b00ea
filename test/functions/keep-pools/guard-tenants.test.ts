import { expect, test } from 'vitest';
import { decideGuard } from '../../../functions/core/guard/decide-guard.ts';
import { guardsText, readGuards } from '../../../functions/core/guard/guard-record.ts';
import { openGuardsOf, unreadableRecord } from '../../../functions/core/guard/open-guards.ts';
import { planProject } from '../../../functions/core/guard/plan-project.ts';
import { namesHeldBack } from '../../../functions/core/guard/sync-windows.ts';
import { syncHoldId } from '../../../functions/core/openshift/hold.ts';
import { aHold, anApplication, anAppProject, anOperation, aPool, aRecord } from '../../fakes/index.ts';
import { guardLab } from './guard-lab.ts';
import { commitB } from './keep-lab.ts';

const now = new Date('2026-03-02T10:10:00Z');
const project = anAppProject({ sourceNamespaces: ['team-*'] });
const victim = { application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] };

/** A tenant's Application that has the name of somebody else's in the same project. */
const namesake = anApplication({ namespace: 'team-a', uid: 'u-t' });

test('[N-6] [N-30] a harmless push to a namesake does not let the other one through', () => {
  const push = { at: now.toISOString(), revision: commitB, harmless: 'it changes nothing that is rendered' };
  const subjects = [{ application: namesake, affected: ['worker'], isGuarded: true, push }];
  const facts = {
    cluster: 'prod',
    subjects,
    gone: new Set<string>(),
    pools: [aPool()],
    expectSyncWithinSeconds: 900,
    now,
  };
  const closed = planProject({ ...project, record: { kind: 'guards', guards: [victim] } }, { ...facts, subjects: [] });
  const windows = closed.write?.windows ?? [];

  const plan = planProject({ ...project, windows, record: { kind: 'guards', guards: [victim] } }, facts);

  expect(namesHeldBack(windows)).toContain('nodes');
  expect(namesHeldBack(plan.write?.windows ?? [])).toContain('nodes');
});

test('[N-6] [N-30] while the window of two namesakes is open, the pools of both have to stay paused', () => {
  const paused = (name: string, id: string) =>
    aPool({
      name,
      paused: true,
      record: { kind: 'record', record: aRecord({ holds: [aHold({ id, phase: 'syncing' })] }) },
    });

  const { guard } = decideGuard({
    application: { ...namesake, operation: anOperation({ phase: 'Running' }) },
    cluster: 'prod',
    guard: undefined,
    pools: new Map([
      ['infra', paused('infra', 'sync/hub/team-a/nodes')],
      ['worker', paused('worker', 'sync/hub/openshift-gitops/nodes')],
    ]),
    affected: ['infra'],
    alsoAffected: [victim],
    isGuarded: true,
    push: undefined,
    expectSyncWithinSeconds: 900,
    now,
  });

  expect(guard?.open?.why).toBe('Argo CD syncs team-a/nodes');
  expect(guard?.pools).toEqual(['infra', 'worker']);
});

test('[N-6] [N-30] guards of made-up Applications do not make the record of a project one that cannot be read', async () => {
  const lab = guardLab();
  lab.world.argocd.putProject(project);
  await lab.tick();
  for (let made = 0; made < 1_500; made += 1) {
    const name = `${made}-`.padEnd(60, 'x');
    lab.world.argocd.put(anApplication({ name, namespace: 'team-a', uid: name }));
  }
  await lab.pass(600);

  const { record, windows } = lab.world.argocd.project();
  const guards = record.kind === 'guards' ? record.guards : [];
  expect(readGuards(guardsText(guards) ?? undefined).kind).toBe('guards');
  expect(guards[0]).toMatchObject(victim);
  expect(namesHeldBack(windows).size).toBe(guards.length);
});

test.each([
  ['many and long', Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(1_000, 'x'))],
  ['few, and six times as long as JSON', Array.from({ length: 20 }, () => '\u0001'.repeat(128))],
])('[N-6] [N-30] made-up commits of an Application are not kept in the record of its project: %s', (_, revisions) => {
  const open = { since: '2026-03-02T10:05:00Z', why: 'a push' };
  const application = anApplication({ operation: undefined, sync: { status: 'OutOfSync', revisions } });

  const { guard } = decideGuard({
    application,
    cluster: 'prod',
    guard: { ...victim, open },
    pools: new Map([['worker', aPool()]]),
    affected: ['worker'],
    alsoAffected: [],
    isGuarded: true,
    push: undefined,
    expectSyncWithinSeconds: 900,
    now,
  });

  expect(guard?.open).toBeUndefined();
  expect(JSON.stringify(guard).length).toBeLessThan(300);
});

test('[N-6] [N-30] guards that are all open still leave a record that can be read', async () => {
  const lab = guardLab();
  lab.world.argocd.putProject(project);
  for (let made = 0; made < 300; made += 1) {
    const name = `${made}-`.padEnd(60, 'x');
    lab.world.argocd.put(anApplication({ name, namespace: 'team-a', uid: name }));
  }
  await lab.pass(300);

  const { record } = lab.world.argocd.project();
  const guards = record.kind === 'guards' ? record.guards : [];
  const why = '\u0001'.repeat(100);
  const opened = guards.map((guard) => ({ ...guard, open: { since: now.toISOString(), why } }));

  expect(guards.length).toBeGreaterThan(50);
  expect(readGuards(guardsText(opened) ?? undefined).kind).toBe('guards');
});

test('[N-6] [N-30] guards that affect more pools later leave the own namespace of a project its half of the record', () => {
  const pools = Array.from({ length: 60 }, (_, index) =>
    aPool({ name: `pool-${index}`.padEnd(40, 'x'), uid: `p-${index}` }),
  );
  const all = pools.map(({ name }) => name);
  const facts = { cluster: 'prod', gone: new Set<string>(), pools, expectSyncWithinSeconds: 900, now };
  const subject = (namespace: string, number: number, affected: readonly string[]) => ({
    application: anApplication({
      name: `app-${number}`,
      namespace,
      uid: `${namespace}-${number}`,
      operation: undefined,
    }),
    affected,
    isGuarded: true,
    push: undefined,
  });
  const others = (affected: readonly string[]) =>
    Array.from({ length: 200 }, (_, number) => subject('team-a', number, affected));
  const plan = (of: typeof project, subjects: ReturnType<typeof others>) => {
    const { write, leftOut } = planProject(of, { ...facts, subjects });
    const guards = write?.guards ?? (of.record.kind === 'guards' ? of.record.guards : []);
    const windows = write?.windows ?? of.windows;
    return {
      of: { ...of, windows, record: { kind: 'guards', guards } as const },
      guards,
      leftOut,
      isWritten: write !== undefined,
    };
  };

  const few = plan({ ...project, record: { kind: 'guards', guards: [] } }, others(all.slice(0, 1)));
  const many = plan(few.of, others(all));
  const again = plan(many.of, others(all));
  const own = plan(
    many.of,
    Array.from({ length: 200 }, (_, number) => subject('openshift-gitops', number + 500, all.slice(0, 2))),
  );
  const opened = own.guards.map((guard) => ({ ...guard, open: { since: now.toISOString(), why: 'x'.repeat(300) } }));

  expect(few.guards.length).toBeGreaterThan(50);
  expect(many.guards.map(({ application }) => application)).toEqual(few.guards.map(({ application }) => application));
  expect(again.isWritten).toBe(false);
  expect(own.leftOut).toEqual([]);
  expect(readGuards(guardsText(opened) ?? undefined).kind).toBe('guards');
  expect(openGuardsOf([{ ...many.of, windows: [] }], { cluster: 'prod', pool: all[59] ?? '' })).toHaveLength(
    many.guards.length,
  );
});

test('[N-6] [N-30] while the record of a project cannot be read, it is not known which guards are open', () => {
  const broken = anAppProject({ name: 'platform', record: { kind: 'unreadable', why: 'v: expected 1' } });

  expect(unreadableRecord([anAppProject(), broken])).toBe('AppProject platform, v: expected 1');
  expect(unreadableRecord([anAppProject()])).toBeUndefined();
});

/** Somebody else's Application, whose window is away since it was opened. */
const opened = { ...victim, open: { since: '2026-03-02T10:09:00Z', why: 'a push' } };
const namesakes = { application: 'team-a/nodes', cluster: 'prod', pools: ['worker'] };
const own = anApplication();
const heldWorker = aPool({
  paused: true,
  record: { kind: 'record', record: aRecord({ holds: [aHold({ id: syncHoldId(own), phase: 'syncing' })] }) },
});

function planned({ guards = [opened, namesakes], gained = ['worker', 'infra'], running = false, infra = {} }) {
  const operation = running ? anOperation({ phase: 'Running' }) : undefined;
  return planProject(
    { ...project, windows: [], record: { kind: 'guards', guards } },
    {
      cluster: 'prod',
      subjects: [
        {
          application: { ...own, operation, sync: { status: 'OutOfSync', revisions: [commitB] } },
          affected: ['worker'],
          isGuarded: true,
          push: undefined,
        },
        { application: { ...namesake, operation: undefined }, affected: gained, isGuarded: true, push: undefined },
      ],
      gone: new Set(),
      pools: [heldWorker, aPool({ name: 'infra', ...infra })],
      expectSyncWithinSeconds: 900,
      now,
    },
  );
}

test.each([
  ['that it has gained since it was guarded', [opened, namesakes]],
  ['of one that is seen for the first time', [opened]],
])('[N-6] [N-30] a window is put back in the pass that sees a pool of a namesake %s', (_, guards) => {
  const before = planned({ guards, gained: ['worker'] });
  const plan = planned({ guards });

  expect(namesHeldBack(before.write?.windows ?? [])).not.toContain('nodes');
  expect(namesHeldBack(plan.write?.windows ?? [])).toContain('nodes');
  expect(plan.waiting.map(({ why }) => why)).toContain(
    'pool infra is not paused yet, and team-a/nodes, which has the same name, affects it',
  );
});

test('[N-6] [N-30] what a namesake gains in the middle of a sync is told as held back by nothing, until it is paused', () => {
  const plan = planned({ running: true });
  const paused = planned({ running: true, infra: { paused: true } });
  const resumed = planned({
    running: true,
    infra: { record: { kind: 'record', record: aRecord({ pause: 'overridden', holds: [] }) } },
  });

  expect(plan.exposed).toEqual([
    {
      application: 'team-a/nodes',
      pools: ['infra'],
      why: 'their window in the project is away for openshift-gitops/nodes, which has the same name: a push',
    },
  ]);
  expect([...paused.exposed, ...resumed.exposed]).toEqual([]);
});
