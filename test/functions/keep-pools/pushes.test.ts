import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { ChangedFile, FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { anApplication, anOperation, aPool, aRecord } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const role = 'machineconfiguration.openshift.io/role';

function machineConfig(name: string, forRole: string, mode: number): string {
  return `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: ${name}, labels: {${role}: ${forRole}}}
spec: {config: {ignition: {version: 3.4.0}, storage: {files: [{path: /etc/x, mode: ${mode}}]}}}
`;
}

function deployment(replicas: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: ${replicas}}
`;
}

function child(revision: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nodes, namespace: openshift-gitops}
spec: {source: {repoURL: https://github.com/acme/nodes.git, path: nodes, targetRevision: ${revision}}}
`;
}

function changed(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const observed = (text: string | undefined): ChangedFile['before'] =>
    text === undefined ? { kind: 'absent' } : { kind: 'text', text };
  return { path, before: observed(before), after: observed(after) };
}

/** Delivers a push of commit B on A whose changed files the Git host knows, or answers otherwise. */
function push(lab: KeepLab, answer: readonly ChangedFile[] | Promise<FilesRead>, ports: Partial<KeepPorts> = {}) {
  const read = Array.isArray(answer)
    ? async (): Promise<FilesRead> => ({ files: answer, tools: [], incomplete: undefined })
    : async () => answer as Promise<FilesRead>;
  const paths = Array.isArray(answer) ? answer.map(({ path }: ChangedFile) => path) : ['nodes/99-worker-ssh.yaml'];
  return keep(lab.pushOf(commitB, { files: { kind: 'known', paths } }), {
    ...lab.ports,
    changes: { repositories: { readChange: read }, manifestReader },
    ...ports,
  });
}

const selects = (...roles: readonly string[]) => ({
  matchLabels: {},
  matchExpressions: [{ key: role, operator: 'In' as const, values: [...roles] }],
});

/** Pools worker and infra, infra with worker's own, and gpu beside them that takes nothing of worker. */
function hierarchy(lab: KeepLab): void {
  const bare = { name: 'rendered-gpu-aaa', sources: ['00-worker'] };
  lab.world.pools.put(aPool({ machineConfigSelector: selects('worker') }));
  lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', machineConfigSelector: selects('worker', 'infra') }));
  lab.world.pools.put(
    aPool({ name: 'gpu', uid: 'uid-gpu', machineConfigSelector: selects('gpu'), target: bare, current: bare }),
  );
}

const pausedIn = (lab: KeepLab) => ['worker', 'infra', 'gpu'].filter((name) => lab.pool(name).paused);
const lines = (lab: KeepLab) => lab.world.tables.timeline.all().map(({ text }) => text);
const lists = (lab: KeepLab) => lab.world.faults.calls.filter(({ op }) => op === 'argocd.list').length;

describe('what a push changes', () => {
  test('[S0-2] [N-1] a commit of Deployments only pauses nothing, and says why', async () => {
    const lab = keepLab();

    await push(lab, [changed('nodes/web.yaml', deployment(1), deployment(2))]);

    expect(lab.pool().paused).toBe(false);
    expect(lines(lab).join('\n')).toContain(`no action for ${nodesHold}`);
    expect(lines(lab).join('\n')).toMatch(/the push changes (?:no manifest|nothing) of it/);
  });

  test('[S0-2] the sync of such a commit pauses nothing either, when it is what Argo CD has compared', async () => {
    const lab = keepLab();
    await push(lab, [changed('nodes/web.yaml', deployment(1), deployment(2))]);
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });

    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-12] so it does where the MachineConfig looks Synced because Argo CD is told to overlook its differences', async () => {
    const lab = keepLab();
    const resources = anApplication().resources.map((each) => ({ ...each, status: 'Synced' }));
    const overlooks = [{ group: '*', kind: 'MachineConfig', namespace: '', name: '' }];
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] }, resources, overlooks });

    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['a MachineConfig that is out of sync', { status: 'OutOfSync', revisions: [commitB] }, false],
    ['a commit that was not compared', { status: 'OutOfSync', revisions: [commitA] }, true],
  ] as const)('[S0-12] a selective, an apply-only or a self-healing sync of %s pauses', async (_, sync, isSynced) => {
    const lab = keepLab();
    const resources = anApplication().resources.map((each) => ({ ...each, status: isSynced ? 'Synced' : 'OutOfSync' }));
    lab.world.argocd.change('nodes', { sync: { ...sync, revisions: [...sync.revisions] }, resources });

    lab.syncs(commitB, { partial: true });
    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(true);
  });

  test('a MachineConfig that is a hook, which Argo CD does not list, pauses once it was applied, and at the next push', async () => {
    const lab = keepLab();
    const configMap = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'OutOfSync' };
    lab.world.argocd.change('nodes', { resources: [configMap] });
    const results = anOperation().results.map((each) => ({ ...each, hookType: 'PreSync' }));
    lab.syncs(commitB, { results });
    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(true);

    lab.world.clock.advance(5);
    lab.ends('Succeeded', { results });
    lab.world.argocd.change('nodes', { resources: [{ ...configMap, status: 'Synced' }] });
    await lab.pass(600);

    expect(lab.pool().paused).toBe(false);

    await lab.deliver(lab.pushOf(commitC, { before: commitB }));

    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['a branch', 'refs/heads/v1'],
    ['a tag', 'refs/tags/v1'],
  ])('%s that is deleted pauses for whoever follows the name: a tag or branch may still have it', async (_, ref) => {
    const lab = keepLab();
    const [source] = anApplication().sources;
    lab.world.argocd.change('nodes', { sources: source ? [{ ...source, targetRevision: 'v1' }] : [] });

    await lab.deliver(lab.pushOf('0'.repeat(40), { ref, deleted: true, files: { kind: 'known', paths: [] } }));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'expected' }]);
    expect(lab.record()?.holds[0]).not.toHaveProperty('revision');
  });

  test('[N-30] a branch that is deleted pauses nothing for whoever follows it: no sync can follow', async () => {
    const lab = keepLab();
    const [source] = anApplication().sources;
    lab.world.argocd.change('nodes', { sources: source ? [{ ...source, targetRevision: 'feature' }] : [] });

    await lab.deliver(lab.pushOf('0'.repeat(40), { ref: 'refs/heads/feature', deleted: true }));

    expect(lab.pool().paused).toBe(false);
  });

  test('a branch that is deleted pauses nothing where nobody follows it', async () => {
    const lab = keepLab();

    await lab.deliver(lab.pushOf('0'.repeat(40), { ref: 'refs/heads/feature', deleted: true }));

    expect(lab.pool().paused).toBe(false);
  });

  test('a push whose files nobody can read pauses while the sync of the commit before it still runs', async () => {
    const lab = keepLab();
    lab.syncs(commitA);

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, revision: commitB }]);
  });

  test('[S0-3] [S3-2] a change for role worker pauses every pool that takes it', async () => {
    const lab = keepLab();
    hierarchy(lab);

    await push(lab, [
      changed(
        'nodes/ssh.yaml',
        machineConfig('99-worker-ssh', 'worker', 1),
        machineConfig('99-worker-ssh', 'worker', 2),
      ),
    ]);

    expect(pausedIn(lab)).toEqual(['worker', 'infra']);
    expect(lab.record('infra')?.holds[0]?.why).toContain('MachineConfig 99-worker-ssh is changed');
  });

  test('[S0-3] [S3-2] a change for a custom role pauses its pool alone, and the hold says by which rule', async () => {
    const lab = keepLab();
    hierarchy(lab);

    await push(lab, [changed('nodes/gpu.yaml', machineConfig('99-gpu', 'gpu', 1), machineConfig('99-gpu', 'gpu', 2))]);

    expect(pausedIn(lab)).toEqual(['gpu']);
    expect(lab.record('gpu')?.holds[0]?.why).toMatch(
      /follows .*MachineConfig 99-gpu is changed: the pool selects role gpu/,
    );
  });

  test('[N-1] the first MachineConfig of an Application pauses from its push on', async () => {
    const lab = keepLab();
    lab.world.argocd.change('nodes', { resources: [] });

    await push(lab, [changed('nodes/ssh.yaml', undefined, machineConfig('99-worker-new', 'worker', 1))]);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]?.why).toContain('MachineConfig 99-worker-new is added');
  });

  test('a removed MachineConfig pauses as well', async () => {
    const lab = keepLab();

    await push(lab, [changed('nodes/ssh.yaml', machineConfig('99-worker-ssh', 'worker', 1), undefined)]);

    expect(lab.pool().paused).toBe(true);
  });

  test('what was out of sync before the push counts as changed', async () => {
    const lab = keepLab();
    const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitA] }, resources });

    await push(lab, [changed('nodes/web.yaml', deployment(1), deployment(2))]);

    expect(lab.pool().paused).toBe(true);
  });

  test('files that are not read in time count as a match', async () => {
    const lab = keepLab();

    await push(lab, new Promise<FilesRead>(() => {}), { sleep: async () => {} });

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]?.why).toContain('were not read within 2 s');
  });

  test('files that cannot be read count as a match', async () => {
    const lab = keepLab();

    await push(lab, Promise.resolve({ files: [], tools: [], incomplete: 'GitHub answered 502' }));

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]?.why).toContain('GitHub answered 502');
  });

  test('a later push that changes nothing for the pool leaves its hold as it is', async () => {
    const lab = keepLab();
    await push(lab, [changed('nodes/ssh.yaml', undefined, machineConfig('99-worker-new', 'worker', 1))]);
    const held = lab.record()?.holds;
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });

    const files = [changed('nodes/web.yaml', deployment(1), deployment(2))];
    await keep(lab.pushOf(commitC, { before: commitB }), {
      ...lab.ports,
      changes: {
        repositories: { readChange: async () => ({ files, tools: [], incomplete: undefined }) },
        manifestReader,
      },
    });

    expect(lab.record()?.holds).toEqual(held);
  });
});

describe('Applications that another one writes', () => {
  /** Application `root` in the pushed repository writes `nodes`, which follows a repository of its own. */
  function family(options: { readonly automated?: boolean } = {}): KeepLab {
    const lab = keepLab();
    const { sources } = anApplication();
    lab.world.argocd.change('nodes', {
      sources: sources.map((source) => ({ ...source, repoURL: 'https://github.com/acme/nodes.git' })),
    });
    lab.world.argocd.put(
      anApplication({
        name: 'root',
        uid: 'uid-root',
        automated: options.automated ?? true,
        sources: sources.map((source) => ({ ...source, path: 'apps' })),
        resources: [
          { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes', status: 'Synced' },
        ],
      }),
    );
    return lab;
  }
  const spec = [changed('apps/nodes.yaml', child('v1'), child('v2'))];

  test('are held when their spec changes', async () => {
    const lab = family();

    await push(lab, spec);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]).toMatchObject({ phase: 'expected', via: { name: 'root', revision: commitB } });
  });

  test('are left alone when it does not, or nobody will sync it', async () => {
    const unnamed = family();
    const byHand = family({ automated: false });

    await push(unnamed, [changed('apps/web.yaml', deployment(1), deployment(2))]);
    await push(byHand, spec);

    expect(unnamed.pool().paused).toBe(false);
    expect(lines(unnamed).join('\n')).toContain('the push does not change its spec');
    expect(byHand.pool().paused).toBe(false);
  });

  test('are held when it is not known what changes', async () => {
    const lab = family();

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
  });

  test('are let go of when their writer has synced and they were found Synced after it', async () => {
    const lab = family();
    await push(lab, spec);

    await lab.pass(5);
    lab.syncs(commitB, {}, 'root');
    await lab.pass(5);
    lab.ends('Succeeded', { results: [] }, 'root');
    await lab.tick();
    const whileNotCompared = lab.record()?.holds.length;
    await lab.pass(10);
    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.tick();

    expect(whileNotCompared).toBe(1);
    expect(lab.record()?.holds).toEqual([]);
  });

  test('are let go of when no sync comes', async () => {
    const lab = family();
    await push(lab, spec);

    await lab.pass(16 * 60);

    expect(lab.record()?.holds).toEqual([]);
    expect(lines(lab).join('\n')).toContain('no sync followed');
  });
});

describe('the routing table', () => {
  test('a push is routed by it without a list of the Applications', async () => {
    const lab = keepLab();
    await lab.tick();
    const before = lists(lab);

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(lists(lab)).toBe(before);
  });

  test.each<[string, (lab: KeepLab) => void]>([
    ['is lost', (lab) => lab.world.tables.wipe()],
    ['cannot be read', (lab) => void lab.world.faults.failAll(['routes.load'])],
    [
      'does not know of an Application that was made since',
      (lab) => void lab.world.argocd.put(anApplication({ name: 'new', uid: 'new' })),
    ],
  ])('where it %s, the Applications are listed', async (_, happens) => {
    const lab = keepLab();
    await lab.tick();
    const before = lists(lab);
    happens(lab);

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(lists(lab)).toBe(before + 1);
  });

  test('what had to be listed is stored for the next push', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    const before = lists(lab);

    await lab.deliver(lab.pushOf(commitC));

    expect(lists(lab)).toBe(before);
    expect((await lab.ports.routes.load('hub'))?.routes.map(({ ref }) => ref.name)).toEqual(['nodes']);
  });

  test('an Application that came as another went is found by its first push: a small Argo CD is listed at once', async () => {
    const lab = keepLab();
    await lab.tick();
    const before = lists(lab);
    const repository = { htmlUrl: 'https://github.com/acme/other', fullName: 'acme/other', defaultBranch: 'main' };

    await lab.deliver(lab.pushOf(commitB, { repository }));

    expect(lists(lab)).toBe(before + 1);
  });

  test('[N-30] a push that nobody follows does not fail because the list does that was only to be sure', async () => {
    const lab = keepLab();
    await lab.tick();
    await lab.pass(61);
    const listApplications = async () => {
      throw new Transient('Applications could not be listed: timeout');
    };
    Object.assign(lab.ports, { argocd: async () => ({ ...lab.world.argocd, listApplications }) });

    await lab.deliver(lab.pushOf(commitB, { ref: 'refs/heads/feature' }));

    expect(lab.pool().paused).toBe(false);
    const elsewhere = { htmlUrl: 'https://github.com/acme/x', fullName: 'acme/x', defaultBranch: 'main' };
    await expect(lab.deliver(lab.pushOf(commitB, { repository: elsewhere }))).rejects.toThrow('timeout');
  });

  test('[N-30] where they cannot be counted either, it is tried again: an Application may have appeared', async () => {
    const lab = keepLab();
    await lab.tick();
    await lab.pass(61);
    const [source] = anApplication().sources.map((each) => ({ ...each, targetRevision: 'feature' }));
    lab.world.argocd.put(anApplication({ name: 'new', uid: 'new', sources: source === undefined ? [] : [source] }));
    const { argocd } = lab.ports;
    const fails = async () => {
      throw new Transient('no answer: timeout');
    };
    const silent = { ...lab.world.argocd, listApplications: fails, countApplications: fails };
    Object.assign(lab.ports, { argocd: async () => silent });
    const push = lab.pushOf(commitB, { ref: 'refs/heads/feature' });

    await expect(lab.deliver(push)).rejects.toThrow('timeout');
    Object.assign(lab.ports, { argocd });
    await lab.deliver(push);

    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['one elsewhere is removed by its tenant', 'team-a', true],
    ['one of the same namespace is removed', 'openshift-gitops', false],
  ])('[N-30] an Application that appears while %s is found by its first push', async (_, namespace, isFound) => {
    const lab = keepLab();
    lab.world.argocd.put(anApplication({ name: 'mine', namespace, uid: 'mine', sources: [] }));
    await lab.tick();
    lab.world.argocd.remove('mine');
    lab.world.argocd.put(anApplication({ name: 'new', uid: 'new' }));
    const before = lists(lab);

    await lab.deliver(lab.pushOf(commitB));

    expect(lists(lab) > before).toBe(isFound);
  });

  test('pushes to a repository that nobody follows have a large Argo CD listed once a minute at most', async () => {
    const lab = keepLab();
    for (let n = 0; n < 250; n += 1) lab.world.argocd.put(anApplication({ name: `app-${n}`, uid: `app-${n}` }));
    await lab.tick();
    lab.world.clock.advance(61);
    const before = lists(lab);
    const repository = { htmlUrl: 'https://github.com/acme/other', fullName: 'acme/other', defaultBranch: 'main' };

    await lab.deliver(lab.pushOf(commitB, { repository }));
    await lab.deliver(lab.pushOf(commitC, { repository }));

    expect(lists(lab)).toBe(before + 1);
  });

  test('an event of an Application brings its route up to date', async () => {
    const lab = keepLab();
    await lab.tick();
    const sources = anApplication().sources.map((source) => ({ ...source, targetRevision: 'next' }));
    lab.world.argocd.change('nodes', { sources });

    await lab.deliver(lab.operationOf('Succeeded'));

    expect((await lab.ports.routes.load('hub'))?.routes[0]?.sources).toEqual(sources);
  });

  test('an Application that cannot be read makes the queue bring the push again', async () => {
    const lab = keepLab();
    await lab.tick();
    const restore = lab.world.faults.failAll(['argocd.read']);

    const first = lab.deliver(lab.pushOf(commitB));
    await expect(first).rejects.toThrow();
    restore();
    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
  });
});

test('[N-30] a push that leaves many Applications alone says so of ten, and of how many more, for each pool', async () => {
  const lab = keepLab();
  lab.world.pools.put(aPool({ name: 'infra' }));
  const claim = { group: 'machineconfiguration.openshift.io', kind: 'KubeletConfig', namespace: '', name: 'all' };
  for (let each = 0; each < 30; each += 1) {
    const ofTeam = { namespace: 'team-b', name: `x${each}`, uid: `x${each}`, automated: false };
    const resources = [{ ...claim, status: 'OutOfSync' as const }];
    lab.world.argocd.put(anApplication({ ...ofTeam, resources, sync: { status: 'OutOfSync', revisions: [commitA] } }));
  }

  await lab.deliver(lab.pushOf(commitB));

  const nothing = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.decision.nothing.v1');
  for (const pool of ['worker', 'infra']) {
    const ofPool = nothing.filter(({ subject }) => subject === `prod/${pool}`);
    expect(ofPool).toHaveLength(11);
    expect(ofPool.at(-1)?.data).toMatchObject({ about: expect.stringMatching(/ by 2\d more Applications$/) });
  }
  expect(nothing.length).toBeLessThanOrEqual(33);
});

test('[S1-14] [N-29] a pool that waits for its gates does not resume with the push that pauses one of a lower wave', async () => {
  const lab = keepLab({ pools: { infra: { ...defaultPoolSettings, wave: 1 } } });
  const since = '2026-03-02T09:00:00Z';
  const release = { since, finishedAt: since, machineConfigs: [], why: 'synced' };
  lab.world.pools.put(
    aPool({
      name: 'infra',
      uid: 'uid-infra',
      paused: true,
      target: { name: 'rendered-infra-bbb', sources: [] },
      record: { kind: 'record', record: aRecord({ holds: [], release }) },
    }),
  );

  await lab.deliver(lab.pushOf(commitB));
  const during = [lab.pool().paused, lab.pool('infra').paused];
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(120);

  expect(during).toEqual([true, true]);
  expect([lab.pool().paused, lab.pool('infra').paused]).toEqual([false, false]);
});

test('[N-30] an Application that was edited to follow what is pushed, unseen, is found by its first push', async () => {
  const lab = keepLab();
  const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
  lab.world.argocd.put({ ...base, name: 'other', uid: 'uid-other', resources: [{ ...configMap, status: 'Synced' }] });
  lab.world.argocd.change('nodes', {
    sources: base.sources.map((each) => ({ ...each, targetRevision: 'release' })),
  });
  await lab.tick();
  await lab.pass(61);
  lab.world.argocd.change('nodes', { sources: base.sources });

  await lab.deliver(lab.pushOf(commitB));

  expect(lab.pool().paused).toBe(true);
});

const configMap = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'web' };

describe('a tag with the name of the default branch', () => {
  const toTag = { ref: 'refs/tags/main', forced: true, files: { kind: 'unknown', why: 'it was forced' } } as const;

  test.each(['HEAD', 'refs/heads/main'])(
    '[N-30] holds nothing of an Application that follows %s, however often it is moved',
    async (targetRevision) => {
      const lab = keepLab();
      const { sources } = anApplication();
      lab.world.argocd.change('nodes', { sources: sources.map((each) => ({ ...each, targetRevision })) });

      for (const commit of [commitB, commitC]) {
        await lab.deliver(lab.pushOf(commit, { ...toTag, delivery: `tag-${commit}` }));
        await lab.pass(12 * 60);
      }

      expect(lab.pool().paused).toBe(false);
      expect(lab.world.tables.timeline.all()).toEqual([]);
    },
  );

  test('[N-29] that Argo CD may sync instead of the branch pauses, and is said to be a tag that holds longer and longer', async () => {
    const lab = keepLab();
    const { sources } = anApplication();
    lab.world.argocd.change('nodes', { sources: sources.map((each) => ({ ...each, targetRevision: 'main' })) });

    for (const commit of [commitB, commitC, commitA]) {
      await lab.deliver(lab.pushOf(commit, { ...toTag, delivery: `tag-${commit}` }));
      await lab.pass(commit === commitA ? 60 : 12 * 60);
    }

    const why = lab.record()?.holds?.map((each) => each.why) ?? [];
    expect(lab.pool().paused).toBe(true);
    expect(why).toEqual([
      expect.stringMatching(
        /^a push of aaaaaaaa .*: its source follows main, and tag main was pushed; .*; pushes have held it since 2026-03-02T10:00:00Z, and no sync followed$/,
      ),
    ]);
  });
});
