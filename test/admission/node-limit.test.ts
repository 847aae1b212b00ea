import { describe, expect, test } from 'vitest';
import { admissionLimitObjects } from '../../local/manifests/admission-limit.ts';
import { specOf } from './evaluate-policy.ts';
import { policedStore } from './policed-store.ts';

const desired = 'machineconfiguration.openshift.io/desiredConfig';
const at = (change: object) => ({ metadata: change });
const annotated = (annotations: Readonly<Record<string, string | null>>) => at({ annotations });

function aNode(labels: Readonly<Record<string, string>>, spec: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1', labels, annotations: { [desired]: 'rendered-worker-a', 'example.com/rack': '7' } },
    spec: { providerID: 'aws:///i-1', ...spec },
  };
}

const worker = { 'node-role.kubernetes.io/worker': '' };

function whyRefused(change: object, node = aNode(worker), labels: readonly string[] = []): string | undefined {
  const policies = admissionLimitObjects({
    account: { namespace: 'poolkeeper', name: 'poolkeeper' },
    pools: [],
    letsNodesGo: true,
    canaries: { labels, selectors: [] },
  });
  const store = policedStore(
    policies
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
      .map((each) => ({ name: each.metadata.name, spec: specOf(each) })),
    new Date('2026-11-22T10:00:00Z'),
  );
  store.create(node, { user: 'kubelet' });
  return store.patch(node, change, { user: 'system:serviceaccount:poolkeeper:poolkeeper' });
}

describe('what the account may do to nodes', () => {
  test('[S4-26] it lets a worker go to a rendered config, and cordons one', () => {
    expect(whyRefused(annotated({ [desired]: 'rendered-worker-b' }))).toBeUndefined();
    expect(whyRefused({ spec: { unschedulable: true } })).toBeUndefined();
  });

  test.each([
    ['another annotation', annotated({ 'example.com/rack': '8' }), 'only the annotation'],
    ['an annotation of its own', annotated({ 'poolkeeper.dev/x': 'y' }), 'only the annotation'],
    ['a config that is none', annotated({ [desired]: 'evil' }), 'to a rendered config'],
    ['no config', annotated({ [desired]: null }), 'to a rendered config'],
    ['a label', at({ labels: { 'node-role.kubernetes.io/master': '' } }), 'may not change labels'],
    ['a taint', { spec: { taints: [] } }, 'only spec.unschedulable'],
  ])('[S4-26] not %s', (_, change, why) => {
    expect(whyRefused(change)).toContain(why);
  });

  test('[S4-26] [S4-41] not a node of the control plane', () => {
    const node = aNode({ 'node-role.kubernetes.io/master': '' });

    expect(whyRefused(annotated({ [desired]: 'rendered-master-b' }), node)).toContain('control plane');
  });

  test('[S4-6] [S4-26] for mode canary the labels of its runs, and no other', () => {
    const labels = ['isCanary', 'rule.poolkeeper.dev/move.shop'];
    const change = (more: Readonly<Record<string, string | null>>) =>
      whyRefused(at({ labels: more }), aNode(worker), labels);

    expect(change({ isCanary: '' })).toBeUndefined();
    expect(change({ 'rule.poolkeeper.dev/move.shop': '' })).toBeUndefined();
    expect(change({ isCanary: '', 'node-role.kubernetes.io/infra': '' })).toContain('only the labels isCanary');
    expect(change({ 'node-role.kubernetes.io/worker': null })).toContain('only the labels isCanary');
    expect(whyRefused(at({ finalizers: ['a/b'] }), aNode(worker), labels)).toContain('no finalizers');
  });

  test('[S4-39] it never uncordons', () => {
    expect(whyRefused({ spec: { unschedulable: null } }, aNode(worker, { unschedulable: true }))).toContain(
      'never uncordons',
    );
  });
});

describe('what the account may do to pools, for mode canary', () => {
  test('[S4-8] [S4-26] [S4-36] it writes the selectors of the pools of its runs, and of no other', () => {
    const selector = { matchLabels: { a: 'b' } };
    const whyRefusedOf = (name: string, change: object) => {
      const policies = admissionLimitObjects({
        account: { namespace: 'poolkeeper', name: 'poolkeeper' },
        pools: ['worker'],
        canaries: { labels: [], selectors: ['storage'] },
      });
      const store = policedStore(
        policies
          .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
          .map((each) => ({ name: each.metadata.name, spec: specOf(each) })),
        new Date('2026-11-22T10:00:00Z'),
      );
      const pool = {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        metadata: { name },
        spec: { paused: false, nodeSelector: { matchLabels: { role: name } }, maxUnavailable: 1 },
      };
      store.create(pool, { user: 'admin' });
      return store.patch(pool, change, { user: 'system:serviceaccount:poolkeeper:poolkeeper' });
    };

    expect(whyRefusedOf('storage', { spec: { paused: true, nodeSelector: selector } })).toBeUndefined();
    expect(whyRefusedOf('storage', { spec: { maxUnavailable: 5 } })).toContain('only spec.paused');
    expect(whyRefusedOf('worker', { spec: { nodeSelector: selector } })).toContain('only spec.paused');
    expect(whyRefusedOf('other', { spec: { paused: true } })).toContain('is not one of those');
  });
});
