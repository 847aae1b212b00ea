import { expect, onTestFinished, test } from 'vitest';
import { clusterHealthChecks } from '../../../functions/adapters/kubernetes/health-checks.ts';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { startStub } from './stub-server.ts';

const home = '/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api';

async function connected(body: unknown) {
  const server = await startStub(() => ({ body }));
  const client = createKubeClient({ ...systemRuntime, server: server.url, token: async () => 't', userAgent: 'test' });
  onTestFinished(() => client.close());
  return { checks: clusterHealthChecks(client), seen: server.seen };
}

test('[S3-13] a check is read with its selector, its pause and our record; what is no record of ours is not understood', async () => {
  const record = { v: 1, pools: ['worker'], since: '2026-03-02T09:30:00Z' };
  const { checks } = await connected({
    items: [
      { metadata: { name: 'plain' }, spec: { selector: { matchLabels: { role: 'worker' } } } },
      {
        metadata: {
          name: 'ours',
          annotations: {
            'cluster.x-k8s.io/paused': 'poolkeeper',
            'poolkeeper.dev/paused-for-rollout': JSON.stringify(record),
          },
        },
        spec: { selector: {} },
      },
      { metadata: { name: 'odd', annotations: { 'poolkeeper.dev/paused-for-rollout': '{' } }, spec: {} },
    ],
  });

  const { items: read } = await checks.listHealthChecks();

  expect(read).toMatchObject([
    { name: 'plain', selector: { matchLabels: { role: 'worker' } }, paused: false, record: { kind: 'none' } },
    { name: 'ours', paused: true, record: { kind: 'record', record } },
    { name: 'odd', record: { kind: 'unreadable' } },
  ]);
});

test('[S3-13] one whose selector nobody understands does not keep the others from being let go', async () => {
  const odd = { matchExpressions: [{ key: 'role', operator: 'Like', values: ['work*'] }] };
  const { checks } = await connected({
    items: [
      { metadata: { name: 'odd' }, spec: { selector: odd } },
      { metadata: { name: 'plain' }, spec: { selector: {} } },
    ],
  });

  const { items: read } = await checks.listHealthChecks();

  expect(read.map(({ name, selector }) => [name, selector])).toEqual([
    ['odd', undefined],
    ['plain', {}],
  ]);
});

test('[S3-13] pause and record are one patch, guarded by the version that was read; letting go takes both away', async () => {
  const { checks, seen } = await connected({});
  const check = { name: 'workers', resourceVersion: '7' };
  const record = { v: 1 as const, pools: ['worker'], since: '2026-03-02T09:30:00Z' };

  await checks.patchHealthCheck(check, { kind: 'pause', record, why: '' });
  await checks.patchHealthCheck(check, { kind: 'release', why: '' });

  expect(seen.map(({ method, path }) => [method, path])).toEqual([
    ['PATCH', `${home}/machinehealthchecks/workers`],
    ['PATCH', `${home}/machinehealthchecks/workers`],
  ]);
  expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
    {
      metadata: {
        resourceVersion: '7',
        annotations: {
          'cluster.x-k8s.io/paused': 'poolkeeper',
          'poolkeeper.dev/paused-for-rollout': JSON.stringify(record),
        },
      },
    },
    {
      metadata: {
        resourceVersion: '7',
        annotations: { 'cluster.x-k8s.io/paused': null, 'poolkeeper.dev/paused-for-rollout': null },
      },
    },
  ]);
});
