import { expect, test } from 'vitest';
import { applicationOf } from '../../../../functions/adapters/kubernetes/application-of.ts';
import { asInGit, withoutSecrets } from '../../../../local/cli/impact/masking.ts';
import { readRecording, recordingText } from '../../../../local/cli/impact/recording.ts';

const spec = (key: string) => ({
  kernelArguments: ['nosmt', 'rd.iscsi.password=hunter2'],
  config: {
    passwd: { users: [{ name: 'core', passwordHash: '$6$canary', sshAuthorizedKeys: [] }] },
    storage: {
      files: [
        { path: '/etc/chrony.conf', contents: { source: 'data:,pool%20a.example.com' } },
        { path: '/etc/app/token', contents: { source: `data:,${key}` } },
      ],
    },
    systemd: { units: [{ name: 'app.service', contents: '[Service]\nEnvironment=API_TOKEN=canary\n' }] },
  },
});

test('[S1-17] a recording leaves out whatever the diff would mask, and keeps the rest', () => {
  const text = JSON.stringify(withoutSecrets(spec('canary')));

  expect(text).not.toMatch(/canary|hunter2|\$6\$/);
  expect(text).toContain('pool%20a.example.com');
  expect(text).toContain('nosmt');
  expect(text).toContain('poolkeeper:left-out');
});

test('[S1-15] what was left out is taken to be what Git had, so that it does not look changed', () => {
  const recorded = withoutSecrets(spec('canary'));

  expect(asInGit(recorded, spec('canary'))).toEqual(spec('canary'));
});

test('[S1-15] what Git does not have stays left out, and counts as changed', () => {
  const recorded = withoutSecrets(spec('canary'));

  expect(JSON.stringify(asInGit(recorded, undefined))).toContain('poolkeeper:left-out');
});

test('[S1-17] of an Application a recording has what is read of it, and no value, parameter or token', () => {
  const source = {
    repoURL: 'https://canary@git.example.com/acme/platform.git?access_token=canary',
    path: 'machine-config',
    targetRevision: 'main',
    helm: { parameters: [{ name: 'password', value: 'canary' }], values: 'a: canary', valuesObject: { a: 'canary' } },
    plugin: { env: [{ name: 'KEY', value: 'canary' }] },
    kustomize: { patches: [{ patch: 'canary' }] },
    directory: { recurse: true, include: '*.yaml', jsonnet: { tlas: [{ name: 'x', value: 'canary' }] } },
  };
  const rows = [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-a', status: 'Synced' }];
  const ended = { phase: 'Succeeded', startedAt: '2026-03-02T08:00:00Z', finishedAt: '2026-03-02T08:00:05Z' };
  const application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'nodes',
      namespace: 'argocd',
      annotations: {
        'argocd.argoproj.io/manifest-generate-paths': '.',
        'notified.notifications.argoproj.io': 'canary',
      },
    },
    spec: {
      project: 'platform',
      destination: { server: 'https://kubernetes.default.svc' },
      sources: [source],
      sourceHydrator: { drySource: source, syncSource: { targetBranch: 'live', path: 'x' } },
      syncPolicy: { automated: { selfHeal: true }, managedNamespaceMetadata: { labels: { a: 'canary' } } },
      ignoreDifferences: [{ kind: 'MachineConfig', jsonPointers: ['/spec'] }],
      info: [{ name: 'x', value: 'canary' }],
    },
    operation: { sync: { manifests: ['canary'] } },
    status: {
      sync: { status: 'Synced', revision: 'abc', comparedTo: { source } },
      resources: rows,
      history: [{ source }],
      operationState: {
        ...ended,
        message: 'canary',
        operation: { sync: { manifests: ['canary'] } },
        syncResult: { revision: 'abc', source, resources: [{ ...rows[0], message: 'canary' }] },
      },
    },
  };

  const text = recordingText('prod', [application], new Date('2026-03-02T08:01:00Z'));

  expect(text).not.toContain('canary');
  const [recorded] = readRecording(text, 'prod.json').objects;
  const { operation, operationQueued: _queued, ...read } = applicationOf('hub', recorded);
  const whole = applicationOf('hub', application);
  const address = (url: string) => url.replace('canary@', '').replace('=canary', '=[removed]');
  expect(read).toEqual({
    ...Object.fromEntries(Object.entries(whole).filter(([key]) => !key.startsWith('operation'))),
    annotations: { 'argocd.argoproj.io/manifest-generate-paths': '.' },
    sources: whole.sources.map((each) => ({ ...each, repoURL: address(each.repoURL) })),
  });
  expect(operation?.results).toMatchObject([{ kind: 'MachineConfig', name: '99-a', status: 'Synced' }]);
});

test('[S1-17] of a kind that no prediction reads, and of what a MachineOSConfig builds, nothing is recorded', () => {
  const objects = [
    { kind: 'Secret', metadata: { name: 'pull' }, data: { a: 'canary' }, spec: { a: 'canary' } },
    {
      kind: 'MachineOSConfig',
      metadata: { name: 'layered' },
      spec: { machineConfigPool: { name: 'infra' }, containerFile: [{ content: 'RUN curl -u canary' }] },
    },
    'canary',
  ];

  const text = recordingText('prod', objects, new Date('2026-03-02T08:01:00Z'));

  expect(text).not.toContain('canary');
  expect(text).toContain('"infra"');
});
