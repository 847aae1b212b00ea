import { afterAll, beforeAll, expect, test } from 'vitest';
import { admissionLimitObjects } from '../../local/manifests/admission-limit.ts';
import { untilPoliciesInForce } from './harness/in-force.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { collectionOf } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';

const { kube, controlPlane } = useLab();
const home = 'poolkeeper-turns';
const desired = 'machineconfiguration.openshift.io/desiredConfig';
const ours = () =>
  controlPlane.kubeAs(
    controlPlane.tokenFor({ name: `system:serviceaccount:${home}:poolkeeper`, groups: ['system:masters'] }),
  );

const pathOf = (object: Draft) => `${collectionOf(object)}/${object.metadata.name}`;

function aNode(name: string, role: string): Draft {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: '' }, annotations: { [desired]: 'rendered-a' } },
  };
}

const worker = aNode('limit-worker', 'worker');
const master = aNode('limit-master', 'control-plane');
const policies = admissionLimitObjects({
  account: { namespace: home, name: 'poolkeeper' },
  pools: [],
  letsNodesGo: true,
  canaries: { labels: ['isCanary'], selectors: [] },
});
const placed: readonly Draft[] = [worker, master, ...policies];

beforeAll(async () => {
  for (const object of placed) await kube.patch(pathOf(object), object, { type: 'apply', fieldManager: 'installer' });
  await untilPoliciesInForce(kube);
});

afterAll(async () => {
  for (const object of placed.toReversed()) await kube.delete(pathOf(object));
});

test.each([
  ['another annotation', worker, { metadata: { annotations: { 'example.com/rack': '8' } } }, 'only the annotation'],
  ['a config that is none', worker, { metadata: { annotations: { [desired]: 'evil' } } }, 'to a rendered config'],
  ['a label', worker, { metadata: { labels: { team: 'b' } } }, 'may change only the labels isCanary'],
  ['a taint', worker, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, 'only spec.unschedulable'],
  ['the control plane', master, { metadata: { annotations: { [desired]: 'rendered-b' } } }, 'control plane'],
] as const)('[S4-26] a real kube-apiserver refuses our account %s of a node', async (_, node, change, why) => {
  expect(await refusalOf(() => ours().patch(pathOf(node), change))).toContain(why);
});

test('[S4-6] [S4-26] for mode canary it gives a worker the label of the canary, and takes it away again', async () => {
  await ours().patch(pathOf(worker), { metadata: { labels: { isCanary: '' } } });
  await ours().patch(pathOf(worker), { metadata: { labels: { isCanary: null } } });
});

test('[S4-26] [S4-39] it lets a worker go and cordons it, and never uncordons it', async () => {
  await ours().patch(pathOf(worker), { metadata: { annotations: { [desired]: 'rendered-b' } } });
  await ours().patch(pathOf(worker), { spec: { unschedulable: true } });

  expect(await refusalOf(() => ours().patch(pathOf(worker), { spec: { unschedulable: null } }))).toContain(
    'never uncordons',
  );
});
