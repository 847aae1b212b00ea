import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../../local/cli/connection/connect.ts';
import { objectPath } from '../../../../local/cli/connection/object-path.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';
import { type StubReply, startStub } from '../../../functions/adapters/stub-server.ts';

const served: Readonly<Record<string, unknown>> = {
  '/version': { gitVersion: 'v1.31.0' },
  '/apis/machineconfiguration.openshift.io/v1': {},
  '/apis/argoproj.io/v1alpha1': {},
  '/apis/admissionregistration.k8s.io/v1': { resources: [{ name: 'validatingadmissionpolicies' }] },
};

const worker = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name: 'worker', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { paused: false },
};

function controllerIn(namespace: string): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `controller-of-${namespace}` },
    subjects: [{ kind: 'ServiceAccount', name: 'argocd-application-controller', namespace }],
  };
}

function withApplication(namespace: string): readonly KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'nodes', namespace } },
  ];
}

/** A cluster that keeps what is applied to it. */
async function clusterWith(objects: readonly KubeObject[]) {
  const stored = new Map([worker, ...objects].map((object) => [objectPath(object), object]));
  const everywhere = (path: string) => path.replace(/\/namespaces\/[^/]+(?=\/[a-z]+\/)/, '');
  const read = (path: string): StubReply => {
    const found = served[path] ?? stored.get(path);
    if (found !== undefined) return { body: found };
    const items = [...stored].filter(([at]) => [at, everywhere(at)].some((each) => each.split(`${path}/`)[0] === ''));
    const direct = items.filter(
      ([at]) =>
        !everywhere(at)
          .slice(path.length + 1)
          .includes('/'),
    );
    if (direct.length > 0 || /s$/.test(path)) return { body: { metadata: {}, items: direct.map(([, each]) => each) } };
    return { status: 404, body: { kind: 'Status', reason: 'NotFound', details: { name: path.split('/').at(-1) } } };
  };
  const server = await startStub(({ method, path, query, body }) => {
    if (method === 'POST')
      return { status: 201, body: { status: { token: 'a.b.c', expirationTimestamp: '2026-03-03T08:00:00Z' } } };
    if (method === 'GET') return read(path);
    if (query['dryRun'] === undefined) stored.set(path, JSON.parse(body));
    return { body: JSON.parse(body) };
  });
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-again-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [kubeconfig, file] = [join(folder, 'kubeconfig'), join(folder, 'poolkeeper.yaml')];
  await writeFile(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'lab' },
      contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin' } }],
      clusters: [{ name: 'lab', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token: 'of-admin' } }],
    }),
  );
  return {
    file,
    create: (more: readonly KubeObject[]) => {
      for (const object of more) stored.set(objectPath(object), object);
    },
    /** The last lines of what it says. */
    async connect(...more: readonly string[]) {
      const said: string[] = [];
      const out = (text: string) => said.push(text);
      const surroundings = { out, note: out, environment: {}, now: () => new Date('2026-03-02T08:00:00Z') };
      const words = ['--name', 'lab', '--kubeconfig', kubeconfig, '--token-dir', folder, '--config', file, ...more];
      expect(await connect.run(words, surroundings)).toBe(0);
      return said.join('').split('\n');
    },
  };
}

test('[C-13] [N-29] connecting again names the namespaces of Applications that the file does not have, and that nobody reads', async () => {
  const cluster = await clusterWith([controllerIn('openshift-gitops'), ...withApplication('openshift-gitops')]);

  const first = await cluster.connect();
  const before = await readFile(cluster.file, 'utf8');
  cluster.create(withApplication('team-a'));
  const again = await cluster.connect('--existing-namespace');
  await writeFile(cluster.file, before.replace('- openshift-gitops', '- openshift-gitops\n      - team-a'));
  const added = await cluster.connect('--existing-namespace');

  const line = `Not in argocd[].namespaces of ${cluster.file}, so not read: team-a`;
  expect(first.join()).not.toContain('not read');
  expect(again).toContain(line);
  expect(again[again.indexOf(line) - 1]).toBe(`The cluster is in ${cluster.file}.`);
  expect(added.join()).not.toContain('not read');
});

test('[C-13] [N-29] connecting again does not call the namespace of an Argo CD unread whose Applications are elsewhere', async () => {
  const cluster = await clusterWith([controllerIn('openshift-gitops'), ...withApplication('team-a')]);
  const home = ['--argocd-namespace', 'openshift-gitops'];
  await cluster.connect(...home);
  const before = await readFile(cluster.file, 'utf8');
  const namespaces = /namespaces:\n( +- .*\n)+/;
  expect(before).toMatch(namespaces);
  expect(before).toContain('controllerNamespace: openshift-gitops');
  await writeFile(cluster.file, before.replace(namespaces, 'namespaces: [team-a]\n'));

  const again = await cluster.connect('--existing-namespace', ...home);

  expect(again.join()).not.toContain('not read');
});

test("[C-13] [N-29] connecting again names an Argo CD's own namespace with Applications that the file leaves out", async () => {
  const cluster = await clusterWith([
    controllerIn('openshift-gitops'),
    ...withApplication('openshift-gitops'),
    ...withApplication('team-a'),
  ]);
  await cluster.connect();
  const before = await readFile(cluster.file, 'utf8');
  await writeFile(cluster.file, before.replace(/namespaces:\n( +- .*\n)+/, 'namespaces: [team-a]\n'));

  const again = await cluster.connect('--existing-namespace');

  expect(again).toContain(`Not in argocd[].namespaces of ${cluster.file}, so not read: openshift-gitops`);
});

test.each([[[]], [['--argocd-namespace', 'gitops-of-teams']]])(
  '[C-13] [N-29] connecting again says that a second Argo CD needs an entry of its own in the file %j',
  async (more) => {
    const cluster = await clusterWith([controllerIn('openshift-gitops'), ...withApplication('openshift-gitops')]);
    await cluster.connect();
    cluster.create([
      controllerIn('gitops-of-teams'),
      ...withApplication('gitops-of-teams'),
      ...withApplication('shop'),
    ]);

    const again = await cluster.connect('--existing-namespace', ...more);

    expect(again).toContain(
      `Not in argocd[].namespaces of ${cluster.file}, so not read: gitops-of-teams and shop; the Argo CD in gitops-of-teams needs an entry of its own`,
    );
  },
);
