import { describe, expect, test } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, keepLab } from './keep-lab.ts';

describe('another look', () => {
  test('before a pool resumes, a sync that no event told of is found and holds it', async () => {
    const lab = keepLab();
    lab.world.argocd.put(
      anApplication({ name: 'tuning', uid: 'uid-tuning', sync: { status: 'Synced', revisions: [commitA] } }),
    );
    await lab.tick();
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.syncs(commitB, {}, 'tuning');

    await lab.pass(50);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds.map((hold) => hold.who)).toEqual(['openshift-gitops/tuning']);
  });

  test('a burst of hints after a release makes no burst of second looks', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.observe('worker');
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    for (let hint = 0; hint < 50; hint += 1) await lab.deliver(lab.operationOf('Succeeded'));

    const waiting = lab.world.work.waiting().length;
    await lab.pass(120);

    expect(waiting).toBeLessThanOrEqual(2);
    expect(lab.pool().paused).toBe(false);
  });

  test('a sweep that could not ask everybody is made again with the next tick', async () => {
    const lab = keepLab();
    lab.world.faults.failNth('argocd.list', 1);
    await lab.tick();
    lab.syncs(commitB);

    await lab.pass(70);

    expect(lab.pool().paused).toBe(true);
  });
});
