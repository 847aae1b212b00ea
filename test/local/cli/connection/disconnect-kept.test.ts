import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../../../local/cli/command.ts';
import { connect } from '../../../../local/cli/connection/connect.ts';
import { notedFor } from '../../../../local/cli/connection/connected-for.ts';
import { disconnect } from '../../../../local/cli/connection/disconnect.ts';
import { objectPath } from '../../../../local/cli/connection/object-path.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import { admissionLimitObjects } from '../../../../local/manifests/admission-limit.ts';
import { eventSourceObjects } from '../../../../local/manifests/event-source.ts';
import { inClusterObjects } from '../../../../local/manifests/in-cluster.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';
import { pauseFirstObjects } from '../../../../local/manifests/pause-first.ts';
import { type StubReply, startStub } from '../../../functions/adapters/stub-server.ts';

const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
const pools = ['worker'];
const connected = [
  ...accessObjects({ account, pauses: true, pools, argocdNamespaces: [] }),
  ...admissionLimitObjects({ account, pools }),
];
const pauseFirst = pauseFirstObjects({ namespace: 'poolkeeper', pools, except: [] });
const managedBy = { 'app.kubernetes.io/managed-by': 'poolkeeper' };
const held = { v: 1, pause: 'ours', pausedSince: '2026-03-02T07:00:00Z', holds: [] };
const worker = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: {
    ...{ name: 'worker', uid: 'u', resourceVersion: '1', generation: 1 },
    annotations: { 'poolkeeper.dev/holds': JSON.stringify(held) },
  },
  spec: { paused: true },
};

interface Keeping {
  /** Of others, by name of the object. */
  readonly finalizers?: Readonly<Record<string, readonly string[]>>;
  /** Names of objects that nobody may delete. */
  readonly refused?: readonly string[];
  /** True: somebody may from the second time on. */
  readonly once?: boolean;
  /** End of the path of what may not be listed. */
  readonly unlisted?: string;
  /** End of the path of lists that something in between answers with 404. */
  readonly unserved?: string;
  /** What comes with the deletion of an object, by its kind and name. */
  readonly comes?: Readonly<Record<string, KubeObject>>;
  /** Kinds whose first deletion is lost on the way. */
  readonly cut?: readonly string[];
}

/** Of every namespace. */
function collectionOf(object: KubeObject): string {
  const path = objectPath(object).replace(/\/namespaces\/[^/]+\//, '/');
  return path.slice(0, path.lastIndexOf('/'));
}

/** Paths of lists that every API server has. */
const ofKubernetes =
  /^\/(?:api|apis\/(?:apps|batch|rbac\.authorization\.k8s\.io))\/v1\/(?:namespaces\/[^/]+\/)?[a-z]+$/;

/** By the labels that it has to have; their values are no matter here. */
function isSelected({ metadata: { labels = {} } }: KubeObject, selector: string): boolean {
  const keys = selector.split(',').flatMap((each) => (each === '' || each.includes('!') ? [] : each.split('=')[0]));
  return keys.every((key) => key === undefined || key in labels);
}

/** A cluster with these objects, as an API server keeps what has finalizers. */
async function clusterWith(
  objects: readonly KubeObject[],
  {
    finalizers = {},
    refused = [],
    unlisted = 'none',
    unserved = 'none',
    comes = {},
    once = false,
    cut = [],
  }: Keeping = {},
) {
  const stored = new Map<string, KubeObject>(
    objects.map((object) => {
      const kept = finalizers[object.metadata.name];
      const metadata = kept === undefined ? object.metadata : { ...object.metadata, finalizers: kept };
      return [objectPath(object), { ...object, metadata }];
    }),
  );
  const forbidden = (message: string) => ({ status: 403, body: { kind: 'Status', message } });
  const read = (path: string, labelSelector = ''): StubReply => {
    if (path === '/version') return { body: { gitVersion: 'v1.31.0' } };
    if (path === '/apis/machineconfiguration.openshift.io/v1') return { body: {} };
    if (path.endsWith(`/${unserved}`)) return { status: 404 };
    if (path.endsWith(`/${unlisted}`)) return forbidden('may not list');
    const object = stored.get(path);
    if (object !== undefined) return { body: object };
    const isIn = (each: KubeObject) =>
      path === collectionOf(each) || objectPath(each) === `${path}/${each.metadata.name}`;
    const items = [...stored.values()].filter((each) => isIn(each) && isSelected(each, labelSelector));
    if (items.length > 0 || ofKubernetes.test(path)) return { body: { metadata: {}, items } };
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { status: 404, body: { kind: 'Status', reason: 'NotFound', details: { name } } };
  };
  const asked = new Set<string>();
  const isFirst = (key: string) => asked.size < asked.add(key).size;
  const refusalOf = (object: KubeObject): StubReply | undefined => {
    const { name } = object.metadata;
    if (cut.includes(object.kind) && isFirst(objectPath(object))) return 'cut';
    if (!refused.includes(name) || (once && !isFirst(name))) return undefined;
    return forbidden('change freeze of the bank');
  };
  const server = await startStub(({ method, path, query, body }) => {
    const object = stored.get(path);
    if (method === 'POST') return { status: 201, body: {} };
    if (method === 'GET' || object === undefined) return read(path, query['labelSelector']);
    if (method === 'PATCH') {
      stored.set(path, { ...object, ...JSON.parse(body), metadata: object.metadata });
      return { body: stored.get(path) };
    }
    const refusal = refusalOf(object);
    if (refusal !== undefined) return refusal;
    const isKept = object.metadata.name in finalizers;
    const metadata = { ...object.metadata, deletionTimestamp: '2026-03-02T08:00:00Z' };
    if (isKept) stored.set(path, { ...object, metadata });
    else stored.delete(path);
    const next = comes[`${object.kind} ${object.metadata.name}`];
    if (next !== undefined) stored.set(objectPath(next), next);
    return { body: object };
  });
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-kept-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  const context = { name: 'lab', context: { cluster: 'lab', user: 'admin' } };
  await writeFile(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'lab', contexts: [context] },
      clusters: [{ name: 'lab', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token: 'of-admin' } }],
    }),
  );
  const run = async (command: Command, more: readonly string[]) => {
    const said: string[] = [];
    const out = (text: string) => said.push(text);
    const surroundings = { out, note: out, environment: {}, now: () => new Date(), wait: async () => {} };
    const status = await command.run(
      ['--name', 'lab', '--kubeconfig', kubeconfig, '--token-dir', folder, ...more],
      surroundings,
    );
    return { status, text: said.join('') };
  };
  return {
    folder,
    create: (object: KubeObject) => stored.set(objectPath(object), object),
    remove: (named: string) => {
      for (const [path, { kind, metadata }] of stored) if (`${kind} ${metadata.name}` === named) stored.delete(path);
    },
    names: () => [...stored.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    connect: (...more: readonly string[]) => run(connect, more),
    disconnect: (...more: readonly string[]) => run(disconnect, more),
    isPaused: () => JSON.stringify(stored.get(objectPath(worker))).includes('"paused":true'),
  };
}

test('[N-6] [C-13] [N-27] a policy of level admission that a finalizer of others keeps is in force: it is named, and the account stays', async () => {
  const finalizers = { 'poolkeeper-pause-first': ['example.com/audit', 'example.com/backup'] };
  const cluster = await clusterWith([...connected, ...pauseFirst, worker], { finalizers });

  const { status, text } = await cluster.disconnect();

  expect(status).toBe(1);
  expect(text).toContain(
    'ValidatingAdmissionPolicy poolkeeper-pause-first is deleted, and kept as it was by finalizers example.com/audit and example.com/backup: repeat when whoever set them has taken them away',
  );
  expect(text).toContain('the rest stays, too');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect(cluster.names()).toEqual(
    expect.arrayContaining(connected.map(({ kind, metadata }) => `${kind} ${metadata.name}`)),
  );
  expect(cluster.isPaused()).toBe(true);
});

test.each([
  ['the right to pause', 'ClusterRoleBinding poolkeeper-pause', true],
  ['another right', 'ClusterRoleBinding poolkeeper-read', false],
  ['a policy that limits the account', 'ValidatingAdmissionPolicy poolkeeper-may-only-pause', false],
])('[N-6] [C-13] [N-29] %s that a finalizer of others keeps is no success', async (_, kept, isPaused) => {
  const [, name = ''] = kept.split(' ');
  const cluster = await clusterWith([...connected, worker], { finalizers: { [name]: ['example.com/audit'] } });

  const { status, text } = await cluster.disconnect();

  expect([status, cluster.isPaused()]).toEqual([1, isPaused]);
  expect(text).toContain(`${kept} is deleted, and kept as it was by finalizer example.com/audit: repeat when`);
  expect(text).not.toContain('Nothing of Poolkeeper is left');
});

test('[N-6] [C-13] [N-27] bindings of level admission whose policy is gone are removed, and those of other policies stay', async () => {
  const [, binding] = pauseFirst;
  if (binding === undefined) throw new Error('there is no binding');
  const foreign = { ...binding, metadata: { name: 'bank' }, spec: { policyName: 'bank' } };
  const cluster = await clusterWith([...connected, binding, foreign, worker]);

  const dry = await cluster.disconnect('--dry-run');
  const { status, text } = await cluster.disconnect();

  const name = 'ValidatingAdmissionPolicyBinding poolkeeper-pause-first-worker';
  expect(dry.text).toContain(`delete  ${name}\n`);
  expect(text).toContain(`deleted ${name}\n`);
  expect(text).toContain('Nothing of Poolkeeper is left');
  expect(status).toBe(0);
  expect(cluster.names()).toEqual(['ValidatingAdmissionPolicyBinding bank', 'MachineConfigPool worker']);
});

test('[N-6] [C-13] [N-29] such a binding that is refused is named, and pools are let go all the same', async () => {
  const cluster = await clusterWith([...connected, ...pauseFirst.slice(1), worker], {
    refused: ['poolkeeper-pause-first-worker'],
  });

  const { status, text } = await cluster.disconnect();

  expect(text).toMatch(
    /ValidatingAdmissionPolicyBinding poolkeeper-pause-first-worker stays: .*change freeze of the bank/,
  );
  expect([status, cluster.isPaused()]).toEqual([1, false]);
});

test('[C-13] [N-29] who may not list bindings of policies can disconnect, and is told', async () => {
  const cluster = await clusterWith([...connected, ...pauseFirst.slice(1), worker], {
    unlisted: 'validatingadmissionpolicybindings',
  });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('bindings of policy poolkeeper-pause-first stay, if there are any: ');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

test('[N-6] [C-13] [N-29] a namespace is kept where another installation has records of runs, which stay', async () => {
  const place = 'poolkeeper';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'patch'] }];
  const runs = { everywhere: [], byNamespace: new Map([[place, rules]]) };
  const ofProd = { account: { namespace: 'pk-prod', name: 'poolkeeper' }, pauses: true, pools: ['db'] };
  const prod = accessObjects({ ...ofProd, argocdNamespaces: [], runs });
  const labels = { ...managedBy, 'poolkeeper.dev/run': 'databases' };
  const metadata = { name: 'poolkeeper-run-databases', namespace: place, labels };
  const record: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { record: '' } };
  const cluster = await clusterWith([...connected, ...prod, record, worker]);

  const dry = await cluster.disconnect('--dry-run');
  const { text } = await cluster.disconnect();

  for (const said of [dry.text, text]) {
    expect(said).toContain('ConfigMap poolkeeper/poolkeeper-run-databases: stays as it is');
    expect(said).toContain(
      'kept namespace poolkeeper, in which others have ConfigMap poolkeeper-run-databases, Role pk-prod-poolkeeper-runs and RoleBinding pk-prod-poolkeeper-runs',
    );
  }
  expect(dry.text).not.toContain('delete  Namespace');
  expect(cluster.names()).toEqual(
    expect.arrayContaining(['Namespace poolkeeper', 'ConfigMap poolkeeper-run-databases']),
  );
  expect(cluster.names()).not.toContain('ClusterRole poolkeeper-read');
});

test.each([
  ['a Secret of others', { kind: 'Secret', metadata: { name: 'shop', namespace: 'poolkeeper' } }, {}],
  [
    'Secrets that may not be listed',
    { kind: 'Secret', metadata: { name: 'x', namespace: 'x' } },
    { unlisted: 'secrets' },
  ],
])('[N-6] [C-13] [N-29] a namespace is kept where there is, or may be, %s', async (_, secret, keeping) => {
  const cluster = await clusterWith([...connected, { apiVersion: 'v1', ...secret }, worker], keeping);

  const { text } = await cluster.disconnect();

  expect(text).toMatch(/kept namespace poolkeeper, in which others have (?:perhaps a Secret, which|Secret shop)/);
  expect(cluster.names()).toContain('Namespace poolkeeper');
});

test.each(['configmaps', 'deployments', 'jobs', 'roles'])(
  '[N-6] [C-13] [N-29] a 404 for the %s of a namespace does not prove that there are none in it: nothing is begun',
  async (kind) => {
    const cluster = await clusterWith([...connected, worker], { unserved: `poolkeeper/${kind}` });

    await expect(cluster.disconnect()).rejects.toThrow(`/namespaces/poolkeeper/${kind}: 404`);

    expect(cluster.names()).toContain('Namespace poolkeeper');
    expect(cluster.isPaused()).toBe(true);
  },
);

test('[C-13] [N-29] a Secret that people have made for it is named where others keep its namespace', async () => {
  const made = ['ConfigMap istio-ca-root-cert', 'Secret poolkeeper-secrets'].map((each) => {
    const [kind = '', name = ''] = each.split(' ');
    return { apiVersion: 'v1', kind, metadata: { name, namespace: 'poolkeeper' } };
  });
  const cluster = await clusterWith([...connected, ...made, worker]);

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('Secret poolkeeper/poolkeeper-secrets stays, because namespace poolkeeper is kept');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect(status).toBe(0);
  expect(cluster.names()).toContain('Namespace poolkeeper');
});

test('[C-13] [N-29] what others make in the namespace while it is disconnected keeps it, and what then stays is named', async () => {
  const inNamespace = (kind: string, name: string) => ({
    ...{ apiVersion: 'v1', kind },
    metadata: { name, namespace: 'poolkeeper' },
  });
  const cluster = await clusterWith([...connected, inNamespace('Secret', 'poolkeeper-secrets'), worker], {
    comes: { 'ClusterRoleBinding poolkeeper-pause': inNamespace('ConfigMap', 'istio-ca-root-cert') },
  });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('kept namespace poolkeeper, in which others have ConfigMap istio-ca-root-cert');
  expect(text).toContain('Secret poolkeeper/poolkeeper-secrets stays, because namespace poolkeeper is kept');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect(status).toBe(0);
});

test('[N-6] [C-13] [N-29] a pool that cannot be read any more when it would be resumed is named', async () => {
  const unreadable = { ...worker, spec: 'none' };
  const cluster = await clusterWith([...connected, worker], {
    comes: { 'ClusterRoleBinding poolkeeper-pause': unreadable },
  });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('pool worker cannot be read, and stays paused if it is');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect(status).toBe(1);
});

test.each([
  ['the record of a run', { apiVersion: 'v1', kind: 'ConfigMap' }, 'poolkeeper-run-databases', 'shop'],
  ['the Job of a sequence', { apiVersion: 'batch/v1', kind: 'Job' }, 'poolkeeper-check-1', 'shop'],
  ['a record in its own namespace', { apiVersion: 'v1', kind: 'ConfigMap' }, 'poolkeeper-run-databases', 'poolkeeper'],
])(
  '[N-22] [C-13] [N-29] %s that Poolkeeper makes before it has lost its rights goes, too',
  async (_, type, name, namespace) => {
    const labels = { ...managedBy, [type.kind === 'Job' ? 'poolkeeper.dev/sequence' : 'poolkeeper.dev/run']: 'x' };
    const made = { ...type, metadata: { name, namespace, labels }, data: { record: '' } };
    const cluster = await clusterWith([...connected, worker], {
      comes: { 'ClusterRoleBinding poolkeeper-pause': made },
    });

    const { status, text } = await cluster.disconnect();

    expect(text).toContain(`deleted ${type.kind} ${namespace}/${name}`);
    expect(text).toContain('Nothing of Poolkeeper is left');
    expect([status, cluster.names()]).toEqual([0, ['MachineConfigPool worker']]);
  },
);

const turnJob = (type: string, namespace = 'poolkeeper'): KubeObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', status: { conditions: [{ type, status: 'True' }] } },
  metadata: { name: 'move-worker-1', namespace, labels: { ...managedBy, 'poolkeeper.dev/run': 'databases' } },
});

test.each([
  ['Complete', 'poolkeeper'],
  ['Failed', 'poolkeeper'],
  ['Complete', 'shop'],
])(
  '[N-22] [C-13] [N-29] a Job of a run that has ended (%s) in namespace %s goes, and keeps no namespace',
  async (type, namespace) => {
    const cluster = await clusterWith([...connected, turnJob(type, namespace), worker]);

    const dry = await cluster.disconnect('--dry-run');
    const { status, text } = await cluster.disconnect();

    expect(dry.text).toContain(`delete  Job ${namespace}/move-worker-1\n`);
    expect(text).toContain('Nothing of Poolkeeper is left');
    expect([status, cluster.names()]).toEqual([0, ['MachineConfigPool worker']]);
  },
);

test('[N-22] [C-13] [N-29] a Job of a run that has not ended is not cut off, and is named', async () => {
  const cluster = await clusterWith([...connected, turnJob('Suspended'), worker]);

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('Job of runs, poolkeeper/move-worker-1: has not ended, and stays until a day after it has');
  expect(text).toContain('kept namespace poolkeeper');
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.names()]).toEqual([0, expect.arrayContaining(['Job move-worker-1'])]);
});

test('[N-6] [C-13] [N-29] an installation that is connected while another is disconnected loses nothing, and is named', async () => {
  const prod = accessObjects({
    ...{ account: { namespace: 'pk-prod', name: 'poolkeeper' }, pauses: true },
    ...{ pools, argocdNamespaces: [] },
  });
  const named = (kind: string, suffix = '') =>
    prod.find((each) => each.kind === kind && each.metadata.name.endsWith(suffix)) ?? worker;
  const labels = { ...managedBy, 'poolkeeper.dev/run': 'databases' };
  const metadata = { name: 'poolkeeper-run-databases', namespace: 'pk-prod', labels };
  const cluster = await clusterWith([...connected, worker], {
    comes: {
      'ClusterRoleBinding poolkeeper-pause': { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { record: '' } },
      'ClusterRoleBinding poolkeeper-read': named('ServiceAccount'),
      'RoleBinding poolkeeper-events': named('ClusterRole', '-pause'),
      'RoleBinding poolkeeper-token': named('ClusterRoleBinding', '-pause'),
    },
  });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('Poolkeeper has another account, in namespace pk-prod, which stays: --namespace pk-prod');
  expect(text).toContain('poolkeeper-run-databases: stays as it is, with the Poolkeeper in namespace pk-prod');
  expect(text).toMatch(/pool worker: stays as it is, because the Poolkeeper in namespace pk-prod has the right to it/);
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.isPaused()]).toEqual([1, true]);
  expect(cluster.names()).toContain('ConfigMap poolkeeper-run-databases');
});

test('[C-13] a namespace goes with what Kubernetes, and people for Poolkeeper, have made in it', async () => {
  const made = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default', 'Secret poolkeeper-secrets'].map((each) => {
    const [kind = '', name = ''] = each.split(' ');
    return { apiVersion: 'v1', kind, metadata: { name, namespace: 'poolkeeper' } };
  });
  const cluster = await clusterWith([...connected, ...made, worker]);

  const { status } = await cluster.disconnect();

  expect(status).toBe(0);
  expect(cluster.names()).not.toContain('Namespace poolkeeper');
});

const rbac = 'rbac.authorization.k8s.io/v1';
const subjects = [{ kind: 'ServiceAccount', ...account }];
const binding = (name: string, role: string): KubeObject => ({
  ...{ apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name }, subjects },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
});

test('[N-6] [C-13] [N-29] the right to pause by which a run resumes its canary keeps everything as it is, too', async () => {
  const everywhere = [
    { apiGroups: ['machineconfiguration.openshift.io'], resources: ['machineconfigpools'], verbs: ['patch'] },
  ];
  const runs = { everywhere, byNamespace: new Map() };
  const printed = accessObjects({ account, pauses: true, pools, argocdNamespaces: [], runs });
  const finalizers = { 'poolkeeper-runs': ['example.com/audit'] };
  const cluster = await clusterWith([...printed, worker], { finalizers });

  const { status, text } = await cluster.disconnect();

  expect([status, cluster.isPaused()]).toEqual([1, true]);
  expect(text).toContain('the rest stays, too, and no pool is resumed');
  expect(cluster.names()).toEqual(expect.arrayContaining(['ServiceAccount poolkeeper', 'ClusterRole poolkeeper-read']));
});

test('[N-6] [C-13] [N-29] nothing is let go while a binding of others lets the account pause', async () => {
  const objects = [...connected, binding('gitops-pause', 'poolkeeper-pause'), worker];
  const cluster = await clusterWith(objects);
  const said =
    'ClusterRoleBinding gitops-pause: made by others, and lets the account pause pools: nothing is let go while it does';

  const dry = await cluster.disconnect('--dry-run');
  const done = cluster.disconnect();

  await expect(done).rejects.toThrow(said);
  expect([dry.status, dry.text]).toEqual([1, expect.stringContaining(said)]);
  expect(cluster.names()).toHaveLength(objects.length);
  expect(cluster.isPaused()).toBe(true);
});

test('[N-6] [C-13] [N-29] a pool that is paused again while the right to that ends is named', async () => {
  const cluster = await clusterWith([...connected, worker], { comes: { 'ClusterRole poolkeeper-read': worker } });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('pool worker is resumed');
  expect(text).toContain('pool worker is paused by Poolkeeper at the end: repeat disconnect, or resume it');
  expect(status).toBe(1);
});

test('[N-6] [C-13] [N-29] where something is refused roles and account stay, and it is repeated although another account has come', async () => {
  const cluster = await clusterWith([...connected, worker], { refused: ['poolkeeper-may-only-pause'], once: true });
  const kept = ['ClusterRole poolkeeper-pause', 'ServiceAccount poolkeeper', 'Namespace poolkeeper'];

  const refused = await cluster.disconnect();
  const still = cluster.names();
  cluster.create({
    ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
    metadata: { name: 'poolkeeper', namespace: 'team', labels: { 'app.kubernetes.io/part-of': 'poolkeeper' } },
  });
  const again = await cluster.disconnect();

  expect(refused.text).toContain('roles, account and namespace of the Poolkeeper in poolkeeper stay, too');
  expect(refused.status).toBe(1);
  expect(still).toEqual(expect.arrayContaining(kept));
  expect(again.status).toBe(0);
  for (const name of ['ClusterRole poolkeeper-pause', 'ValidatingAdmissionPolicy poolkeeper-may-only-pause'])
    expect(cluster.names()).not.toContain(name);
});

test.each([
  [
    'a pool that is paused again',
    { comes: { 'ValidatingAdmissionPolicy poolkeeper-may-only-renew': worker } },
    'pool worker is paused by Poolkeeper at the end',
  ],
  [
    'a binding that a finalizer keeps',
    { finalizers: { 'poolkeeper-events': ['example.com/audit'] } },
    'RoleBinding default/poolkeeper-events is deleted, and kept',
  ],
  [
    'a policy that a finalizer keeps',
    { finalizers: { 'poolkeeper-may-only-renew': ['example.com/audit'] } },
    'ValidatingAdmissionPolicy poolkeeper-may-only-renew is deleted, and kept',
  ],
])('[N-6] [C-13] [N-29] %s is found while roles and account stand, and named once', async (_, keeping, said) => {
  const cluster = await clusterWith([...connected, worker], keeping);

  const { status, text } = await cluster.disconnect();

  expect(status).toBe(1);
  expect(text.split(said)).toHaveLength(2);
  expect(text).toContain('roles, account and namespace of the Poolkeeper in poolkeeper stay, too');
  expect(cluster.names()).toEqual(expect.arrayContaining(['ClusterRole poolkeeper-pause', 'Namespace poolkeeper']));
});

test('[N-6] [C-13] [N-27] a policy of level admission whose deletion was lost on the way is in force: the account stays', async () => {
  const cut = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
  const cluster = await clusterWith([...connected, ...pauseFirst, worker], { cut });

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('ValidatingAdmissionPolicy poolkeeper-pause-first stays, as far as is known');
  expect(text).toContain('the rest stays, too: without an account that pauses for this policy, changes would wait');
  expect(text).not.toContain('is there again');
  expect([status, cluster.isPaused()]).toEqual([1, true]);
  expect(cluster.names()).toEqual(
    expect.arrayContaining(connected.map(({ kind, metadata }) => `${kind} ${metadata.name}`)),
  );
});

test('[N-6] [C-13] [N-29] disconnect of the installation that the account is connected for goes on, from whichever machine, and of another one writes nothing', async () => {
  const cluster = await clusterWith([...notedFor(connected, 'token folder prod'), worker]);
  const before = cluster.names();

  await expect(cluster.disconnect('--token-dir', 'tokens/dev')).rejects.toThrow(
    'connected for another installation, "token folder prod", and this is "token folder dev": nothing is disconnected',
  );
  await expect(cluster.disconnect('--stage', 'prod', '--dry-run')).rejects.toThrow('and this is "stage prod"');
  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
  const { status } = await cluster.disconnect('--token-dir', '/elsewhere/prod/');

  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

/** What `connect` makes in a namespace. */
function connectedIn(namespace: string, ofPools: readonly string[] = pools): readonly KubeObject[] {
  return accessObjects({
    ...{ account: { namespace, name: 'poolkeeper' }, pauses: true, pools: ofPools, argocdNamespaces: [] },
  });
}

test('[N-6] [C-13] [N-29] token and entry stay where the same installation was connected with another namespace, until that one goes', async () => {
  const cluster = await clusterWith([worker]);
  const installation = `token folder ${basename(cluster.folder)}`;
  for (const home of ['poolkeeper', 'pk-new'])
    for (const each of notedFor(connectedIn(home), installation)) cluster.create(each);
  const token = join(cluster.folder, 'lab.token');
  await writeFile(token, 'of pk-new');
  const file = join(cluster.folder, 'poolkeeper.yaml');
  await writeFile(file, ofThree.replace('own,', 'lab,'));

  const dry = await cluster.disconnect('--config', file, '--dry-run');
  const old = await cluster.disconnect('--config', file);

  const said = `file ${token} and the entry of lab in ${file}: stay, because the account in namespace pk-new is that of "${installation}", too, and may need them; where it is another's, take them away by hand\n`;
  for (const { text } of [dry, old]) {
    expect(text).toContain(said);
    expect(text).not.toMatch(/(?:delete |deleted) *file|(?:remove |removed) *lab|Nothing of Poolkeeper is left/);
  }
  expect(cluster.names()).not.toContain('ClusterRoleBinding poolkeeper-pause');
  expect(cluster.names()).toContain('ClusterRoleBinding pk-new-poolkeeper-pause');
  expect([await readFile(token, 'utf8'), await readFile(file, 'utf8')]).toEqual([
    'of pk-new',
    expect.stringContaining('lab'),
  ]);

  const last = await cluster.disconnect('--config', file, '--namespace', 'pk-new');

  expect(last.text).toContain(`deleted file ${token}\n  removed lab from ${file}\n`);
});

test('[N-6] [C-13] an account that a tenant has noted for this installation keeps no token', async () => {
  const cluster = await clusterWith([...connected, worker]);
  const [, tenants] = notedFor(connectedIn('tenant'), `token folder ${basename(cluster.folder)}`);
  if (tenants?.kind !== 'ServiceAccount') throw new Error('there is no account');
  cluster.create(tenants);
  const token = join(cluster.folder, 'lab.token');
  await writeFile(token, 'of poolkeeper');

  const { text } = await cluster.disconnect();

  expect(text).toContain(`deleted file ${token}\n`);
});

test('[N-6] [N-21] [C-13] [N-29] an account that is not noted is neither taken away nor taken over where this installation has one in another namespace', async () => {
  const cluster = await clusterWith([...connected, worker]);
  const installation = `token folder ${basename(cluster.folder)}`;
  for (const each of notedFor(connectedIn('pk-dev', ['dev']), installation)) cluster.create(each);
  const before = cluster.names();

  for (const asked of [cluster.disconnect(), cluster.disconnect('--dry-run'), cluster.connect()])
    await expect(asked).rejects.toThrow(
      `ServiceAccount poolkeeper/poolkeeper does not say for which installation it is connected, and the account in namespace pk-dev is that of "${installation}", as this one is called: if that one is yours, say --namespace pk-dev; if this one is: oc annotate serviceaccount poolkeeper -n poolkeeper 'poolkeeper.dev/connected-for=${installation}'`,
    );

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

/** A Poolkeeper that runs in the cluster, with this configuration. */
function process(clusters: string, kinds = ['Deployment', 'ConfigMap', 'PersistentVolumeClaim']) {
  const printed = inClusterObjects({
    ...{ account, argocdNamespace: undefined, applicationNamespaces: [], cluster: 'own', instance: 'own' },
    ...{ pools: [], image: 'poolkeeper', host: undefined, store: { kind: 'volume' } },
  });
  const metadata = { name: 'poolkeeper-secrets', namespace: 'poolkeeper' };
  return [
    ...printed
      .filter(({ kind }) => kinds.includes(kind))
      .map((each) =>
        each.kind === 'ConfigMap' && clusters !== '' ? { ...each, data: { 'poolkeeper.yaml': clusters } } : each,
      ),
    { apiVersion: 'v1', kind: 'Secret', metadata },
  ];
}

const ofThree = [
  'clusters:',
  '  - { name: own, api: { server: "https://kubernetes.default.svc", tokenSecret: service-account } }',
  '  - { name: prod-eu, api: { server: "https://api.prod-eu.example.com:6443", tokenSecret: prod-eu } }',
  '  - { name: prod-us, api: { server: "https://api.prod-us.example.com:6443", tokenSecret: prod-us } }',
  '',
].join('\n');

test('[N-6] [C-13] [N-29] a Poolkeeper that runs in the cluster goes with its namespace, and is named with what it keeps there', async () => {
  const cluster = await clusterWith([...connected, ...process(''), worker]);

  const dry = await cluster.disconnect('--dry-run');
  const { status, text } = await cluster.disconnect();

  const said =
    'Namespace poolkeeper, and with it ConfigMap poolkeeper/poolkeeper-config, PersistentVolumeClaim poolkeeper/poolkeeper-data, Deployment poolkeeper/poolkeeper and Secret poolkeeper/poolkeeper-secrets\n';
  expect(dry.text).toContain(`delete  ${said}`);
  expect(text).toContain(`deleted ${said}`);
  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

test.each([
  ['its ConfigMap', process(ofThree), 'ConfigMap poolkeeper/poolkeeper-config'],
  ['the file, where it has none', process('', ['Deployment']), 'FILE'],
])('[N-6] [C-13] [N-29] one that keeps other clusters by %s goes before none of them', async (_, objects, where) => {
  const cluster = await clusterWith([...connected, ...objects, worker]);
  const file = join(cluster.folder, 'poolkeeper.yaml');
  await writeFile(file, ofThree);
  const before = cluster.names();

  for (const more of [[], ['--dry-run']])
    await expect(cluster.disconnect('--config', file, ...more)).rejects.toThrow(
      `Deployment poolkeeper/poolkeeper is a Poolkeeper that runs here and keeps prod-eu and prod-us, where pools that it holds would stay paused, with nobody to tell: disconnect these first, or, where another Poolkeeper keeps them by now, only take them out of ${where.replace('FILE', file)}`,
    );

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

test('[N-6] [C-13] [N-29] one that has this cluster by its own address, and the name of another one, goes with neither', async () => {
  const ofTwo = ofThree.split('\n').toSpliced(3, 1).join('\n');
  const cluster = await clusterWith([...connected, ...process(ofTwo), worker]);
  const before = cluster.names();

  for (const more of [[], ['--dry-run']])
    await expect(cluster.disconnect('--name', 'prod-eu', ...more)).rejects.toThrow(
      'Deployment poolkeeper/poolkeeper is a Poolkeeper that runs here, and this cluster is own in ConfigMap poolkeeper/poolkeeper-config, and prod-eu another one: choose the context of prod-eu, or correct --name',
    );

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

test('[N-6] [C-13] [N-29] one that runs here by the account of a stage does not go with that stage', async () => {
  const cluster = await clusterWith([...notedFor(connected, 'stage prod'), ...process(''), worker]);
  const before = cluster.names();

  for (const more of [[], ['--dry-run']])
    await expect(cluster.disconnect('--stage', 'prod', ...more)).rejects.toThrow(
      'Deployment poolkeeper/poolkeeper is a Poolkeeper that runs here by the account that is connected for "stage prod", and would go with it: where it is to stay, take only token and entry away, by hand; if all is to go: oc delete deployment poolkeeper -n poolkeeper, and repeat',
    );

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

test.each([
  ['with the other clusters named', ofThree, 'disconnect prod-eu and prod-us first, and then'],
  ['also where these cannot be read', 'extends: [fleet.yaml]\n', 'disconnect whatever else it keeps first, and then'],
])('[N-6] [C-13] [N-29] nor is its Deployment to be deleted before what else it keeps, %s', async (_, text, first) => {
  const cluster = await clusterWith([...notedFor(connected, 'stage prod'), ...process(text), worker]);

  await expect(cluster.disconnect('--stage', 'prod')).rejects.toThrow(
    `if all is to go, ${first}: oc delete deployment poolkeeper -n poolkeeper, and repeat`,
  );
});

test('[N-6] [C-13] [N-29] where the installation has two accounts, the one of a Poolkeeper that runs here goes by following what is said', async () => {
  const cluster = await clusterWith([...connected, ...process(''), worker]);
  const installation = `token folder ${basename(cluster.folder)}`;
  for (const each of notedFor(connectedIn('pk-dev', ['dev']), installation)) cluster.create(each);

  await expect(cluster.disconnect()).rejects.toThrow('if this one is: oc annotate serviceaccount');
  for (const each of notedFor(connected, installation)) cluster.create(each);
  await expect(cluster.disconnect()).rejects.toThrow('if all is to go: oc delete deployment');
  cluster.remove('Deployment poolkeeper');
  const { status } = await cluster.disconnect();

  expect([status, cluster.isPaused()]).toEqual([0, false]);
  expect(cluster.names()).toContain('ServiceAccount poolkeeper');
});

test('[C-13] one that has this cluster by its name, and an address of another network, goes', async () => {
  const ofLab = 'clusters: [{ name: lab, api: { server: "https://api.lab.internal:6443", tokenSecret: lab } }]\n';
  const cluster = await clusterWith([...connected, ...process(ofLab), worker]);

  const { status } = await cluster.disconnect();

  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

const ofOne = ofThree.split('\n').slice(0, 2).join('\n');

test.each([
  ['extends another file', `extends: [fleet.yaml]\n${ofOne}\n`],
  ['has a fault', `${ofOne}\n\t- { name: prod-eu }\n`],
])('[N-6] [C-13] [N-29] one whose ConfigMap %s may keep others, and goes only once it is deleted', async (_, text) => {
  const cluster = await clusterWith([...connected, ...process(text), worker]);
  const before = cluster.names();

  await expect(cluster.disconnect()).rejects.toThrow(
    'which clusters it keeps cannot be read from ConfigMap poolkeeper/poolkeeper-config',
  );

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

test('[C-13] one that keeps this cluster alone goes, whatever else stands beside its file', async () => {
  const objects = process(`extends: [./base.yaml]\n${ofOne}\n`).map((each) =>
    each.kind === 'ConfigMap' && 'data' in each
      ? {
          ...each,
          data: { ...Object(each['data']), 'base.yaml': 'policy: {}\n', 'README.md': '# a: b: c\n\t- x: [\n' },
        }
      : each,
  );
  const cluster = await clusterWith([...connected, ...objects, worker]);

  const { status } = await cluster.disconnect();

  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

test('[N-6] [N-21] [C-13] [N-29] a pipeline that may do everything by an account of our name is no other installation', async () => {
  const metadata = { name: 'pipelines' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const cluster = await clusterWith([
    ...connected,
    { apiVersion, kind: 'ClusterRole', metadata: { name: 'cluster-admin' }, rules: everything },
    {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pipelines' }],
    },
    worker,
  ]);

  const { status, text } = await cluster.disconnect();

  expect(text).toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

test('[C-13] other clusters of a file are no matter where the Poolkeeper that runs here keeps this one alone', async () => {
  const cluster = await clusterWith([...connected, ...process(''), worker]);
  const file = join(cluster.folder, 'poolkeeper.yaml');
  await writeFile(file, ofThree);

  const { status, text } = await cluster.disconnect('--config', file);

  expect(text).toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.isPaused()]).toEqual([0, false]);
});

test('[N-6] [N-21] [C-13] [N-29] a pool that another installation pauses by roles of other names stays as it is', async () => {
  const prod = accessObjects({
    ...{ account: { namespace: 'pk-prod', name: 'poolkeeper' }, pauses: true, pools, argocdNamespaces: [] },
  }).map((each) => {
    const name = `bank-${each.metadata.name}`;
    const metadata = { ...each.metadata, name };
    if (each.kind === 'ClusterRole') return { ...each, metadata };
    return each.kind === 'ClusterRoleBinding' ? { ...each, metadata, roleRef: { kind: 'ClusterRole', name } } : each;
  });
  const cluster = await clusterWith([...connected, ...prod, worker]);

  const { status, text } = await cluster.disconnect();

  expect(text).toContain(
    'pool worker: stays as it is, because the Poolkeeper in namespace pk-prod has the right to it',
  );
  expect(text).not.toContain('without its rights to the cluster');
  expect([status, cluster.isPaused()]).toEqual([1, true]);
});

test('[N-6] [N-21] [C-13] [N-29] nothing is begun where something in between answers 404 for the bindings of another installation', async () => {
  const prod = accessObjects({
    ...{ account: { namespace: 'pk-prod', name: 'poolkeeper' }, pauses: true, pools, argocdNamespaces: [] },
  });
  const cluster = await clusterWith([...connected, ...prod, worker], { unserved: 'clusterrolebindings' });
  const before = cluster.names();

  await expect(cluster.disconnect()).rejects.toThrow('clusterrolebindings: 404');

  expect([cluster.names(), cluster.isPaused()]).toEqual([before, true]);
});

test('[C-13] [N-29] an event source stays, with its rights, and is named with its namespace', async () => {
  const source = eventSourceObjects({ namespace: 'eventing', cluster: 'lab', url: 'https://poolkeeper.example.com' });
  const cluster = await clusterWith([...connected, ...source, worker]);

  const { status, text } = await cluster.disconnect();

  expect(text).toContain(
    'ClusterRoleBinding poolkeeper-pool-events and ClusterRole poolkeeper-pool-events, and ServiceAccount and ApiServerSource of that name in namespace eventing: stay, and go on reporting',
  );
  expect(text).not.toContain('Nothing of Poolkeeper is left');
  expect([status, cluster.isPaused()]).toEqual([0, false]);
  expect(cluster.names()).toEqual(
    expect.arrayContaining(source.map(({ kind, metadata }) => `${kind} ${metadata.name}`)),
  );
});
