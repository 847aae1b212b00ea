import { expect, test } from 'vitest';
import { ApiError } from '../../../../local/openshift/api-server/api-error.ts';
import { machineConfigPools, machineConfigs } from '../../../../local/openshift/api-server/resource-types.ts';
import { applicationType } from '../../../../local/openshift/argocd/application.ts';
import { annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { type ArgoFixture, chrony, syncedApplication } from './argo-fixture.ts';

const content = (fixture: ArgoFixture, name = '99-chrony') =>
  JSON.stringify(fixture.registry.get(machineConfigs, name)?.spec);

/** Refuses all writes of machine configs by Argo CD, as an admission policy does. Answers how to let them through
 *  again. */
function refuseMachineConfigs(fixture: ArgoFixture): () => void {
  return fixture.registry.admit(({ type, manager }) => {
    if (type === machineConfigs && manager === 'argocd-controller')
      throw new ApiError(422, 'denied request: pool worker is not paused', { reason: 'Invalid' });
  });
}

test('a new application is synced by itself and says so', async () => {
  const fixture = await syncedApplication();

  const { status, operation } = fixture.app();
  const head = fixture.repository.head()?.id;
  expect(operation).toBeUndefined();
  expect(status?.sync).toMatchObject({ status: 'Synced', revision: head });
  expect(status?.health?.status).toBe('Healthy');
  expect(status?.resources).toEqual([
    {
      group: 'machineconfiguration.openshift.io',
      version: 'v1',
      kind: 'MachineConfig',
      name: '99-chrony',
      status: 'Synced',
    },
  ]);
  expect(status?.operationState).toMatchObject({
    phase: 'Succeeded',
    message: 'successfully synced (all tasks run)',
    operation: { initiatedBy: { automated: true }, sync: { revision: head }, retry: { limit: 5 } },
    syncResult: {
      revision: head,
      resources: [
        {
          kind: 'MachineConfig',
          name: '99-chrony',
          status: 'Synced',
          syncPhase: 'Sync',
          message: 'machineconfig.machineconfiguration.openshift.io/99-chrony created',
        },
      ],
    },
  });
  expect(status?.history).toMatchObject([{ id: 0, revision: head }]);
  expect(content(fixture)).toContain('first');
});

test('from the webhook it takes as long as it was measured', async () => {
  const fixture = await syncedApplication();
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });

  const applied = await fixture.until(() => content(fixture).includes('second'));
  await fixture.clock.advance(2_000);

  const at = (phase: string) => fixture.told.find((each) => each.phase === phase)?.at ?? Number.NaN;
  expect(at('Running')).toBeGreaterThanOrEqual(0.14);
  expect(at('Running')).toBeLessThanOrEqual(0.28);
  expect(applied).toBeGreaterThanOrEqual(0.43);
  expect(applied).toBeLessThanOrEqual(0.49);
  expect(at('Succeeded')).toBeGreaterThanOrEqual(0.42);
  expect(at('Succeeded')).toBeLessThanOrEqual(0.48);
});

test('the operation is in the status before it leaves .operation, and both end in one write', async () => {
  const fixture = await syncedApplication();
  const seen: string[] = [];
  fixture.registry.subscribe(({ type }) => {
    if (type !== applicationType) return;
    const { operation, status } = fixture.app();
    seen.push(`${operation ? 'asked' : '-'} ${status?.operationState?.phase ?? 'none'}`);
  });

  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(2_000);

  const order = seen.filter((each, index) => each !== seen[index - 1]);
  expect(order).toEqual(['- Succeeded', 'asked none', 'asked Running', '- Succeeded']);
});

test('a lost webhook is made up for by the poll, within three minutes', async () => {
  const fixture = await syncedApplication();
  fixture.repository.push({ message: 'Unheard', files: { 'machine-config/chrony.yaml': chrony('second') } });

  const seconds = await fixture.until(() => content(fixture).includes('second'), 400);

  expect(seconds).toBeLessThanOrEqual(181);
});

test('without automation a push makes the application OutOfSync and a person starts the sync', async () => {
  const fixture = await syncedApplication();
  fixture.registry.modify(
    applicationType,
    { name: 'platform', namespace: 'openshift-gitops' },
    ({ spec }) => void delete spec.syncPolicy,
    { manager: 'kubectl' },
  );
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(10_000);
  const before = { sync: fixture.app().status?.sync?.status, content: content(fixture) };

  fixture.argocd.sync('platform', { username: 'ada' });
  await fixture.clock.advance(5_000);

  expect(before.sync).toBe('OutOfSync');
  expect(before.content).toContain('first');
  expect(fixture.app().status?.operationState).toMatchObject({
    phase: 'Succeeded',
    operation: { initiatedBy: { username: 'ada' } },
  });
  expect(fixture.app().status?.sync?.status).toBe('Synced');
});

test('a refused write fails the attempt, which is tried again in the same operation', async () => {
  const fixture = await syncedApplication({
    retry: { limit: 2, backoff: { duration: '2s', factor: 1, maxDuration: '1m' } },
  });
  const allow = refuseMachineConfigs(fixture);

  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.until(() => fixture.app().status?.operationState?.retryCount === 1);
  const waiting = fixture.app().status?.operationState;
  allow();
  await fixture.until(() => fixture.phase() === 'Succeeded');
  const done = fixture.app().status?.operationState;

  expect(waiting).toMatchObject({
    phase: 'Running',
    retryCount: 1,
    finishedAt: expect.any(String),
    message: expect.stringMatching(
      /^one or more objects failed to apply, reason: denied request: pool worker is not paused\. Retrying attempt #1 at /,
    ),
  });
  expect(waiting?.syncResult?.resources).toMatchObject([{ status: 'SyncFailed' }]);
  expect(done).toMatchObject({ phase: 'Succeeded', retryCount: 1, startedAt: waiting?.startedAt });
  expect(new Set(fixture.told.map(({ event }) => event.id)).size).toBe(fixture.told.length);
});

test('a sync whose retries are used up fails, and the same revision is not tried again by itself', async () => {
  const fixture = await syncedApplication({ retry: { limit: 1, backoff: { duration: '1s' } } });
  const allow = refuseMachineConfigs(fixture);
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.until(() => fixture.phase() === 'Failed');
  allow();

  fixture.argocd.refresh('platform');
  await fixture.clock.advance(300_000);

  const { status } = fixture.app();
  expect(status?.operationState).toMatchObject({
    phase: 'Failed',
    message: expect.stringMatching(/\(retried 1 times\)\.$/),
  });
  expect(status?.conditions).toMatchObject([
    { type: 'SyncError', message: expect.stringMatching(/^Failed last sync attempt to \[/) },
  ]);
  expect(status?.sync?.status).toBe('OutOfSync');
  expect(fixture.told.at(-1)?.phase).toBe('Failed');
});

test('a manifest of an unknown kind fails the sync and names it', async () => {
  const fixture = await syncedApplication({ retry: { limit: 0 } });

  fixture.push({ 'machine-config/thing.yaml': 'apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: one\n' });
  await fixture.until(() => fixture.phase() === 'Failed');

  expect(fixture.app().status?.operationState?.message).toContain(
    'The Kubernetes API could not find example.com/Thing for requested resource /one',
  );
});

test('a path that is gone, or YAML that cannot be read, is a comparison error and starts nothing', async () => {
  const fixture = await syncedApplication();
  const before = fixture.app().status?.operationState;

  fixture.push({ 'machine-config/chrony.yaml': 'kind: [' });
  await fixture.clock.advance(5_000);

  expect(fixture.app().status?.sync?.status).toBe('Unknown');
  expect(fixture.app().status?.conditions).toMatchObject([{ type: 'ComparisonError' }]);
  expect(fixture.app().status?.operationState).toEqual(before);
});

const twoWaves = {
  'machine-config/app.yaml': `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeSelector: {disk: none}, containers: [{name: web, image: web}]}
`,
  'machine-config/late.yaml': `${chrony('late', '99-late').replace('metadata:\n', 'metadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: "5"\n')}`,
};

test('a wave waits until the one before is healthy, and the sync runs as long', async () => {
  const fixture = await syncedApplication();
  fixture.push(twoWaves);
  await fixture.clock.advance(60_000);
  const waiting = fixture.app().status?.operationState;
  const lateBefore = fixture.registry.get(machineConfigs, '99-late');

  fixture.builder.addNodes({ pool: 'worker', names: ['worker-9'], labels: { disk: 'none' } });
  await fixture.until(() => fixture.phase() === 'Succeeded');

  expect(waiting).toMatchObject({ phase: 'Running', message: 'waiting for healthy state of apps/Deployment/web' });
  expect(lateBefore).toBeUndefined();
  expect(fixture.registry.get(machineConfigs, '99-late')).toBeDefined();
});

test('a terminated sync ends Failed and what was applied stays', async () => {
  const fixture = await syncedApplication();
  fixture.push({ ...twoWaves, 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(10_000);

  fixture.argocd.terminate('platform');
  const terminating = fixture.phase();
  await fixture.until(() => fixture.phase() === 'Failed');
  await fixture.clock.advance(1_000);

  expect(terminating).toBe('Terminating');
  expect(fixture.app().status?.operationState?.message).toBe('Operation terminated');
  expect(fixture.app().operation).toBeUndefined();
  expect(content(fixture)).toContain('second');
  expect(fixture.told.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['Running', 'Terminating', 'Failed']));
});

test('a selective sync applies only what it names and leaves no history', async () => {
  const fixture = await syncedApplication();
  fixture.registry.modify(
    applicationType,
    { name: 'platform', namespace: 'openshift-gitops' },
    ({ spec }) => void delete spec.syncPolicy,
    { manager: 'kubectl' },
  );
  fixture.push({
    'machine-config/chrony.yaml': chrony('second'),
    'machine-config/other.yaml': chrony('other', '99-other'),
  });
  await fixture.clock.advance(5_000);

  fixture.argocd.sync('platform', {
    resources: [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-other' }],
  });
  await fixture.until(() => fixture.phase() === 'Succeeded');

  expect(content(fixture)).toContain('first');
  expect(content(fixture, '99-other')).toContain('other');
  expect(fixture.app().status?.history).toHaveLength(1);
});

test('a dry run succeeds and changes nothing', async () => {
  const fixture = await syncedApplication();
  fixture.registry.modify(
    applicationType,
    { name: 'platform', namespace: 'openshift-gitops' },
    ({ spec }) => void delete spec.syncPolicy,
    { manager: 'kubectl' },
  );
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(5_000);

  fixture.argocd.sync('platform', { dryRun: true });
  await fixture.until(() => fixture.phase() === 'Succeeded');
  await fixture.clock.advance(1_000);

  expect(content(fixture)).toContain('first');
  expect(fixture.told.at(-1)?.event.data['operation']).toMatchObject({ dryRun: true, phase: 'Succeeded' });
});

test('self-heal takes back what somebody changed, naming the resource, and counts its attempts', async () => {
  const fixture = await syncedApplication({ automated: { selfHeal: true } });

  fixture.registry.modify(
    machineConfigs,
    { name: '99-chrony', namespace: '' },
    (draft) => Object.assign(draft, { spec: { ...draft.spec, fips: true, kernelArguments: ['x'] } }),
    { manager: 'kubectl-edit' },
  );
  fixture.registry.modify(
    machineConfigs,
    { name: '99-chrony', namespace: '' },
    ({ spec }) => void (spec?.config && Object.assign(spec.config, { storage: { files: [] } })),
    { manager: 'kubectl-edit' },
  );
  await fixture.until(
    () =>
      fixture.app().status?.operationState?.operation.sync?.autoHealAttemptsCount === 1 &&
      fixture.phase() === 'Succeeded',
  );

  expect(fixture.app().status?.operationState?.operation.sync?.resources).toEqual([
    { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-chrony' },
  ]);
  expect(content(fixture)).toContain('first');
});

test('without self-heal a change by hand stays and shows as OutOfSync', async () => {
  const fixture = await syncedApplication();

  fixture.registry.modify(
    machineConfigs,
    { name: '99-chrony', namespace: '' },
    ({ spec }) => void (spec?.config && Object.assign(spec.config, { storage: { files: [] } })),
    { manager: 'kubectl-edit' },
  );
  await fixture.clock.advance(300_000);

  expect(fixture.app().status?.sync?.status).toBe('OutOfSync');
  expect(content(fixture)).not.toContain('first');
});

test('a file that is gone from Git is deleted only where pruning is allowed', async () => {
  const keeping = await syncedApplication();
  const pruning = await syncedApplication({ automated: { prune: true } });
  for (const fixture of [keeping, pruning]) {
    fixture.push({ 'machine-config/other.yaml': chrony('other', '99-other') });
    await fixture.clock.advance(5_000);
    fixture.push({ 'machine-config/other.yaml': null });
    await fixture.clock.advance(30_000);
  }

  expect(keeping.registry.get(machineConfigs, '99-other')).toBeDefined();
  expect(keeping.app().status?.resources?.find(({ name }) => name === '99-other')).toMatchObject({
    status: 'OutOfSync',
    requiresPruning: true,
  });
  expect(pruning.registry.get(machineConfigs, '99-other')).toBeUndefined();
  expect(pruning.app().status?.operationState?.syncResult?.resources).toContainEqual(
    expect.objectContaining({ name: '99-other', status: 'Pruned', message: 'pruned' }),
  );
});

const poolInGit = (paused: string) => `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: infra}
spec:${paused}
  machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]}
  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ""}}
`;

test('a pause of a pool is drift only where Git says something about it', async () => {
  const silent = await syncedApplication({ automated: { selfHeal: true } });
  const insisting = await syncedApplication({ automated: { selfHeal: true } });
  const ignoring = await syncedApplication({
    automated: { selfHeal: true },
    syncOptions: ['RespectIgnoreDifferences=true'],
    ignoreDifferences: [
      { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', jsonPointers: ['/spec/paused'] },
    ],
  });
  for (const [fixture, paused] of [
    [silent, ''],
    [insisting, '\n  paused: false'],
    [ignoring, '\n  paused: false'],
  ] as const) {
    fixture.push({ 'machine-config/pool.yaml': poolInGit(paused) });
    await fixture.clock.advance(60_000);
    fixture.patchPool(({ spec }) => Object.assign(spec, { paused: true }), 'infra');
    await fixture.clock.advance(60_000);
  }

  expect(
    [silent, insisting, ignoring].map((fixture) => fixture.registry.get(machineConfigPools, 'infra')?.spec.paused),
  ).toEqual([true, false, true]);
});

test('a rebooting node takes the controller down with it, and its sync stands still until the controller is back', async () => {
  const fixture = await syncedApplication(
    {},
    { controller: { nodeSelector: { 'kubernetes.io/hostname': 'worker-0' } } },
  );
  const isAlive = () => fixture.argocd.controllerPod.isAlive();
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.until(() => annotationOf(fixture.node('worker-0'), 'postConfigAction') === 'Rebooting');
  const down = !isAlive();

  fixture.push({ 'machine-config/other.yaml': chrony('other', '99-other') });
  await fixture.clock.advance(5_000);
  const meanwhile = fixture.registry.get(machineConfigs, '99-other');
  await fixture.until(() => fixture.registry.get(machineConfigs, '99-other') !== undefined);

  expect(down).toBe(true);
  expect(meanwhile).toBeUndefined();
  expect(isAlive()).toBe(true);
});

test('an operation that runs when its controller goes away stays Running and is taken up again with the same start', async () => {
  const fixture = await syncedApplication(
    {},
    { controller: { nodeSelector: { 'kubernetes.io/hostname': 'worker-0' } } },
  );
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.until(() => fixture.phase() === 'Running');
  const before = fixture.app().status?.operationState;

  fixture.kubelets.loseContact('worker-0');
  await fixture.clock.advance(600_000);
  const stalled = fixture.app().status?.operationState;
  fixture.kubelets.restore('worker-0');
  await fixture.until(() => fixture.phase() === 'Succeeded');

  expect(stalled).toEqual(before);
  expect(fixture.app().status?.operationState?.startedAt).toBe(before?.startedAt);
});
