import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../functions/core/argocd/application.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { fillIn } from '../../../functions/shell/configuration/fill-in.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { anApplication, aPool, fakeArgoCd } from '../../fakes/index.ts';
import { changedFile, machineConfigText, pushFiles } from '../receive-github/push-of-files.ts';
import { commitA, commitB, type KeepLab, keepLab, type LabOptions, nodesHold, tickOf } from './keep-lab.ts';

/** `root` writes the Application `nodes`, and both follow one branch of one repository. */
async function oneRepository(options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const { sources } = lab.world.argocd.get('nodes');
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.put(
    anApplication({ name: 'root', uid: 'root', sources, sync, resources: [{ ...child, status: 'Synced' }] }),
  );
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  await lab.pass(5);
  return lab;
}

function isHeld(lab: KeepLab): boolean {
  return lab.record()?.holds.some(({ id }) => id === nodesHold) === true && lab.pool().paused;
}

/** Argo CD compares it with this commit, by the spec that it has now. */
function compares(lab: KeepLab, name: string, status: 'Synced' | 'OutOfSync' = 'Synced'): void {
  const reconciledAt = lab.world.clock.now().toISOString();
  lab.world.argocd.change(name, { sync: { status, revisions: [commitB] }, reconciledAt });
}

async function syncs(lab: KeepLab, name: string, change: Partial<Operation> = {}): Promise<void> {
  lab.syncs(commitB, change, name);
  await lab.pass(5);
  lab.ends('Succeeded', change, name);
}

function applicationText(syncPolicy: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nodes, namespace: openshift-gitops}
spec:
  source: {repoURL: 'https://github.com/acme/platform.git', path: nodes, targetRevision: main}
  destination: {server: 'https://kubernetes.default.svc'}
  syncPolicy: ${syncPolicy}
`;
}

describe('a push to an Application whose automated sync is off', () => {
  test.each([
    ['turns that on, and changes what it deploys', '{automated: {}}', true],
    ['turns that on', '{automated: {enabled: true}}', false],
    ['leaves it off, and changes what it deploys', '{automated: {enabled: false}}', true],
  ])('[S0-12] [N-1] and that %s', async (_, policy, changesNodes) => {
    const lab = keepLab();
    const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
    const [source] = lab.world.argocd.get('nodes').sources;
    if (source === undefined) throw new Error('nodes has a source');
    const sync = { status: 'Synced', revisions: [commitA] } as const;
    const resources = [{ ...child, status: 'Synced' }];
    lab.world.argocd.put(
      anApplication({ name: 'root', uid: 'root', sources: [{ ...source, path: 'apps' }], sync, resources }),
    );
    lab.world.argocd.change('nodes', { automated: false, sources: [{ ...source, path: 'nodes' }] });
    const written = changedFile('apps/nodes.yaml', applicationText('{}'), applicationText(policy));
    const deployed = changedFile('nodes/ssh.yaml', machineConfigText('99-worker-ssh'), machineConfigText('99-new'));

    await pushFiles(lab, [written, ...(changesNodes ? [deployed] : [])]);

    expect(lab.pool().paused).toBe(policy.includes('enabled: false') === false);
  });
});

/** `root`, which Kustomize builds, writes `nodes`, at another revision, and `other`; the push changes one of its
 *  files. */
async function pushToBuiltRoot(before: string | undefined, after: string): Promise<KeepLab> {
  const lab = keepLab();
  const child = (each: string) => ({
    group: 'argoproj.io',
    kind: 'Application',
    namespace: 'openshift-gitops',
    name: each,
  });
  const [source] = lab.world.argocd.get('nodes').sources;
  if (source === undefined) throw new Error('nodes has a source');
  const resources = ['nodes', 'other'].map((each) => ({ ...child(each), status: 'Synced' }));
  const sources = [{ ...source, path: 'apps' }];
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.put(anApplication({ name: 'root', uid: 'root', sources, sync, resources }));
  lab.world.argocd.change('nodes', { sources: [{ ...source, targetRevision: 'v1' }] });
  await pushFiles(lab, [changedFile('apps/base/app.yaml', before, after)], {
    read: { tools: [{ folder: 'apps', tool: 'kustomize', uses: [] }], folders: { appeared: ['nodes'], vanished: [] } },
  });
  return lab;
}

test.each([
  ['under another name than its file says', 'base', true],
  ['under the name of its file, and is another one', 'other', false],
])('[S0-12] [N-30] a push to an Application that Kustomize builds %s', async (_, name, pauses) => {
  const text = (policy: string) => applicationText(policy).replace('name: nodes', `name: ${name}`);

  const lab = await pushToBuiltRoot(text('{}'), text('{automated: {}}'));

  expect(lab.pool().paused).toBe(pauses);
});

test.each([
  ['an Application', `${applicationText('{automated: {}}')}  project: default\n`, false],
  ['a patch, which may be for any', applicationText('{automated: {}}').replace(/ {2}source: .*\n/, ''), true],
  ['a patch for another place', applicationText('{automated: {}}'), true],
])('[S0-2] [N-1] a push that adds to what Kustomize builds %s', async (_, text, pauses) => {
  const lab = await pushToBuiltRoot(undefined, text.replace('name: nodes', 'name: web'));

  expect(lab.pool().paused).toBe(pauses);
});

test('[S0-12] an Application that is Synced by its old spec is held until what writes the new one has synced', async () => {
  const lab = await oneRepository();

  compares(lab, 'nodes');
  await lab.pass(60);
  const beforeRoot = isHeld(lab);
  await syncs(lab, 'root', { results: [] });
  await lab.pass(60);
  const afterRoot = isHeld(lab);
  compares(lab, 'nodes', 'OutOfSync');
  await syncs(lab, 'nodes');
  await lab.pass(60);

  expect([beforeRoot, afterRoot, isHeld(lab)]).toEqual([true, true, false]);
  expect(lab.pool().paused).toBe(false);
});

test('[S0-12] a sync by the old spec, before what writes the new one has synced, is not the awaited one', async () => {
  const lab = await oneRepository();

  await syncs(lab, 'nodes');
  await lab.pass(10);
  await syncs(lab, 'root', { results: [] });
  await lab.pass(60);
  const before = isHeld(lab);
  compares(lab, 'nodes');
  await lab.pass(60);

  expect([before, isHeld(lab)]).toEqual([true, false]);
});

test('[S0-12] one that was Synced already is let go once what writes it has nothing to sync', async () => {
  const lab = await oneRepository();

  compares(lab, 'nodes');
  compares(lab, 'root');
  await lab.pass(60);

  expect([isHeld(lab), lab.pool().paused]).toEqual([false, false]);
});

test('[S0-9] [N-30] a sync that began here after its writer had synced holds on where its Application is then pointed away', async () => {
  const lab = await oneRepository({ argocd: { destinations: [{ name: 'dev', cluster: 'dev' }] } });
  await syncs(lab, 'root', { results: [] });
  await lab.pass(60);
  lab.syncs(commitB);
  await lab.pass(5);
  lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
  await lab.pass(600);

  expect(isHeld(lab)).toBe(true);
});

test('[S0-12] a sync by the old spec in the middle of the sync that writes the new one answers nothing', async () => {
  const lab = await oneRepository();
  lab.syncs(commitB, {}, 'root');
  await lab.pass(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  await lab.pass(10);
  lab.ends('Succeeded');
  lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
  await lab.deliver(lab.operationOf('Succeeded'));
  await lab.pass(100);
  const during = isHeld(lab);
  // It wrote the spec of nodes a second ago.
  lab.ends('Succeeded', { results: [] }, 'root');

  await lab.pass(3);

  expect([during, isHeld(lab)]).toEqual([true, true]);
});

test.each([
  ['in their order', 1],
  ['in the other order', -1],
])('[S0-12] a push to the writer and one to the own source, read %s, are both waited for', async (_, order) => {
  const lab = keepLab();
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const sources = [{ repoURL: 'https://github.com/acme/apps.git', path: '', targetRevision: 'main', chart: '' }];
  const resources = [{ ...child, status: 'Synced' }];
  lab.world.argocd.put(anApplication({ name: 'root', uid: 'root', sources, sync, resources }));
  await lab.tick();
  const at = (seconds: number) => new Date(lab.world.clock.now().getTime() + seconds * 1000).toISOString();
  const repository = { htmlUrl: 'https://github.com/acme/apps', fullName: 'acme/apps', defaultBranch: 'main' };
  const files = { kind: 'known' as const, paths: ['nodes.yaml'] };
  const toWriter = { ...lab.pushOf('c'.repeat(40), { receivedAt: at(0), repository, files }), id: 'to-writer' };
  const toSource = { ...lab.pushOf(commitB, { receivedAt: at(1) }), id: 'to-source' };
  lab.world.clock.advance(2);
  for (const push of [toWriter, toSource].toSorted((a, b) => order * a.id.localeCompare(b.id) * -1))
    await lab.deliver(push);
  await lab.pass(2);

  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  await lab.pass(5);
  lab.ends('Succeeded');
  await lab.deliver(lab.operationOf('Succeeded'));
  await lab.pass(30);

  expect(isHeld(lab)).toBe(true);
});

test.each([
  ['in their order', [0, 1, 2]],
  ['the first one last', [1, 2, 0]],
])('[S0-12] of three pushes to the writer, read %s, its sync of no earlier one ends the wait', async (_, order) => {
  const lab = keepLab();
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const sources = [{ repoURL: 'https://github.com/acme/apps.git', path: '', targetRevision: 'main', chart: '' }];
  lab.world.argocd.put(
    anApplication({ name: 'root', uid: 'root', sources, sync, resources: [{ ...child, status: 'Synced' }] }),
  );
  await lab.tick();
  const repository = { htmlUrl: 'https://github.com/acme/apps', fullName: 'acme/apps', defaultBranch: 'main' };
  const commits = [commitA, ...[...'123'].map((digit) => digit.repeat(40))];
  const pushes = [0, 1, 2].map((index) => {
    lab.world.clock.advance(1);
    const receivedAt = lab.world.clock.now().toISOString();
    const [before = '', after = ''] = commits.slice(index);
    return { ...lab.pushOf(after, { before, receivedAt, repository }), id: `push-${index}` };
  });
  for (const index of order) await lab.deliver(pushes[index] ?? lab.pushOf(commitB));

  const isHeldAfter: boolean[] = [];
  for (const commit of commits) {
    lab.world.clock.advance(2);
    lab.syncs(commit, {}, 'root');
    await lab.pass(5);
    lab.ends('Succeeded', { results: [] }, 'root');
    lab.world.clock.advance(2);
    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.pass(60);
    isHeldAfter.push(isHeld(lab));
  }

  expect(isHeldAfter).toEqual([true, true, true, false]);
});

describe('where the sync of the writer lasts', () => {
  const minute = 60;

  /** As Argo CD marks what it writes. */
  async function writtenBy(writer: string): Promise<KeepLab> {
    const lab = await oneRepository();
    const mark = `${writer}:argoproj.io/Application:openshift-gitops/nodes`;
    lab.world.argocd.change('nodes', { annotations: { 'argocd.argoproj.io/tracking-id': mark } });
    lab.syncs(commitB, {}, 'root');
    return lab;
  }

  test('[S0-12] an Application that it has written before waits until it has ended, and says so', async () => {
    const lab = await writtenBy('root');

    await lab.pass(40 * minute);
    const during = [isHeld(lab), lab.record()?.holds[0]?.why];
    lab.ends('Succeeded', { results: [] }, 'root');
    await lab.pass(5 * minute);
    const after = isHeld(lab);
    compares(lab, 'nodes');
    await lab.pass(90);

    expect(during).toEqual([true, expect.stringMatching(/; openshift-gitops\/root is still syncing it$/)]);
    expect([after, isHeld(lab), lab.pool().paused]).toEqual([true, false, false]);
  });

  test('[S0-12] it waits as long as a sync may last and one may be expected, and then says why it does no more', async () => {
    const lab = await writtenBy('root');

    await lab.pass(70 * minute);
    const before = isHeld(lab);
    await lab.pass(6 * minute);

    expect([before, lab.pool().paused]).toEqual([true, false]);
    expect(lab.record()?.last?.why).toContain('root has been syncing for longer than policy.syncAtMost');
  });

  test.each(['claims', 'team_root', 'rooter'])(
    '[N-30] one that only says that it manages it keeps its pools no longer for that: it was written by %s',
    async (writer) => {
      const lab = await writtenBy(writer);

      await lab.pass(10 * minute);
      const before = isHeld(lab);
      await lab.pass(6 * minute);

      expect([before, lab.pool().paused]).toEqual([true, false]);
    },
  );

  test('[N-30] a sync of something else is no reason to wait longer', async () => {
    const lab = await writtenBy('root');
    lab.syncs(commitA, {}, 'root');

    await lab.pass(16 * minute);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-12] its renewals are few', async () => {
    const lab = await writtenBy('root');
    await lab.pass(16 * minute);
    const { resourceVersion } = lab.pool();

    await lab.pass(5 * minute);

    expect(lab.pool().resourceVersion).toBe(resourceVersion);
  });
});

test('[S0-12] an Application that the push takes away is held until it is gone, also while it is shown as Synced', async () => {
  const lab = keepLab();
  const [source] = lab.world.argocd.get('nodes').sources;
  if (source === undefined) throw new Error('nodes has a source');
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const resources = [{ ...child, status: 'Synced' }];
  lab.world.argocd.change('nodes', { sources: [{ ...source, repoURL: 'https://github.com/acme/nodes.git' }] });
  lab.world.argocd.put(
    anApplication({ name: 'root', uid: 'root', sources: [{ ...source, path: 'apps' }], sync, resources }),
  );
  await lab.tick();
  await pushFiles(lab, [changedFile('apps/nodes.yaml', applicationText('{automated: {}}'), undefined)]);
  await syncs(lab, 'root', { results: [] });
  lab.world.argocd.change('nodes', { isBeingDeleted: true });
  await lab.pass(60);
  compares(lab, 'nodes');
  await lab.pass(120);
  const going = isHeld(lab);
  lab.world.argocd.remove('nodes');
  await lab.pass(60);

  expect([going, isHeld(lab)]).toEqual([true, false]);
});

/** `root`, of another Argo CD than `nodes` (or of a third one, through `middle`), writes Applications into the
 *  namespace of the Argo CD of cluster prod. */
async function fleet(where: 'another cluster' | 'the same cluster', through: 'root' | 'middle' = 'root') {
  const lab = keepLab();
  const [prod] = lab.ports.configuration.clusters;
  const [hub] = lab.ports.configuration.argocd;
  const [source] = lab.world.argocd.get('nodes').sources;
  if (prod === undefined || hub === undefined || source === undefined) throw new Error('the lab has one of each');
  const pools = fakePools({ clock: lab.world.clock.now, faults: lab.world.faults });
  pools.put(aPool());
  const [central, top] = [fakeArgoCd({ name: 'central' }), fakeArgoCd({ name: 'top' })];
  const child = { group: 'argoproj.io', kind: 'Application', status: 'Synced' };
  const nodes = { ...child, namespace: 'openshift-gitops', name: 'nodes' };
  const apps = { ...source, path: 'apps' };
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const destination = { server: '', name: 'prod' };
  const parent = { sync, sources: [apps], destination };
  lab.world.argocd.change('nodes', { sources: [{ ...source, repoURL: 'https://github.com/acme/nodes.git' }] });
  const ofCentral = through === 'root' ? { ...parent, name: 'root' } : { ...parent, name: 'middle', sources: [] };
  central.put(anApplication({ ...ofCentral, uid: ofCentral.name, namespace: 'central', resources: [nodes] }));
  const middle = { ...child, namespace: 'central', name: 'middle' };
  const toCentral = { server: '', name: 'mgmt' };
  if (through === 'middle')
    top.put(
      anApplication({
        ...parent,
        name: 'root',
        uid: 'root',
        namespace: 'top',
        resources: [middle],
        destination: toCentral,
      }),
    );
  const others = { mgmt: where === 'another cluster' ? 'mgmt' : 'prod', prod: 'prod' };
  const instance = (name: string) => ({
    ...hub,
    name,
    cluster: others.mgmt,
    namespaces: [name],
    controllerNamespace: name,
    destinations: Object.entries(others).map(([each, cluster]) => ({ name: each, cluster })),
  });
  const configuration = fillIn(
    {
      ...lab.ports.configuration,
      clusters: [prod, { ...prod, name: 'mgmt', api: { ...prod.api, server: 'https://mgmt.example.com:6443' } }],
      argocd: [hub, instance('central'), instance('top')],
    },
    new Map(),
  );
  const ports: KeepPorts = {
    ...lab.ports,
    configuration,
    cluster: async (name) => ({ ...(await lab.ports.cluster('prod')), ...(name === 'prod' ? {} : { pools }) }),
    argocd: async (name) => ({ hub: lab.world.argocd, central, top })[name] ?? lab.ports.argocd(name),
  };
  await keep(tickOf(lab.world.clock.now()), ports);
  return { lab, ports, pools, central };
}

function nodesAt(revision: string): string {
  return applicationText('{automated: {}}').replace('targetRevision: main', `targetRevision: ${revision}`);
}

describe('a push that changes an Application by a parent in another Argo CD', () => {
  test.each(['another cluster', 'the same cluster'] as const)(
    '[S0-12] [N-1] of %s is paused for, until that parent has synced',
    async (where) => {
      const { lab, ports, pools } = await fleet(where);

      await pushFiles(lab, [changedFile('apps/nodes.yaml', nodesAt('v1'), nodesAt('v2'))], { ports });

      expect(isHeld(lab)).toBe(true);
      expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, via: { argocd: 'central', name: 'root' } }]);
      expect(pools.get('worker').paused).toBe(false);
    },
  );

  test('[S0-12] [N-30] is paused for at once, also where another of its Argo CDs does not answer', async () => {
    const { lab, ports, central } = await fleet('another cluster');
    const { clusters, argocd } = ports.configuration;
    const [prod] = clusters;
    const [hub, middle, ...others] = argocd;
    if (prod === undefined || hub === undefined || middle === undefined) throw new Error('the fleet has one of each');
    const root = await central.readApplication({ namespace: 'central', name: 'root' });
    if (root === undefined) throw new Error('there is no root');
    const edge = fakeArgoCd({ name: 'edge' });
    edge.put(lab.world.argocd.get('nodes'));
    central.put({ ...root, name: 'root-of-edge', uid: 'root-of-edge', destination: { server: '', name: 'edge' } });
    const serving = [...middle.destinations, { name: 'edge', cluster: 'edge' }];
    const configuration = {
      ...ports.configuration,
      clusters: [...clusters, { ...prod, name: 'edge' }],
      argocd: [hub, { ...middle, destinations: serving }, ...others, { ...hub, name: 'edge', cluster: 'edge' }],
    };
    const withEdge: KeepPorts = {
      ...ports,
      configuration,
      argocd: async (name) => (name === 'edge' ? edge : ports.argocd(name)),
    };
    await keep(tickOf(lab.world.clock.now()), withEdge);
    const gaveUp = Promise.withResolvers<never>();
    const hangs = () => gaveUp.promise;
    const slow = { ...edge, listApplications: hangs, countApplications: hangs, readApplication: hangs };
    const paused = Promise.withResolvers<void>();
    const sleep = async () => {
      for (let turns = 0; turns < 500; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    };

    const pushed = pushFiles(lab, [changedFile('apps/nodes.yaml', nodesAt('v1'), nodesAt('v2'))], {
      ports: { ...withEdge, sleep, argocd: async (name) => (name === 'edge' ? slow : withEdge.argocd(name)) },
    });
    const looks = setInterval(() => lab.pool().paused && paused.resolve(), 1);
    await paused.promise;
    clearInterval(looks);
    gaveUp.reject(new Transient('edge does not answer'));
    await pushed.catch(() => undefined);

    expect(isHeld(lab)).toBe(true);
  });

  test('[S0-12] [N-30] waits for that parent also where its Argo CD answers after that of the Application', async () => {
    const { lab, ports, central } = await fleet('another cluster');
    const sources = [{ repoURL: 'https://github.com/acme/platform.git', path: '', targetRevision: 'HEAD', chart: '' }];
    for (const [argocd, name] of [[lab.world.argocd, 'nodes'] as const, [central, 'root'] as const])
      argocd.change(name, { sources });
    await keep(tickOf(lab.world.clock.now()), ports);
    const push = lab.pushOf(commitB);
    const silent = async (name: string) => {
      if (name === 'central') throw new Transient('central does not answer');
      return await ports.argocd(name);
    };

    await expect(keep(push, { ...ports, argocd: silent })).rejects.toThrow(Transient);
    const before = lab.record()?.holds;
    await keep(push, ports);
    const after = lab.record()?.holds;
    lab.syncs(commitB);
    lab.ends('Succeeded', { results: [] });
    lab.world.clock.advance(20);
    await keep(tickOf(lab.world.clock.now()), ports);

    expect(before?.map(({ via }) => via)).toEqual([undefined]);
    expect(after).toMatchObject([{ id: nodesHold, revision: commitB, via: { argocd: 'central', name: 'root' } }]);
    expect(isHeld(lab)).toBe(true);
  });

  test('[S0-12] [N-30] keeps no other sync waiting once the Argo CD of that parent hangs', async () => {
    const { lab, ports } = await fleet('another cluster');
    await pushFiles(lab, [changedFile('apps/nodes.yaml', nodesAt('v1'), nodesAt('v2'))], { ports });
    const sources = [{ repoURL: 'https://github.com/acme/more.git', path: '', targetRevision: 'HEAD', chart: '' }];
    lab.world.argocd.put(anApplication({ name: 'more', uid: 'more', sources }));
    lab.syncs(commitB, {}, 'more');
    const seen = lab.operationOf('Running');
    const hangs = () => new Promise<never>(() => {});

    await keep(
      { ...seen, data: { ...seen.data, name: 'more' } },
      {
        ...ports,
        argocd: (name) => (name === 'central' ? hangs() : ports.argocd(name)),
        sleep: (ms) => (ms === 1000 ? Promise.resolve() : hangs()),
      },
    );

    expect(lab.record()?.holds).toMatchObject([
      { id: nodesHold, via: { argocd: 'central', name: 'root' } },
      { who: 'openshift-gitops/more', phase: 'syncing' },
    ]);
  });

  test('[S0-12] is paused for also where that one is written by a third', async () => {
    const { lab, ports } = await fleet('another cluster', 'middle');
    const middleAt = (revision: string) =>
      nodesAt(revision).replace('name: nodes, namespace: openshift-gitops', 'name: middle, namespace: central');

    await pushFiles(lab, [changedFile('apps/middle.yaml', middleAt('v1'), middleAt('v2'))], { ports });

    expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, via: { argocd: 'central', name: 'middle' } }]);
  });

  test('[S0-12] [N-30] and that does not change it, is paused for by nobody', async () => {
    const { lab, ports } = await fleet('another cluster');
    const otherAt = (revision: string) =>
      nodesAt(revision).replace('name: nodes, namespace: openshift-gitops', 'name: other, namespace: elsewhere');

    await pushFiles(lab, [changedFile('apps/other.yaml', otherAt('v1'), otherAt('v2'))], { ports });

    expect([lab.pool().paused, lab.record()?.holds ?? []]).toEqual([false, []]);
  });
});
