import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultDisruptionPolicy } from '../../../functions/core/machine-config/disruption-policy.ts';
import type { MachineConfigContent } from '../../../functions/core/machine-config/machine-config.ts';
import type { ChangedFile, ToolFolder } from '../../../functions/core/routing/changed-file.ts';
import { protect } from '../../../functions/handshake/protect.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aMachineConfig, anApplication, naming } from '../../fakes/index.ts';
import { machineConfig, type Saying } from '../core/machine-config/builders.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const ssh = '99-worker-ssh';
const base = machineConfig('00-worker', { files: { '/etc/base': 'x' } });
const keysA = ['ssh-ed25519 AAAA ada'];
const keysB = ['ssh-ed25519 BBBB ada'];

function rendered(name: string, saying: Saying): MachineConfigContent {
  return machineConfig(name, {
    ...saying,
    labels: {},
    files: { '/etc/base': 'x', ...saying.files },
    spec: { osImageURL: 'from-the-release' },
  });
}

/** Pool worker is to be paused for disruptive changes only; its MachineConfigs are 00-worker and the keys of user
 *  core. */
function harmLab(pauseFor: 'any' | 'disruptive' = 'disruptive'): KeepLab {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, pauseFor } } });
  lab.world.renderings.setCircumstances({ policy: defaultDisruptionPolicy, layeredPools: [] });
  lab.world.renderings.put(base, machineConfig(ssh, { keys: keysA }));
  lab.world.renderings.put(rendered('rendered-worker-aaa', { keys: keysA }));
  return lab;
}

const passwd = (keys: readonly string[]) =>
  `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: ${ssh}, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 3.2.0}, passwd: {users: [{name: core, sshAuthorizedKeys: [${keys.join(', ')}]}]}}}
`;

function motd(text: string, name = '99-worker-motd'): string {
  return `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: ${name}, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 3.2.0}, storage: {files: [{path: /etc/motd, contents: {source: "data:,${text}"}}]}}}
`;
}

const policyOf = (type: string) => `apiVersion: operator.openshift.io/v1
kind: MachineConfiguration
metadata: {name: cluster}
spec: {nodeDisruptionPolicy: {sshkey: {actions: [{type: ${type}}]}}}
`;

function file(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const side = (text: string | undefined): ChangedFile['before'] =>
    text === undefined ? { kind: 'absent' } : { kind: 'text', text };
  return { path, before: side(before), after: side(after) };
}

const newKeys = file('nodes/ssh.yaml', passwd(keysA), passwd(keysB));

interface Pushing {
  readonly files?: readonly ChangedFile[];
  readonly before?: string;
  readonly after?: string;
  readonly incomplete?: string;
  readonly tools?: readonly ToolFolder[];
  readonly sleep?: () => Promise<void>;
}

function push(lab: KeepLab, pushing: Pushing = {}): Promise<void> {
  const { files = [newKeys], before = commitA, after = commitB, incomplete, tools = [], sleep } = pushing;
  const paths = files.map(({ path }) => path);
  return keep(lab.pushOf(after, { before, files: { kind: 'known', paths } }), {
    ...lab.ports,
    ...(sleep === undefined ? {} : { sleep }),
    changes: { repositories: { readChange: async () => ({ files, tools, incomplete }) }, manifestReader },
  });
}

/** Argo CD compares and syncs, as after a push. */
function syncs(lab: KeepLab, revision = commitB): void {
  const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
  lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [revision] }, resources });
  lab.syncs(revision);
}

/** The sync writes the keys, and the MCO renders: with the keys, and what else `saying` has. */
function applies(lab: KeepLab, saying: Saying = {}): void {
  lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: lab.world.clock.now().toISOString() }));
  lab.world.renderings.put(rendered('rendered-worker-bbb', { keys: keysB, ...saying }));
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', ssh] };
  lab.world.pools.change('worker', 'machine-config-controller', { target });
}

const lines = (lab: KeepLab) =>
  lab.world.tables.timeline
    .all()
    .map(({ text }) => text)
    .join('\n');
const reads = (lab: KeepLab) => lab.world.faults.calls.filter(({ op }) => op.startsWith('renderings.')).length;

describe('a pool that is to be paused for disruptive changes only', () => {
  test('[S1-17] [N-1] is not paused for a push that does nothing to its nodes, and the timeline says why', async () => {
    const lab = harmLab();

    await push(lab);

    expect(lab.pool().paused).toBe(false);
    expect(lines(lab)).toContain(
      `no action for worker by ${nodesHold}: pauseFor is disruptive, and this does nothing to the nodes: user core: the policy requires no action`,
    );
  });

  test('[S1-17] [N-30] is paused for what Kustomize builds, unless the cluster has it as its file has it', async () => {
    const tools = [{ folder: 'nodes', tool: 'kustomize' }] as const;
    const [plain, patched] = [harmLab(), harmLab()];
    patched.world.renderings.put(machineConfig(ssh, { keys: keysA, files: { '/etc/nmstate/openshift/a': 'x' } }));
    const whole = rendered('rendered-worker-aaa', { keys: keysA, files: { '/etc/nmstate/openshift/a': 'x' } });
    patched.world.renderings.put(whole);

    await push(plain, { tools });
    await push(patched, { tools });

    expect([plain, patched].map((lab) => lab.pool().paused)).toEqual([false, true]);
    expect(lines(patched)).toContain('Kustomize may make something else of it');
  });

  test('[S1-17] [N-1] is not paused while that push is synced and rolled out either', async () => {
    const lab = harmLab();
    await push(lab);

    await lab.pass(3);
    syncs(lab);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(2);
    applies(lab);
    await lab.tick();
    await lab.tick();
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.pass(120);

    expect(lab.world.pools.patches).toEqual([]);
    expect(lab.told()).not.toContain('pool.paused');
  });

  test('[S1-17] is paused for what reboots its nodes, and for what reloads or restarts something on them', async () => {
    const reboots = harmLab();
    const reloads = harmLab();
    const policy = motd('x', ssh).replaceAll('/etc/motd', '/etc/containers/policy.json');

    await push(reboots, { files: [file('nodes/motd.yaml', undefined, motd('hello'))] });
    await push(reloads, { files: [file('nodes/ssh.yaml', passwd(keysA), policy)] });

    expect(reboots.record()?.holds[0]?.why).toContain('file /etc/motd means reboot');
    expect(reloads.record()?.holds[0]?.why).toContain('file /etc/containers/policy.json means reload');
    expect([reboots, reloads].map((lab) => lab.pool().paused)).toEqual([true, true]);
  });

  test('that is to be paused for any change is paused, and nothing is read for it', async () => {
    const lab = harmLab('any');

    await push(lab);

    expect(lab.pool().paused).toBe(true);
    expect(reads(lab)).toBe(0);
  });

  test('costs no read of what is rendered in a quiet tick, or for a push that does not touch it', async () => {
    const lab = harmLab();

    await lab.tick();
    await push(lab, { files: [file('nodes/note.yaml', undefined, policyOf('None'))] });
    await lab.pass(180);

    expect(lab.pool().paused).toBe(false);
    expect(reads(lab)).toBe(0);
  });

  test('lets a PreSync Job of such a sync go on', async () => {
    const lab = harmLab();
    await push(lab);
    syncs(lab);

    const protection = await protect({ argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' }, lab.ports);

    expect(protection).toEqual({ kind: 'nothing-to-protect', why: 'worker: its nodes are not disrupted' });
  });
});

describe('every doubt pauses', () => {
  const doubts: Readonly<Record<string, readonly [(lab: KeepLab) => void, string]>> = {
    'a NodeDisruptionPolicy that cannot be read': [
      (lab) => lab.world.renderings.setCircumstances({ policy: undefined }),
      'the NodeDisruptionPolicy of the cluster is unknown',
    ],
    'a policy that asks for a reboot': [
      (lab) =>
        lab.world.renderings.setCircumstances({
          policy: { ...defaultDisruptionPolicy, sshkey: [{ type: 'Reboot', service: '' }] },
        }),
      'user core means reboot',
    ],
    'images that may be built for the pool': [
      (lab) => lab.world.renderings.setCircumstances({ layeredPools: undefined }),
      'it is unknown whether an image is built for it',
    ],
    'an image that is built for the pool': [
      (lab) => lab.world.renderings.setCircumstances({ layeredPools: ['worker'] }),
      'user core means reboot',
    ],
    'a rendered config that is not there': [
      (lab) => lab.world.renderings.remove('rendered-worker-aaa'),
      'rendered-worker-aaa could not be read',
    ],
    'MachineConfigs that cannot be read': [
      (lab) => lab.world.faults.failAll(['renderings.sources']),
      'it could not be read',
    ],
    'a MachineConfig that was changed and is not rendered yet': [
      (lab) => lab.world.renderings.put(machineConfig('00-worker', { files: { '/etc/base': 'y' } })),
      'the MachineConfigs and the rendered config differ in file /etc/base',
    ],
    'a MachineConfig that came and is not rendered yet': [
      (lab) => lab.world.renderings.put(machineConfig('50-new', { files: { '/etc/new': 'y' } })),
      'MachineConfig 50-new was added or removed',
    ],
    'a MachineConfig that is not what Git had': [
      (lab) => {
        lab.world.renderings.put(machineConfig(ssh, { keys: keysA, files: { '/etc/by-hand': 'x' } }));
        lab.world.renderings.put(rendered('rendered-worker-aaa', { keys: keysA, files: { '/etc/by-hand': 'x' } }));
      },
      'file /etc/by-hand means reboot',
    ],
    'nodes that are under way': [
      (lab) =>
        lab.world.pools.change('worker', 'machine-config-controller', {
          current: { name: 'rendered-worker-old', sources: [] },
        }),
      'its nodes are not at rest',
    ],
    'an Application that names the pool itself': [
      (lab) => lab.world.argocd.change('nodes', naming('worker')),
      'names the pool itself',
    ],
    'an Application of several sources': [
      (lab) => {
        const { sources } = lab.world.argocd.get('nodes');
        lab.world.argocd.change('nodes', { sources: [...sources, ...sources.map((each) => ({ ...each, path: 'b' }))] });
      },
      'has several sources',
    ],
    'an Application that stands at another commit': [
      (lab) => lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitC] } }),
      'it is unknown what changes',
    ],
    'another MachineConfig that is out of sync': [
      (lab) =>
        lab.world.argocd.change('nodes', {
          resources: [
            ...anApplication().resources,
            ...anApplication().resources.map((each) => ({ ...each, name: '00-worker', status: 'OutOfSync' })),
          ],
        }),
      'MachineConfig 00-worker of openshift-gitops/nodes is out of sync as well',
    ],
    'a policy that is out of sync': [
      (lab) =>
        lab.world.argocd.change('nodes', {
          resources: [
            ...anApplication().resources,
            {
              group: 'operator.openshift.io',
              kind: 'MachineConfiguration',
              namespace: '',
              name: 'cluster',
              status: 'OutOfSync',
            },
          ],
        }),
      'a NodeDisruptionPolicy is about to change',
    ],
  };

  test.each(Object.keys(doubts))('[S1-17] %s', async (doubt) => {
    const lab = harmLab();
    const [arrange, why] = doubts[doubt] ?? [() => {}, ''];
    arrange(lab);

    await push(lab);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]?.why).toContain(why);
  });

  test('[S1-17] a push that changes the policy with it', async () => {
    const lab = harmLab();

    await push(lab, { files: [newKeys, file('nodes/policy.yaml', policyOf('None'), policyOf('Reboot'))] });

    expect(lab.record()?.holds[0]?.why).toContain('a NodeDisruptionPolicy is about to change');
  });

  test('[S1-17] a push that may change the policy by an Application of which nothing is known', async () => {
    const lab = harmLab();
    const { sources } = anApplication();
    lab.world.argocd.put(
      anApplication({
        name: 'settings',
        uid: 'uid-settings',
        sync: { status: 'Synced', revisions: [commitA] },
        sources: sources.map((source) => ({ ...source, path: 'settings', tool: 'helm' as const })),
        resources: [
          {
            group: 'operator.openshift.io',
            kind: 'MachineConfiguration',
            namespace: '',
            name: 'cluster',
            status: 'Synced',
          },
        ],
      }),
    );

    await push(lab, { files: [newKeys, file('settings/values.yaml', 'a: 1', 'a: 2')] });

    expect(lab.record()?.holds[0]?.why).toContain('may be the NodeDisruptionPolicy');
  });

  test.each(['argocd.argoproj.io/sync-options: "Force=true,Replace=true"', 'helm.sh/hook: pre-upgrade'])(
    '[S1-17] a MachineConfig that Argo CD may delete and make anew: %s',
    async (annotation) => {
      const lab = harmLab();
      const replaced = passwd(keysB).replace('labels:', `annotations: {${annotation}}, labels:`);

      await push(lab, { files: [file('nodes/ssh.yaml', passwd(keysA), replaced)] });

      expect(lab.record()?.holds[0]?.why).toContain(
        `MachineConfig ${ssh} has Argo CD annotations that change how it is synced`,
      );
    },
  );

  test('[S1-17] MachineConfigs of several waves, which are rendered one after the other', async () => {
    const lab = harmLab();
    const later = passwd(keysB)
      .replace(`name: ${ssh}`, 'name: 99-worker-zz')
      .replace('labels:', 'annotations: {argocd.argoproj.io/sync-wave: "5"}, labels:');

    await push(lab, { files: [newKeys, file('nodes/more.yaml', undefined, later)] });

    expect(lab.record()?.holds[0]?.why).toContain('openshift-gitops/nodes syncs it in several waves');
  });

  test('[S1-17] a change that is not wholly known', async () => {
    const lab = harmLab();

    await push(lab, { incomplete: 'GitHub answered 502' });

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds[0]?.why).toContain('it is unknown what changes');
  });

  test('[S1-17] an answer that does not come in time', async () => {
    const lab = harmLab();
    const { renderings } = lab.world;
    const never = { ...renderings, readRenderSources: () => new Promise<never>(() => {}) };
    const cluster = async () => ({ ...lab.world, renderings: never });

    await keep(lab.pushOf(commitB, { files: { kind: 'known', paths: ['nodes/ssh.yaml'] } }), {
      ...lab.ports,
      cluster,
      sleep: async () => {},
      changes: {
        repositories: { readChange: async () => ({ files: [newKeys], tools: [], incomplete: undefined }) },
        manifestReader,
      },
    });

    expect(lab.pool().paused).toBe(true);
  });

  test.each(['renderings.sources', 'renderings.contents'] as const)('[S1-17] a fault of ours behind %s', async (op) => {
    const lab = harmLab();
    lab.world.faults.failAll([op], new TypeError('x is undefined'));

    await push(lab);

    expect(lab.pool().paused).toBe(true);
  });

  test('[S1-17] files that we cannot make sense of by a fault of ours', async () => {
    const lab = harmLab();
    const readChange = async () => Promise.reject(new TypeError('x is undefined'));

    await keep(lab.pushOf(commitB), { ...lab.ports, changes: { repositories: { readChange }, manifestReader } });

    expect(lab.pool().paused).toBe(true);
  });

  test('[S1-17] several Applications of which one does more', async () => {
    const lab = harmLab();
    lab.world.argocd.put(
      anApplication({
        name: 'more',
        uid: 'uid-more',
        sync: { status: 'Synced', revisions: [commitA] },
        sources: anApplication().sources.map((source) => ({ ...source, path: 'more' })),
      }),
    );

    await push(lab, { files: [newKeys, file('more/motd.yaml', undefined, motd('hello'))] });

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toHaveLength(2);
  });

  test('[S1-17] [N-30] more objects than can be compared in time', async () => {
    const lab = harmLab();
    const many = Array.from({ length: 100 }, (_, at) => motd('hello', `99-motd-${at}`));

    await push(lab, { files: [newKeys, file('nodes/many.yaml', undefined, many.join('---\n'))] });

    expect(lab.record()?.holds[0]?.why).toContain('it changes too many objects to compare them in time');
  });

  test('[S1-17] several files that say what one MachineConfig is', async () => {
    const lab = harmLab();

    await push(lab, { files: [newKeys, file('nodes/again.yaml', undefined, passwd(keysB))] });

    expect(lab.record()?.holds[0]?.why).toContain(`several files define MachineConfig ${ssh}`);
  });
});

describe('the sync of a push that was spared', () => {
  /** Pushed and spared, and three seconds later the sync of it runs. */
  async function spared(): Promise<KeepLab> {
    const lab = harmLab();
    await push(lab);
    await lab.pass(3);
    syncs(lab);
    return lab;
  }

  test.each<[string, (lab: KeepLab) => void]>([
    [
      'writes more that drifted',
      (lab) => {
        const [resource] = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
        const more = resource && { ...resource, name: '00-worker' };
        lab.world.argocd.change('nodes', { resources: [resource, more].filter((each) => each !== undefined) });
      },
    ],
    ['is of another commit', (lab) => syncs(lab, commitC)],
    [
      'was not compared',
      (lab) => lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitA] } }),
    ],
    ['was started by a person', (lab) => lab.syncs(commitB, { startedBy: 'admin' })],
    ['is of an Application made anew', (lab) => lab.world.argocd.change('nodes', { uid: 'uid-new' })],
    [
      'comes after its MachineConfig was changed by hand',
      (lab) => {
        const changedAt = new Date(lab.world.clock.now().getTime() - 1500).toISOString();
        lab.world.pools.putMachineConfig(aMachineConfig({ changedAt }));
      },
    ],
    ['comes with something else that is rendered', (lab) => applies(lab, { files: { '/etc/other': 'x' } })],
    [
      'is rendered to what cannot be read',
      (lab) => {
        applies(lab);
        lab.world.renderings.remove('rendered-worker-bbb');
      },
    ],
    [
      'runs once keys of people mean a reboot',
      (lab) => {
        const reboot = { ...defaultDisruptionPolicy, sshkey: [{ type: 'Reboot', service: '' }] };
        lab.world.renderings.setCircumstances({ policy: reboot });
      },
    ],
    [
      'runs once an image is built for the pool',
      (lab) => lab.world.renderings.setCircumstances({ layeredPools: ['worker'] }),
    ],
    [
      'runs while the policy is not known any more',
      (lab) => lab.world.renderings.setCircumstances({ policy: undefined }),
    ],
    [
      'is rendered while the policy is not known any more',
      (lab) => {
        applies(lab);
        lab.world.renderings.setCircumstances({ policy: undefined });
      },
    ],
    [
      'is of a pool that is to be paused for any change now',
      (lab) => {
        const [cluster] = lab.ports.configuration.clusters;
        Object.assign(cluster ?? {}, { pools: {} });
      },
    ],
    [
      'is remembered by nobody',
      (lab) => {
        const load = lab.ports.checkpoints.load;
        lab.ports.checkpoints.load = async (cluster) => {
          const known = await load(cluster);
          return known && { ...known, spared: [] };
        };
      },
    ],
  ])('[S1-17] pauses when it %s', async (_, happen) => {
    const lab = await spared();
    happen(lab);

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(true);
  });

  test('[S1-17] is spared once: a self-heal at the same commit pauses', async () => {
    const lab = await spared();
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    const whileSpared = lab.pool().paused;

    await lab.pass(30);
    syncs(lab);
    await lab.deliver(lab.operationOf('Running'));

    expect([whileSpared, lab.pool().paused]).toEqual([false, true]);
  });

  test('[S1-17] may be begun a second time at once, as Argo CD does', async () => {
    const lab = await spared();
    await lab.deliver(lab.operationOf('Running'));
    applies(lab);
    lab.ends('Succeeded');
    await lab.pass(1);
    syncs(lab);

    await lab.deliver(lab.operationOf('Running'));

    expect(lab.pool().paused).toBe(false);
  });

  test('[S1-17] a later push pauses, also in the middle of it', async () => {
    const lab = await spared();
    await lab.deliver(lab.operationOf('Running'));

    await push(lab, { before: commitB, after: commitC, files: [file('nodes/motd.yaml', undefined, motd('hello'))] });

    expect(lab.pool().paused).toBe(true);
  });

  test('[S1-17] the same push delivered again pauses nothing', async () => {
    const lab = await spared();
    await lab.deliver(lab.operationOf('Running'));

    await push(lab);

    expect(lab.pool().paused).toBe(false);
  });
});
