import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { ChangedFile, FilesRead, ToolFolder } from '../../../functions/core/routing/changed-file.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { naming } from '../../fakes/index.ts';
import { changing, chrony, cluster, live, nodesApplication, predict } from './pull-world.ts';

const deployment = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' };
const mine = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-chrony',
  status: 'Synced',
};
/** Manages nothing that the MCO renders. */
const shop = { ...nodesApplication, resources: [deployment] };

const template = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: {{ .Values.name }} }
`;
const webTemplate = `{{- if .Values.web }}
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Values.name }} }
{{- end }}
`;

function added(path: string, text: string): ChangedFile {
  return { path, before: { kind: 'absent' }, after: { kind: 'text', text } };
}

function edited(path: string, before: string, after: string): ChangedFile {
  return { path, before: { kind: 'text', text: before }, after: { kind: 'text', text: after } };
}

function change(files: readonly ChangedFile[], tools: readonly ToolFolder[] = [], incomplete?: string): FilesRead {
  return { files, tools, incomplete };
}

const helm: readonly ToolFolder[] = [{ folder: 'nodes', tool: 'helm' }];

/** Of an app of apps in the folder `apps`. */
const parent = {
  ...nodesApplication,
  name: 'apps-of-site',
  sources: nodesApplication.sources.map((source) => ({ ...source, path: 'apps' })),
  resources: [{ group: 'argoproj.io', kind: 'Application', namespace: '', name: 'nodes-of-site', status: 'Synced' }],
};

function application(name: string, source: object, automated: object | undefined = {}): string {
  return JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'openshift-gitops' },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc' },
      source: { repoURL: 'https://github.com/acme/platform', targetRevision: 'main', ...source },
      syncPolicy: { automated },
    },
  });
}

describe('what nobody can judge is never told as harmless', () => {
  test('[N-14] [S1-21] a chart that gets its first MachineConfig in a template', async () => {
    const files = change([added('nodes/templates/mc.yaml', template)], helm);

    const { status, comment, isCommented } = await predict({ applications: [shop], files });

    expect(status).toBe('May reboot nodes: 1 file could not be judged (helm renders it).');
    expect(isCommented).toBe(true);
    expect(comment).toContain('`nodes/templates/mc.yaml` could not be judged: helm renders it. It may bring what');
  });

  test.each([
    ['values with a kubelet setting', 'values.yaml', 'kubeletConfig: { maxPods: 500 }\n'],
    ['an object of another group', 'templates/a.yaml', 'apiVersion: config.openshift.io/v1\nkind: Proxy\nx: {{ y }}\n'],
    ['a group that is given', 'templates/a.yaml', 'apiVersion: {{ .Values.api }}\nkind: Proxy\nx: {{ y }}\n'],
    ['a node', 'templates/a.yaml', '{{ if .x }}\nkind: Node\n{{ end }}\n'],
    ['the pull secret', 'templates/a.yaml', 'kind: "Secret"\nmetadata: { name: pull-secret }\nx: {{ y }}\n'],
  ])('[N-14] %s, in a chart that managed nothing of the kind', async (_, path, text) => {
    const files = change([added(`nodes/${path}`, text)], helm);

    const { status, isCommented } = await predict({ applications: [shop], files });

    expect(status).toBe('May reboot nodes: 1 file could not be judged (helm renders it).');
    expect(isCommented).toBe(true);
  });

  test('[N-14] [N-30] an object of a chart outside of its templates, of which one may make another', async () => {
    const unlabelled = JSON.stringify({ ...JSON.parse(chrony('a')), metadata: { name: 'chrony' } });

    const outside = await predict({
      applications: [shop],
      files: change([added('nodes/files/mc.json', unlabelled)], helm),
    });
    const inside = await predict({
      applications: [shop],
      files: change([added('nodes/templates/mc.json', unlabelled)], helm),
    });

    expect(outside.status).toBe('May reboot nodes: 1 file could not be judged (helm renders it).');
    expect(inside.status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test('[N-14] an ordinary chart gets a calm status that claims nothing, and no comment', async () => {
    const secret = '{{ if .x }}\nkind: Secret\nmetadata: { name: db }\n{{ end }}\n';
    const files = change(
      [
        added('nodes/templates/web.yaml', webTemplate),
        added('nodes/values.yaml', 'x: 1\n'),
        added('nodes/b.tpl', secret),
      ],
      helm,
    );

    const { status, isCommented } = await predict({ applications: [shop], files });

    expect(status).toBe('Re-renders no pool, as far as known: 3 files could not be judged (helm renders it).');
    expect(isCommented).toBe(false);
  });

  /** A chart and a kustomization of an Application that manages a MachineConfig. */
  const generic = (from: string) =>
    `apiVersion: {{ .apiVersion }}\nkind: {{ .kind }}\nmetadata:\n  name: {{ .name }}\nspec: {{ toYaml .${from} }}\n`;
  const including = (action: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n${action}\n`;
  const valued = (key: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.${key} }}\n`;
  const krm = (pool: string) =>
    `apiVersion: acme.io/v1\nkind: Chrony\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./chrony}\nspec: {pool: ${pool}}\n`;
  const policies = (path: string) =>
    `apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\nmetadata:\n  name: common\npolicies:\n- name: p\n  manifests:\n  - path: ${path}.yaml\n`;
  const ofZtp = (kind: string) => (file: string) =>
    `apiVersion: ran.openshift.io/v1\nkind: ${kind}\nmetadata:\n  name: common\nspec:\n  sourceFiles:\n  - fileName: ${file}.yaml\n`;

  test.each<[string, ToolFolder['tool'], string, string, string]>([
    ['a template that takes its kind from values', 'helm', 'templates/all.yaml', generic('a'), generic('b')],
    [
      'a template that newly includes another',
      'helm',
      'templates/web.yaml',
      including(''),
      including('{{ include "nodes.extra" . }}'),
    ],
    ['a template that takes a name from another value', 'helm', 'templates/web.yaml', valued('a'), valued('b')],
    [
      'a template that takes its kind from values, and changes beside',
      'helm',
      'templates/all.yaml',
      generic('a'),
      `${generic('a')}\n# x\n`,
    ],
    ['a function of Kustomize', 'kustomize', 'gen.yaml', krm('a'), krm('b')],
    ['a generator of policies', 'kustomize', 'gen.yaml', policies('a'), policies('b')],
    ['a PolicyGenTemplate', 'kustomize', 'gen.yaml', ofZtp('PolicyGenTemplate')('a'), ofZtp('PolicyGenTemplate')('b')],
    ['a SiteConfig', 'kustomize', 'gen.yaml', ofZtp('SiteConfig')('a'), ofZtp('SiteConfig')('b')],
  ])('[N-14] [N-30] %s, where the Application manages a MachineConfig', async (_, tool, path, before, after) => {
    const file = edited(`nodes/${path}`, before, after);
    const tools = [{ folder: 'nodes', tool, uses: [] }];

    const { status, isCommented } = await predict({ files: change([file], tools) });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
    expect(isCommented).toBe(true);
  });

  test('[N-14] a template of a Deployment that changes beside its actions is calm', async () => {
    const having = (replicas: number) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.a }}\nspec: {replicas: ${replicas}}\n`;
    const file = edited('nodes/templates/web.yaml', having(1), having(2));

    const { status } = await predict({ files: change([file], helm) });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test('[N-14] a kind with a digit is one that Kustomize applies as it stands', async () => {
    const advertisement = (pools: string) =>
      `apiVersion: metallb.io/v1beta1\nkind: L2Advertisement\nmetadata:\n  name: x\nspec: {ipAddressPools: [${pools}]}\n`;
    const file = edited('nodes/l2.yaml', advertisement('a'), advertisement('b'));

    const { status } = await predict({ files: change([file], [{ folder: 'nodes', tool: 'kustomize', uses: [] }]) });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test('[N-14] a MachineSet of which only an annotation changes is no machine that goes', async () => {
    const set = (annotations: object) =>
      JSON.stringify({
        apiVersion: 'machine.openshift.io/v1beta1',
        kind: 'MachineSet',
        metadata: { name: 'x', annotations },
        spec: { replicas: 3 },
      });
    const file = edited('nodes/x.json', set({}), set({ team: 'nodes' }));

    expect((await predict({ files: change([file]) })).status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test.each([
    ['machine.openshift.io/v1beta1', 'MachineSet'],
    ['machine.openshift.io/v1', 'ControlPlaneMachineSet'],
    ['cluster.x-k8s.io/v1beta1', 'MachineDeployment'],
    ['metal3.io/v1alpha1', 'BareMetalHost'],
    ['lca.openshift.io/v1', 'ImageBasedUpgrade'],
    ['ran.openshift.io/v1alpha1', 'ClusterGroupUpgrade'],
    ['nodemaintenance.medik8s.io/v1beta1', 'NodeMaintenance'],
    ['compliance.openshift.io/v1alpha1', 'ScanSetting'],
    ['cluster.open-cluster-management.io/v1beta1', 'ClusterCurator'],
    ['nvidia.com/v1', 'ClusterPolicy'],
    ['mellanox.com/v1alpha1', 'NicClusterPolicy'],
    ['managedupgrade.appuio.io/v1beta1', 'UpgradeConfig'],
    ['upgrade.managed.openshift.io/v1alpha1', 'UpgradeConfig'],
  ])('[N-14] a %s %s, by which nodes go or reboot without the Machine Config Operator', async (apiVersion, kind) => {
    const text = JSON.stringify({ apiVersion, kind, metadata: { name: 'x' }, spec: { replicas: 0 } });

    const { status, isCommented } = await predict({ files: change([added('nodes/x.json', text)]) });

    expect(status).toBe(
      `May reboot nodes: 1 file could not be judged (nodes may be rebooted, drained or replaced by the ${kind} in it).`,
    );
    expect(isCommented).toBe(true);
  });

  const subscription = (spec: object, name = 'x', apiVersion = 'operators.coreos.com/v1alpha1') =>
    JSON.stringify({ apiVersion, kind: 'Subscription', metadata: { name, namespace: 'x' }, spec });
  const extension = (catalog: object, apiVersion = 'olm.operatorframework.io/v1') =>
    JSON.stringify({
      apiVersion,
      kind: 'ClusterExtension',
      metadata: { name: 'x' },
      spec: { namespace: 'x', source: { sourceType: 'Catalog', catalog } },
    });
  const sriov = { name: 'sriov-network-operator', source: 'redhat-operators', channel: 'stable' };
  const windows = { packageName: 'windows-machine-config-operator', version: '10.18.0' };
  const none = '';

  test.each([
    ['installed by a Subscription', none, subscription(sriov)],
    ['no longer asked for', subscription(sriov), none],
    ['of another channel', subscription(sriov), subscription({ ...sriov, channel: '4.20' })],
    ['of another catalog', subscription(sriov), subscription({ ...sriov, source: 'mirrored' })],
    ['pinned', subscription(sriov), subscription({ ...sriov, startingCSV: 'sriov-network-operator.v4.20.1' })],
    ['approved by itself', subscription(sriov), subscription({ ...sriov, installPlanApproval: 'Automatic' })],
    ['in place of another', subscription({ ...sriov, name: 'web-operator' }), subscription(sriov)],
    [
      'whose Subscription is patched by name',
      subscription({ channel: 'stable' }, 'sriov-network-operator-subscription'),
      subscription({ channel: '4.20' }, 'sriov-network-operator-subscription'),
    ],
  ])('[N-14] [N-30] an operator that drains or reboots nodes, %s', async (_, before, after) => {
    const { status, comment, isCommented } = await predict({ files: change([edited('nodes/x.json', before, after)]) });

    expect(status).toBe(
      'May reboot nodes: 1 file could not be judged (sriov-network-operator of the Subscription in it may drain or reboot nodes).',
    );
    expect(comment).toContain(
      'could not be judged: sriov-network-operator of the Subscription in it may drain or reboot nodes.',
    );
    expect(isCommented).toBe(true);
  });

  test.each([
    ['installed', none, extension(windows)],
    ['updated', extension(windows), extension({ ...windows, version: '10.19.0' })],
  ])('[N-14] [N-30] an operator that drains or reboots nodes, %s by a ClusterExtension', async (_, before, after) => {
    const { status, isCommented } = await predict({ files: change([edited('nodes/x.json', before, after)]) });

    expect(status).toBe(
      'May reboot nodes: 1 file could not be judged (windows-machine-config-operator of the ClusterExtension in it may drain or reboot nodes).',
    );
    expect(isCommented).toBe(true);
  });

  test.each([
    ['a Subscription of any other operator', none, subscription({ ...sriov, name: 'web-operator' })],
    ['one named like such an operator', none, subscription({ ...sriov, name: 'web-operator' }, sriov.name)],
    ['a ClusterExtension of any other operator', none, extension({ packageName: 'web-operator' })],
    ['a Subscription of another kind', none, subscription(sriov, 'x', 'messaging.knative.dev/v1')],
    ['a ClusterExtension of another kind', none, extension(windows, 'acme.io/v1')],
    [
      'what an operator runs with',
      subscription(sriov),
      subscription({ ...sriov, config: { resources: { limits: { memory: '1Gi' } } } }),
    ],
    ['the name of a package alone', none, subscription({}, '__proto__', '__proto__')],
  ])('[decoy] [N-14] %s is as calm as any other object', async (_, before, after) => {
    const { status, isCommented } = await predict({ files: change([edited('nodes/x.json', before, after)]) });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
    expect(isCommented).toBe(false);
  });

  test('[N-14] [S0-9] a BootModuleConfig, of which an operator makes a MachineConfig', async () => {
    const head = { apiVersion: 'kmm.sigs.x-k8s.io/v1beta1', kind: 'BootModuleConfig', metadata: { name: 'x' } };
    const text = JSON.stringify({ ...head, spec: { machineConfigName: 'x', machineConfigPoolName: 'worker' } });

    const { status } = await predict({ files: change([added('nodes/x.json', text)]) });

    expect(status).toMatch(/^Reboots 3 nodes: worker/);
  });

  test.each(['mc.md', 'mc.svg', 'LICENSE', 'mc.txt'])(
    '[N-14] [N-30] a file named %s, to which a manifest of the Application may be a link',
    async (name) => {
      const unread = { kind: 'unread', why: 'by its name it is not a manifest' } as const;
      const files = [{ path: `docs/${name}`, before: unread, after: unread }];
      const link: ToolFolder = { folder: 'nodes/mc.yaml', tool: 'link' };

      const linked = await predict({ applications: [shop], files: change(files, [link]) });
      const alone = await predict({ applications: [shop], files: change(files) });

      expect(linked.status).toBe(
        'Re-renders no pool, as far as known: 1 file could not be judged (a symbolic link may lead to it).',
      );
      expect(alone.status).toMatch(/no node is disrupted/);
    },
  );

  test('[N-14] texts for people are told as before, also beside a chart', async () => {
    const files = change([added('nodes/README.md', 'How to write a MachineConfig\n'), added('LICENSE', 'x')], helm);
    const sources = shop.sources.map((source) => ({ ...source, tool: 'helm' as const }));

    const { status, isCommented } = await predict({ applications: [{ ...shop, sources }], files });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
    expect(isCommented).toBe(false);
  });

  test.each(['mc.md', 'mc.txt', 'logo.svg'])(
    '[N-14] a template of a chart by the name %s, but not its notes',
    async (name) => {
      const unread = { kind: 'unread', why: 'by its name it is not a manifest' } as const;
      const template = (path: string): ChangedFile => ({ path, before: { kind: 'absent' }, after: unread });

      const named = await predict({ applications: [shop], files: change([template(`nodes/templates/${name}`)], helm) });
      const notes = await predict({
        applications: [shop],
        files: change([template('nodes/templates/NOTES.txt')], helm),
      });

      expect(named.status).toBe('May reboot nodes: 1 file could not be judged (helm renders it).');
      expect(notes.status).toMatch(/^Re-renders no pool, as far as known/);
    },
  );

  test('[N-14] a manifest too large to read, and a list of files that is not complete', async () => {
    const unread = { path: 'nodes/mc.yaml', before: { kind: 'absent' }, after: { kind: 'unread', why: 'too large' } };
    const picture = { path: 'nodes/a.bin', before: { kind: 'absent' }, after: { kind: 'unread', why: 'no text' } };

    const large = await predict({ applications: [shop], files: change([unread as ChangedFile]) });
    const binary = await predict({ applications: [shop], files: change([picture as ChangedFile], helm) });
    const many = await predict({ applications: [shop], files: change([], [], '50,000 files changed') });

    expect(large.status).toBe('May reboot nodes: 1 file could not be judged (too large).');
    expect(binary.status).toBe('Re-renders no pool, as far as known: 1 file could not be judged (helm renders it).');
    expect(many.status).toBe('May reboot nodes: 1 part could not be judged (50,000 files changed).');
    expect([large.isCommented, binary.isCommented, many.isCommented]).toEqual([true, false, true]);
  });

  test('[N-14] what an Application manages that reaches no pool now, and what was never compared', async () => {
    const files = change([added('nodes/values.yaml', 'x: 1\n')], helm);

    const managed = await predict({ applications: [nodesApplication], files, hasNoPool: true });
    const uncompared = await predict({ applications: [{ ...shop, resources: [] }], files });
    const named = { ...shop, resources: [], ...naming('none', { mayRemove: true }) };
    const sure = await predict({ applications: [named], files });

    expect(managed.status).toMatch(/^May reboot nodes/);
    expect(uncompared.status).toMatch(/^May reboot nodes/);
    expect(sure.status).toMatch(/^Re-renders no pool, as far as known/);
  });

  test('[N-14] a file that could not be judged is told beside pools that are known', async () => {
    const other = { ...shop, name: 'shop', sources: shop.sources.map((each) => ({ ...each, path: 'shop' })) };
    const { files } = changing(chrony('a\n'), chrony('b\n'));
    const both = change([...files, added('shop/templates/mc.yaml', template)], [{ folder: 'shop', tool: 'helm' }]);

    const { status } = await predict({
      applications: [{ ...nodesApplication, resources: [mine] }, other],
      files: both,
    });

    expect(status).toMatch(/^Reboots 3 nodes: worker, .*, 1 file could not be judged \(helm renders it\)\.$/);
  });
});

describe('what Kustomize builds', () => {
  const tools: readonly ToolFolder[] = [{ folder: 'nodes', tool: 'kustomize' }];
  const managing = { ...nodesApplication, resources: [mine] };
  /** As a patch has it: the labels of what it patches are not repeated. */
  const patch = (text: string, name?: string) =>
    JSON.stringify({ ...JSON.parse(chrony(text, name)), metadata: { name } });
  const changed = (before: string, after: string) => ({ ...changing(before, after), tools });

  test('[N-14] is told as it stands where the cluster has it as its file had it', async () => {
    const files = changed(chrony('pool old\n'), chrony('pool new\n'));

    const { status } = await predict({ applications: [managing], files });

    expect(status).toMatch(/^Reboots 3 nodes: worker/);
  });

  const unjudged = 'May reboot nodes: 1 file could not be judged (Kustomize may make something else of it).';

  test.each([
    ['a patch of a MachineConfig', '99-worker-chrony', /^May reboot 3 nodes: worker/],
    ['one that gets another name', 'chrony', unjudged],
  ])('[N-14] [N-30] %s', async (_, name, ofOther) => {
    const files = changed(patch('pool old\n', name), patch('pool new\n', name));

    const { status, isCommented } = await predict({ applications: [managing], files });
    const elsewhere = await predict({ applications: [shop], files });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
    expect(isCommented).toBe(true);
    expect(elsewhere.status).toMatch(ofOther);
  });

  test('[N-1] [N-14] of the folder beside it is not told as a change of another cluster', async () => {
    const own = changing(chrony('pool old\n'), chrony('pool new\n'));
    const elsewhere = own.files.map((each) => ({ ...each, path: 'beside/chrony.json' }));
    const applications = [managing];

    const { status } = await predict({
      applications,
      files: ({ folders = [] }) => ({
        ...own,
        files: elsewhere,
        // As GitHub is asked: what a kustomization takes from elsewhere is read for these folders alone.
        tools: ['nodes', 'beside'].map((folder) => ({
          folder,
          tool: 'kustomize',
          ...(folders.includes(folder) ? { uses: [] } : {}),
        })),
      }),
    });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test('[N-14] [N-30] one to which a patch adds what its own file does not have', async () => {
    const files = changed(chrony('pool old\n'), chrony('pool new\n'));
    const patched = [live('99-worker-chrony', 'pool patched\n')];

    const { status } = await predict({ applications: [managing], files, machineConfigs: patched });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
  });
});

describe('Applications that the pull request itself brings or changes', () => {
  const machineConfig = added('nodes2/mc.json', chrony('new\n', '99-worker-new'));

  test('[N-14] a new one below an app of apps is expanded to what it will deploy', async () => {
    const files = change([added('apps/nodes2.json', application('nodes2', { path: 'nodes2' })), machineConfig]);

    const { status, isCommented, comment } = await predict({ applications: [parent], files });

    expect(status).toMatch(/^Reboots 3 nodes: worker/);
    expect(isCommented).toBe(true);
    expect(comment).not.toMatch(/apps-of-site|openshift-gitops/);
  });

  test('[N-14] [N-30] one that has the name of another in a second Argo CD is judged by itself', async () => {
    const below = (argocd: string, path: string) => ({
      ...parent,
      argocd,
      sources: parent.sources.map((source) => ({ ...source, path })),
    });
    const web = added('web/web.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n');
    const here = [added('a/apps/x.json', application('platform', { path: 'web' })), web];
    const there = [
      added('b/apps/x.json', application('platform', { path: 'nodes2' }, { enabled: false })),
      machineConfig,
    ];
    const applications = [below('hub', 'a/apps')];
    const second = [below('second', 'b/apps')];

    const { status, isCommented } = await predict({ applications, second, files: change([...here, ...there]) });

    expect(status).toBe(
      'May reboot nodes: 1 file could not be judged (what the Application in it deploys is not judged).',
    );
    expect(isCommented).toBe(true);
  });

  test('[N-14] [N-30] one that a sync is written into, which Argo CD runs', async () => {
    const asking = (sync: object) => JSON.stringify({ ...JSON.parse(application('nodes-of-site', {})), ...sync });
    const file = edited('apps/nodes.json', asking({}), asking({ operation: { sync: { revision: 'next' } } }));

    const { status, isCommented } = await predict({
      applications: [parent, nodesApplication],
      files: change([file]),
    });

    expect(status).toBe(
      'May reboot nodes: 1 file could not be judged (what the Application in it deploys is not judged).',
    );
    expect(isCommented).toBe(true);
  });

  test('[N-14] one that nobody syncs by itself is not judged, with a comment where its files may matter', async () => {
    const manual = added('apps/nodes2.json', application('nodes2', { path: 'nodes2' }, { enabled: false }));

    const both = await predict({ applications: [parent], files: change([manual, machineConfig]) });
    const alone = await predict({ applications: [parent], files: change([manual]) });

    expect(both.status).toBe(
      'May reboot nodes: 1 file could not be judged (what the Application in it deploys is not judged).',
    );
    expect(alone.status).toMatch(/^Re-renders no pool, as far as known: 1 file/);
    expect([both.isCommented, alone.isCommented]).toEqual([true, false]);
  });

  test('[N-14] a new one of another repository claims nothing', async () => {
    const chart = application('web', { repoURL: 'https://charts.example.com', chart: 'web' });

    const { status, isCommented } = await predict({
      applications: [parent],
      files: change([added('apps/web.json', chart)]),
    });

    expect(status).toContain('as far as known: 1 part could not be judged');
    expect(isCommented).toBe(false);
  });

  test('[N-14] another revision of one that manages MachineConfigs may reboot nodes, that of a shop claims nothing', async () => {
    const moved = (name: string): FilesRead =>
      change([
        edited(
          `apps/${name}.json`,
          application(name, { path: 'nodes', targetRevision: 'v1' }),
          application(name, { path: 'nodes', targetRevision: 'v2' }),
        ),
      ]);
    const following = (of: Application, name: string) => ({
      ...of,
      name,
      sources: of.sources.map((source) => ({ ...source, targetRevision: 'v1' })),
    });
    const applications = [parent, following(nodesApplication, 'nodes'), following(shop, 'shop')];

    const nodes = await predict({ applications, files: moved('nodes') });
    const web = await predict({ applications, files: moved('shop') });

    expect(nodes.status).toMatch(/^May reboot nodes: 1 file could not be judged/);
    expect(web.status).toMatch(/^Re-renders no pool, as far as known: 1 file could not be judged/);
    expect([nodes.isCommented, web.isCommented]).toEqual([true, false]);
  });

  test('[N-14] an ApplicationSet of which one Application manages MachineConfigs', async () => {
    const set = (revision: string) => ({
      kind: 'text' as const,
      text: `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: { name: sites }\nspec: { revision: ${revision} }\n`,
    });
    const files = change([{ path: 'apps/sites.yaml', before: set('a'), after: set('b') }]);
    const generated = {
      ...nodesApplication,
      generatedBy: 'sites',
      sources: nodesApplication.sources.map((source) => ({ ...source, path: 'elsewhere', targetRevision: 'v1' })),
    };

    const known = await predict({ applications: [parent, generated], files });
    const unknown = await predict({ applications: [parent], files });

    expect(known.status).toMatch(/^May reboot nodes: 1 file could not be judged \(what the ApplicationSet/);
    expect(unknown.status).toMatch(/^Re-renders no pool, as far as known/);
  });
});

describe('objects of the cluster that cannot be parsed', () => {
  const broken = { applications: ['nodes-of-site'], pools: ['infra'] };

  test('[N-14] an Application: it may be the one that deploys this', async () => {
    const hidden = await predict({ applications: [], broken: { applications: broken.applications } });
    const shown = await predict({
      applications: [],
      broken: { applications: broken.applications },
      settings: { clusterNames: 'show' },
    });

    expect(hidden.status).toBe('May reboot nodes: 1 Application could not be read.');
    expect(hidden.isCommented).toBe(true);
    expect(hidden.comment).not.toContain('nodes-of-site');
    expect(shown.comment).toContain('Application `openshift-gitops/nodes-of-site`');
  });

  test('[N-14] an Application, and files that bring nothing of the kind: a status, and no comment', async () => {
    const values = await predict({ applications: [], broken, files: change([added('shop/values.yaml', 'x: 1\n')]) });
    const readme = await predict({ applications: [], broken, files: change([added('README.md', 'x\n')]) });

    expect(values.status).toBe(
      'No watched Application deploys this, as far as known: 1 Application could not be read.',
    );
    expect(readme.status).toBe('No watched Application deploys this: no node is disrupted.');
    expect([values.isCommented, readme.isCommented]).toEqual([false, false]);
  });

  test('[N-14] a pool: the change may reach it', async () => {
    const alone = await predict({ broken: { pools: ['infra'] }, hasNoPool: true });
    const beside = await predict({ broken: { pools: ['infra'] } });
    const shown = await predict({ broken: { pools: ['infra'] }, settings: { clusterNames: 'show' } });

    expect(alone.status).toBe('May reboot nodes: 1 pool could not be read.');
    expect(alone.isCommented).toBe(true);
    expect(beside.status).toMatch(/^Reboots 3 nodes: worker, .*, 1 pool could not be read\.$/);
    expect(beside.comment).toContain('1 pool could not be read');
    expect(beside.comment).not.toContain('infra');
    expect(shown.comment).toContain('pool `infra`');
  });

  test('[N-14] a pool, and a change of which the MCO renders nothing', async () => {
    const files = change([added('nodes/a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n')]);

    const { status, isCommented } = await predict({ broken: { pools: ['infra'] }, files });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
    expect(isCommented).toBe(false);
  });
});

describe('what no configured cluster is known to get', () => {
  const far = { ...nodesApplication, destination: { server: 'https://api.far-secret-site:6443', name: '' } };

  test('[N-14] an Application that deploys it to a cluster that is not configured', async () => {
    const alone = await predict({ applications: [far] });
    const beside = await predict({ applications: [nodesApplication, { ...far, name: 'far' }] });

    expect(alone.status).toBe('1 cluster not checked: nodes may reboot there.');
    expect(alone.isCommented).toBe(true);
    expect(alone.comment).toContain('`cluster 1` could not be read (it is not in poolkeeper.yaml)');
    expect(alone.comment).not.toContain('far-secret-site');
    expect(beside.status).toBe('Reboots 3 nodes: worker, about 45 min, held now, 1 cluster not checked.');
  });

  test('[N-14] such an Application, and a change of which the MCO renders nothing, claim nothing', async () => {
    const files = change([
      added('nodes/web.json', JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } })),
    ]);

    const { status, isCommented } = await predict({ applications: [{ ...far, resources: [deployment] }], files });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
    expect(isCommented).toBe(false);
  });

  const set = {
    ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'sites' },
    generators: [
      { repoURL: 'https://github.com/acme/platform', revision: 'main', reads: 'folders', paths: ['sites/*'] },
    ],
    readsAnyPush: false,
    looksEverySeconds: 180,
  } as const;

  test('[N-14] [S2-14] a new folder of which an ApplicationSet makes an Application', async () => {
    const files = change([added('sites/new/chrony.json', chrony('pool new\n'))]);

    const { status, isCommented } = await predict({ applications: [], sets: [set], files });

    expect(status).toBe(
      'May reboot nodes: 1 part could not be judged (an ApplicationSet generates Applications from it).',
    );
    expect(isCommented).toBe(true);
  });

  test('[N-14] [N-29] ApplicationSets that cannot be listed now, may not be, or cannot be parsed may make one of it', async () => {
    const files = change([added('sites/new/chrony.json', chrony('pool new\n'))]);
    const world = { applications: [], files };

    const unlisted = await predict({ ...world, unlistedSets: new Transient('connect 10.1.2.3:6443') });
    const broken = await predict({ ...world, broken: { sets: ['sites'] } });
    const forbidden = new Transient('HTTP 403', { kind: 'forbidden' });
    const notAllowed = await predict({ ...world, unlistedSets: forbidden });

    expect(unlisted.status).toBe('May reboot nodes: 1 Argo CD could not be read.');
    expect(broken.status).toBe('May reboot nodes: 1 ApplicationSet could not be read.');
    expect(notAllowed.status).toBe('May reboot nodes: 1 ApplicationSet list could not be read.');
    expect(notAllowed.isCommented).toBe(true);
  });

  test('[decoy] [N-14] ApplicationSets that may not be listed do not matter to what no node has', async () => {
    const files = change([
      added('sites/new/deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n'),
    ]);
    const unlistedSets = new Transient('HTTP 403', { kind: 'forbidden' });

    const { status } = await predict({ applications: [], files, unlistedSets });

    expect(status).toBe('No watched Application names this repository.');
  });

  test('[N-14] a file by which an ApplicationSet chooses what its Applications deploy, where they manage MachineConfigs', async () => {
    const generators = [{ ...set.generators[0], reads: 'files' as const, paths: ['sites/*.json'] }];
    const files = change([added('sites/a.json', '{ "revision": "v2" }')]);
    const of = (resource: object) => [
      { ...nodesApplication, generatedBy: 'sites', resources: [resource] } as unknown as Application,
    ];

    const nodes = await predict({ applications: of(mine), sets: [{ ...set, generators }], files });
    const web = await predict({ applications: of(deployment), sets: [{ ...set, generators }], files });
    const folders = { appeared: [], vanished: [] };
    const other = await predict({ applications: of(mine), sets: [set], files: { ...files, folders } });

    expect(nodes.status).toContain('May reboot nodes: 1 file could not be judged');
    expect(web.status).toContain('as far as known: 1 file could not be judged');
    expect(web.isCommented).toBe(false);
    expect(other.status).toBe('Re-renders no pool: no node is disrupted.');
    const texts = await predict({
      sets: [{ ...set, generators: [{ ...set.generators[0], paths: [] }] }],
      files: change([added('README.md', 'x')]),
    });
    expect(texts.status).toBe('Re-renders no pool: no node is disrupted.');
    const first = await predict({
      applications: [],
      sets: [{ ...set, generators: [{ ...set.generators[0], paths: [] }] }],
      files: change([added('README.md', 'x'), added('sites/new/chrony.json', chrony('pool new\n'))]),
    });
    expect(first.status).toContain('May reboot nodes');
  });

  test('[N-14] [N-30] an Argo CD that does not answer keeps back nothing of the others, and is said', async () => {
    const both = await predict({ hasSilentArgoCd: true });
    const none = await predict({ hasSilentArgoCd: true, applications: [] });
    const texts = await predict({ hasSilentArgoCd: true, applications: [], files: change([added('README.md', 'x')]) });

    expect(both.status).toBe('Reboots 3 nodes: worker, about 45 min, held now, 1 Argo CD could not be read.');
    expect(none.status).toBe('May reboot nodes: 1 Argo CD could not be read.');
    expect(none.comment).not.toContain('far-secret-hub');
    expect([both, none, texts].map(({ preview }) => preview.isPartial)).toEqual([true, true, false]);
    expect(texts.status).toBe('No watched Application deploys this: no node is disrupted.');
  });
});

describe('what rolls out by more than its own content', () => {
  const object = (apiVersion: string, kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion, kind, metadata: { name }, spec });
  const aPoolOf = (name: string, spec: object) =>
    object('machineconfiguration.openshift.io/v1', 'MachineConfigPool', name, spec);
  const changed = (before: string, after: string) => edited('nodes/pool.json', before, after);
  const isWaiting = { paused: true, target: { name: 'rendered-worker-new', sources: [] } };

  test.each([{ paused: false }, {}])(
    '[N-14] a pool that Git pauses no longer (%j), while a change waits',
    async (spec) => {
      const files = change([changed(aPoolOf('worker', { paused: true }), aPoolOf('worker', spec))]);

      const waiting = await predict({ files, pool: isWaiting });
      const done = await predict({ files });

      expect(waiting.status).toMatch(/^May reboot 3 nodes: worker/);
      expect(waiting.comment).toContain('is resumed: what waits on it rolls out');
      expect(done.status).toBe('Re-renders no pool: no node is disrupted.');
    },
  );

  const selecting = {
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
  };

  test.each<[string, ChangedFile]>([
    ['where Git has said nothing of it', changed(aPoolOf('worker', {}), aPoolOf('worker', { paused: false }))],
    ['where Git takes it in as resumed', added('nodes/pool.json', aPoolOf('worker', { ...selecting, paused: false }))],
    [
      'where Git has resumed it all the time, and somebody paused it',
      changed(aPoolOf('worker', { paused: false }), aPoolOf('worker', { paused: false, maxUnavailable: 2 })),
    ],
  ])('[N-14] a paused pool that a sync resumes, %s, while a change waits', async (_, file) => {
    const leaving = { ...nodesApplication, leavesPauseOf: ['worker'] };
    const [waiting, done, open] = await Promise.all([
      predict({ files: change([file]), pool: isWaiting }),
      predict({ files: change([file]), pool: { paused: true } }),
      predict({ files: change([file]), pool: { ...isWaiting, paused: false } }),
    ]);

    expect(waiting.status).toMatch(/^May reboot 3 nodes: worker/);
    expect(waiting.comment).toContain('is resumed: what waits on it rolls out');
    const left = await predict({ applications: [leaving], files: change([file]), pool: isWaiting });
    expect([done, open, left].map(({ comment }) => comment.includes('is resumed'))).toEqual([false, false, false]);
  });

  test.each<[string, ChangedFile]>([
    [
      'changes',
      changed(aPoolOf('worker', { configuration: { name: 'a' } }), aPoolOf('worker', { configuration: { name: 'b' } })),
    ],
    ['takes in', added('nodes/pool.json', aPoolOf('worker', { ...selecting, configuration: { name: 'old' } }))],
  ])('[N-14] the config of its nodes, which Git %s with the pool', async (_, file) => {
    expect((await predict({ files: change([file]) })).status).toMatch(/^Reboots 3 nodes: worker/);
  });

  test('[N-14] a new pool, with what only it selects', async () => {
    const selects = { nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } } };

    const { status, isCommented } = await predict({
      files: change([added('nodes/pool.json', aPoolOf('infra', selects))]),
    });

    expect(status).toBe('May reboot nodes: 1 file could not be judged (nodes may move to the new pool in it).');
    expect(isCommented).toBe(true);
  });

  test('[N-14] a live pool that Git takes in as it is, but for where it is not known to be', async () => {
    const selectors = {
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
    };
    const files = change([added('nodes/pool.json', aPoolOf('worker', selectors))]);
    const far = { ...nodesApplication, name: 'far', destination: { server: '', name: cluster } };

    const { status, isCommented } = await predict({ files });
    const beside = await predict({ files, applications: [nodesApplication, far] });
    const broken = await predict({ files, broken: { pools: ['worker'] } });

    expect(status).toBe('Re-renders no pool: no node is disrupted.');
    expect(isCommented).toBe(false);
    expect(beside.status).toContain('nodes may move to the new pool in it');
    expect(broken.status).toContain('May reboot nodes');
  });

  test('[N-14] [S1-17] a file that is only written, where nobody knows whether an image is built for the pool', async () => {
    const spared = (text: string) => chrony(text).replace('/etc/chrony.conf', '/etc/nmstate/openshift/x.yml');
    const files = changing(spared('a'), spared('b'));

    const unread = await predict({ files, machineConfigs: [], areLayersUnread: true });

    expect((await predict({ files, machineConfigs: [] })).status).toMatch(/^Writes to, without disrupting/);
    expect(unread.status).toMatch(/^May reboot 3 nodes/);
    expect(unread.comment).toContain('it is unknown whether an image is built for the pool');
  });

  test('[N-14] [S1-17] a file that the policy of now spares, in a change that brings another policy', async () => {
    const policy = {
      files: [{ path: '/etc/chrony.conf', actions: [{ type: 'None', service: '' }] }],
      units: [],
      sshkey: [],
    };
    const config = edited('nodes/chrony.json', chrony('pool old\n'), chrony('pool new\n'));
    const policyOf = (files: readonly object[]) =>
      object('operator.openshift.io/v1', 'MachineConfiguration', 'cluster', { nodeDisruptionPolicy: { files } });
    const spared = { path: '/etc/chrony.conf', actions: [{ type: 'None' }] };

    const alone = await predict({ files: change([config]), policy });
    const both = await predict({ files: change([config, changed(policyOf([spared]), policyOf([]))]), policy });
    const same = await predict({ files: change([config, changed(policyOf([]), policyOf([]))]), policy });

    expect(alone.status).toMatch(/^Writes to, without disrupting, 3 nodes: worker/);
    expect(both.status).toMatch(/^May reboot 3 nodes: worker/);
    expect(both.comment).toContain('another NodeDisruptionPolicy');
    expect(same.status).toBe(alone.status);
  });
});

test('[N-14] [N-30] a file is looked through once, however many Applications a change adds and concerns', async () => {
  let reads = 0;
  const beside: ChangedFile = {
    path: 'other/values.yaml',
    before: { kind: 'absent' },
    after: {
      kind: 'text',
      get text() {
        reads += 1;
        return 'x: 1\n';
      },
    },
  };
  const fifty = Array.from({ length: 50 }, (_, nth) => application(`new-${nth}`, {}, { enabled: false }));

  const { status } = await predict({
    applications: Array.from({ length: 100 }, (_, nth) => ({ ...parent, name: `a${nth}` })),
    files: change([added('apps/all.yaml', fifty.join('\n---\n')), beside]),
  });

  expect(status).toContain('what the Application in it deploys is not judged');
  expect(reads).toBeLessThan(10);
});

describe('what nodes may be given in between', () => {
  const machineConfig = (name: string, content: string, annotations: object = {}) => {
    const object = JSON.parse(chrony(content, name));
    return JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } });
  };
  const gone = (path: string, text: string): ChangedFile => ({
    path,
    before: { kind: 'text', text },
    after: { kind: 'absent' },
  });
  const at = (name: string, path: string): Application => ({ ...nodesApplication, name, sources: sourcesAt(path) });
  const mine = machineConfig('99-worker-chrony', 'pool old\n');
  const pruning: Application = { ...nodesApplication, prunes: true };

  test('[N-14] a MachineConfig that moves from one Application to another may be deleted before it is there again', async () => {
    const files = change([gone('one/mc.json', mine), added('two/mc.json', mine)]);

    for (const applications of [
      [at('one', 'one'), at('two', 'two')],
      [at('two', 'two'), at('one', 'one')],
    ]) {
      const { status, comment } = await predict({ applications, files });
      expect(status).toMatch(/^May reboot 3 nodes: worker/);
      expect(comment).toContain('changes in several files or Applications');
    }
  });

  test('[N-14] of several files with one MachineConfig any may count', async () => {
    const other = machineConfig('99-worker-chrony', 'pool other\n');
    const files = change([added('nodes/a.json', other), gone('nodes/b.json', mine), added('nodes/c.json', mine)]);

    expect((await predict({ files })).status).toMatch(/^May reboot 3 nodes/);
  });

  test('[N-14] a file that one MachineConfig takes over from another in a later wave, or in the same', async () => {
    const takenOver = (wave: string) =>
      change([
        gone('nodes/a.json', mine),
        added('nodes/b.json', machineConfig('99-x', 'pool old\n', { 'argocd.argoproj.io/sync-wave': wave })),
      ]);

    const applications = [pruning];
    const later = await predict({ applications, files: takenOver('1') });
    const together = await predict({ applications, files: takenOver('0') });

    expect(later.status).toMatch(/^May reboot 3 nodes/);
    expect(later.comment).toContain('several waves');
    expect(together.status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test.each([{ 'argocd.argoproj.io/hook': 'Sync' }, { 'argocd.argoproj.io/sync-options': 'Replace=true,Force=true' }])(
    '[N-14] a MachineConfig that is deleted and made again: %o',
    async (annotations) => {
      const again = machineConfig('99-worker-chrony', 'pool old\n', {
        ...annotations,
        'machineconfiguration.openshift.io/x': 'y',
      });
      const files = change([{ ...added('nodes/a.json', again), before: { kind: 'text', text: mine } }]);

      expect((await predict({ files })).status).toMatch(/^May reboot 3 nodes/);
    },
  );

  const renamed = (annotations: object = {}) => {
    const old = machineConfig('99-worker-chrony', 'pool old\n', annotations);
    return change([gone('nodes/a.json', old), added('nodes/b.json', machineConfig('99-x', 'pool old\n'))]);
  };

  test('[N-14] [S1-15] a MachineConfig with another name, where Argo CD deletes what Git no longer has, and where it does not', async () => {
    const pruned = await predict({ applications: [pruning], files: renamed() });
    const left = await predict({ files: renamed() });

    expect(pruned.status).toBe('Re-renders no pool: no node is disrupted.');
    expect(left.status).toMatch(/^May reboot 3 nodes: worker/);
    expect(left.comment).toContain('Argo CD may leave MachineConfig 99-worker-chrony when Git no longer has it');
  });

  test.each(['Prune=false', 'Prune=confirm', 'Replace=true, PruneLast=true'])(
    '[N-14] [S1-15] the same, where it says %s itself',
    async (options) => {
      const files = renamed({ 'argocd.argoproj.io/sync-options': options });

      const { status } = await predict({ applications: [pruning], files });

      expect(status).toMatch(/^May reboot 3 nodes/);
    },
  );

  test('[N-14] [S1-15] what two Applications sync is nothing only if it is nothing without the other', async () => {
    const files = change([gone('one/mc.json', mine), added('two/mc.json', machineConfig('99-x', 'pool old\n'))]);

    const { status, comment } = await predict({
      applications: ['one', 'two'].map((name) => ({ ...at(name, name), prunes: true })),
      files,
    });
    const together = await predict({ applications: [{ ...pruning, sources: sourcesAt('one', 'two') }], files });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
    expect(comment).toContain('several Applications sync its MachineConfigs');
    expect(together.status).toBe('Re-renders no pool: no node is disrupted.');
  });

  test('[N-14] [S1-15] what two Applications sync, of which Git has more than the cluster since an earlier push', async () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA ada'] }];
    const withKeys = (text: string) => {
      const { spec, ...rest } = JSON.parse(text);
      return JSON.stringify({ ...rest, spec: { config: { ...spec.config, passwd: { users } } } });
    };
    const evil = machineConfig('99-worker-chrony', 'pool evil\n');
    const good = machineConfig('99-x', 'pool old\n');
    const files = change([edited('one/mc.json', evil, withKeys(evil)), edited('two/mc.json', good, withKeys(good))]);

    const { status } = await predict({
      applications: ['one', 'two'].map((name) => ({ ...at(name, name), prunes: true })),
      files,
      machineConfigs: [live('99-worker-chrony', 'pool old\n')],
    });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
  });

  test('[N-14] [S1-15] new keys in two Applications, and in two waves, are calm, also where the cluster has labels of Argo CD', async () => {
    const keys = (...sshAuthorizedKeys: readonly string[]) => ({
      config: { ignition: { version: '3.4.0' }, passwd: { users: [{ name: 'core', sshAuthorizedKeys }] } },
    });
    const files = { storage: { files: [{ path: '/etc/motd', contents: { source: 'data:,x' } }] } };
    const withKey = (name: string, key: string, wave = '0') => {
      const spec = keys(key);
      const { metadata, ...rest } = JSON.parse(machineConfig(name, '', { 'argocd.argoproj.io/sync-wave': wave }));
      return JSON.stringify({ ...rest, metadata, spec: { config: { ...spec.config, ...files } } });
    };
    const inCluster = (name: string) => {
      const { labels, ...rest } = live(name, '');
      const spec = { config: { ...keys('old').config, ...files } };
      return { ...rest, spec, labels: { ...labels, 'app.kubernetes.io/instance': 'one' } };
    };
    const renewed = (folder: string, name: string, wave?: string) =>
      edited(`${folder}/mc.json`, withKey(name, 'old', wave), withKey(name, 'new', wave));
    const machineConfigs = [inCluster('99-a'), inCluster('99-b')];
    const [one, two] = ['one', 'two'].map((name): Application => ({ ...at(name, name), prunes: true }));
    if (one === undefined || two === undefined) throw new Error('two Applications');

    const ofTwo = await predict({
      applications: [one, two],
      files: change([renewed('one', '99-a'), renewed('two', '99-b')]),
      machineConfigs,
    });
    const inWaves = await predict({
      applications: [{ ...one, sources: sourcesAt('one', 'two') }],
      files: change([renewed('one', '99-a'), renewed('two', '99-b', '1')]),
      machineConfigs,
    });

    expect(ofTwo.status).toMatch(/^Writes to, without disrupting, 3 nodes: worker/);
    expect(inWaves.status).toBe(ofTwo.status);
  });

  test('[N-14] [S1-15] what is renamed in a wave is pruned in another one', async () => {
    const wave = { 'argocd.argoproj.io/sync-wave': '5' };
    const old = machineConfig('99-worker-chrony', 'pool old\n', wave);
    const files = change([gone('nodes/a.json', old), added('nodes/b.json', machineConfig('99-x', 'pool old\n', wave))]);

    expect((await predict({ applications: [pruning], files })).status).toMatch(/^May reboot 3 nodes/);
  });

  test.each<[string, (text: string) => ChangedFile['after']]>([
    ['is edited', (text) => ({ kind: 'text', text })],
    ['is removed', () => ({ kind: 'absent' })],
  ])('[N-14] [S1-15] a MachineConfig whose labels only the cluster has %s', async (_, after) => {
    const bare = (text: string) => {
      const { metadata, ...rest } = JSON.parse(machineConfig('99-worker-chrony', text));
      return JSON.stringify({ ...rest, metadata: { name: metadata.name } });
    };
    const before = { kind: 'text', text: bare('pool old\n') } as const;
    const files = change([{ path: 'nodes/a.json', before, after: after(bare('pool new\n')) }]);

    const { status, comment } = await predict({ files });

    expect(status).toMatch(/^May reboot 3 nodes: worker/);
    expect(comment).toContain('with labels that this pool selects, and Git has not');
  });

  test('[N-14] [S1-15] of a folder that two Applications sync, and one that only one of them does', async () => {
    const files = change([gone('one/mc.json', mine), added('two/mc.json', machineConfig('99-x', 'pool old\n'))]);
    const both: Application = { ...pruning, name: 'both', sources: sourcesAt('one', 'two') };
    const one: Application = { ...pruning, name: 'one', sources: sourcesAt('one') };

    for (const applications of [
      [both, one],
      [one, both],
    ])
      expect((await predict({ applications, files })).status).toMatch(/^May reboot 3 nodes/);
  });
});

function sourcesAt(...paths: readonly string[]): Application['sources'] {
  return paths.flatMap((path) => nodesApplication.sources.map((source) => ({ ...source, path })));
}

describe('what is not judged beside pools that are assumed', () => {
  const at = (path: string, resources: (typeof mine)[]): Application => ({
    ...nodesApplication,
    name: path,
    resources,
    sources: nodesApplication.sources.map((source) => ({ ...source, path })),
  });
  const applications = [at('nodes', [mine]), at('other', [deployment])];
  const values = edited('nodes/values.yaml', 'ntp: a\n', 'ntp: b\n');
  const tools: readonly ToolFolder[] = ['nodes', 'other'].map((folder) => ({ folder, tool: 'helm' }));
  const objectOf = (apiVersion: string, kind: string, spec: object) =>
    JSON.stringify({ apiVersion, kind, metadata: { name: 'x', namespace: 'openshift-gitops' }, spec });

  test('[N-14] [N-30] a chart alone is told by the pools that are assumed because of it', async () => {
    const { status, comment } = await predict({ applications, files: change([values], tools) });

    expect(status).toMatch(/^May reboot 3 nodes: worker, about [^,]*, held now\.$/);
    expect(comment).not.toContain('could not be judged');
  });

  test.each([
    ['hypershift.openshift.io/v1beta1', 'NodePool', 'may be updated or replaced by the NodePool'],
    ['machine.openshift.io/v1beta1', 'MachineSet', 'drained or replaced by the MachineSet'],
    ['ran.openshift.io/v1alpha1', 'ClusterGroupUpgrade', 'drained or replaced by the ClusterGroupUpgrade'],
    ['machineconfiguration.openshift.io/v1', 'MachineConfigPool', 'nodes may move to the new pool in it'],
    ['argoproj.io/v1alpha1', 'Application', 'what the Application in it deploys is not judged'],
  ])('[N-14] [N-30] a %s %s is told as it is without them', async (apiVersion, kind, why) => {
    const moved = { ...at('moved', [mine]), name: 'x' };
    const object = added('hosted/x.json', objectOf(apiVersion, kind, {}));
    const world = { applications: [...applications, at('hosted', [deployment]), moved] };

    const alone = await predict({ ...world, files: change([object], tools) });
    const beside = await predict({ ...world, files: change([object, values], tools) });

    expect(alone.comment).toContain(why);
    expect(beside.comment).toContain(`\`hosted/x.json\` could not be judged: `);
    expect(beside.comment).toContain(why);
    expect(beside.status).toMatch(/^May reboot 3 nodes: worker, .*1 file could not be judged \(/);
  });

  test('[N-14] [N-30] the first MachineConfig of another chart', async () => {
    const { status, comment } = await predict({
      applications,
      files: change([values, added('other/templates/mc.yaml', template)], tools),
    });

    expect(status).toMatch(/^May reboot 3 nodes: worker, .*1 file could not be judged \(helm renders it\)\.$/);
    expect(comment).toContain('`other/templates/mc.yaml` could not be judged: helm renders it.');
    expect(comment).not.toContain('`nodes/values.yaml` could not be judged');
  });

  test('[N-14] [N-30] a file that an Application elsewhere deploys, too, of which no pool is assumed', async () => {
    const { status, comment } = await predict({
      applications: [...applications, { ...at('nodes', [mine]), destination: { server: '', name: 'elsewhere' } }],
      files: change([values], tools),
    });

    expect(status).toMatch(/^May reboot 3 nodes: worker, .*1 cluster not checked, 1 file could not be judged/);
    expect(comment).toContain('`nodes/values.yaml` could not be judged: helm renders it.');
  });
});

describe('a branch that is behind its base, where nobody knows what merging it gives', () => {
  const unmerged = 'GitHub says that it conflicts with its base';
  const inOldFolder = (text: string, path = 'old/chrony.json') => change([added(path, text)]);

  test('[S1-15] what no Application follows may be followed where the base has moved it', async () => {
    const told = await predict({ files: inOldFolder(chrony('pool new\n')), unmerged });

    expect(told.status).toBe(`May reboot nodes: 1 part could not be judged (${unmerged}).`);
    expect(told.comment).toContain(
      `- \`merge into main\` could not be judged: ${unmerged}. The branch is behind its base: update it to know.`,
    );
    expect(told.isCommented).toBe(true);
  });

  test.each([
    ['values beside a chart', inOldFolder('a: 1\n', 'old/values.yaml'), helm, /^May reboot nodes: 1 part/, true],
    ['values without one', inOldFolder('a: 1\n', 'old/values.yaml'), [], /, as far as known: 1 part/, false],
    ['a text for people', inOldFolder('Nodes', 'old/README.md'), [], /: no node is disrupted\.$/, false],
  ])('[S1-15] %s', async (_, files, tools, status, isCommented) => {
    const told = await predict({ files: { ...files, tools }, unmerged });

    expect(told.status).toMatch(status);
    expect(told.isCommented).toBe(isCommented);
  });

  const base = { paths: [], vanished: [], incomplete: undefined };
  test.each([
    ['nothing', base, false],
    ['what is elsewhere', { ...base, paths: ['shop/web.yaml', 'README.md', 'nodes/sub/a.yaml'] }, false],
    ['a text for people beside it', { ...base, paths: ['nodes/README.md'] }, false],
    ['the same file', { ...base, paths: ['nodes/chrony.json'] }, true],
    ['another file of its folder', { ...base, paths: ['nodes/other.json'] }, true],
    ['a folder around it, which it has moved', { ...base, paths: ['nodes/x/a'], vanished: ['nodes'] }, true],
    ['a kustomization, which may take it in', { ...base, paths: ['prod/kustomization.yaml'] }, true],
    ['what cannot be listed', { ...base, incomplete: 'GitHub took too long' }, true],
  ])('[S1-15] matters where the base has since changed %s: %#', async (_, changed, matters) => {
    const { status, comment } = await predict({ unmerged, base: changed });

    expect(status.includes('could not be judged')).toBe(matters);
    expect(comment.includes('`merge into main` could not be judged')).toBe(matters);
    expect(status).toMatch(/^Reboots 3 nodes: worker/);
  });

  test('[S1-15] pools that are known or assumed from the branch alone are not all', async () => {
    const known = await predict({ unmerged });
    const assumed = await predict({
      applications: [{ ...nodesApplication, resources: [mine] }],
      files: change([edited('nodes/templates/mc.yaml', template, `${template}# new\n`)], helm),
      base: { ...base, paths: ['nodes/templates/web.yaml'] },
      unmerged,
    });

    for (const { status, comment } of [known, assumed]) {
      expect(status).toMatch(/eboots? 3 nodes: worker, .*1 part could not be judged \(GitHub/);
      expect(comment).toContain('`merge into main` could not be judged');
    }
  });
});
