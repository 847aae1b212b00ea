import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SequenceGate } from '../../functions/core/configuration/sequence.ts';
import { gateObjects } from '../../local/manifests/gate-job.ts';
import { untilGranted } from './harness/in-force.ts';
import type { Draft, Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { collectionOf } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';

const { kube, controlPlane, create } = useLab();

const home = 'gate-render';
const classes = '/apis/storage.k8s.io/v1/storageclasses';

beforeAll(() => controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } }));

type Given = Parameters<typeof SequenceGate.parse>[0];

/** Applies what is rendered for a gate, and yields the access of its account. */
async function applied(gate: Given, name: string): Promise<Kube> {
  const place = { name, namespace: home, wave: 5, hookType: 'Sync' };
  // As it stands in Git.
  const objects: readonly Draft[] = JSON.parse(JSON.stringify(gateObjects(SequenceGate.parse(gate), place)));
  for (const object of objects) {
    const path = `${collectionOf(object)}/${object.metadata.name}`;
    await kube.patch(path, object, { type: 'apply', fieldManager: 'argocd-controller' });
    onTestFinished(() => kube.delete(path));
  }
  const account = { namespace: home, name };
  const ours = controlPlane.kubeAs(await controlPlane.serviceAccountToken(account));
  await untilGranted(ours, account, objects);
  return ours;
}

function named(name: string): string {
  return `fieldSelector=metadata.name%3D${name}`;
}

describe('a rendered gate', () => {
  test('[S2-13] [S2-20] is taken by the API server as it is, and its account may list that one object', async () => {
    const account = await applied({ resourceType: 'sc', resourceName: 'ceph-rbd' }, 'one');

    const before = await account.get(`${classes}?${named('ceph-rbd')}`);
    await create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'ceph-rbd' },
      provisioner: 'x',
    });
    const after = await account.get(`${classes}?${named('ceph-rbd')}`);

    expect(before).toMatchObject({ items: [] });
    expect(after).toMatchObject({ items: [{ metadata: { name: 'ceph-rbd' } }] });
  });

  test('[S2-13] its account may read nothing else', async () => {
    const account = await applied({ resourceType: 'sc', resourceName: 'ceph-rbd' }, 'else');
    const forbidden = [
      classes,
      `${classes}?${named('other')}`,
      `${classes}/ceph-rbd`,
      `/api/v1/namespaces/${home}/secrets`,
      '/api/v1/namespaces',
    ];

    for (const path of forbidden) expect(await refusalOf(() => account.get(path)), path).toContain(' 403 ');
  });

  test('[S2-13] in a namespace its account may read there, and not elsewhere', async () => {
    const account = await applied({ resourceType: 'configmaps', resourceNamespace: home }, 'within');

    expect(await account.get(`/api/v1/namespaces/${home}/configmaps`)).toHaveProperty('items');
    expect(await refusalOf(() => account.get('/api/v1/configmaps'))).toContain(' 403 ');
    expect(await refusalOf(() => account.get(`/api/v1/namespaces/${home}/secrets`))).toContain(' 403 ');
  });
});
