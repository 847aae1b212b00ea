import { describe, expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { clusterRenderings } from '../../../functions/adapters/kubernetes/renderings.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { type StubReply, startStub } from './stub-server.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';
const policy = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';

/** A cluster that answers these paths, and says of every other one what a release without it says. */
async function renderingsOf(answers: Readonly<Record<string, StubReply>>) {
  const stub = await startStub(
    ({ path }) => answers[path.split('?')[0] ?? ''] ?? { status: 404, body: '404 page not found' },
  );
  const client = createKubeClient({
    ...systemRuntime,
    server: stub.url,
    token: async () => 't',
    userAgent: 'poolkeeper/test',
  });
  onTestFinished(() => client.close());
  return { renderings: clusterRenderings(client), seen: stub.seen };
}

const listOf = (...items: readonly object[]): StubReply => ({ body: { kind: 'List', metadata: {}, items } });
const forbidden: StubReply = { status: 403, body: { kind: 'Status', status: 'Failure', code: 403, message: 'no' } };
const nodes = listOf({ metadata: { name: 'a' } }, { metadata: { name: 'b' } });
const effective = {
  body: {
    metadata: { name: 'cluster', generation: 2 },
    status: {
      observedGeneration: 2,
      nodeDisruptionPolicyStatus: { clusterPolicies: { sshkey: { actions: [{ type: 'None' }] } } },
    },
  },
};

describe('what decides how much a difference hurts', () => {
  test('is the effective policy and the pools that have images built for them', async () => {
    const layer = { metadata: { name: 'x' }, spec: { machineConfigPool: { name: 'gpu' } } };
    const { renderings } = await renderingsOf({
      [policy]: effective,
      '/api/v1/nodes': nodes,
      [`${mco}/machineosconfigs`]: listOf(layer),
    });

    expect(await renderings.readCircumstances()).toMatchObject({
      policy: { sshkey: [{ type: 'None' }] },
      isSingleNode: false,
      layeredPools: ['gpu'],
    });
  });

  test('[S1-17] a release in which images are a technology preview has such pools as well', async () => {
    const layer = { metadata: { name: 'x' }, spec: { machineConfigPool: { name: 'gpu' } } };
    const { renderings } = await renderingsOf({
      [policy]: effective,
      '/api/v1/nodes': nodes,
      [`${mco}alpha1/machineosconfigs`]: listOf(layer),
    });

    expect(await renderings.readCircumstances()).toMatchObject({ layeredPools: ['gpu'] });
  });

  test('is not known where it may not be read; a release without such images has no such pools', async () => {
    const refused = await renderingsOf({
      [policy]: forbidden,
      '/api/v1/nodes': nodes,
      [`${mco}/machineosconfigs`]: forbidden,
    });
    const old = await renderingsOf({ '/api/v1/nodes': nodes });

    expect(await refused.renderings.readCircumstances()).toMatchObject({ policy: undefined, layeredPools: undefined });
    expect(await old.renderings.readCircumstances()).toMatchObject({ policy: undefined, layeredPools: [] });
  });

  test('an API server that fails is no answer', async () => {
    const { renderings } = await renderingsOf({ [policy]: { status: 500, body: {} }, '/api/v1/nodes': nodes });

    await expect(renderings.readCircumstances()).rejects.toThrow(Transient);
  });
});

describe('what chooses pools', () => {
  test('is listed by kind; what may not be listed, or cannot be read, may choose any pool', async () => {
    const selector = { matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };
    const { renderings, seen } = await renderingsOf({
      [`${mco}/kubeletconfigs`]: listOf(
        { metadata: { name: 'max-pods' }, spec: { machineConfigPoolSelector: selector } },
        { metadata: { name: 'odd' }, spec: { machineConfigPoolSelector: 'all of them' } },
      ),
      [`${mco}/containerruntimeconfigs`]: forbidden,
    });

    const choosers = await renderings.readChoosers(['KubeletConfig', 'ContainerRuntimeConfig']);

    expect(choosers).toMatchObject([{ kind: 'KubeletConfig', name: 'max-pods', selector }]);
    expect(seen).toHaveLength(2);
  });
});

describe('MachineConfigs with their content', () => {
  test('are read by name; those that do not exist are left out', async () => {
    const absent = { status: 404, body: { kind: 'Status', reason: 'NotFound', details: { name: 'gone' } } };
    const { renderings } = await renderingsOf({
      [`${mco}/machineconfigs/rendered-worker-a`]: {
        body: { metadata: { name: 'rendered-worker-a', creationTimestamp: '2026-03-02T09:00:00Z' }, spec: {} },
      },
      [`${mco}/machineconfigs/gone`]: absent,
    });

    const [found, ...others] = await renderings.readContents(['rendered-worker-a', 'gone']);

    expect(found).toMatchObject({ name: 'rendered-worker-a', createdAt: '2026-03-02T09:00:00Z' });
    expect(others).toEqual([]);
  });
});
