import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { manifests } from '../../local/cli/manifests.ts';
import { untilGranted, untilPoliciesInForce } from './harness/in-force.ts';
import type { Draft, Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { collectionOf } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';

const lab = useLab();
const { kube, argocd, controlPlane } = lab;

const home = 'poolkeeper-machines';
const machineApi = 'openshift-machine-api';
const checks = `/apis/machine.openshift.io/v1beta1/namespaces/${machineApi}/machinehealthchecks`;
const spec = { selector: { matchLabels: { role: 'worker' } } };

let token = '';
let ours: Kube;

async function apply(object: Draft): Promise<void> {
  await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
    type: 'apply',
    fieldManager: 'installer',
  });
}

beforeAll(async () => {
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: machineApi } });
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  await manifests.run(
    [
      ...['--only', 'access,admission-limit', '--pause-health-checks', '--namespace', home],
      ...['--argocd-namespace', argocd.namespace],
    ],
    { out, note: () => {}, environment: {}, now: () => new Date() },
  );
  const objects = parseAllDocuments(text).map((document): Draft => document.toJS());
  for (const object of objects) await apply(object);
  const account = { namespace: home, name: 'poolkeeper' };
  token = await controlPlane.serviceAccountToken(account);
  ours = controlPlane.kubeAs(token);
  await untilGranted(ours, account, objects);
  await untilPoliciesInForce(kube);
});

test('[S3-13] on a real API server the account pauses a MachineHealthCheck and lets it go, and may change nothing else of it', async () => {
  const check = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineHealthCheck', spec };
  await apply({ ...check, metadata: { name: 'workers', namespace: machineApi } });
  onTestFinished(() => kube.delete(`${checks}/workers`));
  const connection = connectCluster({
    ...systemRuntime,
    server: controlPlane.server,
    ca: controlPlane.ca,
    token: async () => token,
    userAgent: 'test',
    clock: () => new Date(),
  });
  onTestFinished(() => connection.close());
  const read = async () => {
    const {
      items: [first],
    } = await connection.healthChecks.listHealthChecks();
    if (first === undefined) throw new Error('no MachineHealthCheck');
    return first;
  };
  const record = { v: 1 as const, pools: ['worker'], since: '2026-03-02T10:00:00Z' };

  await connection.healthChecks.patchHealthCheck(await read(), { kind: 'pause', record, why: '' });
  const paused = await read();
  await connection.healthChecks.patchHealthCheck(paused, { kind: 'release', why: '' });

  expect(paused).toMatchObject({ paused: true, record: { kind: 'record', record } });
  expect(await read()).toMatchObject({ paused: false, record: { kind: 'none' } });
  const words = {
    spec: await refusalOf(() => ours.patch(`${checks}/workers`, { spec: { maxUnhealthy: '40%' } })),
    label: await refusalOf(() => ours.patch(`${checks}/workers`, { metadata: { labels: { a: 'b' } } })),
    annotation: await refusalOf(() => ours.patch(`${checks}/workers`, { metadata: { annotations: { a: 'b' } } })),
    deletion: await refusalOf(() => ours.delete(`${checks}/workers`)),
  };
  expect(words).toMatchObject({
    spec: expect.stringContaining('may change only annotations of a MachineHealthCheck'),
    label: expect.stringContaining('may not change labels'),
    annotation: expect.stringContaining('cluster.x-k8s.io/paused'),
    deletion: expect.stringContaining('forbidden'),
  });
});
