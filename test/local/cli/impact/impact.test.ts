import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ImpactDocument } from '../../../../functions/core/impact/report/json.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { impact } from '../../../../local/cli/impact/impact.ts';
import type { ReferenceWorld } from '../../../../local/openshift/reference-world.ts';
import { hookOfTheArticle } from '../../../functions/core/openshift/hook-of-the-article.ts';
import { startReferenceWorld } from '../../openshift/start-reference-world.ts';
import { createVirtualClock } from '../../openshift/virtual-clock.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-impact-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const status = await impact.run(args, {
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
    environment: { COLUMNS: '100' },
    now: () => new Date('2026-03-02T08:01:00Z'),
  });
  return { status, text: out.join(''), notes: notes.join('\n') };
}

function machineConfig(name: string, file: { readonly path: string; readonly text: string }, role = 'worker'): string {
  return `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: ${name}
  labels: { machineconfiguration.openshift.io/role: ${role} }
spec:
  config:
    ignition: { version: 3.4.0 }
    storage:
      files:
        - { path: ${file.path}, contents: { source: "data:,${encodeURIComponent(file.text)}" } }
`;
}

const withArguments = (...kernelArguments: readonly string[]) =>
  JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: '99-worker-arguments', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: { kernelArguments },
  });

const chrony = (server: string) =>
  machineConfig('99-worker-chrony', { path: '/etc/chrony.conf', text: `pool ${server}\n` });

describe('poolkeeper impact --dir, offline', () => {
  test('[S1-15] says the pool, what its nodes suffer, and the decoded difference', async () => {
    await write('a/chrony.yaml', chrony('old.example.com'));
    await write('b/chrony.yaml', chrony('new.example.com'));

    const { status, text, notes } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

    expect(status).toBe(0);
    expect(text).toContain('Pool worker');
    expect(text).toContain('its nodes are drained and reboot');
    expect(text).toContain('-pool old.example.com');
    expect(text).toContain('+pool new.example.com');
    expect(notes).toContain('No cluster was read');
  });

  test('[S1-15] a file that moves without a change of its object does nothing', async () => {
    await write('a/chrony.yaml', chrony('old.example.com'));
    await write('b/nodes/time.yaml', chrony('old.example.com'));

    const { text } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

    expect(text).toContain('No pool is re-rendered.');
  });

  test('[S1-15] [N-14] what becomes of a MachineConfig under its former name is not known', async () => {
    await write('a/chrony.yaml', chrony('old.example.com'));
    const path = '/etc/chrony.conf';
    await write('b/chrony.yaml', machineConfig('99-worker-time', { path, text: 'pool old.example.com\n' }));

    const { status, text } = await run('--dir', join(folder, 'a'), join(folder, 'b'), '--fail-on', 'reboot');

    expect(status).toBe(3);
    expect(text).toMatch(/Pool worker.*may reboot \(unknown\)/s);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('may be synced one after the other, or some of them not at all');
  });

  test('[S1-15] what Kustomize renders is not known, and a reboot of every pool is assumed', async () => {
    await write('a/kustomization.yaml', 'resources: []\n');
    await write('b/kustomization.yaml', 'resources: [chrony.yaml]\n');
    await write('b/chrony.yaml', chrony('old.example.com'));

    const { status, text } = await run('--dir', join(folder, 'a'), join(folder, 'b'), '--fail-on', 'reboot');

    expect(status).toBe(3);
    expect(text).toMatch(/Pool master.*may reboot \(unknown\)/s);
    expect(text).toContain('kustomize renders it');
  });

  describe('[S1-21] a folder of Butane files', () => {
    const butane = (server: string, more = '') =>
      `variant: openshift
version: 4.16.0
metadata:
  name: 99-worker-chrony
  labels: { machineconfiguration.openshift.io/role: worker }
storage:
  files:
    - { path: /etc/chrony.conf, contents: { inline: "pool ${server}\\n" } }
${more}`;

    test('is told as what butane makes of it', async () => {
      await write('a/chrony.bu', butane('old.example.com'));
      await write('b/chrony.bu', butane('new.example.com'));

      const { text } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

      expect(text).toContain('Pool worker');
      expect(text).toContain('its nodes are drained and reboot');
      expect(text).toContain('+pool new.example.com');
    });

    test('counts once if the MachineConfig is there as well', async () => {
      await write('a/chrony.bu', butane('old.example.com'));
      await write('b/chrony.bu', butane('new.example.com'));
      await write('a/chrony.yaml', chrony('old.example.com'));
      await write('b/chrony.yaml', chrony('new.example.com'));

      const { text } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

      expect(text.split('+pool new.example.com')).toHaveLength(2);
    });

    test('is named, and a reboot assumed, where only butane can convert it', async () => {
      await write('a/disk.bu', butane('old.example.com'));
      await write('b/disk.bu', butane('old.example.com', 'boot_device: { mirror: { devices: [/dev/sda] } }\n'));

      const { text } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

      expect(text).not.toContain('No pool is re-rendered.');
      expect(text).toMatch(/disk\.bu: only butane can convert it: boot_device/);
      expect(text).toMatch(/Pool worker.*may reboot \(unknown\)/s);
    });

    const compare = () => run('--dir', join(folder, 'a'), join(folder, 'b'), '--fail-on', 'reboot');

    test.each([
      'chrony.butane',
      'chrony.BU',
      'chrony.fcc',
      'chrony.bu.yaml',
      'chrony.bu.j2',
      'chrony.bu.tpl',
      'chrony.yaml',
      'chrony.yml',
      'chrony.json',
    ])('[S1-21] [N-29] is one under the name %s as well', async (file) => {
      const content = (server: string) =>
        file.endsWith('.json') ? JSON.stringify(parse(butane(server))) : butane(server);
      await write(`a/${file}`, content('old.example.com'));
      await write(`b/${file}`, content('new.example.com'));

      const { status, text } = await compare();

      expect(status).toBe(3);
      expect(text).toMatch(/Pool worker.*reboot/s);
    });

    test('[S1-21] [N-29] counts also where Argo CD is told to skip it, and once beside its MachineConfig', async () => {
      const marked = (server: string) => `# +argocd:skip-file-rendering\n${butane(server)}`;
      await write('a/butane/chrony.yaml', marked('old.example.com'));
      await write('b/butane/chrony.yaml', marked('new.example.com'));
      const alone = await compare();
      await write('a/chrony.yaml', chrony('old.example.com'));
      await write('b/chrony.yaml', chrony('new.example.com'));
      const both = await compare();

      expect(alone).toMatchObject({ status: 3, text: expect.stringContaining('+pool new.example.com') });
      expect(both.text.split('+pool new.example.com')).toHaveLength(2);
      expect(both.text).not.toContain('may reboot (unknown)');
    });

    test.each([
      ['a file', 'files/chrony.conf', 'storage: { files: [{ path: /etc/a, contents: { local: chrony.conf } }] }'],
      ['a tree', 'overlay/etc/deep/a.conf', 'storage: { trees: [{ local: ../overlay }] }'],
      ['a unit', 'units/a.service', 'systemd: { units: [{ name: a.service, contents_local: units/a.service }] }'],
      [
        'keys',
        'keys/jo.pub',
        'passwd:\n  users:\n    - name: core\n      ssh_authorized_keys_local:\n        - jo.pub',
      ],
      [
        'a template',
        'files/jo.conf',
        'storage: { files: [{ path: {{ p }}, contents: { local: "{{ name }}.conf" } }] }',
      ],
    ])(
      '[S1-21] [N-29] that is unchanged, and includes %s that changed, may re-render any pool',
      async (_, path, more) => {
        const source = `variant: openshift\nversion: 4.16.0\nmetadata: { name: 99-worker-local }\n${more}\n`;
        for (const [side, text] of [
          ['a', 'old'],
          ['b', 'new'],
        ] as const) {
          await write(`${side}/butane/local.bu`, source);
          await write(`${side}/butane/${path}`, text);
          await write(`${side}/README.md`, text);
          await write(`${side}/app/main.go`, text);
        }

        const { status, text } = await compare();

        expect(status).toBe(3);
        expect(text).toContain(`butane/${path}: a Butane file includes it`);
        expect(text).not.toMatch(/README|main\.go/);
      },
    );

    test('[S1-21] what it includes counts as the MachineConfig that is made anew in the same change', async () => {
      const source = 'variant: openshift\nmetadata: { name: 99-worker-chrony }\nstorage: { trees: [{ local: etc }] }\n';
      for (const [side, server] of [
        ['a', 'old.example.com'],
        ['b', 'new.example.com'],
      ] as const) {
        await write(`${side}/butane/chrony.bu`, source);
        await write(`${side}/butane/etc/chrony.conf`, server);
        await write(`${side}/made/worker.yaml`, chrony(server));
      }

      const { text } = await compare();

      expect(text).toContain('+pool new.example.com');
      expect(text).not.toContain('includes it');
    });

    test('[S1-21] values, charts and code beside Butane files re-render no pool', async () => {
      for (const [side, text] of [
        ['a', 'old'],
        ['b', 'new'],
      ] as const) {
        await write(`${side}/chrony.bu`, butane('old.example.com'));
        await write(`${side}/values.yaml`, `image:\n  variant: slim\n  version: ${text}\n`);
        await write(`${side}/deploy.yaml`, `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${text} }\n`);
        await write(`${side}/local.conf`, text);
      }

      expect(await compare()).toMatchObject({ status: 0, text: expect.stringContaining('No pool is re-rendered.') });
    });
  });

  test('[S1-15] [N-14] a new pool, and what an Application will deploy, are not told as harmless', async () => {
    const pool = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: { name: gpu }
spec: { nodeSelector: { matchLabels: { gpu: "" } } }
`;
    const application = (revision: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: nodes }
spec: { source: { repoURL: https://git.example.com/acme/other, targetRevision: ${revision} } }
`;
    await write('a/empty.yaml', '');
    await write('pool/gpu.yaml', pool);
    await write('old/nodes.yaml', application('v1'));
    await write('new/nodes.yaml', application('v2'));
    const judge = (before: string, after: string) =>
      run('--dir', join(folder, before), join(folder, after), '--fail-on', 'reboot');

    const newPool = await judge('a', 'pool');
    const otherRevision = await judge('old', 'new');

    expect(newPool.status).toBe(3);
    expect(newPool.text).toContain('gpu.yaml: nodes may move to the new pool in it');
    expect(otherRevision.status).toBe(0);
    expect(otherRevision.text).toContain('nodes.yaml: what the Application in it deploys is not judged');
    for (const { text } of [newPool, otherRevision])
      expect(text).toContain('No pool is known to be re-rendered; what is unknown may do it.');
  });

  test('[S1-15] [N-14] --fail-on counts what a Policy, a NodePool or an operator does to nodes as unknown', async () => {
    const policy = chrony('new.example.com').replaceAll(/^/gm, '    ');
    await write('a/empty.yaml', '');
    await write(
      'b/policy.yaml',
      `apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: { name: chrony }
spec:
  object:
${policy}
`,
    );
    await write(
      'c/pool.yaml',
      'apiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nmetadata: { name: np }\nspec: { replicas: 2 }\n',
    );
    await write(
      'd/sriov.yaml',
      'apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: { name: s }\nspec: { name: sriov-network-operator }\n',
    );

    for (const [after, why] of [
      ['b', 'the Policy in it brings a MachineConfig by other hands'],
      ['c', 'nodes of a hosted cluster may be updated or replaced'],
      ['d', 'sriov-network-operator of the Subscription in it may drain or reboot nodes'],
    ] as const) {
      const { status, text } = await run('--dir', join(folder, 'a'), join(folder, after), '--fail-on', 'reboot');

      expect(status).toBe(3);
      expect(text).toContain(why);
    }
  });

  test('[S0-25] names the hooks that pause pools by themselves, the files to remove and what replaces them', async () => {
    await write('a/chrony.yaml', chrony('old.example.com'));
    await write('b/chrony.yaml', chrony('new.example.com'));
    await write('b/hooks/pre.yaml', hookOfTheArticle('PreSync', true));
    await write('b/hooks/post.yaml', hookOfTheArticle('PostSync', false));

    const { text } = await run('--dir', join(folder, 'a'), join(folder, 'b'));

    const said = text.replace(/\s+/g, ' ');
    expect(said).toContain(
      'Job openshift-gitops/mcp-worker-paused is a PreSync hook that pauses pool worker by itself',
    );
    expect(said).toContain('Remove hooks/post.yaml, and ServiceAccount sync-job-sa');
    expect(said).toContain('poolkeeper manifests prints for level handshake');
  });

  test('[S1-17] a private key in it is never shown', async () => {
    const secret = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAcanary\n-----END RSA PRIVATE KEY-----\n';
    await write('a/.keep', '');
    await write('b/key.yaml', machineConfig('99-worker-key', { path: '/etc/app/server.pem', text: secret }));

    const text = await run('--dir', join(folder, 'a'), join(folder, 'b'));
    const json = await run('--dir', join(folder, 'a'), join(folder, 'b'), '--output', 'json');

    expect(text.text).toContain('/etc/app/server.pem');
    expect(`${text.text}${json.text}`).not.toContain('canary');
  });

  test.each(['text', 'json', 'yaml'])(
    '[S1-15] [S1-17] a password in a kernel argument is not in its %s',
    async (output) => {
      const proxy = 'systemd.setenv=HTTPS_PROXY=http://bob:hunter2@proxy.example.com:3128';
      await write('a/proxy.yaml', withArguments('audit=1'));
      await write('b/proxy.yaml', withArguments('audit=1', proxy));

      const { text, notes } = await run('--dir', join(folder, 'a'), join(folder, 'b'), '--output', output);

      expect(text).toContain('HTTPS_PROXY');
      expect(text + notes).not.toContain('hunter2');
    },
  );

  test('as JSON is the published document, and exits 3 for what --fail-on asks', async () => {
    await write('a/chrony.yaml', chrony('old.example.com'));
    await write('b/chrony.yaml', chrony('new.example.com'));
    const args = ['--dir', join(folder, 'a'), join(folder, 'b'), '--output', 'json', '--fail-on', 'drain'];

    const { status, text } = await run(...args);

    const { clusters } = ImpactDocument.parse(JSON.parse(text));
    expect(clusters[0]?.pools.map(({ pool, class: is }) => [pool, is])).toEqual([['worker', 'reboot']]);
    expect(status).toBe(3);
  });

  test.each([
    [[], /no change given/],
    [['--repo', '.'], /--from is missing/],
    [['--from', 'a', '--to', 'b'], /--repo is missing/],
    [['--dir', 'a'], /--dir needs two folders/],
    [['--dir', '/nowhere', '/nowhere'], /--dir \/nowhere: is not a readable folder/],
    [['--dir', '.', '.', '--repo', '.'], /exclude each other/],
    [['--dir', '.', '.', '--fail-on', 'boom'], /--fail-on boom: must be one of none, reload/],
    [['--dir', '.', '.', '--snapshot', 'x', '--context', 'y'], /--snapshot and --context/],
    [['--record', 'x.json'], /--record needs a cluster/],
    [['--unknown'], /--unknown/],
  ])('%j is refused, and the flag is named', async (args, words) => {
    const failure = await run(...args).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Misconfigured);
    expect(String(failure)).toMatch(words);
  });
});

describe('poolkeeper impact --repo, of a clone', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args]);

  async function commit(text: string): Promise<void> {
    await write('nodes/chrony.yaml', text);
    git('add', '-A');
    git('commit', '-q', '-m', 'change');
  }

  test('[S1-15] tells what a branch brings over its merge base, not what happened beside it', async () => {
    git('init', '-q', '-b', 'main');
    await commit(chrony('old.example.com'));
    git('checkout', '-q', '-b', 'topic');
    await commit(chrony('new.example.com'));
    git('checkout', '-q', 'main');
    await write(
      'nodes/sysctl.yaml',
      machineConfig('99-worker-sysctl', { path: '/etc/sysctl.d/9.conf', text: 'a=1\n' }),
    );
    git('add', '-A');
    git('commit', '-q', '-m', 'beside');

    const { text } = await run('--repo', folder, '--from', 'main', '--to', 'topic');

    expect(text).toContain('+pool new.example.com');
    expect(text).not.toContain('sysctl');
  });

  describe('that is behind its base', () => {
    /** Where the base has moved the folder meanwhile, and the branch has changed or added what is in the old one. */
    async function behind(change: Readonly<Record<string, string>>, ofBase: Readonly<Record<string, string>> = {}) {
      git('init', '-q', '-b', 'main');
      await commit(chrony('old.example.com'));
      git('checkout', '-q', '-b', 'topic');
      for (const [path, text] of Object.entries(change)) await write(path, text);
      git('add', '-A');
      git('commit', '-q', '-m', 'change');
      git('checkout', '-q', 'main');
      git('mv', 'nodes', 'sites');
      for (const [path, text] of Object.entries(ofBase)) await write(path, text);
      git('add', '-A');
      git('commit', '-q', '-m', 'move');
      const sources = [{ repoURL: 'https://github.com/acme/platform', path: 'sites', targetRevision: 'main' }];
      const site = {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: 'site', namespace: 'openshift-gitops' },
        spec: { project: 'default', destination: { server: 'https://kubernetes.default.svc' }, sources },
      };
      const pool = {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        metadata: { name: 'worker', resourceVersion: '1', uid: 'p' },
        spec: {
          machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
          nodeSelector: { matchLabels: {} },
        },
        status: {},
      };
      await write('seen.json', JSON.stringify({ kind: 'List', items: [site, pool] }));
    }

    const judge = (...flags: readonly string[]) =>
      run(
        ...['--repo', folder, '--from', 'main', '--to', 'topic', '--url', 'https://github.com/acme/platform'],
        ...['--snapshot', join(folder, 'seen.json'), '--fail-on', 'reboot', ...flags],
      );

    test('[S1-15] is judged as Git merges it: what it changes is where the base has moved it', async () => {
      await behind({ 'nodes/chrony.yaml': chrony('new.example.com') });

      const { status, text } = await judge();

      expect(text).toContain('Pool worker');
      expect(text).toContain('+pool new.example.com');
      expect(status).toBe(3);
    });

    test('[S1-15] and conflicts with it, is not known', async () => {
      const change = { 'nodes/chrony.yaml': chrony('new.example.com') };
      await behind(change, { 'sites/chrony.yaml': chrony('other.example.com') });

      const { status, text } = await judge();
      const markdown = await judge('--output', 'markdown');

      expect(text).toContain('merge into main');
      expect(markdown.text).toContain('`merge into main` could not be judged: it conflicts with main.');
      expect(markdown.text).not.toContain('no node is disrupted');
      expect([status, markdown.status]).toEqual([3, 3]);
    });
  });

  test('a name that is no commit is refused, and none is taken for an option', async () => {
    git('init', '-q', '-b', 'main');
    await commit(chrony('old.example.com'));

    const failure = await run('--repo', folder, '--from', 'main', '--to=--output=/tmp/x').catch((e: unknown) => e);

    expect(String(failure)).toContain('--to --output=/tmp/x: not a commit');
  });
});

describe('poolkeeper impact on a simulated cluster', () => {
  let world: ReferenceWorld;
  let kubeconfig: string;

  beforeEach(async () => {
    const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
    world = await startReferenceWorld({ clock });
    await clock.advance(60_000);
    kubeconfig = join(folder, 'kubeconfig');
    await world.openshift.writeKubeconfig(kubeconfig);
    await write('a/chrony.yaml', chrony('old.example.com'));
    await write('b/chrony.yaml', chrony('new.example.com'));
  });

  afterEach(async () => {
    await world.openshift.stop();
  });

  test('[S1-15] counts the nodes of the pools and says how long they take', async () => {
    const args = ['--dir', join(folder, 'a'), join(folder, 'b'), '--kubeconfig', kubeconfig];

    const { text } = await run(...args);

    expect(text).toMatch(/Pool worker: 3 nodes, 1 at a time; its nodes are drained and reboot/);
    expect(text).toContain('worker: about 45 min: 3 nodes, one at a time, 15 min each');
    expect(text).toContain('oc adm upgrade status');
  });

  test('[S1-15] a recording gives the same answer, is for its owner only and holds no secret', async () => {
    const file = join(folder, 'prod.json');
    const change = ['--dir', join(folder, 'a'), join(folder, 'b')];

    const live = await run(...change, '--kubeconfig', kubeconfig, '--record', file, '--output', 'json');
    const recorded = await run(...change, '--snapshot', file, '--output', 'json');

    const poolsOf = (text: string) => ImpactDocument.parse(JSON.parse(text)).clusters[0]?.pools;
    const text = await readFile(file, 'utf8');
    expect(poolsOf(recorded.text)).toEqual(poolsOf(live.text));
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(text).not.toMatch(/auths|managedFields|last-applied/);
    const { items } = JSON.parse(text);
    expect(items.map(({ kind }: { kind: string }) => kind)).toContain('MachineConfig');
    expect(items.filter((item: { metadata: { name: string } }) => item.metadata.name.startsWith('rendered-'))).toEqual(
      [],
    );
  });

  test('[S1-15] a recording takes the place of a file that others could read, and they cannot read it', async () => {
    const file = join(folder, 'prod.json');
    await writeFile(file, '{}', { mode: 0o644 });

    await run('--record', file, '--kubeconfig', kubeconfig);

    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8')).kind).toBe('List');
  });

  test('[S1-15] what is predicted from a recording says when that was made, or that it does not say', async () => {
    const file = join(folder, 'prod.json');
    await run('--record', file, '--kubeconfig', kubeconfig);
    const { items, metadata: _metadata, ...list } = JSON.parse(await readFile(file, 'utf8'));
    const old = { annotations: { 'poolkeeper.dev/recorded-at': '2026-02-01T08:01:00.000Z' } };
    await write('old.json', JSON.stringify({ ...list, items, metadata: old }));
    await write('oc.json', JSON.stringify({ ...list, items }));
    const predicted = async (name: string, output = 'text') => {
      const change = ['--dir', join(folder, 'a'), join(folder, 'b'), '--snapshot', join(folder, name)];
      return (await run(...change, '--output', output)).text;
    };

    for (const output of ['text', 'markdown'])
      expect(await predicted('old.json', output)).toContain('as recorded 2026-02-01T08:01:00.000Z, 29 d');
    expect(await predicted('oc.json')).toContain('from a recording that does not say when it was made');
    expect((await run('--dir', join(folder, 'a'), join(folder, 'b'), '--kubeconfig', kubeconfig)).text).not.toContain(
      'recorded',
    );
  });

  test('[S1-15] [S1-17] where MachineOSConfigs may not be listed, calls no change of a pool harmless, nor for its recording', async () => {
    for (const side of ['c', 'd']) {
      const spared = { path: '/etc/nmstate/openshift/x.yml', text: side };
      await write(`${side}/nm.yaml`, machineConfig('99-worker-nm', spared));
    }
    const file = join(folder, 'prod.json');
    const change = ['--dir', join(folder, 'c'), join(folder, 'd')];
    const known = await run(...change, '--kubeconfig', kubeconfig);
    world.openshift.faults.inject({
      fault: { kind: 'status', code: 403, message: 'not yours' },
      matches: ({ path }) => path.endsWith('/machineosconfigs'),
    });

    const live = await run(...change, '--kubeconfig', kubeconfig, '--record', file);
    const recorded = await run(...change, '--snapshot', file);

    expect(known.text).not.toContain('may reboot');
    for (const { text } of [live, recorded]) {
      expect(text).toContain('its nodes may reboot (unknown)');
      expect(text).toContain('it is unknown whether an image is built for the pool');
    }
  });

  test('[S1-15] asks the Applications which of the change they deploy, as a push to their branch would be', async () => {
    await write(
      'b/machine-config/sysctl.yaml',
      machineConfig('99-worker-sysctl', { path: '/etc/s.conf', text: 'a=1' }),
    );
    const args = ['--dir', join(folder, 'a'), join(folder, 'b'), '--kubeconfig', kubeconfig];

    const here = await run(...args, '--url', 'https://git.example.com/acme/platform');
    const otherBranch = await run(...args, '--url', 'https://git.example.com/acme/platform', '--branch', 'dev');
    const elsewhere = await run(...args, '--url', 'https://git.example.com/acme/other');

    expect(here.text).toContain('platform-machine-config');
    expect(here.text).toContain('file /etc/s.conf');
    expect(here.text).not.toContain('chrony.conf');
    const said = [otherBranch, elsewhere].map(({ text }) => text.replaceAll(/\s+/g, ' '));
    expect(said[0]).toContain(
      'No Application that was read follows branch dev of git.example.com/acme/platform; those of it follow',
    );
    expect(said[1]).toContain('branch main of git.example.com/acme/other: no Application that was read follows it');
    for (const text of said) expect(text).not.toContain('Pool worker');
  });

  test('[S1-21] says of a Butane file that Argo CD applies nothing of it', async () => {
    const content = 'variant: openshift\nversion: 4.16.0\nmetadata: { name: 99-worker-sysctl }\n';
    await write('b/machine-config/sysctl.bu', content);
    const args = ['--dir', join(folder, 'a'), join(folder, 'b'), '--kubeconfig', kubeconfig];

    const { text } = await run(...args, '--url', 'https://git.example.com/acme/platform');

    expect(text).not.toContain('No pool is re-rendered.');
    expect(text.replace(/\s+/g, ' ')).toContain(
      'machine-config/sysctl.bu: Argo CD applies nothing of a Butane file; the MachineConfig made of it decides',
    );
  });

  test('[S1-21] [N-29] says the same of one that is called a manifest, and of what one includes', async () => {
    const content = 'variant: openshift\nversion: 4.16.0\nmetadata: { name: 99-worker-sysctl }\n';
    await write('b/machine-config/sysctl.bu.yaml', content);
    for (const side of ['a', 'b']) {
      await write(`${side}/machine-config/tree.bu`, `${content}storage: { trees: [{ local: etc }] }\n`);
      await write(`${side}/machine-config/etc/s.conf`, side);
    }
    const args = ['--dir', join(folder, 'a'), join(folder, 'b'), '--kubeconfig', kubeconfig];

    const { text } = await run(...args, '--url', 'https://git.example.com/acme/platform');

    const oneLine = text.replace(/\s+/g, ' ');
    expect(oneLine).toContain('machine-config/sysctl.bu.yaml: Argo CD applies nothing of a Butane file');
    expect(oneLine).toContain('machine-config/etc/s.conf: a Butane file includes it');
  });

  test('[S1-21] --fail-on counts a template that may bring a MachineConfig, and no other part of an ordinary chart', async () => {
    const file = join(folder, 'prod.json');
    await run('--record', file, '--kubeconfig', kubeconfig);
    const { items, ...list } = JSON.parse(await readFile(file, 'utf8'));
    const web = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' };
    const without = items.map((item: { kind: string; status?: object }) =>
      item.kind === 'Application' ? { ...item, status: { resources: [web] } } : item,
    );
    await write('shop.json', JSON.stringify({ ...list, items: without }));
    const args = ['--snapshot', join(folder, 'shop.json'), '--url', 'https://git.example.com/acme/platform'];
    const judge = (after: string, output = 'text') =>
      run('--dir', join(folder, 'a'), join(folder, after), ...args, '--fail-on', 'reboot', '--output', output);
    for (const after of ['mc', 'web']) await write(`${after}/machine-config/Chart.yaml`, 'name: x\n');
    await write('mc/machine-config/templates/mc.yaml', 'kind: MachineConfig\nmetadata: { name: {{ .Values.x }} }\n');
    await write('web/machine-config/templates/web.yaml', '{{ if .x }}\nkind: Deployment\n{{ end }}\n');

    await write('named/machine-config/Chart.yaml', 'name: x\n');
    await write('named/machine-config/templates/mc.md', 'kind: MachineConfig\n');

    expect((await judge('named')).status).toBe(3);
    const nodes = await judge('mc');
    const markdown = await judge('mc', 'markdown');
    const shop = await judge('web');

    expect(nodes.status).toBe(3);
    expect(nodes.text).toContain('No pool is known to be re-rendered; what is unknown may do it.');
    expect(markdown.text).toContain('May reboot nodes:');
    expect(markdown.text).toContain('machine-config/templates/mc.yaml` could not be judged: helm renders it');
    expect(shop.status).toBe(0);
    expect(shop.text).not.toContain('No pool is re-rendered.');
  });

  test('[S1-21] [N-14] a template that says its pool by a value, and changes beside it, may reboot nodes', async () => {
    const file = join(folder, 'prod.json');
    await run('--record', file, '--kubeconfig', kubeconfig);
    for (const side of ['old', 'new']) {
      const role = '{{ .Values.role }}';
      const labels = `{"machineconfiguration.openshift.io/role": "${role}"}`;
      await write(`${side}/machine-config/Chart.yaml`, 'name: x\n');
      await write(
        `${side}/machine-config/templates/mc.yaml`,
        `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: "99-${role}-x", labels: ${labels}}
spec: {kernelArguments: [${side}]}
`,
      );
    }

    const args = ['--snapshot', file, '--url', 'https://git.example.com/acme/platform', '--fail-on', 'reboot'];
    const { status, text } = await run('--dir', join(folder, 'old'), join(folder, 'new'), ...args);

    expect(status).toBe(3);
    expect(text).toContain('machine-config/templates/mc.yaml: helm renders it');
  });

  test('[S1-15] [N-14] a pool that is resumed rolls out what waits on it, whoever deploys the change', async () => {
    const file = join(folder, 'prod.json');
    await run('--record', file, '--kubeconfig', kubeconfig);
    const { items, ...list } = JSON.parse(await readFile(file, 'utf8'));
    const waiting = items.map((item: { kind: string; spec: object }) =>
      item.kind === 'MachineConfigPool'
        ? { ...item, spec: { ...item.spec, paused: true, configuration: { name: 'rendered-new' } } }
        : item,
    );
    await write('waiting.json', JSON.stringify({ ...list, items: waiting }));
    const pool = (paused: boolean) =>
      `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: { name: worker }\nspec: { paused: ${paused} }\n`;
    await write('held/pool.yaml', pool(true));
    await write('resumed/pool.yaml', pool(false));
    const trees = ['--dir', join(folder, 'held'), join(folder, 'resumed'), '--fail-on', 'reboot', '--everything'];

    const { status, text } = await run(...trees, '--snapshot', join(folder, 'waiting.json'));

    expect(status).toBe(3);
    expect(text.replace(/\s+/g, ' ')).toContain('MachineConfigPool worker is resumed: what waits on it rolls out');
    expect((await run(...trees, '--snapshot', file)).status).toBe(0);
  });

  test('a recording that is none is refused by its name', async () => {
    await write('broken.json', '{"kind":"List"}');
    await write('empty.json', '{"kind":"List","items":[]}');

    const say = (file: string) =>
      run('--dir', folder, folder, '--snapshot', join(folder, file)).catch((error: unknown) => String(error));

    expect(await say('broken.json')).toContain('items is not valid in a Kubernetes List');
    expect(await say('empty.json')).toContain('empty: contains no MachineConfigPool');
    expect(await say('absent.json')).toContain('cannot be read');
  });
});
