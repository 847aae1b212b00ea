import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const sync = { status: 'Synced', revisions: [commitA] } as const;
const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1, when: 'sync-failed' });
const approved: LabOptions = {
  policy: { onSyncFailure: 'resume-after-approval', failedAtMostSeconds: 600 },
  pools: { worker: { ...defaultPoolSettings, approve } },
};
const refused = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  message: 'no',
  status: 'SyncFailed',
  hookType: '',
};

function source(repository: string) {
  return [{ repoURL: `https://github.com/acme/${repository}.git`, path: '.', targetRevision: 'main', chart: '' }];
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `x${String(index).padStart(4, '0')}`);
}

/** Pool worker of another team, and the Applications of a tenant. */
function crowdedLab(count: number, options: LabOptions) {
  const lab = keepLab(options);
  // As long as a real one.
  lab.world.argocd.change('nodes', { uid: '4c4e1b0e-3c0b-4a1e-9e0a-7d3c7f0c1a2b' });
  const tenants = names(count);
  for (const name of tenants) lab.world.argocd.put(anApplication({ name, uid: name, sources: source('tenant'), sync }));
  const at = () => `${lab.world.clock.now().toISOString().slice(0, 19)}Z`;
  return {
    ...lab,
    tenants,
    /** All operations of the tenant, as its status says. */
    tenantsAre: (phase: 'Running' | 'Failed' | 'Succeeded') => {
      for (const name of tenants) {
        const isRunning = phase === 'Running';
        const before = isRunning ? undefined : lab.world.argocd.get(name).operation?.startedAt;
        const operation = anOperation({
          phase,
          results: [],
          startedAt: before ?? at(),
          finishedAt: isRunning ? undefined : at(),
        });
        const status = phase === 'Failed' ? 'OutOfSync' : 'Synced';
        lab.world.argocd.change(name, { operation, operationQueued: isRunning, sync: { ...sync, status } });
      }
    },
  };
}

async function othersSyncFails(lab: KeepLab): Promise<void> {
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target });
  await lab.pass(3);
  lab.ends('Failed', { results: [refused] });
  await lab.deliver(lab.operationOf('Failed'));
  await lab.pass(120);
}

describe('[N-30] [S0-9] a failed sync of somebody else is not forgotten', () => {
  test('when holds that grow leave no room for it', async () => {
    const lab = crowdedLab(342, {});
    await lab.tick();
    const push = (name: string, commit: string) => {
      const repository = {
        htmlUrl: `https://github.com/acme/${name}`,
        fullName: `acme/${name}`,
        defaultBranch: 'main',
      };
      return lab.deliver({ ...lab.pushOf(commit.repeat(40), { repository }), id: name });
    };
    await push('tenant', 'c');
    await othersSyncFails(lab);
    const recorded = lab.record()?.holds.filter(({ phase }) => phase === 'failed');
    const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', status: 'Synced' };
    const resources = lab.tenants.slice(0, 330).map((name) => ({ ...child, name }));
    const writer = `r${'o'.repeat(240)}t`;
    lab.world.argocd.put(anApplication({ name: writer, uid: 'long', sources: source('root'), sync, resources }));
    await lab.pass(301);
    await push('root', 'd');
    await lab.pass(10);
    for (const name of [...lab.tenants, writer]) lab.world.argocd.remove(name);

    await lab.pass(3600);

    expect(recorded).toHaveLength(1);
    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('when 20 others wait for the same approval', async () => {
    const lab = crowdedLab(20, approved);
    await lab.tick();
    lab.tenantsAre('Running');
    await lab.pass(360);
    lab.tenantsAre('Failed');
    await lab.pass(420);
    await othersSyncFails(lab);
    await lab.pass(1200);
    lab.tenantsAre('Running');
    await lab.pass(360);
    lab.tenantsAre('Succeeded');

    await lab.pass(900);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.release?.afterFailed).toEqual(['more Applications']);
  });

  test('[S0-9] when it had no room from the beginning, and waits for an approval', async () => {
    const lab = crowdedLab(500, approved);
    await lab.tick();
    lab.tenantsAre('Running');
    await lab.pass(360);
    lab.tenantsAre('Failed');
    await lab.pass(60);
    await othersSyncFails(lab);
    for (let round = 0; round < 3; round += 1) {
      lab.tenantsAre('Failed');
      await lab.pass(300);
    }
    lab.tenantsAre('Running');
    await lab.pass(360);
    lab.tenantsAre('Succeeded');

    await lab.pass(900);

    expect(lab.pool().paused).toBe(true);
  });
});
