import { expect, test } from 'vitest';
import { chrony, syncedApplication } from './argo-fixture.ts';

test('a notification is a structured CloudEvent in which nothing is missing', async () => {
  const fixture = await syncedApplication({ automated: { prune: true }, labels: { team: 'platform' } });
  const pushed = fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(5_000);

  const running = fixture.told.find(({ phase }) => phase === 'Running')?.event;
  const succeeded = fixture.told.find(({ phase }) => phase === 'Succeeded')?.event;
  const { metadata, status } = fixture.app();
  const startedAt = status?.operationState?.startedAt;
  expect(running).toMatchObject({
    specversion: '1.0',
    type: 'poolkeeper.argocd.operation.v1',
    id: `${metadata.uid}/${startedAt}/Running/0`,
    source: 'argocd/openshift-gitops',
    subject: 'openshift-gitops/platform',
    datacontenttype: 'application/json',
    data: {
      application: {
        name: 'platform',
        namespace: 'openshift-gitops',
        uid: metadata.uid,
        project: 'default',
        deletionTimestamp: '',
      },
      destination: { server: 'https://kubernetes.default.svc' },
      sources: [{ repoURL: fixture.repository.cloneUrl, path: 'machine-config', targetRevision: 'HEAD' }],
      hydrator: {},
      automated: { prune: true },
      operation: {
        phase: 'Running',
        finishedAt: '',
        requestedRevision: pushed.after,
        revision: '',
        machineConfigResults: [],
        dryRun: false,
        requestedResources: [],
      },
    },
  });
  expect(succeeded?.id).toBe(`${metadata.uid}/${startedAt}/Succeeded/0`);
  expect(succeeded?.data).toMatchObject({
    operation: {
      phase: 'Succeeded',
      message: 'successfully synced (all tasks run)',
      revision: pushed.after,
      initiatedBy: { automated: true },
      machineConfigResults: [{ kind: 'MachineConfig', name: '99-chrony', status: 'Synced' }],
    },
    machineConfigResources: [{ kind: 'MachineConfig', name: '99-chrony', status: expect.any(String) }],
  });
  expect(Object.keys(succeeded?.data ?? {})).toEqual(Object.keys(running?.data ?? {}));
});

test('a long operation is announced again every five minutes under the same id', async () => {
  const fixture = await syncedApplication(
    {},
    { controller: { nodeSelector: { 'kubernetes.io/hostname': 'worker-0' } } },
  );
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.until(() => fixture.phase() === 'Running');
  fixture.kubelets.loseContact('worker-0');

  await fixture.clock.advance(1_200_000);

  const running = fixture.told.filter(({ phase }) => phase === 'Running');
  expect(running.length).toBeGreaterThanOrEqual(4);
  expect(running.length).toBeLessThanOrEqual(6);
  expect(new Set(running.map(({ event }) => event.id)).size).toBe(1);
});

test('a notification that cannot be delivered is tried three times more and then lost', async () => {
  const fixture = await syncedApplication();
  const attempts: number[] = [];
  fixture.mark();
  fixture.argocd.onOperation((event) => {
    if (!event.id.includes('/Running/')) return;
    attempts.push(fixture.seconds());
    throw new Error('receiver is down');
  });

  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(120_000);

  const waits = attempts.slice(1).map((at, index) => Math.round(at - (attempts[index] ?? 0)));
  expect(waits).toEqual([1, 2, 4]);
});

test('nobody is told once the listener has gone', async () => {
  const fixture = await syncedApplication();
  const heard: string[] = [];
  const forget = fixture.argocd.onOperation(({ id }) => void heard.push(id));

  forget();
  fixture.push({ 'machine-config/chrony.yaml': chrony('second') });
  await fixture.clock.advance(5_000);

  expect(heard).toEqual([]);
});
