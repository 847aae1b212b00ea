import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { Sequence } from '../../functions/core/configuration/sequence.ts';
import { runCommand } from '../../local/cli/run-command.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { type Product, startProduct } from './product.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

const olm = '/apis/operators.coreos.com/v1alpha1/namespaces';
const className = 'ocs-storagecluster-ceph-rbd';

/** As much of OLM's kinds as the API server needs to store them: OLM itself does not run here. */
function olmKind(plural: string, kind: string, ...shortNames: readonly string[]): Draft {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.operators.coreos.com` },
    spec: {
      group: 'operators.coreos.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

function namespaceOf(name: string): Draft {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

beforeAll(async () => {
  await controlPlane.ensure(
    olmKind('subscriptions', 'Subscription', 'sub', 'subs'),
    olmKind('clusterserviceversions', 'ClusterServiceVersion', 'csv', 'csvs'),
    olmKind('installplans', 'InstallPlan', 'ip'),
    ...['openshift-storage', 'openshift-cnv'].map(namespaceOf),
  );
  await until(() => kube.find(`${olm}/openshift-cnv/subscriptions`), 20_000, 'the kinds of OLM to be served');
});

const virtualization = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv' },
  spec: { name: 'kubevirt-hyperconverged', channel: 'stable', source: 'redhat-operators' },
};
const virtualizationPath = `${olm}/openshift-cnv/subscriptions/kubevirt-hyperconverged`;

/** The reference's own case: the storage operator in wave 5 with a gate on its class, virtualization in wave 10. */
const written = {
  clusters: ['lab'],
  namespace: 'poolkeeper-sequences',
  extraObjects: { cnv: virtualization },
  steps: {
    storage: {
      kind: 'subscription',
      name: 'odf-operator',
      namespace: 'openshift-storage',
      wave: 5,
      waitFor: { resourceType: 'sc', resourceName: className },
    },
    virtualization: { kind: 'object', object: 'cnv', wave: 10 },
  },
};
const reference = Sequence.parse(written);

/** The storage operator is installed. */
async function storageInstalled(): Promise<void> {
  const status = { installedCSV: 'odf-operator.v4.17.2', currentCSV: 'odf-operator.v4.17.2' };
  const of = (kind: string, name: string, more: object): Draft => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind,
    metadata: { name, namespace: 'openshift-storage' },
    ...more,
  });
  await lab.create(of('Subscription', 'odf-operator', { status }));
  await create(
    `${olm}/openshift-storage/clusterserviceversions`,
    of('ClusterServiceVersion', 'odf-operator.v4.17.2', { status: { phase: 'Succeeded' } }),
  );
}

async function create(collection: string, object: Draft): Promise<void> {
  await kube.post(collection, object);
  onTestFinished(() => kube.delete(`${collection}/${object.metadata.name}`));
}

const storageClasses = '/apis/storage.k8s.io/v1/storageclasses';
const storageClass: Draft = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: className },
  provisioner: 'openshift-storage.rbd.csi.ceph.com',
};

interface Run {
  readonly product: Product;
  readonly run: (...args: readonly string[]) => Promise<{ readonly status: number; readonly text: string }>;
  readonly look: () => Promise<unknown>;
}

/** Poolkeeper with the rights that the command prints for this sequence, and no others. */
async function startSequence(sequence: Sequence = reference, asWritten: object = written): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-sequence-'));
  const file = join(folder, 'poolkeeper.yaml');
  const clusters = [{ name: 'lab', api: { server: 'https://127.0.0.1:6443', tokenSecret: 'lab' } }];
  const argocd = [{ name: 'lab', cluster: 'lab', namespaces: [lab.argocd.namespace] }];
  await writeFile(file, stringify({ clusters, argocd, sequences: { virt: asWritten } }));
  const run: Run['run'] = async (...args) => {
    let text = '';
    const out = (more: string) => {
      text += more;
    };
    const status = await runCommand(args, { out, note: out, environment: {}, now: () => new Date() });
    return { status, text };
  };
  const home = 'poolkeeper-sequences';
  const access = await run(
    ...['manifests', '--only', 'access', '--namespace', home, '--argocd-namespace', lab.argocd.namespace],
    ...['--sequences', file, '--cluster', 'lab'],
  );
  for (const document of parseAllDocuments(access.text)) {
    const object: Draft = document.toJS();
    await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
      type: 'apply',
      fieldManager: 'installer',
    });
  }
  const token = await controlPlane.serviceAccountToken({ namespace: home, name: 'poolkeeper' });
  const product = await startProduct(lab, { token, sequences: { virt: sequence }, policy: { sweepEverySeconds: 5 } });
  onTestFinished(async () => {
    await kube.delete(`${paths.in(home).configMaps}/poolkeeper-sequence-virt`);
    await kube.delete(virtualizationPath).catch(() => undefined);
    await rm(folder, { recursive: true });
  });
  const steered: Run['run'] = (...args) =>
    run('sequence', ...args, '--config', file, '--kubeconfig', controlPlane.kubeconfig);
  return { product, run: steered, look: () => product.look() };
}

async function looks(count: number, { look }: Run): Promise<void> {
  for (let done = 0; done < count; done += 1) await look();
}

describe("the reference's own case on a real API server", () => {
  test('[S2-17] [S2-3] [S2-22] with the class late, the second step begins late, with rights for these kinds only', async () => {
    await storageInstalled();
    const sequence = await startSequence();

    await looks(3, sequence);
    const waiting = await sequence.run('status', 'virt');
    expect(await kube.find(virtualizationPath)).toBeUndefined();
    expect(waiting.status).toBe(1);
    expect(waiting.text).toContain('storage@lab: odf-operator.v4.17.2 has succeeded');
    expect(waiting.text).toContain(`storage@lab/waitFor: sc ${className} is not there`);
    expect(waiting.text).toContain('held back: wave 5 is not healthy (storage@lab/waitFor)');

    await create(storageClasses, storageClass);
    await looks(3, sequence);

    const applied = await kube.get(virtualizationPath);
    expect(applied.metadata.labels).toMatchObject({ 'poolkeeper.dev/sequence': 'virt' });
    expect(applied.spec).toEqual(virtualization.spec);
    expect(applied.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
      'poolkeeper Apply',
    ]);
    expect((await sequence.run('status', 'virt')).status).toBe(0);
  });

  test('[S2-17] with the class there, it begins; [N-22] aborted, the cluster is as it was before', async () => {
    await storageInstalled();
    await create(storageClasses, storageClass);
    const everything = async () =>
      (await kube.list(`${olm}/openshift-cnv/subscriptions`)).map(({ metadata }) => metadata.name);
    const before = await everything();
    const sequence = await startSequence();

    await looks(3, sequence);
    const during = await everything();
    const aborted = await sequence.run('abort', 'virt', '--reason', 'wrong cluster');
    sequence.product.ticking(1000);
    await until(async () => (await everything()).length === before.length, 30_000, 'the objects to be taken back');

    expect(during).toEqual([...before, 'kubevirt-hyperconverged']);
    expect(aborted).toMatchObject({ status: 0 });
    expect(await everything()).toEqual(before);
    expect((await sequence.run('status', 'virt', '--output', 'json')).text).toContain('"state": "aborted"');
  });

  test('[S2-17] [S2-10] with the class never there, it does not begin, and an incident is opened', async () => {
    await storageInstalled();
    const { waitFor } = reference.steps['storage'] ?? {};
    const impatient: Sequence = {
      ...reference,
      steps: {
        ...reference.steps,
        storage: { ...Sequence.parse(written).steps['storage'], waitFor: { ...waitFor, timeoutSeconds: 2 } },
      } as Sequence['steps'],
    };
    const sequence = await startSequence(impatient);

    sequence.product.ticking(1000);
    const opened = await sequence.product.untilTold('incident.opened', '*');

    expect(opened.data).toMatchObject({ kind: 'sequence-stuck' });
    expect(await kube.find(virtualizationPath)).toBeUndefined();
  });

  test('[S2-17] [S2-11] with the class deleted again while the sequence is paused, it does not begin', async () => {
    await storageInstalled();
    const sequence = await startSequence();
    await looks(2, sequence);
    await sequence.run('pause', 'virt', '--reason', 'a look first');
    await create(storageClasses, storageClass);
    await looks(2, sequence);
    expect((await sequence.run('status', 'virt')).text).toContain('Sequence virt: paused');

    await kube.delete(`${storageClasses}/${className}`);
    await sequence.run('go-on', 'virt', '--reason', 'looked');
    await looks(3, sequence);

    expect(await kube.find(virtualizationPath)).toBeUndefined();
    expect((await sequence.run('skip', 'virt', 'storage@lab/waitFor', '--reason', 'it comes later')).status).toBe(0);
    await looks(3, sequence);
    expect(await kube.find(virtualizationPath)).toBeDefined();
    await kube.post(storageClasses, storageClass);
  });

  test('[S2-17] [S2-15] [S2-18] as two Applications: no operation of the second stays open, and it syncs when its turn has come', async () => {
    await storageInstalled();
    const repository = await lab.git.createRepository('acme/virtualization');
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'virtualization' }, data: { here: 'yes' } };
    const second = {
      ...written,
      steps: {
        ...written.steps,
        virtualization: { kind: 'application', name: 'virtualization', namespace: lab.argocd.namespace, wave: 10 },
      },
    };
    await repository.commit({ 'README.md': 'nothing yet' });
    const application = await lab.argocd.createApplication({ name: 'virtualization', repository });
    onTestFinished(application.delete);
    await until(async () => (await application.read()).status?.sync?.status === 'Synced', 60_000, 'it to be compared');
    const project = `${paths.in(lab.argocd.namespace).projects}/default`;
    const before = (await kube.get(project)).spec;
    const sequence = await startSequence(Sequence.parse(second), second);
    sequence.product.ticking(1000);
    await until(async () => (await kube.get(project)).spec.syncWindows?.length === 1, 30_000, 'the window to be there');

    await repository.commit({ 'config.json': JSON.stringify(config) });
    await application.refresh();
    await until(
      async () => (await application.read()).status?.sync?.status === 'OutOfSync',
      60_000,
      'it to be out of sync',
    );
    const waiting = await application.read();
    await create(storageClasses, storageClass);
    await until(() => kube.find('/api/v1/namespaces/default/configmaps/virtualization'), 60_000, 'it to be synced');
    onTestFinished(() => kube.delete('/api/v1/namespaces/default/configmaps/virtualization'));

    expect(waiting).not.toHaveProperty('operation');
    await until(async () => (await sequence.run('status', 'virt')).status === 0, 30_000, 'the sequence to be done');
    expect((await kube.get(project)).spec.syncWindows ?? []).toEqual(before.syncWindows ?? []);
  });
});
