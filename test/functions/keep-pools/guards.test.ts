import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { requiredForUpgradeLabel } from '../../../functions/core/openshift/pool.ts';
import { aNode, anApplication, anOperation, aPool } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

/** What is protected by one condition somewhere, and would be lost in silence with it. */

describe('a failed sync', () => {
  test('[S0-9] is not let go before failedAtMost has passed, whatever the policy', async () => {
    const lab = keepLab({ policy: { onSyncFailure: 'resume', failedAtMostSeconds: 3600 } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Failed');

    await lab.pass(3500);
    expect(lab.pool().paused).toBe(true);
    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-17] is not forgotten because its push is delivered again late', async () => {
    const lab = keepLab();
    const push = lab.pushOf(commitB);
    await lab.deliver(push);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Failed');
    await lab.pass(60);

    await lab.deliver(push);
    await lab.pass(60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
  });

  test('[S0-9] of which only one of two MachineConfigs was applied keeps the pool', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    const [first] = anOperation().results;
    const { resources } = lab.world.argocd.get('nodes');
    const [known] = resources;
    if (first === undefined || known === undefined) throw new Error('the lab has no MachineConfig');
    const second = { ...known, name: '99-worker-second', status: 'OutOfSync' };
    lab.world.argocd.change('nodes', { resources: [known, second] });
    const refused = { ...first, name: second.name, status: 'SyncFailed', message: 'invalid' };

    lab.ends('Failed', { results: [first, refused] });
    await lab.pass(300);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    expect(lab.pool().paused).toBe(true);
  });
});

describe('a pool that a cluster upgrade waits for', () => {
  const labels = { [requiredForUpgradeLabel]: '' };

  test('[S3-9] is not paused because of its label alone, whatever its name', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'admin', { labels });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(false);
  });

  test('[S3-9] is paused where it is opted in by name', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, manageRequired: true } } });
    lab.world.pools.change('worker', 'admin', { labels });

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
  });
});

describe('before a pool resumes', () => {
  test('[S0-23] a sync of the Argo CD whose controller runs on its nodes keeps it, though no event told of it', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    const other = lab.world.argocd.put({ ...lab.world.argocd.get('nodes'), name: 'other', uid: 'other' });
    lab.world.argocd.setControllerNodes(['worker-1']);
    lab.ends('Succeeded');
    lab.syncs(commitC, {}, other.name);

    await lab.pass(120);

    expect(lab.pool().paused).toBe(true);
  });
});

describe('before the nodes of an application controller reboot', () => {
  const elsewhere = { server: 'https://api.staging.example.com:6443', name: '' };
  const here = anApplication().destination;
  const machineConfig = anApplication().resources;
  const deployment = [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' }];

  /** The push of `nodes` is synced; `other` syncs when its pool could resume. */
  async function labWith(
    waitForSyncs: Policy['waitForSyncs'],
    other: Partial<Application>,
    on: string,
    prepare: (world: KeepLab['world']) => void = () => {},
  ): Promise<KeepLab> {
    const lab = keepLab({ policy: { waitForSyncs } });
    prepare(lab.world);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    const { name } = lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', ...other }));
    lab.world.argocd.setControllerNodes([on]);
    lab.ends('Succeeded');
    lab.syncs(commitC, {}, name);
    await lab.pass(120);
    return lab;
  }

  test.each<[Policy['waitForSyncs'], string, Partial<Application>, boolean]>([
    ['all', 'of another cluster', { destination: elsewhere, resources: machineConfig }, true],
    ['all', 'that changes no pool', { destination: here, resources: deployment }, true],
    ['cluster', 'of another cluster', { destination: elsewhere, resources: machineConfig }, false],
    ['cluster', 'that changes no pool', { destination: here, resources: deployment }, true],
    ['pools', 'that changes no pool', { destination: here, resources: deployment }, false],
  ])('[S0-27] with waitForSyncs %s, a sync %s', async (waitForSyncs, _, other, isWaitedFor) => {
    const lab = await labWith(waitForSyncs, other, 'worker-1');
    const { paused } = lab.pool();
    const [view] = await lab.world.tables.views.list();

    lab.ends('Succeeded', {}, 'other');
    await lab.pass(120);

    expect(paused).toBe(isWaitedFor);
    expect(view?.pools.flatMap(({ closedGates }) => closedGates.map(({ gate, why }) => `${gate}: ${why}`))).toEqual(
      isWaitedFor ? ["quiet: Argo CD hub runs on this pool's nodes and is syncing openshift-gitops/other"] : [],
    );
    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-27] [N-29] a controller on nodes of a custom pool keeps pool worker, which selects them too, not paused', async () => {
    const infra = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': '' };
    const nodeSelector = { matchLabels: { 'node-role.kubernetes.io/infra': '' } };
    const lab = await labWith('all', { destination: elsewhere }, 'infra-1', (world) => {
      world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra', nodeSelector }));
      world.pools.putNode(aNode({ name: 'infra-1', labels: infra }));
    });

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-27] a controller on other nodes keeps nothing paused, whatever it syncs', async () => {
    const lab = await labWith('all', { destination: elsewhere }, 'infra-1');

    expect(lab.pool().paused).toBe(false);
  });
});

describe('poolkeeper resume', () => {
  test('[S0-14] on a pool that somebody else paused leaves the pause and takes only what people hold', () => {
    const hold = { id: 'manual/alice', kind: 'manual' as const, who: 'alice', why: 'x', since: at, until: at };
    const record = { v: 1 as const, pause: 'foreign' as const, holds: [hold] };
    const pool = aPool({ paused: true, pausedBy: { manager: 'kubectl', at }, record: { kind: 'record', record } });

    const change = resumeManually(pool, { who: 'bob', why: 'now', now: new Date(at) });

    expect(change.paused).toBeUndefined();
    expect(change.record).toMatchObject({ pause: 'foreign', holds: [] });
  });
});

const at = '2026-03-02T10:00:00.000Z';
