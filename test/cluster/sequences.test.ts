import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Sequence } from '../../functions/core/configuration/sequence.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { ensureOlm, olmIn } from './harness/olm.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { type SequenceRun, sequenceHome, startSequence } from './sequence-run.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

const className = 'ocs-storagecluster-ceph-rbd';

function namespaceOf(name: string): Draft {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

beforeAll(async () => {
  await controlPlane.ensure(...['openshift-storage', 'openshift-cnv'].map(namespaceOf));
  await ensureOlm(controlPlane);
});

const virtualization = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv' },
  spec: { name: 'kubevirt-hyperconverged', channel: 'stable', source: 'redhat-operators' },
};
const virtualizationPath = `${olmIn('openshift-cnv').subscriptions}/kubevirt-hyperconverged`;

/** The reference's own case: the storage operator in wave 5 with a gate on its class, virtualization in wave 10. */
const written = {
  clusters: ['lab'],
  namespace: sequenceHome,
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
    olmIn('openshift-storage').versions,
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

async function start(sequence: Sequence = reference, asWritten: object = written): Promise<SequenceRun> {
  const begun = await startSequence(lab, { name: 'virt', written: asWritten, sequence });
  onTestFinished(() => kube.delete(virtualizationPath).catch(() => undefined));
  return begun;
}

describe("the reference's own case on a real API server", () => {
  test('[S2-17] [S2-3] [S2-22] with the class late, the second step begins late, with rights for these kinds only', async () => {
    await storageInstalled();
    const sequence = await start();

    await sequence.looks(3);
    const waiting = await sequence.run('status', 'virt');
    expect(await kube.find(virtualizationPath)).toBeUndefined();
    expect(waiting.status).toBe(1);
    expect(waiting.text).toContain('storage@lab: odf-operator.v4.17.2 has succeeded');
    expect(waiting.text).toContain(`storage@lab/waitFor: sc ${className} is not there`);
    expect(waiting.text).toContain('held back: wave 5 is not healthy (storage@lab/waitFor)');

    await create(storageClasses, storageClass);
    await sequence.looks(3);

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
      (await kube.list(olmIn('openshift-cnv').subscriptions)).map(({ metadata }) => metadata.name);
    const before = await everything();
    const sequence = await start();

    await sequence.looks(3);
    const during = await everything();
    const aborted = await sequence.run('abort', 'virt', '--reason', 'wrong cluster');
    sequence.product.ticking(1000);
    await until(async () => (await everything()).length === before.length, 60_000, 'the objects to be taken back');

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
    const sequence = await start(impatient);

    sequence.product.ticking(1000);
    const opened = await sequence.product.untilTold('incident.opened', '*');

    expect(opened.data).toMatchObject({ kind: 'sequence-stuck' });
    expect(await kube.find(virtualizationPath)).toBeUndefined();
  });

  test('[S2-17] [S2-11] with the class deleted again while the sequence is paused, it does not begin', async () => {
    await storageInstalled();
    const sequence = await start();
    await sequence.looks(2);
    await sequence.run('pause', 'virt', '--reason', 'a look first');
    await create(storageClasses, storageClass);
    await sequence.looks(2);
    expect((await sequence.run('status', 'virt')).text).toContain('Sequence virt: paused');

    await kube.delete(`${storageClasses}/${className}`);
    await sequence.run('go-on', 'virt', '--reason', 'looked');
    await sequence.looks(3);

    expect(await kube.find(virtualizationPath)).toBeUndefined();
    expect((await sequence.run('skip', 'virt', 'storage@lab/waitFor', '--reason', 'it comes later')).status).toBe(0);
    await sequence.looks(3);
    expect(await kube.find(virtualizationPath)).toBeDefined();
    await kube.post(storageClasses, storageClass);
  });

  test('[S2-12] what somebody changes or deletes of an applied object is told, and left, until a person asks', async () => {
    await storageInstalled();
    await create(storageClasses, storageClass);
    const sequence = await start();
    await sequence.looks(4);
    await kube.patch(
      virtualizationPath,
      { spec: { channel: 'candidate' } },
      { type: 'merge', fieldManager: 'kubectl-edit' },
    );

    sequence.product.ticking(1000);
    const opened = await sequence.product.untilTold('incident.opened', '*');
    const changed = await sequence.run('status', 'virt');
    await kube.delete(virtualizationPath);
    await until(
      async () => (await sequence.run('status', 'virt')).text.includes('it was deleted by somebody'),
      60_000,
      'the deletion to be seen',
    );

    expect(opened.data).toMatchObject({ kind: 'sequence-stuck', headline: 'what sequence virt applied was changed' });
    expect(changed.text).toMatch(/spec\.channel: changed by kubectl-edit at \d{4}-\d\d-\d\dT/);
    expect(await kube.find(virtualizationPath)).toBeUndefined();

    await sequence.run('go-on', 'virt', '--reason', 'it is needed');
    await until(() => kube.find(virtualizationPath), 60_000, 'it to be applied again');
    expect((await kube.get(virtualizationPath)).spec).toEqual(virtualization.spec);
  });

  test('[S2-12] an object with lists, defaults, nulls and quantities that the API server rewrites has not drifted', async () => {
    const labels = { app: 'shop' };
    const container = {
      name: 'web',
      image: 'registry.example.com/shop:1',
      args: ['--fast'],
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: 'b' }],
      resources: { requests: { cpu: '1000m', memory: '1024Mi' } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'drift-shop', namespace: 'default', labels, annotations: { team: 'shop' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate', rollingUpdate: null },
        template: {
          metadata: { labels },
          spec: { containers: [container], volumes: [{ name: 'data', emptyDir: {} }], nodeSelector: { zone: 'a' } },
        },
      },
    };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'drift-shop', namespace: 'default' },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    };
    const only = {
      clusters: ['lab'],
      namespace: sequenceHome,
      extraObjects: { shop: deployment, service },
      steps: { shop: { kind: 'object', object: 'shop' }, service: { kind: 'object', object: 'service' } },
    };
    onTestFinished(() => kube.delete('/apis/apps/v1/namespaces/default/deployments/drift-shop'));
    onTestFinished(() => kube.delete('/api/v1/namespaces/default/services/drift-shop'));
    const sequence = await start(Sequence.parse(only), only);

    await sequence.looks(4);
    sequence.product.passTime(10);
    await sequence.looks(2);

    const { text } = await sequence.run('status', 'virt', '--output', 'json');
    const values = [...text.matchAll(/"value": "([^"]*)"/g)].map(([, value]) => value);
    expect(values).toEqual(['applied', 'applied']);
    expect((await sequence.run('status', 'virt')).status).toBe(0);
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
    const sequence = await start(Sequence.parse(second), second);
    sequence.product.ticking(1000);
    await until(async () => (await kube.get(project)).spec.syncWindows?.length === 1, 60_000, 'the window to be there');

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
    await until(async () => (await sequence.run('status', 'virt')).status === 0, 60_000, 'the sequence to be done');
    expect((await kube.get(project)).spec.syncWindows ?? []).toEqual(before.syncWindows ?? []);
  });
});
