import { expect, test } from 'vitest';
import { decideGuard } from '../../../functions/core/guard/decide-guard.ts';
import { guardsText, readGuards } from '../../../functions/core/guard/guard-record.ts';
import { unreadableRecord } from '../../../functions/core/guard/open-guards.ts';
import { planProject } from '../../../functions/core/guard/plan-project.ts';
import { namesHeldBack } from '../../../functions/core/guard/sync-windows.ts';
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

test('[N-6] [N-30] while the record of a project cannot be read, it is not known which guards are open', () => {
  const broken = anAppProject({ name: 'platform', record: { kind: 'unreadable', why: 'v: expected 1' } });

  expect(unreadableRecord([anAppProject(), broken])).toBe('AppProject platform, v: expected 1');
  expect(unreadableRecord([anAppProject()])).toBeUndefined();
});
