import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { foreignBindings, grantedRights, rightsOf } from '../../../local/cli/granted-rights.ts';
import { objectName } from '../../../local/cli/object-path.ts';
import { objectsToRemove } from '../../../local/cli/objects-to-remove.ts';
import { accessObjects } from '../../../local/manifests/access.ts';
import type { KubeObject } from '../../../local/manifests/kube-object.ts';

/** An API server with these objects. */
const serving = (objects: readonly KubeObject[]) => ({
  list: async (path: string) => objects.filter(({ kind }) => path.endsWith(`/${kind.toLowerCase()}s`)),
});
const rights = { everywhere: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }], byNamespace: new Map() };
const given = {
  ...{ account: { namespace: 'pk-dev', name: 'poolkeeper' }, pauses: true, pools: [] },
  ...{ argocdNamespaces: ['team'], guardsIn: 'gitops', sequences: rights, runs: rights },
};
const dev = accessObjects(given);
const prod = accessObjects({ ...given, account: { namespace: 'pk-prod', name: 'poolkeeper' } });
const isRight = ({ kind }: KubeObject) => /Role(Binding)?$/.test(kind);

/** As kustomize does for whoever labels all that they deploy. */
function labelled(objects: readonly KubeObject[]): readonly KubeObject[] {
  const labels = { 'app.kubernetes.io/part-of': 'platform' };
  return objects.map((object) => ({ ...object, metadata: { ...object.metadata, labels } }));
}

test.each([
  ['', dev],
  [', also where others have changed its labels', labelled(dev)],
])('[N-6] [C-13] rights of the account are removed in every namespace, bindings first%s', async (_, installed) => {
  const read = await grantedRights(serving([...installed, ...prod]));

  const found = rightsOf(read, 'pk-dev').map(objectName);
  const removed = objectsToRemove('pk-dev', { argocdNamespaces: [], rights: read }).map(objectName);

  expect(found.toSorted()).toEqual(dev.filter(isRight).map(objectName).toSorted());
  expect(removed).toEqual(expect.arrayContaining(found));
  expect(new Set(removed).size).toBe(removed.length);
  const lastBinding = removed.findLastIndex((each) => each.includes('RoleBinding '));
  expect(removed.slice(0, lastBinding + 1).every((each) => each.includes('RoleBinding '))).toBe(true);
});

test('[N-6] [C-13] a role of others with a name like ours is none, and a binding of others that names the account is told', async () => {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const role = {
    apiVersion,
    kind: 'Role',
    metadata: { name: 'pk-dev-poolkeeper-guards', namespace: 'shop' },
    rules: [],
  };
  const subjects = [{ kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pk-dev' }];
  const binding = { apiVersion, kind: 'RoleBinding', metadata: { name: 'view', namespace: 'shop' }, subjects };

  const read = await grantedRights(serving([role, binding, ...prod]));

  expect(rightsOf(read, 'pk-dev')).toEqual([]);
  expect(foreignBindings(read, 'pk-dev')).toEqual([
    'RoleBinding shop/view: stays, made by others, and names the account: take it out there',
  ]);
  expect(foreignBindings(read, 'pk-prod')).toEqual([]);
});

test('[C-13] who may not list roles and bindings is told so, and a cluster that serves none has none', async () => {
  const refusing = (kind?: 'forbidden') => ({
    list: (path: string) =>
      Promise.reject(
        new Transient(`GET ${path}: ${kind === undefined ? 404 : 403}`, kind === undefined ? {} : { kind }),
      ),
  });

  expect((await grantedRights(refusing('forbidden'))).unread).toHaveLength(4);
  expect(await grantedRights(refusing())).toEqual({ roles: [], bindings: [], unread: [] });
});
