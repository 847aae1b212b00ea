import { describe, expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold, tickOf } from './keep-lab.ts';

const failure = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  status: 'SyncFailed',
  message: 'spec.config: invalid',
  hookType: '',
};

/** A push of commit B whose sync failed half-way; the pool is held for it. */
async function failedSync(): Promise<KeepLab> {
  const lab = keepLab();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(5);
  lab.ends('Failed', { results: [failure] });
  await lab.deliver(lab.operationOf('Failed'));
  return lab;
}

describe('a pool is not let go while something may still change it', () => {
  test('a failed sync still holds when the commit pushed after it is never synced', async () => {
    const lab = await failedSync();
    await lab.pass(60);
    await lab.deliver(lab.pushOf(commitC));

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('a failed sync is not forgotten for a push that no sync follows by itself', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { automated: false });
    await lab.pass(60);

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
  });

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
});

describe('a pool is not forgotten', () => {
  test('a queued dry run holds nothing once it is over', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { operationQueued: true, operation: undefined });
    await lab.deliver(lab.operationOf('Running'));
    lab.syncs(commitA, { dryRun: true });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] } });

    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('a sync that is queued after a dry run is a sync', async () => {
    const lab = keepLab();
    lab.syncs(commitA, { dryRun: true });
    lab.ends('Succeeded');
    lab.world.argocd.change('nodes', { operationQueued: true });

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });

  test('a sync that stays queued is not written on the pool again and again', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { operationQueued: true });
    await lab.pass(60);
    const patches = lab.world.pools.patches.length;

    await lab.pass(600);

    expect(lab.world.pools.patches).toHaveLength(patches);
  });

  test('a pool whose record was removed is found by who paused it, and let go when nothing syncs', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(false);
  });

  test('a pool whose record was removed stays paused for the sync that still runs', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ id: nodesHold, phase: 'syncing' }] });

    lab.ends('Succeeded');
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('a pool that we paused and whose record cannot be read becomes an incident though no change waits', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.change('worker', 'someone', { record: { kind: 'unreadable', why: 'annotation: not JSON' } });

    await lab.pass(5 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('paused-too-long');
  });

  test('the hold of an Argo CD instance that is not configured any more ends', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    const { record } = lab.pool();
    if (record.kind !== 'record') throw new Error('the lab holds nothing');
    const holds = record.record.holds.map((hold) => ({ ...hold, id: hold.id.replace('/hub/', '/renamed/') }));
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record.record, holds } } });

    await lab.pass(60);
    expect(lab.pool().paused).toBe(true);

    await lab.pass(20 * 60);
    expect(lab.pool().paused).toBe(false);
  });

  test('a person who resumes a pool that a failed sync kept has decided: the next push is protected again', async () => {
    const lab = await failedSync();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds).toEqual([]);
    expect(lab.told()).toContain('pool.overridden');

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.pause).toBe('ours');
  });

  test('a failed sync whose Application was made anew holds nothing any more', async () => {
    const lab = await failedSync();
    lab.world.argocd.put(anApplication({ uid: 'uid-again', sync: { status: 'OutOfSync', revisions: [commitA] } }));

    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('a failed sync lets go once Argo CD compared again and found the Application Synced', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitC] } });
    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);

    lab.world.argocd.change('nodes', { reconciledAt: '2026-03-02T10:05:00Z' });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('the words of many holders stay short on the pool', async () => {
    const lab = keepLab();
    for (let index = 0; index < 300; index += 1) {
      const name = `nodes-of-a-team-with-a-long-name-${index}`;
      lab.world.argocd.put(anApplication({ name, uid: name, sync: { status: 'Synced', revisions: [commitA] } }));
    }

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()?.last?.why.length).toBeLessThan(600);
    expect(JSON.stringify(lab.record()).length).toBeLessThan(annotationsAtMost);
  });
});

/** Characters. The API server takes 256 KiB of annotations of one object, and others have theirs. */
const annotationsAtMost = 230_000;

describe('what is out of sight', () => {
  const tables = [
    'memories.load',
    'memories.save',
    'races.load',
    'races.save',
    'incidents.load',
    'views.save',
  ] as const;

  test('[N-2] without any table a push still pauses, and a sync still holds and lets go', async () => {
    const lab = keepLab();
    lab.world.faults.failAll([...tables, 'timeline.append', 'views.list']);

    await expect(lab.deliver(lab.pushOf(commitB))).rejects.toThrow('made to fail');
    expect(lab.record()).toMatchObject({ pause: 'ours', holds: [{ phase: 'expected' }] });

    lab.world.clock.advance(3);
    lab.syncs(commitB);
    await expect(lab.tick()).rejects.toThrow('made to fail');
    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);

    lab.ends('Succeeded');
    for (const seconds of [30, 60]) {
      lab.world.clock.advance(seconds);
      await expect(lab.tick()).rejects.toThrow('made to fail');
    }
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-2] what was not told while the table was away is told when it is back', async () => {
    const lab = keepLab();
    const heal = lab.world.faults.failAll([...tables, 'timeline.append']);
    await lab.deliver(lab.pushOf(commitB)).catch(() => undefined);
    heal();

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.told().filter((type) => type === 'pool.paused')).toHaveLength(1);
  });

  test('an Argo CD instance that does not answer keeps no other from being protected', async () => {
    const lab = twoInstances('dev');

    await expect(lab.deliver(lab.pushOf(commitB))).rejects.toThrow('dev is away');

    expect(lab.record()?.pause).toBe('ours');
  });

  test('a pool does not resume while an Argo CD that serves its cluster cannot be asked', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    const heal = lab.world.faults.failAll(['argocd.list']);

    await lab.pass(600);
    expect(lab.pool().paused).toBe(true);

    heal();
    await lab.pass(70);
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

describe('which push it is', () => {
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
});

describe('reads that are older than they look', () => {
  test('an Application that was listed before the pools does not let go of the sync that began since', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });
    const { argocd, pools, reader, renderings } = lab.world;
    const listed = Promise.withResolvers<void>();
    const listApplications = async () => {
      const before = await argocd.listApplications();
      listed.resolve();
      return before;
    };
    const listPools = async () => {
      await listed.promise;
      lab.syncs(commitB, { startedBy: 'admin' });
      await lab.deliver(lab.operationOf('Running'));
      return pools.listPools();
    };

    await keep(lab.pushOf(commitB), {
      ...lab.ports,
      argocd: async () => ({ ...argocd, listApplications }),
      cluster: async () => ({ pools: { ...pools, listPools }, reader, renderings }),
    });

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });

  test('a pool that was read before another pass wrote it is not told as let go', async () => {
    const lab = keepLab();
    const { pools, reader, renderings, tables } = lab.world;
    const listed = Promise.withResolvers<void>();
    const listPools = async () => {
      const before = await pools.listPools();
      listed.resolve();
      return before;
    };
    const load = async (cluster: string) => {
      await listed.promise;
      await lab.deliver(lab.pushOf(commitB));
      return tables.checkpoints.load(cluster);
    };

    await keep(tickOf(lab.world.clock.now()), {
      ...lab.ports,
      checkpoints: { ...tables.checkpoints, load },
      cluster: async () => ({ pools: { ...pools, listPools }, reader, renderings }),
    });

    expect(lab.pool().paused).toBe(true);
    expect(lab.told()).not.toContain('pool.released');
  });
});

describe('how often it looks', () => {
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
});

/** The lab with a second Argo CD, which is away. */
function twoInstances(name: string): KeepLab {
  const lab = keepLab();
  const [hub] = lab.ports.configuration.argocd;
  if (hub === undefined) throw new Error('the lab has no Argo CD');
  const configuration = { ...lab.ports.configuration, argocd: [{ ...hub, name }, hub] };
  const ports = {
    ...lab.ports,
    configuration,
    argocd: async (asked: string) => {
      if (asked === name) throw new Transient(`${name} is away`);
      return lab.world.argocd;
    },
  };
  return { ...lab, ports, deliver: (event) => keep(event, ports) };
}

describe('syncs of another commit than the one that was pushed', () => {
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
});
