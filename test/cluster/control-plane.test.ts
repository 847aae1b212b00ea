import { describe, expect, onTestFinished, test } from 'vitest';
import { KubeRefusal } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';

const { kube, controlPlane, create } = useLab();

function refusal(attempt: Promise<unknown>): Promise<KubeRefusal> {
  return attempt.then(
    () => Promise.reject(new Error('the API server accepted it')),
    (cause: unknown) => (cause instanceof KubeRefusal ? cause : Promise.reject(cause)),
  );
}

describe('the API server of the laboratory', () => {
  test('says which release it is', async () => {
    const version = await kube.get('/version');

    expect(version).toMatchObject({ major: '1', minor: '34', gitVersion: 'v1.34.4' });
  });

  test.each([
    paths.pools,
    paths.machineConfigs,
    paths.machineConfigNodes,
    paths.kubeletConfigs,
    '/apis/machineconfiguration.openshift.io/v1/containerruntimeconfigs',
    '/apis/machineconfiguration.openshift.io/v1/controllerconfigs',
    '/apis/config.openshift.io/v1/clusterversions',
    '/apis/config.openshift.io/v1/clusteroperators',
    '/apis/config.openshift.io/v1/infrastructures',
    '/apis/config.openshift.io/v1/imagedigestmirrorsets',
    '/apis/machine.openshift.io/v1beta1/machines',
    '/apis/operator.openshift.io/v1alpha1/imagecontentsourcepolicies',
    paths.in('argocd').applications,
  ])('serves %s', async (path) => {
    const items = await kube.list(path);

    expect(items).toBeInstanceOf(Array);
  });

  test('keeps a pool, and gives it a new generation when its spec changes', async () => {
    const created = await create(pool({ name: 'kept' }));

    const paused = await kube.patch(`${paths.pools}/kept`, { spec: { paused: true } });

    expect(created.metadata.generation).toBe(1);
    expect(paused.metadata.generation).toBe(2);
    expect(paused.spec).toMatchObject({
      paused: true,
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/kept': '' } },
    });
  });

  test('keeps the generation of a pool when only an annotation changes', async () => {
    const created = await create(pool({ name: 'annotated' }));

    const annotated = await kube.patch(`${paths.pools}/annotated`, { metadata: { annotations: { note: 'hello' } } });

    expect(annotated.metadata.generation).toBe(created.metadata.generation);
    expect(annotated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
  });

  test('refuses a merge patch with a stale resourceVersion with 409 and changes nothing', async () => {
    const { metadata } = await create(pool({ name: 'contested' }));
    await kube.patch(`${paths.pools}/contested`, { metadata: { annotations: { note: 'first' } } });

    const stale = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { paused: true } };
    const answer = await refusal(kube.patch(`${paths.pools}/contested`, stale));

    expect(answer).toMatchObject({ status: 409, reason: 'Conflict' });
    expect((await kube.get(`${paths.pools}/contested`)).spec.paused).toBeUndefined();
  });

  test('refuses an object that its definition does not allow with 422 and says which field', async () => {
    const invalid = pool({ name: 'invalid' });
    const answer = await refusal(kube.post(paths.pools, { ...invalid, spec: { ...invalid.spec, paused: 'yes' } }));

    expect(answer).toMatchObject({ status: 422, reason: 'Invalid' });
    expect(answer.message).toContain('spec.paused');
  });

  test('answers 404 where nothing is', async () => {
    const answer = await refusal(kube.get(`${paths.pools}/nowhere`));

    expect(answer.status).toBe(404);
    expect(await kube.find(`${paths.pools}/nowhere`)).toBeUndefined();
  });

  test('names the field manager of a merge patch in managedFields, with the fields it owns', async () => {
    await create(pool({ name: 'managed' }));

    const body = { metadata: { annotations: { 'poolkeeper.dev/holds': '[]' } }, spec: { paused: true } };
    const patched = await kube.patch(`${paths.pools}/managed`, body, { fieldManager: 'poolkeeper' });

    const entry = patched.metadata.managedFields?.find(({ manager }) => manager === 'poolkeeper');
    expect(entry).toMatchObject({ operation: 'Update', fieldsV1: { 'f:spec': { 'f:paused': {} } } });
  });

  test('collects what a deleted pool owned', async () => {
    const { metadata } = await create(pool({ name: 'owner' }));
    const owner = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      name: 'owner',
      uid: metadata.uid,
    };
    const owned = machineConfig('rendered-owner-1', 'nobody');
    await create({ ...owned, metadata: { ...owned.metadata, ownerReferences: [owner] } });

    await kube.delete(`${paths.pools}/owner`);

    const path = `${paths.machineConfigs}/rendered-owner-1`;
    await until(async () => (await kube.find(path)) === undefined, 60_000, `${path} to be gone`);
  });

  test('shows a watcher what changes', async () => {
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const seen: string[] = [];
    const watching = kube.watch(
      paths.machineConfigs,
      ({ type, object }) => seen.push(`${type} ${object.metadata.name}`),
      ended.signal,
    );

    await create(machineConfig('99-watched', 'nobody'));
    // It may begin only now, and what has come and gone before it is not shown.
    await until(() => seen.includes('ADDED 99-watched'), 60_000, 'the creation to be seen');
    await kube.delete(`${paths.machineConfigs}/99-watched`);
    await until(() => seen.includes('DELETED 99-watched'), 60_000, 'the deletion to be seen');
    ended.abort();
    await watching;

    expect(seen.filter((one) => one.endsWith('99-watched'))).toEqual(['ADDED 99-watched', 'DELETED 99-watched']);
  });
});

describe('the users of the laboratory', () => {
  test('are who their token says, and may do what RBAC gives their groups', async () => {
    const stranger = controlPlane.kubeAs(controlPlane.tokenFor({ name: 'eve' }));
    const admin = controlPlane.kubeAs(controlPlane.tokenFor({ name: 'ada', groups: ['system:masters'] }));
    onTestFinished(stranger.close);
    onTestFinished(admin.close);

    const answer = await refusal(stranger.list(paths.pools));
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const self = await admin.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review);

    expect(answer.status).toBe(403);
    expect(answer.message).toContain('User "eve" cannot list');
    expect(self.status.userInfo.username).toBe('ada');
  });

  test('are refused with a token that was tampered with', async () => {
    const [, signature] = controlPlane.tokenFor({ name: 'eve' }).split('.');
    const [payload] = controlPlane.tokenFor({ name: 'eve', groups: ['system:masters'] }).split('.');
    const forged = controlPlane.kubeAs(`${payload}.${signature}`);
    onTestFinished(forged.close);

    const answer = await refusal(forged.list(paths.pools));

    expect(answer.status).toBe(401);
  });

  test('may be service accounts with rights of their own and a token from the API server', async () => {
    const rules = [
      { apiGroups: ['machineconfiguration.openshift.io'], resources: ['machineconfigpools'], verbs: ['get', 'list'] },
    ];
    const token = await controlPlane.serviceAccountToken({ namespace: 'reader', name: 'reader', rules });
    const reader = controlPlane.kubeAs(token);
    onTestFinished(reader.close);

    const pools = await reader.list(paths.pools);
    const answer = await refusal(reader.post(paths.pools, pool({ name: 'forbidden' })));

    expect(pools).toBeInstanceOf(Array);
    expect(answer.status).toBe(403);
  });
});
