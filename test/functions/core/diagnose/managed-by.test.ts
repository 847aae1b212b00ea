import { describe, expect, test } from 'vitest';
import type { KnownApplication } from '../../../../functions/core/diagnose/managed-by.ts';
import type { Finding, Remedy } from '../../../../functions/core/findings/trouble.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { look } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPod,
  aReplicaSet,
  aWorld,
  drainFailing,
  type Json,
  nodeSubject,
  poolSubject,
  refused,
  type World,
} from './world.ts';

const tracking = (application: string, object = 'policy/PodDisruptionBudget:shop/web') => ({
  annotations: { 'argocd.argoproj.io/tracking-id': `${application}:${object}` },
});

function anApplication(change: Partial<KnownApplication> = {}): KnownApplication {
  return {
    ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'shop' },
    sources: [{ repoURL: 'https://github.com/acme/shop', path: 'apps/web', targetRevision: 'main', chart: '' }],
    selfHeal: true,
    ...change,
  };
}

const deployments = '/apis/apps/v1/namespaces/shop/deployments';

function guarded(metadata: Json, deployment: Json = {}): World {
  return aWorld({
    nodes: [aDrainingNode('worker-2'), aLiveNode('worker-3')],
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-3' })],
    budgets: [aBudget('web', { metadata })],
    machines: [drainFailing('worker-2', refused('web-a'))],
    replicaSets: [aReplicaSet(2)],
    others: { [deployments]: [{ metadata: { name: 'web', namespace: 'shop', ...deployment } }] },
  });
}

async function remediesFor(world: World, applications: readonly KnownApplication[] = []): Promise<readonly Remedy[]> {
  const diagnosis = await look(world, { ...nodeSubject(world, 'worker-2', 'draining'), applications });
  return diagnosis.findings.flatMap(everyRemedy);
}

function everyRemedy({ because, remedies }: Finding): readonly Remedy[] {
  return [...because.flatMap(everyRemedy), ...remedies];
}

function relaxing(remedies: readonly Remedy[]): Remedy | undefined {
  return remedies.find(({ title }) => title.startsWith('Relax the budget'));
}

function lasting(remedies: readonly Remedy[]): string | undefined {
  return remedies.find(({ title }) => title.includes('let the budget spare one pod'))?.title;
}

describe('[S1-12] [N-12] a budget that Argo CD keeps', () => {
  test('with self-heal on is changed in Git: repository and path are named, and no live edit is printed', async () => {
    const remedies = await remediesFor(guarded(tracking('shop')), [anApplication()]);

    expect(lasting(remedies)).toBe(
      'In Git: let the budget spare one pod (maxUnavailable 1), or run one replica more (https://github.com/acme/shop, path apps/web; Argo CD application openshift-gitops/shop)',
    );
    expect(relaxing(remedies)).toBeUndefined();
    expect(remedies.filter(({ command }) => command?.includes('patch pdb'))).toEqual([]);
  });

  test('that is short of a healthy pod is relaxed through Git: the title says where, because nothing else does', async () => {
    const world = guarded(tracking('shop'));
    const short = aBudget('web', {
      metadata: tracking('shop'),
      spec: { minAvailable: 1 },
      status: { desiredHealthy: 1, currentHealthy: 1 },
    });
    const pods = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-3', ready: false })];

    const remedies = await remediesFor({ ...world, budgets: [short], pods }, [anApplication()]);

    expect(relaxing(remedies)).toMatchObject({
      title:
        'Relax the budget for this window, then put it back: through Git, because self-heal takes a live edit back (https://github.com/acme/shop, path apps/web; Argo CD application openshift-gitops/shop)',
      command: undefined,
      undo: undefined,
    });
  });

  test('without self-heal keeps its live edit and undo, and says when it is taken back', async () => {
    const remedies = await remediesFor(guarded(tracking('shop')), [anApplication({ selfHeal: false })]);

    expect(relaxing(remedies)?.title).toContain(
      '(Argo CD application openshift-gitops/shop takes it back with its next sync)',
    );
    expect(relaxing(remedies)?.command).toContain('oc -n shop patch pdb web');
    expect(relaxing(remedies)?.undo).toContain('minAvailable');
  });

  test('by an Application that is not known is told by its name, and what that may do', async () => {
    const remedies = await remediesFor(guarded(tracking('team-a_shop')));

    expect(relaxing(remedies)?.title).toContain(
      '(Argo CD application team-a/shop may take a live edit back within minutes)',
    );
    expect(relaxing(remedies)?.command).toBeDefined();
  });

  test('of the same name in two namespaces is not guessed', async () => {
    const twins = ['team-a', 'team-b'].map((namespace) =>
      anApplication({ ref: { argocd: 'hub', namespace, name: 'shop' } }),
    );

    const remedies = await remediesFor(guarded(tracking('shop')), twins);

    expect(relaxing(remedies)?.title).toContain('application shop may take');
  });

  test.each([
    ['a tracking id', tracking('shop')],
    ['the older label', { labels: { 'argocd.argoproj.io/instance': 'shop' } }],
    ['the label that charts set too', { labels: { 'app.kubernetes.io/instance': 'shop' } }],
  ])('[N-30] by %s without a namespace is not of an Application that a tenant gave that name', async (_, metadata) => {
    const theirs = anApplication({
      ref: { argocd: 'hub', namespace: 'tenant', name: 'shop' },
      sources: [{ repoURL: 'https://github.com/tenant/x', path: '.', targetRevision: 'main', chart: '' }],
      isAtHome: false,
    });
    const own = anApplication({ selfHeal: false, isAtHome: true });

    const [alone, both] = await Promise.all([
      remediesFor(guarded(metadata), [theirs]),
      remediesFor(guarded(metadata), [theirs, own]),
    ]);

    expect(JSON.stringify([alone, both])).not.toContain('tenant/');
    expect(relaxing(alone)?.command).toContain('oc -n shop patch pdb web');
    expect(relaxing(both)?.title).toContain(
      '(Argo CD application openshift-gitops/shop takes it back with its next sync)',
    );
  });

  test("[N-30] by a label of a tenant's Application is of that one", async () => {
    const theirs = anApplication({ ref: { argocd: 'hub', namespace: 'tenant', name: 'shop' }, isAtHome: false });
    const metadata = { labels: { 'app.kubernetes.io/instance': 'tenant_shop' } };

    const remedies = await remediesFor(guarded(metadata), [theirs, anApplication({ isAtHome: true })]);

    expect(lasting(remedies)).toContain('Argo CD application tenant/shop)');
  });

  test('is known by the older label too, and by the newer one only where there is such an Application', async () => {
    const label = (key: string) => ({ labels: { [key]: 'shop' } });

    const [older, newer, chart] = await Promise.all([
      remediesFor(guarded(label('argocd.argoproj.io/instance')), [anApplication()]),
      remediesFor(guarded(label('app.kubernetes.io/instance')), [anApplication()]),
      remediesFor(guarded(label('app.kubernetes.io/instance'))),
    ]);

    expect([older, newer, chart].map((each) => relaxing(each) === undefined)).toEqual([true, true, false]);
  });

  test('[decoy] a mark that was copied from another object makes nobody its keeper', async () => {
    const remedies = await remediesFor(guarded(tracking('shop', 'policy/PodDisruptionBudget:shop/other')), [
      anApplication(),
    ]);

    expect(relaxing(remedies)?.title).toBe('Relax the budget for this window, then put it back');
    expect(relaxing(remedies)?.command).toBeDefined();
  });
});

describe('[S1-12] other keepers', () => {
  test('a Helm release is named, with what its next upgrade does', async () => {
    const metadata = {
      annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
    };

    const remedies = await remediesFor(guarded(metadata));

    expect(lasting(remedies)).toContain('(values of the Helm release shop/web)');
    expect(relaxing(remedies)?.title).toContain('(the next upgrade of Helm release shop/web takes it back)');
  });

  test('[S1-18] what OLM or a controller owns is never edited: no such command is printed', async () => {
    const byOlm = { labels: { 'olm.owner': 'kafka.v2', 'olm.owner.kind': 'ClusterServiceVersion' } };
    const byController = { ownerReferences: [{ kind: 'Kafka', name: 'events', controller: true }] };

    for (const metadata of [byOlm, byController]) {
      const remedies = await remediesFor(guarded(metadata));

      expect(remedies.filter(({ command }) => command?.includes('patch'))).toEqual([]);
      expect(remedies.map(({ title }) => title).join()).toContain('leave its budget alone');
    }
  });

  test('[S1-18] a Deployment that a controller makes is not scaled, though its budget is anybody’s', async () => {
    const owned = { ownerReferences: [{ kind: 'Kafka', name: 'events', controller: true }] };

    const [free, made] = await Promise.all([remediesFor(guarded({})), remediesFor(guarded({}, owned))]);

    const scaling = (remedies: readonly Remedy[]) =>
      remedies.filter(({ title }) => title.startsWith('Run one replica'));
    expect(scaling(free)).toHaveLength(1);
    expect(scaling(made)).toEqual([]);
  });
});

describe('[S1-12] a MachineConfig that has to be reverted', () => {
  const mark = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' };

  async function revertOf(metadata: Json, name = '99-disk', why = 'failed to parse Ignition config for MC') {
    const message = `${why} "${name}"${why.startsWith('ignoring') ? ' generated by older version abc (my version: def)' : ': invalid'}`;
    const pool = aPool({ conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })] });
    const world = aWorld({ machineConfigs: [{ metadata: { name, ...metadata } }] });
    const applications = [
      anApplication({
        ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' },
        sources: [{ repoURL: 'https://github.com/acme/platform', path: 'nodes', targetRevision: 'main', chart: '' }],
      }),
    ];
    const diagnosis = await look(world, { ...poolSubject(world, 'render', pool), applications });
    return diagnosis.findings[0]?.remedies[0]?.title;
  }

  test('is told with the Application, repository and path that it comes from', async () => {
    const title = await revertOf(
      tracking('nodes', 'machineconfiguration.openshift.io/MachineConfig:openshift-gitops/99-disk'),
    );

    expect(title).toBe(
      'In Git: revert or correct MachineConfig 99-disk (https://github.com/acme/platform, path nodes; Argo CD application openshift-gitops/nodes)',
    );
  });

  test.each([
    ['KubeletConfig', 'tuning', '99-worker-generated-kubelet-1', mark],
    ['ContainerRuntimeConfig', 'pids', '99-worker-generated-containerruntime', mark],
    ['Image', 'cluster', '99-worker-generated-registries', mark],
    ['PerformanceProfile', 'low-latency', '50-performance-low-latency', {}],
  ])('and is made from a %s is corrected there', async (kind, owner, name, annotations) => {
    const title = await revertOf({ annotations, ownerReferences: [{ kind, name: owner }] }, name);

    expect(title).toBe(`In Git: revert or correct ${kind} ${owner}, of which MachineConfig ${name} is made`);
  });

  test.each([
    ['by a label', '99-disk', { labels: { 'olm.owner': 'payments', 'olm.owner.kind': 'KubeletConfig' } }],
    ['as its owner', '99-disk', { ownerReferences: [{ kind: 'KubeletConfig', name: 'payments' }] }],
    [
      'as its owner, with the mark of the MCO',
      '99-disk',
      { annotations: mark, ownerReferences: [{ kind: 'KubeletConfig', name: 'payments', controller: true }] },
    ],
    [
      'under a name of another kind',
      '99-worker-generated-kubelet-7',
      { annotations: mark, ownerReferences: [{ kind: 'PerformanceProfile', name: 'payments' }] },
    ],
    [
      'under a name of another role',
      '99-tenant-generated-kubelet',
      { annotations: mark, ownerReferences: [{ kind: 'KubeletConfig', name: 'payments' }] },
    ],
    [
      'under a name of the MCO without its mark',
      '99-worker-generated-kubelet-7',
      { ownerReferences: [{ kind: 'KubeletConfig', name: 'payments' }] },
    ],
    [
      'under the name of another profile',
      '50-performance-pay',
      { ownerReferences: [{ kind: 'PerformanceProfile', name: 'payments' }] },
    ],
  ])("[N-12] [N-29] and says somebody else's object %s is told by its own name", async (_, name, metadata) => {
    for (const why of ['failed to parse Ignition config for MC', 'ignoring MC']) {
      const title = await revertOf({ ...metadata }, name, why);

      expect(title).not.toContain('payments');
    }
    expect(await revertOf(metadata, name)).toBe(`In Git: revert or correct MachineConfig ${name}`);
  });

  test('[N-12] and says an owner is told with the Application that it comes from', async () => {
    const ownerReferences = [{ kind: 'KubeletConfig', name: 'payments', controller: true }];
    const object = 'machineconfiguration.openshift.io/MachineConfig:openshift-gitops/99-disk';

    expect(await revertOf({ ...tracking('nodes', object), ownerReferences })).toContain(
      'MachineConfig 99-disk (https:',
    );
  });
});
