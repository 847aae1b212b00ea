import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { withMarkedWriter } from '../../../functions/core/holds/with-both.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const commitD = 'd'.repeat(40);

/** Adds an Application of a repository of its own that lists `nodes` among what it manages, as whoever may write an
 *  Application can. */
function addWriter(lab: KeepLab, name: string, change: Partial<Application> = {}): void {
  const sources = [{ repoURL: `https://github.com/acme/${name}.git`, path: '.', targetRevision: 'main', chart: '' }];
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const resources = [{ ...child, status: 'Synced' }];
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.put(anApplication({ name, uid: name, sources, sync, resources, ...change }));
}

async function pushTo(lab: KeepLab, name: string, after: string): Promise<void> {
  const { data, ...push } = lab.pushOf(after);
  const repository = {
    htmlUrl: `https://github.com/acme/${name}`,
    fullName: `acme/${name}`,
    defaultBranch: 'main',
  };
  const receivedAt = lab.world.clock.now().toISOString();
  const delivery = `${name}-${after}`;
  await lab.deliver({ ...push, id: delivery, data: { ...data, delivery, receivedAt, repository } });
}

function holdOf(lab: KeepLab) {
  return lab.record()?.holds.find(({ id }) => id === nodesHold);
}

test('[N-30] who claims to write an Application does not end the wait for the one that writes it', async () => {
  for (const order of [
    ['root', 'claims'],
    ['claims', 'root'],
  ]) {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { reconciledAt: '2026-03-02T10:00:30Z' });
    addWriter(lab, 'root');
    const operation = anOperation({ revisions: [commitC], finishedAt: '2026-03-02T09:00:05Z', results: [] });
    addWriter(lab, 'claims');
    await lab.tick();

    for (const name of order) {
      await pushTo(lab, name, name === 'root' ? commitB : commitD);
      await lab.pass(10);
    }
    lab.world.argocd.change('claims', { operation, sync: { status: 'Synced', revisions: [commitC] } });
    await pushTo(lab, 'claims', commitC);
    await lab.pass(10);
    expect(holdOf(lab)?.phase).toBe('expected');
    await lab.pass(600);
    expect(holdOf(lab)?.phase).toBe('expected');

    await lab.pass(600);
    expect(holdOf(lab)).toBeUndefined();
  }
});

test('[N-30] who claims to write an Application does not silence that its sync has failed', async () => {
  const lab = keepLab();
  addWriter(lab, 'claims');
  lab.syncs(commitB);
  await lab.tick();
  lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
  const refused = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', message: 'no' };
  lab.ends('Failed', { results: [{ ...refused, name: '99-worker-ssh', status: 'SyncFailed', hookType: '' }] });
  await lab.pass(120);
  const before = holdOf(lab);

  await pushTo(lab, 'claims', commitC);
  await lab.pass(60);

  expect(before?.phase).toBe('failed');
  expect(holdOf(lab)).toEqual(before);
  expect(lab.troubles()).toContain('run-failed');
});

/** The sync of `nodes` ends without the MachineConfig that it was for. */
function fails(lab: KeepLab): void {
  lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
  const refused = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', message: 'no' };
  lab.ends('Failed', { results: [{ ...refused, name: '99-worker-ssh', status: 'SyncFailed', hookType: '' }] });
}

describe.each(['keep', 'resume', 'resume-after-approval'] as const)('where onSyncFailure is %s', (onSyncFailure) => {
  test.each(['before its sync', 'in the middle of it', 'when it has just failed', 'later'])(
    '[N-30] [S0-9] a push of who claims to write an Application silences no failure: %s, and every ten minutes',
    async (moment) => {
      const lab = keepLab({ policy: { onSyncFailure } });
      addWriter(lab, 'claims');
      await lab.tick();
      const push = async (when: string) => (when === moment ? pushTo(lab, 'claims', commitC) : undefined);
      await push('before its sync');
      await lab.pass(5);
      lab.syncs(commitB);
      await lab.deliver(lab.operationOf('Running'));
      await push('in the middle of it');
      await lab.pass(5);
      fails(lab);
      await push('when it has just failed');
      await lab.pass(240);
      await push('later');

      for (let pushes = 0; pushes < 6; pushes += 1) {
        expect([holdOf(lab)?.phase, lab.troubles().includes('run-failed')]).toEqual(['failed', true]);
        await lab.pass(600);
        await pushTo(lab, 'claims', `${pushes}`.repeat(40));
      }
      const isHeld = lab.pool().paused;
      await lab.pass(3 * 3600);

      expect([isHeld, lab.pool().paused]).toEqual([true, onSyncFailure === 'keep']);
    },
  );
});

test('[N-30] [S0-9] a claimed failure and a push end together with a sync that succeeds', async () => {
  const lab = keepLab();
  addWriter(lab, 'claims');
  lab.syncs(commitB);
  await lab.tick();
  await pushTo(lab, 'claims', commitC);
  fails(lab);
  await lab.pass(65);
  const before = holdOf(lab)?.phase;

  lab.syncs(commitB);
  await lab.pass(65);
  lab.ends('Succeeded');
  await lab.pass(20 * 60);

  expect([before, holdOf(lab)]).toEqual(['failed', undefined]);
  expect(lab.troubles()).not.toContain('run-failed');
});

/** `nodes` has a repository of its own; `root` writes it from acme/platform, and `claims` says that it does as well. */
function withClaim(order: readonly string[], automated: boolean): KeepLab {
  const lab = keepLab();
  const sources = [{ repoURL: 'https://github.com/acme/nodes.git', path: '.', targetRevision: 'main', chart: '' }];
  lab.world.argocd.change('nodes', { sources, reconciledAt: '2026-03-02T10:00:30Z' });
  const { sources: platform } = anApplication();
  const operation = anOperation({ revisions: [commitB], finishedAt: '2026-03-02T10:00:00Z', results: [] });
  for (const name of order)
    addWriter(lab, name, name === 'root' ? { sources: platform } : { sources: platform, automated, operation });
  return lab;
}

describe.each([[['root', 'claims']], [['claims', 'root']]])('of %j, both of the same repository', (order) => {
  test('[N-30] [S0-12] one that only claims to write an Application, and does not sync, does not hide its writer', async () => {
    const lab = withClaim(order, false);
    await lab.tick();

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(holdOf(lab)).toMatchObject({ phase: 'expected', via: { name: 'root', revision: commitB } });
  });

  test('[N-30] [S0-12] one that only claims to write an Application does not end the wait by a sync of its own', async () => {
    const lab = withClaim(order, true);
    await lab.tick();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(10);
    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });

    await lab.pass(600);
    const before = holdOf(lab);
    await lab.pass(600);

    expect(before?.phase).toBe('expected');
    expect(holdOf(lab)).toBeUndefined();
    expect(lab.pool().paused).toBe(false);
  });
});

const claims = ['by the same repository', 'by an earlier push of its own', 'by a later push of its own'] as const;

describe.each(claims)('where one claims to write an Application that bears the mark of another: %s', (claim) => {
  /** `root`, which has written `nodes`, begins to sync a push to the repository that both follow. */
  async function whileWriterSyncs(): Promise<KeepLab> {
    const lab = keepLab();
    const { sources } = lab.world.argocd.get('nodes');
    const mark = 'root:argoproj.io/Application:openshift-gitops/nodes';
    lab.world.argocd.change('nodes', { annotations: { 'argocd.argoproj.io/tracking-id': mark } });
    addWriter(lab, 'claims', claim === 'by the same repository' ? { sources } : {});
    addWriter(lab, 'root', { sources });
    await lab.tick();
    if (claim === 'by an earlier push of its own') await pushTo(lab, 'claims', commitC);
    await lab.pass(5);
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(5);
    if (claim === 'by a later push of its own') await pushTo(lab, 'claims', commitC);
    await lab.pass(5);
    lab.syncs(commitB, {}, 'root');
    return lab;
  }

  function compares(lab: KeepLab): void {
    const reconciledAt = lab.world.clock.now().toISOString();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] }, reconciledAt });
  }

  test('[N-30] [S0-12] the writer is waited for as long as its sync lasts, and no longer', async () => {
    const lab = await whileWriterSyncs();

    await lab.pass(40 * 60);
    const during = holdOf(lab);
    lab.ends('Succeeded', { results: [] }, 'root');
    await lab.pass(60);
    const after = holdOf(lab);
    compares(lab);
    await lab.pass(65);

    expect(during?.why).toMatch(/; openshift-gitops\/root is still syncing it$/);
    expect([after?.phase, holdOf(lab), lab.pool().paused]).toEqual(['expected', undefined, false]);
    expect(lab.record()?.last?.why).toContain('openshift-gitops/root has synced');
  });

  test('[N-30] a writer that does not sync is waited for as long as any', async () => {
    const lab = await whileWriterSyncs();
    lab.syncs(commitA, {}, 'root');

    await lab.pass(16 * 60);

    expect(holdOf(lab)).toBeUndefined();
  });
});

test('[N-29] [N-30] where only a time was waited for, no writer is said to have synced', async () => {
  const lab = withClaim(['root', 'claims'], true);
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.clock.advance(10);
  lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });

  await lab.pass(20 * 60);

  expect(holdOf(lab)).toBeUndefined();
  expect(lab.record()?.last?.why).not.toContain('has synced');
});

test('[N-30] the mark of a writer names none of the same name in another Argo CD', () => {
  const mark = 'root:argoproj.io/Application:openshift-gitops/nodes';
  const application = anApplication({ annotations: { 'argocd.argoproj.io/tracking-id': mark } });
  const root = { argocd: application.argocd, namespace: 'openshift-gitops', name: 'root' };
  const claimants = [{ ...root, argocd: 'elsewhere' }, root];
  const push = { at: '2026-03-02T10:00:00Z', revision: commitB, via: claimants[0], claimants };

  const { via } = withMarkedWriter(push, { kind: 'seen', application }) ?? {};

  expect(via).toEqual({ ...root, marked: true });
});
