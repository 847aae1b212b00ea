import { expect, test } from 'vitest';
import { objectPath } from '../../../../local/cli/connection/object-path.ts';
import { objectsToRemove } from '../../../../local/cli/connection/objects-to-remove.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';

test('[C-13] whatever right was ever given is taken away again, the bindings first', () => {
  const every = {
    pauses: true,
    pools: [],
    argocdNamespaces: ['openshift-gitops'],
    restartsSyncs: true,
    readsLogs: true,
    pausesHealthChecks: true,
  };
  const given = accessObjects({ account: { namespace: 'poolkeeper', name: 'poolkeeper' }, ...every });

  const taken = objectsToRemove('poolkeeper', {
    argocdNamespaces: ['openshift-gitops'],
    rights: { roles: [], bindings: [], unread: [] },
  });

  expect(taken.map(objectPath)).toEqual(expect.arrayContaining(given.map(objectPath)));
  const lastBinding = taken.findLastIndex(({ kind }) => kind.endsWith('RoleBinding'));
  expect(taken.slice(0, lastBinding + 1).every(({ kind }) => kind.endsWith('RoleBinding'))).toBe(true);
});

test('[N-6] [C-13] the binding by which the account pauses goes before all others', () => {
  const [first] = objectsToRemove('pk-dev', {
    argocdNamespaces: [],
    rights: { roles: [], bindings: [], unread: [] },
  });

  expect(first).toMatchObject({ kind: 'ClusterRoleBinding', metadata: { name: 'pk-dev-poolkeeper-pause' } });
});
