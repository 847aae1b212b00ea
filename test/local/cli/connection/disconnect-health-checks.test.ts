import { afterAll, beforeAll, expect, test } from 'vitest';
import { disconnect } from '../../../../local/cli/connection/disconnect.ts';
import { typeOfKind } from '../../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

const namespace = 'openshift-machine-api';
const check = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineHealthCheck' };
let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
});
afterAll(() => demo.close());

function healthChecks() {
  const type = typeOfKind(check.apiVersion, check.kind);
  if (type === undefined) throw new Error('the simulated cluster serves no MachineHealthChecks');
  return type;
}

function put(name: string, annotations: Readonly<Record<string, string>>): void {
  const object = { ...check, metadata: { name, namespace, annotations }, spec: { selector: {} } };
  demo.world.openshift.registry.create(healthChecks(), object, { manager: 'poolkeeper' });
}

function annotationsOf(name: string) {
  return demo.world.openshift.registry.get(healthChecks(), name, namespace)?.metadata.annotations ?? {};
}

test('[C-13] disconnect has MachineHealthChecks watch again that were paused for a rollout, and leaves those of others', async () => {
  const record = { v: 1, pools: ['worker'], since: '2026-03-02T07:50:00Z' };
  const ours = { 'cluster.x-k8s.io/paused': 'poolkeeper', 'poolkeeper.dev/paused-for-rollout': JSON.stringify(record) };
  const theirs = { 'cluster.x-k8s.io/paused': 'ann' };
  put('workers', ours);
  put('others', theirs);
  const wishes = ['--name', 'demo', '--token-dir', '/nowhere'];

  const dry = await demo.run(disconnect, ...wishes, '--dry-run');
  const afterDry = annotationsOf('workers');
  const { text } = await demo.run(disconnect, ...wishes);

  expect(dry.text).toContain('unpause MachineHealthCheck workers');
  expect(afterDry).toEqual(ours);
  expect(text).toMatch(/MachineHealthCheck workers watches again[\s\S]*Nothing of Poolkeeper is left in demo/);
  expect([annotationsOf('workers'), annotationsOf('others')]).toEqual([{}, theirs]);
});
