import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { checkUnread } from '../../../local/cli/doctor/check-unread.ts';
import { accessObjects } from '../../../local/manifests/access.ts';
import { aConnected } from './a-connected.ts';

const argocdNamespaces = ['openshift-gitops', 'team-b', 'team-a'];

async function found(read: readonly string[], home = 'poolkeeper') {
  const objects = ['poolkeeper', 'pk-dev'].flatMap((namespace) =>
    accessObjects({ account: { namespace, name: 'poolkeeper' }, pauses: true, pools: [], argocdNamespaces }),
  );
  const list = async () => objects.filter(({ kind }) => kind === 'RoleBinding');
  return checkUnread(aConnected({ home }), { list }, read);
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

test('[C-13] [N-29] what is not read is not checked where rights may not be listed', async () => {
  const list = async () => {
    throw new Transient('GET rolebindings: 403', { kind: 'forbidden' });
  };

  expect(await checkUnread(aConnected(), { list }, [])).toMatchObject([
    { state: 'unchecked', what: 'Applications that are not read: GET rolebindings: 403' },
  ]);
});
