import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import type { SetRoute } from '../../../functions/core/routing/route.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { anApplication, anOperation, aPool, fakeArgoCd, fakePools } from '../../fakes/index.ts';
import { changedFile, machineConfigText, pushFiles } from '../receive-github/push-of-files.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions, tickOf } from './keep-lab.ts';

const role = 'machineconfiguration.openshift.io/role';
const babyHold = 'sync/hub/openshift-gitops/baby';
const platform = 'https://github.com/acme/platform.git';

interface Child {
  readonly name?: string;
  readonly repoURL?: string;
  readonly path?: string;
  readonly automated?: boolean;
  readonly server?: string;
  readonly pools?: string;
}

function application(child: Child = {}): string {
  const { name = 'baby', repoURL = platform, path = 'baby', automated = true, pools } = child;
  const { server = 'https://kubernetes.default.svc' } = child;
  const annotations = pools === undefined ? '' : `, annotations: {poolkeeper.dev/pools: '${pools}'}`;
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}${annotations}}
spec:
  source: {repoURL: '${repoURL}', path: ${path}, targetRevision: main}
  destination: {server: '${server}'}
  syncPolicy: ${automated ? '{automated: {}}' : '{}'}
`;
}

/** Pools worker and gpu, and the Application `root` that writes what stands in `apps`. */
function family(argocd: LabOptions['argocd'] = {}): KeepLab {
  const lab = keepLab({ argocd });
  const only = (name: string) => ({
    machineConfigSelector: {
      matchLabels: {},
      matchExpressions: [{ key: role, operator: 'In' as const, values: [name] }],
    },
  });
  const bare = { name: 'rendered-gpu-aaa', sources: [] };
  lab.world.pools.put(aPool(only('worker')));
  lab.world.pools.put(aPool({ name: 'gpu', uid: 'uid-gpu', ...only('gpu'), target: bare, current: bare }));
  lab.world.argocd.remove('nodes');
  lab.world.argocd.put(
    anApplication({
      name: 'root',
      uid: 'uid-root',
      sources: [{ repoURL: platform, path: 'apps', targetRevision: 'main', chart: '' }],
      resources: [{ group: '', kind: 'ConfigMap', namespace: 'x', name: 'x', status: 'Synced' }],
      operation: undefined,
      sync: { status: 'Synced', revisions: [commitA] },
    }),
  );
  return lab;
}

/** Pushes the Application's manifest and, in a folder that is new, what it consists of. */
async function pushFamily(lab: KeepLab, child: Child, manifest: string, ports: Partial<KeepPorts> = {}) {
  const files = [
    changedFile('apps/baby.yaml', undefined, application(child)),
    changedFile('baby/x.yaml', undefined, manifest),
  ];
  await pushFiles(lab, files, { read: { folders: { appeared: ['baby'], vanished: [] } }, ports });
}

const paused = (lab: KeepLab) => ['worker', 'gpu'].filter((name) => lab.pool(name).paused);
const deployment = '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}}';

/** The sync of the parent: the child is there behind it. */
function rootSyncs(lab: KeepLab): void {
  lab.world.clock.advance(2);
  lab.syncs(commitB, {}, 'root');
  lab.world.clock.advance(2);
  lab.ends('Succeeded', { results: [] }, 'root');
}

function babyIs(lab: KeepLab, change: Parameters<typeof anApplication>[0]): void {
  lab.world.argocd.put(
    anApplication({
      name: 'baby',
      uid: 'uid-baby',
      operation: undefined,
      sync: { status: '', revisions: [] },
      ...change,
    }),
  );
}

describe('an Application that a push brings into being', () => {
  test('[S0-12] [N-1] pauses the pools of its MachineConfigs before it is there, and no others', async () => {
    const lab = family();

    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'));

    expect(paused(lab)).toEqual(['gpu']);
    expect(lab.record('gpu')?.holds).toMatchObject([{ id: babyHold, phase: 'expected', via: { name: 'root' } }]);
    expect(lab.record('gpu')?.holds[0]?.because).toContain('create Application baby; MachineConfig 99-gpu');
  });

  test.each([['x'.repeat(2000)], ['"a\\ud800"'], ['other/baby'], ['a%b'], ['..'], ['.'], ['Baby']])(
    '[S0-12] [N-30] by a name that none can have is nothing to wait for: its hold could be neither told nor read (%#)',
    async (name) => {
      const lab = family();

      await pushFamily(lab, { name }, machineConfigText('99-gpu', 'gpu'));

      expect(paused(lab)).toEqual([]);
    },
  );

  test('[S0-2] [N-1] of Deployments pauses nothing', async () => {
    const lab = family();

    await pushFamily(lab, {}, deployment);

    expect(paused(lab)).toEqual([]);
  });

  test.each<[string, Child]>([
    ['another repository', { repoURL: 'https://github.com/acme/charts.git' }],
    ['a folder that was there before', { path: 'old' }],
  ])('[S0-12] of %s pauses every pool until Argo CD has compared it', async (_, child) => {
    const lab = family();
    await pushFamily(lab, child, deployment);
    const before = paused(lab);
    rootSyncs(lab);
    const resources = [{ group: 'apps', kind: 'Deployment', namespace: 'web', name: 'web', status: 'OutOfSync' }];
    babyIs(lab, {
      sync: { status: 'OutOfSync', revisions: [commitB] },
      resources,
      reconciledAt: lab.world.clock.now().toISOString(),
    });

    await lab.pass(90);

    expect([before, paused(lab)]).toEqual([['worker', 'gpu'], []]);
  });

  test('[S0-12] is held through its first sync like any other', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-worker-ssh'));
    rootSyncs(lab);
    babyIs(lab, {
      sync: { status: 'OutOfSync', revisions: [commitB] },
      resources: anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' })),
      reconciledAt: lab.world.clock.now().toISOString(),
    });
    lab.syncs(commitB, {}, 'baby');

    await lab.pass(10 * 60);
    const during = lab.record()?.holds;
    lab.ends('Succeeded', {}, 'baby');
    await lab.pass(90);

    expect(during).toMatchObject([{ id: babyHold, phase: 'syncing', uid: 'uid-baby' }]);
    expect(paused(lab)).toEqual([]);
  });

  test('that does not come is waited for a minute longer than the sync of its writer', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-worker-ssh'));
    rootSyncs(lab);

    await lab.pass(40);
    const before = paused(lab);
    await lab.pass(120);

    expect([before, paused(lab)]).toEqual([['worker'], []]);
  });

  test('[S0-12] is waited for as long as the sync of its writer lasts', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'));
    lab.world.clock.advance(2);
    lab.syncs(commitB, {}, 'root');

    await lab.pass(40 * 60);
    const during = [paused(lab), lab.record('gpu')?.holds[0]?.why];
    lab.ends('Succeeded', { results: [] }, 'root');
    await lab.pass(5 * 60);

    expect(during).toEqual([['gpu'], expect.stringMatching(/; openshift-gitops\/root is still syncing it$/)]);
    expect(paused(lab)).toEqual([]);
  });

  test('that does not come, and whose writer does not sync, is not waited for for ever', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-worker-ssh'));

    await lab.pass(14 * 60);
    const before = paused(lab);
    await lab.pass(3 * 60);

    expect([before, paused(lab)]).toEqual([['worker'], []]);
  });

  test('whose Argo CD instance is configured no more is not waited for for ever', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-worker-ssh'));
    const ports = { ...lab.ports, configuration: { ...lab.ports.configuration, argocd: [] } };

    lab.world.clock.advance(20 * 60);
    for (let ticks = 0; ticks < 2; ticks += 1) {
      await keep(tickOf(lab.world.clock.now()), ports);
      lab.world.clock.advance(60);
    }

    expect(paused(lab)).toEqual([]);
  });

  test.each<[string, Child, boolean]>([
    ['that nobody syncs by itself', { automated: false }, true],
    ['for a cluster that is not configured', { server: 'https://elsewhere.example.com' }, true],
    ['whose writer nobody syncs by itself', {}, false],
  ])('%s pauses nothing', async (_, child, automated) => {
    const lab = family();
    lab.world.argocd.change('root', { automated });

    await pushFamily(lab, child, machineConfigText('99-worker-ssh'));

    expect(paused(lab)).toEqual([]);
  });

  test.each([
    ['may say so', { mayRemove: { namespaces: ['openshift-gitops'], projects: [] } }, []],
    ['may only add pools', { mayAdd: { namespaces: ['openshift-gitops'], projects: [] } }, ['worker']],
    ['is not trusted with anything', undefined, ['worker']],
  ])('[N-30] whose annotation names no pool pauses nothing only where it %s', async (_, poolsAnnotation, expected) => {
    const lab = family(poolsAnnotation === undefined ? {} : { poolsAnnotation });

    await pushFamily(lab, { pools: 'none' }, machineConfigText('99-worker-ssh'));

    expect(paused(lab)).toEqual(expected);
  });

  test.each(['before', 'after'])(
    '[N-30] [S0-12] that another one, listed %s its writer, seems to write too, with another content, is held for what both write, and for longer',
    async (order) => {
      const lab = family();
      const name = 'claims';
      const sources = [{ repoURL: platform, path: 'other', targetRevision: 'main', chart: '' }];
      const resources = [{ group: '', kind: 'ConfigMap', namespace: 'x', name: 'y', status: 'Synced' }];
      const sync = { status: 'Synced', revisions: [commitA] } as const;
      const root = lab.world.argocd.get('root');
      if (order === 'before') lab.world.argocd.remove('root');
      lab.world.argocd.put(anApplication({ name, uid: name, sources, resources, sync }));
      lab.world.argocd.put(root);
      const files = [
        changedFile('apps/baby.yaml', undefined, application()),
        changedFile('other/baby.yaml', undefined, application({ path: 'harmless' })),
        changedFile('baby/x.yaml', undefined, machineConfigText('99-gpu', 'gpu')),
        changedFile('harmless/x.yaml', undefined, deployment),
      ];
      await pushFiles(lab, files, { read: { folders: { appeared: ['baby', 'harmless'], vanished: [] } } });
      const first = paused(lab);
      lab.world.clock.advance(2);
      lab.syncs(commitB, {}, name);
      lab.world.clock.advance(2);
      lab.ends('Succeeded', { results: [] }, name);

      await lab.pass(300);

      expect([first, paused(lab)]).toEqual([['gpu'], ['gpu']]);
      await lab.pass(900);
      expect(paused(lab)).toEqual([]);
    },
  );

  test('[N-30] [S0-12] is held also where somebody creates a harmless one under its name before its writer syncs', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'));
    lab.world.clock.advance(5);
    const resources = [{ group: 'apps', kind: 'Deployment', namespace: 'web', name: 'web', status: 'Synced' }];
    const at = () => lab.world.clock.now().toISOString();
    babyIs(lab, { sync: { status: 'Synced', revisions: [commitC] }, resources, reconciledAt: at() });
    await lab.pass(300);
    const before = paused(lab);

    rootSyncs(lab);
    babyIs(lab, {
      sync: { status: 'OutOfSync', revisions: [commitB] },
      resources: anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' })),
      reconciledAt: at(),
    });
    await lab.pass(60);

    expect([before, paused(lab)]).toEqual([['gpu'], ['gpu']]);
  });

  test('[N-30] [S0-12] is held also where a push to another repository seems to create it, and its writer has synced', async () => {
    const lab = family();
    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'));
    const repoURL = 'https://github.com/acme/tenant.git';
    const sources = [{ repoURL, path: '.', targetRevision: 'main', chart: '' }];
    const sync = { status: 'Synced', revisions: [commitA] } as const;
    lab.world.argocd.put(anApplication({ name: 'claims', uid: 'claims', sources, sync, resources: [] }));
    lab.world.clock.advance(5);
    const push = lab.pushOf(commitC, {
      repository: { htmlUrl: 'https://github.com/acme/tenant', fullName: 'acme/tenant', defaultBranch: 'main' },
      files: { kind: 'known', paths: ['baby.yaml', 'baby/x.yaml'] },
    });
    const answer = {
      files: [
        changedFile('baby.yaml', undefined, application({ repoURL, path: 'baby' })),
        changedFile('baby/x.yaml', undefined, machineConfigText('99-gpu', 'gpu')),
      ],
      tools: [],
      folders: { appeared: ['baby'], vanished: [] },
      incomplete: undefined,
    };
    const changes = { repositories: { readChange: async () => answer }, manifestReader };
    await keep({ ...push, id: 'of-the-tenant' }, { ...lab.ports, changes });
    lab.world.clock.advance(2);
    lab.syncs(commitC, {}, 'claims');
    lab.world.clock.advance(2);
    lab.ends('Succeeded', { results: [] }, 'claims');

    await lab.pass(600);
    const before = paused(lab);
    await lab.pass(600);

    expect([before, paused(lab)]).toEqual([['gpu'], []]);
  });

  test('[S0-12] is found through another that is new as well', async () => {
    const lab = family();
    const files = [
      changedFile('apps/team.yaml', undefined, application({ name: 'team', path: 'team' })),
      changedFile('team/baby.yaml', undefined, application()),
      changedFile('baby/x.yaml', undefined, machineConfigText('99-gpu', 'gpu')),
    ];

    await pushFiles(lab, files, { read: { folders: { appeared: ['team', 'baby'], vanished: [] } } });

    expect(paused(lab)).toEqual(['gpu']);
    expect(lab.record('gpu')?.holds).toMatchObject([{ id: babyHold, via: { name: 'team' } }]);
  });

  test('[N-1] three hundred at once, of which nothing is known, pause the pools with a record that the API server takes', async () => {
    const lab = family();
    const files = Array.from({ length: 300 }, (_, index) => {
      const name = `team-with-a-long-name-service-${index}`;
      const repoURL = 'https://github.com/acme/charts.git';
      return changedFile(`apps/${name}.yaml`, undefined, application({ name, repoURL, path: `charts/${name}` }));
    });

    await pushFiles(lab, files);

    expect(paused(lab)).toEqual(['worker', 'gpu']);
    expect(JSON.stringify(lab.record()).length).toBeLessThan(200_000);
  });

  test('Applications that write each other in a circle end', async () => {
    const lab = family();
    const files = ['a', 'b'].map((name) =>
      changedFile(`apps/${name}.yaml`, undefined, application({ name, path: 'apps' })),
    );

    await pushFiles(lab, files);

    expect(lab.record()?.holds.map(({ who }) => who)).toEqual(['openshift-gitops/a', 'openshift-gitops/b']);
  });

  /** Cluster edge, with a pool of its own, beside prod. */
  async function withEdge(lab: KeepLab) {
    const edge = fakePools({ clock: lab.world.clock.now });
    edge.put(aPool());
    const [prod] = lab.ports.configuration.clusters;
    const configuration = {
      ...lab.ports.configuration,
      clusters: prod ? [prod, { ...prod, name: 'edge' }] : [],
      argocd: lab.ports.configuration.argocd.map((each) => ({
        ...each,
        destinations: [{ server: 'https://edge.example.com:6443', cluster: 'edge' }],
      })),
    };
    const cluster: KeepPorts['cluster'] = async (name) =>
      name === 'edge' ? { ...(await lab.ports.cluster('prod')), pools: edge } : lab.ports.cluster(name);
    return { edge, ports: { configuration, cluster } };
  }

  const server = 'https://edge.example.com:6443';

  test('[S0-12] pauses on a cluster that the push does not concern otherwise', async () => {
    const lab = family();
    const { edge, ports } = await withEdge(lab);

    await pushFamily(lab, { server }, machineConfigText('99-worker-ssh'), ports);

    expect([edge.get('worker').paused, paused(lab)]).toEqual([true, []]);
  });

  test.each([
    ['a MachineConfig', { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-worker' }, true],
    ['a Deployment', { group: 'apps', kind: 'Deployment', name: 'web' }, false],
  ])('[S0-12] on another cluster than before, with %s, pauses there, too: %j', async (_, object, isPaused) => {
    const lab = family();
    const { edge, ports } = await withEdge(lab);
    const sources = [{ repoURL: platform, path: 'baby', targetRevision: 'main', chart: '' }];
    const resources = [{ namespace: '', status: 'Synced', ...object }];
    babyIs(lab, { sources, resources, sync: { status: 'Synced', revisions: [commitA] } });
    const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'baby' };
    lab.world.argocd.change('root', { resources: [{ ...child, status: 'Synced' }] });

    await pushFiles(lab, [changedFile('apps/baby.yaml', application(), application({ server }))], { ports });
    const pushed = edge.get('worker').paused;
    const { record } = edge.get('worker');
    const look = async () => {
      lab.world.clock.advance(60);
      await keep(makeTick({ cluster: 'edge', why: 'clock' }, lab.world.clock.now()), { ...lab.ports, ...ports });
    };
    await look();
    await look();
    const before = edge.get('worker').paused;
    rootSyncs(lab);
    babyIs(lab, { sources, resources, destination: { server, name: '' }, sync: { status: '', revisions: [] } });
    await look();

    expect([pushed, before, edge.get('worker').paused]).toEqual([isPaused, isPaused, isPaused]);
    expect(JSON.stringify(record).includes('makes root point Application baby to this cluster')).toBe(isPaused);
  });

  test('[N-26] is among what the relay waits for', async () => {
    const lab = family();
    const noted: PushOutcome[] = [];
    const outcomes = { load: async () => undefined, save: async (each: PushOutcome) => void noted.push(each) };

    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'), { outcomes });

    expect(noted).toMatchObject([{ unasked: [], paused: [{ pool: 'gpu', hold: babyHold }] }]);
  });

  test('that is there already is pushed to like any other', async () => {
    const lab = family();
    const sources = [{ repoURL: 'https://github.com/acme/before.git', path: '', targetRevision: 'main', chart: '' }];
    babyIs(lab, { sources, sync: { status: 'Synced', revisions: [commitA] }, operation: anOperation() });

    await pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'));

    expect(lab.record('gpu')?.holds).toMatchObject([{ id: babyHold, uid: 'uid-baby', via: { name: 'root' } }]);
  });
});

describe('what a push has an ApplicationSet make', () => {
  const set: SetRoute = {
    ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'fleet' },
    generators: [{ repoURL: platform, revision: 'HEAD', reads: 'folders', paths: ['baby*'] }],
    readsAnyPush: false,
    looksEverySeconds: 180,
    template: {
      sources: [{ repoURL: platform, path: '{{path}}', targetRevision: 'main', chart: '' }],
      destination: { server: '{{server}}', name: '' },
      automated: true,
    },
  };

  async function pushFolder(lab: KeepLab, change: Partial<SetRoute> = {}, revision = commitB): Promise<void> {
    lab.world.argocd.setApplicationSets([{ ...set, ...change }]);
    const files = [changedFile('baby/x.yaml', undefined, machineConfigText('99-gpu', 'gpu'))];
    await pushFiles(lab, files, { read: { folders: { appeared: ['baby'], vanished: [] } }, revision });
  }

  test('[S0-12] pauses the pools of the MachineConfigs in its new folder, until the set has looked', async () => {
    const lab = family();

    await pushFolder(lab);
    const before = paused(lab);
    const holds = lab.record('gpu')?.holds;
    await lab.pass(3 * 60);
    const later = paused(lab);
    await lab.pass(2 * 60);

    expect([before, later, paused(lab)]).toEqual([['gpu'], ['gpu'], []]);
    expect(holds).toMatchObject([{ id: 'set/hub/openshift-gitops/fleet', who: 'openshift-gitops/fleet' }]);
    expect(holds?.[0]?.why).toContain('makes ApplicationSet fleet generate Applications from baby');
  });

  test('[S0-12] [N-14] pauses every pool where a MachineConfig in its new folder says its role by a value', async () => {
    const lab = family();
    lab.world.argocd.setApplicationSets([set]);
    const files = [
      changedFile('baby/Chart.yaml', undefined, 'name: baby\n'),
      changedFile('baby/templates/x.yaml', undefined, machineConfigText('99-gpu', '"{{ .Values.role }}"')),
    ];

    await pushFiles(lab, files, { read: { folders: { appeared: ['baby'], vanished: [] } } });

    expect(paused(lab)).toEqual(['worker', 'gpu']);
  });

  test.each([
    ['generator and template name', true],
    ['its template alone names', false],
  ])('[S0-12] [N-29] also where %s the repository as it was called before', async (_, areBoth) => {
    const lab = family();
    const old = 'https://github.com/acme/platform-old.git';
    const generators = areBoth ? set.generators.map((each) => ({ ...each, repoURL: old })) : set.generators;
    const template = set.template && {
      ...set.template,
      sources: set.template.sources.map((each) => ({ ...each, repoURL: old })),
    };
    lab.world.argocd.setApplicationSets([{ ...set, generators, template }]);
    const nameNow = async (name: string) => (name.endsWith('/platform-old') ? 'github.com/acme/platform' : name);
    Object.assign(lab.ports, {
      repositoryNames: { isAsked: (name: string) => name.startsWith('github.com/'), nameNow },
    });
    await lab.tick();

    await pushFolder(lab, { generators, template });

    expect(paused(lab)).toEqual(['gpu']);
  });

  test('a set that looks once a day keeps the pool no longer than a push may, also when it is pushed to again', async () => {
    const lab = family();
    const looksEverySeconds = 24 * 3600;
    await pushFolder(lab, { looksEverySeconds });
    await lab.pass(5 * 60);
    await pushFolder(lab, { looksEverySeconds }, commitC);

    await lab.pass(10 * 60);
    const before = paused(lab);
    await lab.pass(7 * 60);

    expect([before, paused(lab)]).toEqual([['gpu'], []]);
  });

  test('[S0-12] its Application holds in its own name meanwhile', async () => {
    const lab = family();
    await pushFolder(lab);
    babyIs(lab, { generatedBy: 'fleet', sync: { status: 'OutOfSync', revisions: [commitB] } });
    lab.world.argocd.change('baby', {
      resources: [
        {
          group: 'machineconfiguration.openshift.io',
          kind: 'MachineConfig',
          namespace: '',
          name: '99-gpu',
          status: 'OutOfSync',
        },
      ],
    });
    lab.world.pools.putMachineConfig({ name: '99-gpu', labels: { [role]: 'gpu' }, changedAt: undefined });
    lab.syncs(commitB, {}, 'baby');

    await lab.pass(6 * 60);

    expect(lab.record('gpu')?.holds).toMatchObject([{ id: babyHold, phase: 'syncing' }]);
  });

  test.each<[string, Partial<SetRoute>]>([
    ['Applications that nobody syncs by itself', { template: { ...template(), automated: false } }],
    [
      'Applications of another repository',
      { template: { ...template(), sources: [source('https://github.com/acme/x')] } },
    ],
    ['Applications of another folder', { template: { ...template(), sources: [source(platform, 'other/{{path}}')] } }],
    ['folders elsewhere', { generators: [{ repoURL: platform, revision: 'HEAD', reads: 'folders', paths: ['x/*'] }] }],
    [
      'Applications for a cluster that is not configured',
      { template: { ...template(), destination: { server: '', name: 'x' } } },
    ],
  ])('pauses nothing where it makes %s', async (_, change) => {
    const lab = family();

    await pushFolder(lab, change);

    expect(paused(lab)).toEqual([]);
  });

  function template() {
    return { sources: [source(platform)], destination: { server: '{{server}}', name: '' }, automated: true };
  }

  function source(repoURL: string, path = '{{path}}') {
    return { repoURL, path, targetRevision: 'main', chart: '' };
  }
});

describe('an Argo CD that does not answer', () => {
  test('[N-26] keeps the pools of the others waiting for a second, not until it gives up', async () => {
    const lab = family();
    const [hub] = lab.ports.configuration.argocd;
    const gaveUp = Promise.withResolvers<never>();
    const hangs = () => gaveUp.promise;
    const slow = { ...fakeArgoCd({ name: 'edge' }), listApplications: hangs, countApplications: hangs };
    const noted: PushOutcome[] = [];
    const outcomes = { load: async () => undefined, save: async (each: PushOutcome) => void noted.push(each) };

    const pushed = pushFamily(lab, {}, machineConfigText('99-gpu', 'gpu'), {
      configuration: { ...lab.ports.configuration, argocd: hub ? [hub, { ...hub, name: 'edge' }] : [] },
      argocd: async (name) => (name === 'edge' ? slow : lab.world.argocd),
      sleep: (ms) => (ms === 1000 ? Promise.resolve() : new Promise(() => {})),
      outcomes,
    });
    await expect.poll(() => noted).toHaveLength(1);
    const before = paused(lab);
    gaveUp.reject(new Transient('timed out'));

    await expect(pushed).rejects.toThrow('timed out');
    expect(before).toEqual(['gpu']);
    expect(noted).toMatchObject([
      { unasked: ['edge'], paused: [{ pool: 'gpu' }] },
      { unasked: ['edge'], paused: [{ pool: 'gpu' }] },
    ]);
  });
});
