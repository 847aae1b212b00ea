import { expect, test } from 'vitest';
import { checkCase } from './check-case.ts';
import type { RecordedCase } from './recorded-case.ts';

const subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  namespace: 'openshift-operators',
  name: 'elastic',
  labels: null,
  annotations: { 'argocd.argoproj.io/sync-wave': '5' },
  from: 'subscriptions',
  wave: '5',
  argoWave: 5,
  spec: {
    name: 'elastic',
    source: 'redhat-operators',
    sourceNamespace: 'openshift-marketplace',
    installPlanApproval: 'Automatic',
  },
};

function recorded(objects: RecordedCase['result']['objects']): RecordedCase {
  const data = {
    global: { options: { useCSV: false } },
    clusterGroup: { subscriptions: { a: { name: 'elastic', annotations: { 'argocd.argoproj.io/sync-wave': '5' } } } },
  };
  return {
    id: 'own',
    kind: 'synthetic',
    parameters: {},
    files: [{ layer: 'group', path: 'values-hub.yaml', data }],
    result: { ok: true, objects },
  };
}

test('[S2-21] an import that has what the chart made passes', () => {
  expect(checkCase(recorded([subscription]))).toEqual({ objects: 1, known: [], problems: [] });
});

test('[S2-21] what is missing, invented, of another wave or of another default is a problem', () => {
  const other = { ...subscription, name: 'other' };

  expect(checkCase(recorded([subscription, other])).problems).toEqual([expect.stringMatching(/^missing: .* other /)]);
  expect(checkCase(recorded([])).problems).toEqual([expect.stringMatching(/^invented: .* elastic /)]);
  expect(checkCase(recorded([{ ...subscription, argoWave: 6 }])).problems).toEqual([
    expect.stringContaining('argoWave is 5, the chart has 6'),
  ]);
  expect(checkCase(recorded([{ ...subscription, spec: { ...subscription.spec, source: 'x' } }])).problems).toHaveLength(
    1,
  );
});

test('[S2-24] a trap that is in a recording and is not said is a problem', () => {
  const manual = { ...subscription, spec: { ...subscription.spec, installPlanApproval: 'Manual' } };

  expect(checkCase(recorded([manual])).problems).toContain('not said: manual-approval');
});
