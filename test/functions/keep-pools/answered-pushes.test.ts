import { describe, expect, test } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, commitC, keepLab, nodesHold } from './keep-lab.ts';

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
});
