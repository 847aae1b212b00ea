import { expect, test } from 'vitest';
import { Misconfigured, Transient } from '../../../../functions/core/text/errors.ts';
import { accountsElsewhere } from '../../../../local/cli/connection/accounts-elsewhere.ts';
import { type GrantedRights, grantedRights } from '../../../../local/cli/connection/granted-rights.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';

const labels = { 'app.kubernetes.io/part-of': 'poolkeeper' };
const account = (namespace: string, metadata: object = { labels }) => ({
  metadata: { name: 'poolkeeper', namespace, ...metadata },
});
const none: GrantedRights = { roles: [], bindings: [], unread: [] };

/** What an installation has on a cluster. */
const installed = (namespace: string) =>
  accessObjects({ account: { namespace, name: 'poolkeeper' }, pauses: true, pools: [], argocdNamespaces: ['argocd'] });

function rightsAmong(objects: readonly KubeObject[]): Promise<GrantedRights> {
  return grantedRights({
    list: async (path) => objects.filter(({ kind }) => path.endsWith(`/${kind.toLowerCase()}s`)),
  });
}

test('[C-13] [N-29] an account in another namespace alone ends disconnect before anything is written, with what to say', async () => {
  const client = { list: async () => [account('ops-poolkeeper'), account('poolkeeper', { labels, name: 'other' })] };

  const asked = accountsElsewhere(client, { namespace: 'poolkeeper', rights: none });

  await expect(asked).rejects.toThrow(Misconfigured);
  await expect(asked).rejects.toThrow(
    /^Poolkeeper's account is in namespace ops-poolkeeper, and no right of one in poolkeeper to the cluster is here: .* another --namespace removes another installation$/,
  );
});

test('[N-6] [C-13] [N-29] disconnect is repeated where its account is gone, and its rights name its namespace', async () => {
  const client = { list: async () => [account('pk-prod')] };
  const rights = await rightsAmong([...installed('pk-prod'), ...installed('pk-dev')]);

  expect(await accountsElsewhere(client, { namespace: 'pk-dev', rights })).toMatchObject({ homes: ['pk-prod'] });
  await expect(accountsElsewhere(client, { namespace: 'pk-test', rights })).rejects.toThrow(Misconfigured);
});

test('[C-13] [N-29] rights of another namespace end it, too, where no account is left', async () => {
  const rights = await rightsAmong(installed('pk-dev'));

  const asked = accountsElsewhere({ list: async () => [] }, { namespace: 'poolkeeper', rights });

  await expect(asked).rejects.toThrow(
    /is in namespace pk-dev, and no right of one in poolkeeper to the cluster is here/,
  );
});

test('[N-6] [C-13] an account whose label others have changed is known by the bindings that name it', async () => {
  const labelled = { labels: { 'app.kubernetes.io/part-of': 'platform' } };
  const client = { list: async () => [account('pk-dev'), account('pk-prod', labelled), account('shop', labelled)] };
  const rights = await rightsAmong([...installed('pk-prod'), ...installed('pk-dev')]);

  expect(await accountsElsewhere(client, { namespace: 'pk-dev', rights })).toMatchObject({ homes: ['pk-prod'] });
});

test('[N-6] [C-13] [N-29] an account that may pause pools by roles of any name is an installation, whatever its labels are', async () => {
  const renamed = installed('pk-prod').flatMap((object): KubeObject[] => {
    const name = `bank-${object.metadata.name}`;
    if (object.kind === 'ClusterRole') return [{ ...object, metadata: { name } }];
    const roleRef = { kind: 'ClusterRole', name };
    return object.kind === 'ClusterRoleBinding' ? [{ ...object, metadata: { name }, roleRef }] : [];
  });
  const client = { list: async () => [account('pk-dev'), account('pk-prod', {}), account('shop', {})] };
  const rights = await rightsAmong([...renamed, ...installed('pk-dev')]);

  expect(await accountsElsewhere(client, { namespace: 'pk-dev', rights })).toEqual({
    homes: ['pk-prod'],
    stays: ['Poolkeeper has another account, in namespace pk-prod, which stays: --namespace pk-prod'],
  });
});

test.each([
  ['an account', { labels: {} }, ''],
  ['an account with our label', { labels }, ''],
  ['an account and a binding by the name of ours', { labels }, 'RoleBinding'],
])('[N-6] [C-13] [N-29] %s that a tenant has in the namespace is no installation', async (_, metadata, made) => {
  const client = { list: async () => [account('pk-prod'), account('poolkeeper', metadata)] };
  const tenants = installed('poolkeeper').filter(({ kind }) => kind === made);
  const rights = await rightsAmong([...installed('pk-prod'), ...tenants]);

  const asked = accountsElsewhere(client, { namespace: 'poolkeeper', rights });

  await expect(asked).rejects.toThrow(/is in namespace pk-prod, and no right of one in poolkeeper/);
});

test('[C-13] [N-29] a binding in a namespace of others names no installation', async () => {
  const bindings = installed('x\nNothing is left').filter(({ kind }) => kind === 'RoleBinding');
  const rights = await rightsAmong([...installed('pk-dev'), ...bindings]);

  const asked = accountsElsewhere({ list: async () => [] }, { namespace: 'poolkeeper', rights });

  await expect(asked).rejects.toThrow(/account is in namespace pk-dev, and no right/);
});

test('[C-13] [N-29] one beside it is named, and none is none', async () => {
  const both = { list: async () => [account('poolkeeper'), account('ops-poolkeeper'), account('shop')] };
  const nobody = { list: async () => [] };
  const asked = {
    namespace: 'poolkeeper',
    rights: await rightsAmong(['poolkeeper', 'ops-poolkeeper'].flatMap(installed)),
  };

  expect(await accountsElsewhere(both, asked)).toEqual({
    homes: ['ops-poolkeeper', 'shop'],
    stays: [
      'Poolkeeper has another account, in namespace ops-poolkeeper, which stays: --namespace ops-poolkeeper',
      "an account with Poolkeeper's label, and without its rights to the cluster, is in namespace shop, and stays: whoever made it knows what it is",
    ],
  });
  expect(await accountsElsewhere(nobody, asked)).toEqual({ homes: [], stays: [] });
});

test('[N-6] [C-13] [N-29] who may not list roles is not told that an installation is gone, where a labelled account is elsewhere', async () => {
  const client = { list: async () => [account('poolkeeper'), account('shop')] };
  const rights = { ...none, unread: ['list clusterroles: 403 Forbidden'] };

  for (const namespace of ['poolkeeper', 'shop'])
    await expect(accountsElsewhere(client, { namespace, rights })).rejects.toThrow(
      /^there is another Poolkeeper, in namespace (?:shop|poolkeeper), and what is whose cannot be read: list clusterroles: 403 Forbidden; run it as somebody who may list roles and bindings$/,
    );
});

test('[C-13] [N-29] who may not list accounts is told so', async () => {
  const client = {
    list: () => Promise.reject(new Transient('list serviceaccounts: 403 Forbidden', { kind: 'forbidden' })),
  };

  expect(await accountsElsewhere(client, { namespace: 'poolkeeper', rights: none })).toEqual({
    homes: undefined,
    stays: [
      'whether Poolkeeper has an account in another namespace cannot be read: list serviceaccounts: 403 Forbidden',
    ],
  });
});
