import { afterEach, describe, expect, test } from 'vitest';
import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import { bootedSystem, changesText, isChanged } from '../../../../functions/core/diagnose/logs/booted-system.ts';
import { preflight } from '../../../../functions/core/diagnose/preflight/preflight.ts';
import { preflightText } from '../../../../functions/core/diagnose/preflight/preflight-text.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { quietWorkers } from '../../../local/openshift/virtual-cluster.ts';
import { type StoryLab, storyLab } from '../../keep-pools/node-rollout-lab.ts';
import { aLiveNode, aPod, aRollingPool, aWorld, type Json, membersIn, now, readerOver, type World } from './world.ts';

const klog = (text: string) => `I0302 10:00:00.123456    2345 daemon.go:1815] ${text}`;
const release = 'ostree-unverified-registry:quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:1111aaaa2222bbbb';

/** The start of a config daemon's log, with what it says of the booted deployment. Form: MCO pull requests 474 and
 *  4656. */
function startLog(lines: readonly string[], image = release): string {
  return [
    klog('Version: 4.20.0'),
    klog('State: idle'),
    'Deployments:',
    `  ${release}`,
    '                   Digest: sha256:57864105',
    '          LayeredPackages: cowsay',
    '',
    `* ${image}`,
    '                   Digest: sha256:57864105',
    '                  Version: 418.94.202410211616-0 (2024-10-21T16:20:41Z)',
    ...lines,
    '',
    klog('systemd service state: OK'),
  ].join('\n');
}

function changes(...lines: readonly string[]): string {
  const system = bootedSystem(startLog(lines));
  return system === undefined ? 'not there' : changesText(system);
}

describe('[S3-16] what the config daemon logs of the deployment that a node has booted', () => {
  test.each([
    ['nothing changed', [], ''],
    ['a layered package', ['          LayeredPackages: strace tcpdump'], 'layered strace, tcpdump'],
    [
      'a package from a file',
      ['            LocalPackages: zsh-5.8-9.el9.x86_64'],
      'installed from files zsh-5.8-9.el9.x86_64',
    ],
    [
      'a hotfix of the kernel',
      ['     ReplacedBasePackages: kernel kernel-core 5.14.0-427.el9 -> 5.14.0-427.42.1.el9, runc 4:1.1 -> 4:1.2'],
      'replaced kernel, kernel-core, runc',
    ],
    ['a base package that was removed', ['      RemovedBasePackages: moby-engine 20.10.el9'], 'removed moby-engine'],
    [
      'a base package in place of another one',
      ['     ReplacedBasePackages: foo-1-1.el9.x86_64 -> bar-2-1.el9.x86_64'],
      'replaced foo-1-1.el9.x86_64',
    ],
    [
      'more packages than a line has room for, and what stands behind them',
      [
        '          LayeredPackages: kernel-rt-core kernel-rt-modules kernel-rt-modules-extra',
        "                           kernel-rt-kvm strace 'gcc-c++'",
        '            LocalPackages: zsh-5.8-9.el9.x86_64',
        '                 Unlocked: hotfix',
      ],
      'layered strace, gcc-c++; installed from files zsh-5.8-9.el9.x86_64; /usr unlocked (hotfix)',
    ],
    ['/usr that can be written', ['                 Unlocked: hotfix'], '/usr unlocked (hotfix)'],
    ['what an extension of a MachineConfig brings', ['          LayeredPackages: usbguard kernel-devel'], ''],
    [
      'what kernelType brings',
      [
        '          LayeredPackages: kernel-rt-core kernel-rt-modules kernel-rt-modules-extra',
        '      RemovedBasePackages: kernel-core kernel-modules kernel kernel-modules-extra 4.18.0-147.el8',
      ],
      '',
    ],
  ])('%s', (_, lines, expected) => {
    expect(changes(...lines)).toBe(expected);
    expect(isChanged(bootedSystem(startLog(lines)) ?? expect.fail())).toBe(expected !== '');
  });

  test.each([
    ['a log that begins later', klog('Update completed')],
    ['a log that is cut off within the deployment', startLog(['          LayeredPackages: strace']).slice(0, -80)],
    ['no booted deployment', startLog([]).replace('* ostree', '  ostree')],
    [
      'a file that holds the like of it',
      `${klog('content mismatch:')}\n* x\n   LayeredPackages: strace\n\n${klog('done')}`,
    ],
    ['no log', ''],
  ])('%s is not taken for an unchanged one', (_, log) => {
    expect(bootedSystem(log)).toBeUndefined();
  });

  test('names that are no names of packages do not come along', () => {
    expect(changes('          LayeredPackages: strace $(reboot) <!channel> password=hunter2 `id`')).toBe(
      'layered strace',
    );
  });
});

const pool = aRollingPool();
const mco = 'openshift-machine-config-operator';

function aDaemon(node: string): Json {
  return aPod(`daemon-${node}`, { namespace: mco, labels: { 'k8s-app': 'machine-config-daemon' }, node, owner: null });
}

function workers(
  change: Partial<World>,
  ...infos: readonly { readonly nodeInfo?: Json; readonly annotations?: Readonly<Record<string, string>> }[]
): World {
  const names = infos.map((_, index) => `worker-${index + 1}`);
  return aWorld({
    nodes: infos.map((info, index) => aLiveNode(names[index] ?? '', info)),
    pods: names.map(aDaemon),
    logs: Object.fromEntries(names.map((name) => [`daemon-${name}`, startLog([])])),
    ...change,
  });
}

async function looked(world: World, bounds = { budgets: 50, pages: 5, nodes: 20 }) {
  const nodes = membersIn(world, pool);
  const subject = { cluster: 'prod', pool, nodes, touched: nodes, readAt: now };
  const reader = readerOver(world);
  const result = await inquireAll(() => preflight(subject, bounds), reader, { maxCalls: 100, readAt: new Date(now) });
  const text = preflightText({ pool: 'worker', touched: nodes.length, preflight: result }).replaceAll(/\s+/g, ' ');
  return { ...result, text, asked: reader.asked.map(({ path }) => path) };
}

const coreos = { nodeInfo: { osImage: 'Red Hat Enterprise Linux CoreOS 9.6.20260201-0', kernelVersion: '5.14.0-570' } };
const rebased = { nodeInfo: { osImage: 'CentOS Stream CoreOS 9', kernelVersion: '5.14.0-570' } };
const hotfixed = { nodeInfo: { ...coreos.nodeInfo, kernelVersion: '5.14.0-570.hotfix' } };

describe('[S3-16] the operating systems of the nodes before a resume', () => {
  test('alike and unchanged, nothing is said of them', async () => {
    const { systems, text } = await looked(workers({}, coreos, coreos, coreos));

    expect(systems).toEqual({ nodes: [], unread: [] });
    expect(text).toBe('Pool worker: nothing was found that blocks the drain of its 3 nodes. ');
  });

  test('layered packages and hotfixes are shown with their node, and block nothing', async () => {
    const world = workers({}, coreos, coreos, coreos);
    const logs = {
      ...world.logs,
      'daemon-worker-2': startLog(['          LayeredPackages: strace', '                 Unlocked: hotfix']),
    };

    const { systems, obstacles, text } = await looked({ ...world, logs });

    expect(systems?.nodes).toEqual([
      { node: 'worker-2', unlike: [], changes: 'layered strace; /usr unlocked (hotfix)' },
    ]);
    expect(obstacles).toEqual([]);
    expect(text).toContain(
      'worker-2: changed on the node: layered strace; /usr unlocked (hotfix); an update fails where that does not fit.',
    );
  });

  test.each([
    ['another system', rebased],
    ['another kernel', hotfixed],
  ])('a node with %s than those of the same configuration is named, without any log', async (_, other) => {
    const refused = [{ path: /\/log$/, why: 'HTTP 403' }];

    const { systems, text } = await looked(workers({ refused }, coreos, other, coreos));

    expect(systems?.nodes.map(({ node }) => node)).toEqual(['worker-2']);
    expect(text).toContain(`worker-2: runs ${other.nodeInfo.osImage}, kernel ${other.nodeInfo.kernelVersion}, others`);
  });

  test('an image of the same name with another digest is another', async () => {
    const world = workers({}, coreos, coreos, coreos);
    const own = 'ostree-unverified-image:oci-archive:/home/core/own.tar@sha256:9999cccc9999cccc';
    const mirrored = release.replace('quay.io', 'mirror.example:5000');
    const logs = { ...world.logs, 'daemon-worker-1': startLog([], own), 'daemon-worker-2': startLog([], mirrored) };

    const { systems } = await looked({ ...world, logs });

    expect(systems?.nodes).toEqual([
      {
        node: 'worker-1',
        unlike: [{ own: 'sha256:9999cccc9999cccc', others: ['sha256:1111aaaa2222bbbb'] }],
        changes: '',
      },
    ]);
  });

  test('where none prevails each is named', async () => {
    const { systems } = await looked(workers({}, coreos, rebased));

    expect(systems?.nodes.map(({ node }) => node)).toEqual(['worker-1', 'worker-2']);
  });

  test('[decoy] nodes of another configuration or architecture, and one at work, are compared with nobody', async () => {
    const arm = aLiveNode('worker-4', { ...rebased, labels: { 'kubernetes.io/arch': 'arm64' } });
    const older = {
      ...rebased,
      annotations: { currentConfig: 'rendered-worker-0', desiredConfig: 'rendered-worker-0' },
    };
    const working = { ...rebased, annotations: { state: 'Working', desiredConfig: 'rendered-worker-bbb' } };
    const world = workers({}, coreos, older, working);

    const { systems } = await looked({ ...world, nodes: [...world.nodes, arm] });

    expect(systems?.nodes).toEqual([]);
  });

  test('in image mode each node is shown with the image that it boots and the one that it is to boot', async () => {
    const annotations = { currentImage: 'registry.example/os@sha256:aaaa' };
    const wanting = { annotations: { ...annotations, desiredImage: 'registry.example/os@sha256:bbbb' } };

    const { text } = await looked(workers({}, { annotations }, wanting));

    expect(text).toContain('worker-1 and worker-2: image mode, boots registry.example/os@sha256:aaaa.');
    expect(text).toContain('worker-2: is to boot registry.example/os@sha256:bbbb.');
  });

  test('without the right to read logs it is asked once, said, and no doubt about the drains', async () => {
    const world = workers({}, coreos, coreos, coreos);
    const nodes = membersIn(world, pool);
    const reader = readerOver(world);
    const { read } = reader;
    const asked: string[] = [];
    const refusing: typeof read = async (question) => {
      if (!question.path.endsWith('/log')) return read(question);
      asked.push(question.path);
      return { kind: 'failed', why: 'HTTP 403', readAt: new Date(now), isForbidden: true };
    };
    const subject = { cluster: 'prod', pool, nodes, touched: nodes, readAt: now };
    const ask = () => preflight(subject, { budgets: 50, pages: 5, nodes: 20 });

    const result = await inquireAll(ask, { read: refusing }, { maxCalls: 100, readAt: new Date(now) });

    expect(asked).toHaveLength(1);
    expect(result.unread).toEqual([]);
    expect(preflightText({ pool: 'worker', touched: 3, preflight: result })).toContain(
      'Not seen: what the nodes of worker have booted (the account may not read the logs',
    );
  });

  test('a log that no longer has it, and nodes over the bound, are said to be not seen', async () => {
    const world = workers({ logs: {} }, coreos, coreos, coreos);

    const { systems, text } = await looked(world, { budgets: 50, pages: 5, nodes: 2 });

    expect(systems?.unread.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'what worker-1 has booted: the log of its config daemon does not say it',
      'what worker-2 has booted: the log of its config daemon does not say it',
      'what 1 further nodes have booted: it is read of 2',
    ]);
    expect(text).toContain('Not seen: what worker-1 has booted and what worker-2 has booted');
  });

  test('the gate asks nothing of it: its calls are for what blocks', async () => {
    const { systems, asked } = await looked(workers({}, coreos, rebased), { budgets: 20, pages: 5, nodes: 0 });

    expect(systems).toBeUndefined();
    expect(asked.filter((path) => path.endsWith('/log') || path === '/api/v1/nodes')).toEqual([]);
  });
});

test('[S3-16] the images of image mode are read from a node, cut to the length of an image; another node has none', () => {
  const prefix = 'machineconfiguration.openshift.io';
  const annotations = { [`${prefix}/currentImage`]: 'a@sha256:1', [`${prefix}/desiredImage`]: 'b'.repeat(5_000) };
  const metadata = { name: 'worker-1', uid: 'u', resourceVersion: '1' };

  expect(nodeOf({ metadata: { ...metadata, annotations } })).toMatchObject({
    currentImage: 'a@sha256:1',
    desiredImage: 'b'.repeat(447),
  });
  expect(Object.keys(nodeOf({ metadata }))).not.toContain('currentImage');
});

const opened: StoryLab[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

test('[S3-16] the incident about a node that fails says what was changed on its system, beside what its daemon wrote', async () => {
  const cluster = await quietWorkers(2, 1);
  await cluster.clock.advance(60_000);
  const lab = await storyLab(cluster);
  opened.push(lab);
  const { reader } = await lab.ports.cluster('prod');
  const { read } = reader;
  reader.read = async (question) => {
    const answer = await read(question);
    const isStart = question.path.endsWith('/log') && question.query['tailLines'] === undefined;
    return isStart
      ? { kind: 'found', body: startLog(['          LayeredPackages: strace']), readAt: new Date() }
      : answer;
  };
  cluster.daemons.drift('worker-1', 'content mismatch for file "/etc/chrony.conf"');

  await lab.until(() => lab.world.tables.incidents.all().length > 0, { everySeconds: 30 });

  const [incident] = lab.world.tables.incidents.all();
  const lines = (incident?.trouble?.findings ?? [])
    .flatMap(({ evidence }) => evidence)
    .filter(({ path }) => path === 'log');
  expect(lines[0]?.value).toBe('rpm-ostree status: layered strace');
  expect(lines.length).toBeGreaterThan(1);
});
