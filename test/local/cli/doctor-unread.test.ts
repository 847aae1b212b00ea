import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { checkUnread } from '../../../local/cli/doctor/check-unread.ts';
import { accessObjects } from '../../../local/manifests/access.ts';
import { aConnected } from './a-connected.ts';

const argocdNamespaces = ['openshift-gitops', 'team-b', 'team-a'];

async function found(read: readonly string[], home = 'poolkeeper', homes: readonly string[] = [], used = homes) {
  const objects = ['poolkeeper', 'pk-dev'].flatMap((namespace) =>
    accessObjects({ account: { namespace, name: 'poolkeeper' }, pauses: true, pools: [], argocdNamespaces }),
  );
  const list = async (path: string) => {
    const [, namespace = ''] = /argoproj.*namespaces\/(.*)\/applications$/.exec(path) ?? [];
    if (namespace === '') return objects.filter(({ kind }) => kind === 'RoleBinding');
    return used.includes(namespace) ? [{ metadata: { name: 'nodes', namespace } }] : [];
  };
  return checkUnread(aConnected({ home }), { list }, { read, homes });
}

test('[C-13] [N-29] the doctor names namespaces of Applications that the account may read, and that the file does not have', async () => {
  expect(await found(['openshift-gitops'])).toEqual([
    {
      about: 'prod',
      state: 'warning',
      what: 'Applications: those in team-a and team-b may be read, and are not, so that nothing is paused for their syncs',
      remedy:
        'add the namespace to argocd[].namespaces of poolkeeper.yaml, a second Argo CD as an entry of its own; or oc delete rolebindings.rbac.authorization.k8s.io poolkeeper-applications -n NAMESPACE',
    },
  ]);
  expect(await found(argocdNamespaces)).toEqual([]);
  expect(await found(argocdNamespaces, 'pk-dev')).toEqual([]);
});

test("[C-13] [N-29] an Argo CD's own namespace is not read where the file leaves it out, and is named if it has Applications", async () => {
  const [home = '', ...others] = argocdNamespaces;

  expect(await found(others, 'poolkeeper', [home])).toMatchObject([
    { state: 'warning', what: expect.stringContaining('those in openshift-gitops may be read, and are not') },
  ]);
  expect(await found(others, 'poolkeeper', [home], [])).toEqual([]);
});

test('[C-13] [N-29] what is not read is not checked where rights may not be listed', async () => {
  const list = async () => {
    throw new Transient('GET rolebindings: 403', { kind: 'forbidden' });
  };

  expect(await checkUnread(aConnected(), { list }, { read: [], homes: [] })).toMatchObject([
    { state: 'unchecked', what: 'Applications that are not read: GET rolebindings: 403' },
  ]);
});
