import { expect, test } from 'vitest';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { foreignRights } from '../../../../local/cli/connection/foreign-bindings.ts';
import { grantedRights, pausingBindings, rightsOf } from '../../../../local/cli/connection/granted-rights.ts';
import { objectName } from '../../../../local/cli/connection/object-path.ts';
import { objectsToRemove } from '../../../../local/cli/connection/objects-to-remove.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';

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
const every = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const reading = { verbs: ['get', 'list'] };
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
  expect(foreignRights(read, { namespace: 'pk-dev', objects: [] })).toEqual({
    pausing: [],
    others: ['RoleBinding shop/view: stays, made by others, and names the account: take it out there'],
  });
  expect(foreignRights(read, { namespace: 'pk-prod', objects: prod })).toEqual({ pausing: [], others: [] });
});

test.each([
  ['the account', { kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pk-dev' }, {}, true],
  ['its user', { kind: 'User', name: 'system:serviceaccount:pk-dev:poolkeeper' }, {}, true],
  ['all accounts of its namespace', { kind: 'Group', name: 'system:serviceaccounts:pk-dev' }, {}, true],
  ['another account', { kind: 'ServiceAccount', name: 'shop', namespace: 'pk-dev' }, {}, false],
  ['that of another namespace', { kind: 'User', name: 'system:serviceaccount:pk-prod:poolkeeper' }, {}, false],
  ['the account, for all there is,', { kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pk-dev' }, every, true],
  ['the account, to read,', { kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pk-dev' }, reading, false],
])('[N-6] [N-29] a binding that names %s lets it pause, as its role says', async (_, subject, rule, isPausing) => {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const pauses = {
    apiGroups: ['machineconfiguration.openshift.io'],
    resources: ['machineconfigpools'],
    verbs: ['patch'],
  };
  const metadata = { name: 'gitops-pause' };
  const role = { apiVersion, kind: 'ClusterRole', metadata, rules: [{ ...pauses, ...rule }] };
  const roleRef = { kind: 'ClusterRole', name: metadata.name };
  const binding = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects: [subject] };

  const read = await grantedRights(serving([role, binding]));

  expect(pausingBindings(read, 'pk-dev').map(objectName)).toEqual(isPausing ? ['ClusterRoleBinding gitops-pause'] : []);
});

test('[N-30] [C-13] bindings of a tenant write no lines of ours, and only some are named', async () => {
  const subjects = [{ kind: 'ServiceAccount', name: 'poolkeeper', namespace: 'pk-dev' }];
  const bindings = Array.from({ length: 22 }, (_, index) => ({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', subjects },
    metadata: { name: `x${index}\nNothing of Poolkeeper is left in lab.\n`, namespace: 'shop' },
  }));

  const { others } = foreignRights(await grantedRights(serving(bindings)), { namespace: 'pk-dev', objects: [] });

  expect(others).toHaveLength(21);
  expect(others[0]).toBe(
    'RoleBinding shop/"x0 Nothing of Poolkeeper is left in lab.": stays, made by others, and names the account: take it out there',
  );
  expect(others.join('')).not.toContain('\n');
  expect(others.at(-1)).toBe('2 more bindings of others: the same');
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

test.each(['clusterrolebindings', 'rolebindings', 'clusterroles', 'roles'])(
  '[N-6] [C-13] [N-29] a 404 for %s alone is no answer of an API server: nothing is known of who has which right',
  async (unserved) => {
    const served = serving([...dev, ...prod]);
    const asked = (isUnserved: (path: string) => boolean) =>
      grantedRights({
        list: async (path) => {
          if (isUnserved(path)) throw new Transient(`GET ${path}: 404`);
          return served.list(path);
        },
      });

    await expect(asked((path) => path.endsWith(`/${unserved}`))).rejects.toThrow(`/${unserved}: 404`);
    expect(await asked(() => true)).toEqual({ roles: [], bindings: [], unread: [] });
  },
);
