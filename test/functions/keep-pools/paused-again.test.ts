import { describe, expect, it } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { anApplication } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const repository = { htmlUrl: 'https://github.com/acme/tenant', fullName: 'acme/tenant', defaultBranch: 'main' };
const hour = 3_600;

/** A change waits for pool worker. A tenant's Application says that it manages a MachineConfig of that, and never
 *  syncs: its pushes are waited for in vain for a quarter of an hour. */
async function waiting(): Promise<KeepLab> {
  const lab = keepLab({ argocd: { namespaces: ['openshift-gitops', 'team-a'] } });
  const sources = [{ repoURL: `${repository.htmlUrl}.git`, path: '.', targetRevision: 'main', chart: '' }];
  const sync = { status: 'OutOfSync', revisions: ['c'.repeat(40)] } as const;
  lab.world.argocd.putNamesake(anApplication({ namespace: 'team-a', name: 'x', uid: 't', sources, sync }));
  await lab.tick();
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] },
    counts: { machines: 30, updated: 0, ready: 30, unavailable: 0, degraded: 0 },
  });
  return lab;
}

/** The pool has just been resumed before each. */
async function pushes(lab: KeepLab, hours: number, beforeEach: () => void = () => {}): Promise<void> {
  const { clock, pools } = lab.world;
  const end = clock.now().getTime() + hours * hour * 1000;
  while (clock.now().getTime() < end) {
    beforeEach();
    const after = `${clock.now().getTime()}`.padStart(40, 'd');
    const files = { kind: 'unknown', why: 'forced' } as const;
    await lab.deliver({ ...lab.pushOf(after, { delivery: after, repository, files }), id: after });
    // Until it is not waited for any more.
    do {
      const { generation, observedGeneration } = lab.pool();
      if (observedGeneration !== generation)
        pools.change('worker', 'machine-config-controller', { observedGeneration: generation });
      await lab.pass(15);
    } while (lab.pool().paused);
  }
}

function openings(lab: KeepLab): number {
  return lab.told().filter((type) => type === 'incident.opened').length;
}

describe('a pool that a tenant holds again and again, with seconds in between', () => {
  it('[S0-9] [N-30] is paused too long after four hours, and stays so over the seconds in between', async () => {
    const lab = await waiting();

    await pushes(lab, 3.5);
    expect(lab.troubles()).toEqual([]);
    await pushes(lab, 2);

    expect(lab.troubles()).toEqual(['paused-too-long']);
    expect(openings(lab)).toBe(1);
    const [incident] = lab.world.tables.incidents.all();
    expect(JSON.stringify(incident)).toContain('resumed now and then for seconds, in which no node was updated');
  });

  it('[S0-9] [N-29] ends once it has been resumed for a minute', async () => {
    const lab = await waiting();
    await pushes(lab, 5);
    expect(lab.troubles()).toEqual(['paused-too-long']);

    await lab.pass(120);

    expect(lab.troubles()).not.toContain('paused-too-long');
  });

  it('[S0-9] [N-29] is not as long as nodes are updated in between', async () => {
    const lab = await waiting();
    let updated = 0;

    await pushes(lab, 6, () => {
      updated += 1;
      const counts = { machines: 30, updated, ready: 30, unavailable: 0, degraded: 0 };
      lab.world.pools.change('worker', 'machine-config-controller', { counts });
    });

    expect(lab.told()).not.toContain('incident.opened');
  });
});

describe('a pool that has waited for its window all day', () => {
  it.each([5, 50])('[S0-9] [N-29] is not paused too long by a sync %i s after it has opened', async (seconds) => {
    const lab = keepLab({
      windows: [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 4 * hour })],
    });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] },
      counts: { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 },
      pausedBy: lab.pool().pausedBy,
    });
    lab.ends('Succeeded');
    await lab.pass(12 * hour - 60);
    while (lab.pool().paused) await lab.pass(1);

    await lab.pass(seconds);
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.world.pools.observe('worker');
    lab.syncs(commitC);
    await lab.pass(240);

    expect(lab.pool().paused).toBe(true);
    expect(lab.told()).not.toContain('incident.opened');
  });
});
