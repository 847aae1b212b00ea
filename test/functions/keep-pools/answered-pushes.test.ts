import { describe, expect, test } from 'vitest';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

describe('which sync answers a push', () => {
  test('a push during a long sync is waited for from the end of that sync on', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(60);
    await lab.deliver(lab.pushOf(commitC));
    await lab.pass(20 * 60);
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitC] } });

    await lab.pass(5 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitC }]);

    await lab.pass(11 * 60);

    expect(lab.pool().paused).toBe(false);
  });

  test('a sync of the commit the Application already stood on does not answer a push, though it began after it', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitA, { partial: true });
    lab.ends('Succeeded');

    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitB }]);

    lab.syncs(commitB);
    lab.ends('Succeeded');
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('of two quick pushes the sync of the first does not answer the second', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(1);
    await lab.deliver(lab.pushOf(commitC));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    lab.ends('Succeeded');

    await lab.pass(90);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitC }]);
  });

  test('a selective sync of the pushed commit does not answer it while the rest is still to be synced', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB, { partial: true });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });

    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected' }]);
  });

  test('a selective sync before Argo CD has compared the pushed commit does not answer it, whatever is shown', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB, { partial: true, startedBy: 'admin' });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] } });

    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitB }]);

    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('that of the commit before does not answer the push, though nobody had heard of that commit', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(2);
    lab.ends('Succeeded');

    await lab.pass(90);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitC }]);
  });

  test('a self-heal of its writer at the commit before does not let go of an Application that waits for it', async () => {
    const lab = keepLab();
    const resources = [
      { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes', status: 'Synced' },
    ];
    const elsewhere = [{ repoURL: 'https://github.com/acme/apps.git', path: '', targetRevision: 'main', chart: '' }];
    lab.world.argocd.change('nodes', { sources: elsewhere });
    lab.world.argocd.put(
      anApplication({ name: 'root', uid: 'uid-root', resources, sync: { status: 'Synced', revisions: [commitA] } }),
    );
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitA, { partial: true }, 'root');
    lab.world.clock.advance(1);
    lab.ends('Succeeded', {}, 'root');
    lab.world.clock.advance(2);
    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });

    await lab.pass(90);

    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, via: { name: 'root', revision: commitB } }]);
  });

  test('a clock of Argo CD that runs ahead does not keep a pool for as long as it is wrong', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded', { finishedAt: '2026-03-02T10:45:00Z' });

    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.pass(30);

    expect(lab.pool().paused).toBe(false);
  });

  test('a roll-back by force to a commit that was pushed before is a push', async () => {
    const lab = keepLab();
    for (const commit of [commitB, commitC]) {
      await lab.deliver(lab.pushOf(commit));
      lab.world.clock.advance(2);
      lab.syncs(commit);
      lab.ends('Succeeded');
      await lab.pass(3600);
    }
    expect(lab.pool().paused).toBe(false);

    await lab.deliver({ ...lab.pushOf(commitB, { before: commitC, forced: true }), id: 'delivery-roll-back' });

    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'expected', revision: commitB }] });
  });

  test('[S0-12] of more pushes than a hold names, none is answered by a sync of an earlier one', async () => {
    const lab = keepLab();
    const commits = [...'0123456789cdef'].map((digit) => digit.repeat(40));
    for (const [index, commit] of commits.entries()) {
      const receivedAt = lab.world.clock.now().toISOString();
      await lab.deliver({
        ...lab.pushOf(commit, { before: commits[index - 1] ?? commitA, receivedAt }),
        id: `p${index}`,
      });
      lab.world.clock.advance(1);
    }

    for (const commit of [commitA, commits[0] ?? '']) {
      lab.world.clock.advance(2);
      lab.syncs(commit, { partial: true });
      await lab.deliver(lab.operationOf('Running'));
      lab.world.clock.advance(2);
      lab.ends('Succeeded');
      await lab.pass(30);
    }

    expect(lab.pool().paused).toBe(true);
  });

  test('[S0-12] a commit that is forced back is not answered by what Argo CD did with it before', async () => {
    const lab = keepLab();
    const syncedAtB = { status: 'Synced', revisions: [commitB] } as const;
    const startedAt = '2026-03-02T09:00:00Z';
    const operation = anOperation({ revisions: [commitB], startedAt, finishedAt: '2026-03-02T09:00:05Z' });
    lab.world.argocd.change('nodes', { sync: syncedAtB, operation, reconciledAt: '2026-03-02T09:59:00Z' });
    await lab.tick();
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.world.clock.advance(3);
    await lab.deliver({ ...lab.pushOf(commitB, { before: commitC, forced: true }), id: 'back' });
    // Argo CD compares commit C and syncs it.
    await lab.pass(10);
    const before = lab.pool().paused;
    lab.syncs(commitC);
    await lab.pass(10);
    lab.ends('Succeeded', { results: [] });
    await lab.pass(60);
    const after = lab.pool().paused;
    lab.syncs(commitB);
    await lab.pass(10);
    lab.ends('Succeeded');

    await lab.pass(90);

    expect([before, after, lab.pool().paused]).toEqual([true, true, false]);
  });

  test('[S0-12] one that is awaited already, and is forced back from a commit nobody has heard of, is awaited anew', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(5);
    // The push of commit C got lost.
    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    const back = { ...lab.pushOf(commitB, { before: commitC, forced: true }), id: 'back' };
    await lab.deliver(back);
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.pass(90);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected', revision: commitB }]);

    // Another webhook of the repository.
    await lab.deliver({ ...back, id: 'back-again' });
    lab.syncs(commitB);
    lab.ends('Succeeded');
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-12] one that is forced back before Argo CD has seen the newer one is over once it has compared it', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { reconciledAt: '2026-03-02T09:59:00Z' });
    await lab.deliver(lab.pushOf(commitA, { before: commitB, forced: true }));
    await lab.pass(60);
    const before = lab.pool().paused;

    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.pass(90);

    expect([before, lab.pool().paused]).toEqual([true, false]);
  });

  describe('of an Application that follows two branches of one repository', () => {
    /** Branch main is at commit B, and branch release at commit A. */
    function twoBranches(): KeepLab {
      const lab = keepLab();
      const source = { repoURL: 'https://github.com/acme/platform.git', path: '.', targetRevision: 'main', chart: '' };
      const sources = [source, { ...source, repoURL: 'git@github.com:acme/platform', targetRevision: 'release' }];
      const sync = { status: 'Synced', revisions: [commitB, commitA] } as const;
      lab.world.argocd.change('nodes', { sources, sync, reconciledAt: '2026-03-02T09:59:00Z' });
      return lab;
    }

    async function syncs(lab: KeepLab, ...revisions: readonly string[]): Promise<void> {
      lab.world.clock.advance(3);
      lab.syncs('', { revisions });
      await lab.pass(10);
      lab.ends('Succeeded');
      lab.world.clock.advance(2);
      lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
      await lab.pass(90);
    }

    test('[S0-12] a commit that the other branch has is synced once it is on both', async () => {
      const lab = twoBranches();

      await lab.deliver(lab.pushOf(commitB, { before: commitA, ref: 'refs/heads/release' }));
      await lab.pass(30);
      const atOnce = lab.pool().paused;
      // It reverts an edit, and has not looked at Git again.
      await syncs(lab, commitB, commitA);
      const afterOther = lab.pool().paused;
      await syncs(lab, commitB, commitB);

      expect([atOnce, afterOther, lab.pool().paused]).toEqual([true, true, false]);
    });

    test('[S0-12] a commit that is pushed to both is waited for on both', async () => {
      const lab = twoBranches();

      await lab.deliver(lab.pushOf(commitC, { before: commitB }));
      await lab.pass(3);
      await lab.deliver({ ...lab.pushOf(commitC, { before: commitA, ref: 'refs/heads/release' }), id: 'to-release' });
      await syncs(lab, commitC, commitA);
      const afterOne = lab.pool().paused;
      await syncs(lab, commitC, commitC);

      expect([afterOne, lab.pool().paused]).toEqual([true, false]);
    });
  });
});
