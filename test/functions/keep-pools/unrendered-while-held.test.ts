import { expect, it } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const repository = { htmlUrl: 'https://github.com/acme/tenant', fullName: 'acme/tenant', defaultBranch: 'main' };

async function seconds(count: number, lab: KeepLab): Promise<void> {
  for (let second = 0; second < count; second += 15) {
    lab.world.pools.observe('worker');
    await lab.pass(15);
  }
}

const unchanged = { name: 'rendered-worker-aaa', sources: ['00-worker'] };

/** What it applies is not rendered. */
async function sync(revision: string, lab: KeepLab): Promise<void> {
  lab.syncs(revision);
  await lab.deliver(lab.operationOf('Running'));
  await seconds(30, lab);
  lab.ends('Succeeded');
  await lab.deliver(lab.operationOf('Succeeded'));
}

it('[N-12] [N-30] that what was applied is not rendered is not ended by a push that holds the pool', async () => {
  const lab = keepLab({ argocd: { namespaces: ['openshift-gitops', 'team-a'] } });
  const sources = [{ repoURL: `${repository.htmlUrl}.git`, path: '.', targetRevision: 'main', chart: '' }];
  const status = { status: 'OutOfSync', revisions: ['c'.repeat(40)] } as const;
  lab.world.argocd.putNamesake(anApplication({ namespace: 'team-a', name: 'x', uid: 't', sources, sync: status }));
  await lab.tick();
  lab.world.pools.change('worker', 'machine-config-controller', { target: unchanged });
  await sync(commitB, lab);
  await seconds(600, lab);
  expect(lab.troubles()).toEqual(['render-failed']);

  for (const after of ['d', 'e', 'f'].map((each) => each.repeat(40))) {
    const files = { kind: 'unknown', why: 'forced' } as const;
    await lab.deliver({ ...lab.pushOf(after, { delivery: after, repository, files }), id: after });
    await seconds(14 * 60, lab);
    expect(lab.troubles()).toEqual(['render-failed']);
    await seconds(180, lab);
  }

  expect(lab.told().filter((type) => type.startsWith('incident.'))).toEqual(['incident.opened']);
});

it('[N-12] [N-30] it is told also where a sync comes every two minutes', async () => {
  const lab = keepLab();
  await lab.tick();
  lab.world.pools.change('worker', 'machine-config-controller', { target: unchanged });

  for (let round = 0; round < 8; round += 1) {
    await sync(`${round}`.padStart(40, 'd'), lab);
    await seconds(90, lab);
  }

  expect(lab.troubles()).toContain('render-failed');
});

it.each([5, 12])('[N-12] [N-29] nor is a sync told that settles as another push comes %i s after it', async (gap) => {
  const lab = keepLab();
  const rendered = (name: string) =>
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name, sources: ['00-worker', '99-worker-ssh'] },
      counts: { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 },
      pausedBy: lab.pool().pausedBy,
    });
  await lab.tick();
  await sync(commitB, lab);
  rendered('rendered-worker-bbb');
  await lab.pass(gap);
  await lab.deliver(lab.pushOf(commitC, { before: commitB }));
  await seconds(90, lab);

  await sync(commitC, lab);
  rendered('rendered-worker-ccc');
  await seconds(300, lab);

  expect(lab.told().filter((type) => type.startsWith('incident.'))).toEqual([]);
});
