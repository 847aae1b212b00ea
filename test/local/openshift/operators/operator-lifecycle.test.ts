import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ClusterConnection, connectCluster } from '../../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import { discoveryOf, resolveResource } from '../../../../functions/core/sequences/discovery.ts';
import { type OpenShift, startOpenShift } from '../../../../local/openshift/index.ts';
import { buildStorageWorld, type StorageWorld } from '../../../../local/openshift/storage-world.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';

let clock: VirtualClock;
let openshift: OpenShift;
let storage: StorageWorld;
let connection: ClusterConnection;

const home = '/apis/operators.coreos.com/v1alpha1/namespaces/openshift-storage';
const path = `${home}/subscriptions/odf-operator`;
const manifest = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'odf-operator', namespace: 'openshift-storage' },
  spec: { name: 'odf-operator', startingCSV: 'odf-operator.v4.17.2' },
};

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  openshift = await startOpenShift({ clock });
  storage = buildStorageWorld(openshift);
  const { url, token } = openshift;
  connection = connectCluster({
    server: url,
    ca: undefined,
    token: async () => token,
    skipTLSVerify: true,
    userAgent: 'test',
    ...systemRuntime,
  });
});

afterEach(async () => {
  await connection.close();
  await openshift.stop();
});

async function read(at: string, form?: 'discovery') {
  const answer = await connection.reader.read({ path: at, query: {}, ...(form && { form }) });
  return answer.kind === 'found' ? answer.body : answer.kind;
}

test('[S2-22] a Subscription is resolved and its operator installed, a minute later', async () => {
  await connection.writer.apply(path, manifest, 'write');
  const csv = `${home}/clusterserviceversions/odf-operator.v4.17.2`;

  const before = await read(csv);
  await clock.advance(20_000);
  const installing = [await read(path), await read(csv)];
  await clock.advance(60_000);
  const installed = [await read(path), await read(csv)];

  expect(before).toBe('absent');
  expect(installing).toMatchObject([
    { status: { currentCSV: 'odf-operator.v4.17.2' } },
    { status: { phase: 'Installing' } },
  ]);
  expect(installed).toMatchObject([
    { status: { installedCSV: 'odf-operator.v4.17.2', state: 'AtLatestKnown' } },
    { status: { phase: 'Succeeded' } },
  ]);
});

test('[S2-12] server-side apply tries without writing, creates what is not there, and changes what is', async () => {
  await connection.writer.apply(path, manifest, 'check');
  const tried = await read(path);
  await connection.writer.apply(path, manifest, 'write');
  await connection.writer.apply(path, { ...manifest, spec: { ...manifest.spec, channel: 'stable' } }, 'write');
  const written = await read(path);
  const removed = await connection.writer.remove(path);

  expect(tried).toBe('absent');
  expect(written).toMatchObject({ spec: { name: 'odf-operator', channel: 'stable' } });
  expect(removed).toBe(true);
  expect(await read(path)).toBe('absent');
});

test('[S2-3] one answer says what is served, with short names, and the class comes and goes', async () => {
  const served = discoveryOf(await read('/apis', 'discovery')) ?? [];
  const core = discoveryOf(await read('/api', 'discovery')) ?? [];
  const classPath = '/apis/storage.k8s.io/v1/storageclasses/ocs-storagecluster-ceph-rbd';

  const before = await read(classPath);
  storage.makeClass();
  const made = await read(classPath);
  storage.deleteClass();

  expect(resolveResource('sc', served)).toMatchObject({ plural: 'storageclasses', isNamespaced: false });
  expect(resolveResource('sub', served)).toMatchObject({ group: 'operators.coreos.com', isNamespaced: true });
  expect(resolveResource('cm', core)).toMatchObject({ group: '', version: 'v1' });
  expect([before, await read(classPath)]).toEqual(['absent', 'absent']);
  expect(made).toMatchObject({ provisioner: 'openshift-storage.rbd.csi.ceph.com' });
});
