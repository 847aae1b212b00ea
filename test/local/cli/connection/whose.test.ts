import { expect, test } from 'vitest';
import * as z from 'zod';
import type { KubeClient } from '../../../../functions/adapters/kubernetes/kube-client.ts';
import { requiredForUpgradeLabel } from '../../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { grantedRights } from '../../../../local/cli/connection/granted-rights.ts';
import { objectPath } from '../../../../local/cli/connection/object-path.ts';
import { poolLimits } from '../../../../local/cli/connection/pool-limits.ts';
import { pausedByOthers, sharesOf } from '../../../../local/cli/connection/whose.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import { admissionLimitObjects } from '../../../../local/manifests/admission-limit.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';

const account = (namespace: string) => ({ namespace, name: 'poolkeeper' });
const argocdNamespaces = ['openshift-gitops'];
const given = { pauses: true, argocdNamespaces };
const prod = accessObjects({
  ...{ ...given, account: account('pk-prod'), pools: ['payments', 'shared'] },
  guardsIn: 'openshift-gitops',
});
const dev = accessObjects({ ...given, account: account('pk-dev'), pools: ['dev', 'shared'] });

type Serving = Pick<KubeClient, 'list'>;

/** An API server with these objects. */
function serving(objects: readonly KubeObject[]) {
  return {
    list: async (path: string) =>
      objects.filter(({ kind }) => `${kind.toLowerCase()}s` === path.slice(path.lastIndexOf('/') + 1)),
  };
}

async function readShares(client: Serving, namespace: string, homes: readonly string[] | undefined) {
  return sharesOf(await grantedRights(client), { namespace, homes });
}

test('[C-13] [N-6] what one installation alone has the right to is its own, and of what both have it cannot be known', async () => {
  const shares = await readShares(serving([...prod, ...dev]), 'pk-dev', ['pk-prod']);

  expect(['dev', 'payments', 'shared', 'worker'].map(shares.pool)).toEqual(['ours', 'theirs', 'either', 'nobodys']);
  expect(shares.inNamespace('openshift-gitops', ['guards', 'sequences'])).toBe('theirs');
  expect(shares.inNamespace('openshift-gitops', ['applications'])).toBe('either');
  expect(shares.inNamespace('pk-prod', ['runs'])).toBe('theirs');
  expect(shares.inNamespace('pk-dev', ['runs'])).toBe('ours');
  expect(shares.inNamespace('shop', ['runs'])).toBe('nobodys');
});

test('[C-13] a right to every pool is one to each', async () => {
  const every = accessObjects({ ...given, account: account('pk-prod'), pools: [] });

  const shares = await readShares(serving([...every, ...dev]), 'pk-dev', ['pk-prod']);

  expect(['dev', 'payments'].map(shares.pool)).toEqual(['either', 'theirs']);
});

test('[C-13] [N-29] a role for every pool is no right to one that the policy of its account refuses', async () => {
  const every = (namespace: string) => accessObjects({ ...given, account: account(namespace), pools: [] });
  const rights = await grantedRights(serving([...every('pk-prod'), ...every('pk-dev')]));
  const limits = (namespace: string, pools: readonly string[] = []) =>
    admissionLimitObjects({ account: account(namespace), pools });
  const pools = [
    { name: 'master', labels: {} },
    { name: 'db', labels: { [requiredForUpgradeLabel]: '' } },
    { name: 'worker', labels: {} },
  ];
  const whoseAre = async (objects: readonly KubeObject[]) => {
    const client = {
      list: async (path: string) => objects.filter((object) => objectPath(object).startsWith(`${path}/`)),
    };
    const isRefused = await poolLimits(client, pools);
    const shares = sharesOf(rights, { namespace: 'pk-dev', homes: ['pk-prod'], isRefused });
    return pools.map(({ name }) => shares.pool(name));
  };

  expect(await whoseAre([])).toEqual(['either', 'either', 'either']);
  expect(await whoseAre(limits('pk-prod'))).toEqual(['ours', 'ours', 'either']);
  expect(await whoseAre(limits('pk-dev'))).toEqual(['theirs', 'theirs', 'either']);
  expect(await whoseAre([...limits('pk-prod'), ...limits('pk-dev')])).toEqual(['nobodys', 'nobodys', 'either']);
  expect(await whoseAre(limits('pk-prod', ['master']))).toEqual(['either', 'ours', 'ours']);
  const altered = limits('pk-prod').map((each) => ({ ...each, spec: { validations: [], policyName: 'none' } }));
  expect(await whoseAre(altered)).toEqual(['either', 'either', 'either']);
});

test('[C-13] roles of an installation that has no account any more say nothing, unless accounts cannot be listed', async () => {
  const homes = ['other'];

  const known = await readShares(serving([...prod, ...dev]), 'pk-dev', homes);
  const unknown = await readShares(serving([...prod, ...dev]), 'pk-dev', undefined);

  expect(['payments', 'shared'].map(known.pool)).toEqual(['nobodys', 'ours']);
  expect(['payments', 'shared'].map(unknown.pool)).toEqual(['theirs', 'either']);
});

test('[C-13] [N-29] roles of another installation that nothing binds any more, as of one half disconnected, are no right', async () => {
  const remnant = prod.filter(({ kind }) => !kind.endsWith('Binding'));
  const tenants = {
    apiVersion: 'v1',
    kind: 'RoleBinding',
    metadata: { name: 'pk-prod-poolkeeper-pause', namespace: 'x' },
  };

  for (const homes of [['pk-prod'], undefined]) {
    const shares = await readShares(serving([...remnant, tenants, ...dev]), 'pk-dev', homes);

    expect(['dev', 'payments', 'shared'].map(shares.pool)).toEqual(['ours', 'nobodys', 'ours']);
    expect(shares.inNamespace('openshift-gitops', ['applications'])).toBe('ours');
  }
});

test('[C-13] [N-29] a role of another installation that a binding of another name grants is a right', async () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pk-prod-poolkeeper-pause' };
  const gitops = { apiVersion: 'v1', kind: 'ClusterRoleBinding', metadata: { name: 'gitops' }, roleRef, subjects: [] };
  const remnant = prod.filter(({ kind }) => !kind.endsWith('Binding'));

  const shares = await readShares(serving([...remnant, gitops, ...dev]), 'pk-dev', ['pk-prod']);

  expect(['payments', 'shared'].map(shares.pool)).toEqual(['theirs', 'either']);
});

test('[C-13] where there is no other installation everything is its own, whatever rights are left', async () => {
  const refusing = { list: () => Promise.reject(new Transient('GET roles: 403', { kind: 'forbidden' })) };

  const shares = await readShares(refusing, 'pk-dev', []);

  expect([shares.pool('worker'), shares.inNamespace('shop', ['runs'])]).toEqual(['ours', 'ours']);
  await expect(readShares(refusing, 'pk-dev', ['pk-prod'])).rejects.toThrow('403');
});

test('[C-13] [N-29] who may list neither accounts nor roles can disconnect all the same, as from a cluster with one', async () => {
  const refusing = { list: () => Promise.reject(new Transient('GET roles: 403', { kind: 'forbidden' })) };

  const shares = await readShares(refusing, 'pk-dev', undefined);

  expect([shares.isSole, shares.pool('worker')]).toEqual([true, 'ours']);
});

test('[C-13] [N-29] a role that nothing binds, or whose account is gone, lets nobody resume a pool', async () => {
  const asked = (objects: readonly KubeObject[]) =>
    pausedByOthers(serving(objects), 'pk-dev', { pools: ['payments', 'dev'], isRefused: () => false });

  expect(await asked(prod)).toEqual(['payments']);
  expect(await asked(prod.filter(({ kind }) => kind !== 'ClusterRoleBinding'))).toEqual([]);
  expect(await asked(prod.filter(({ kind }) => kind !== 'ServiceAccount'))).toEqual([]);
});

const ofCanary = {
  everywhere: [
    {
      apiGroups: ['machineconfiguration.openshift.io'],
      resources: ['machineconfigpools'],
      resourceNames: ['canary'],
      verbs: ['patch'],
    },
  ],
  byNamespace: new Map(),
};
const running = (namespace: string) =>
  accessObjects({ ...given, account: account(namespace), pools: ['worker'], runs: ofCanary });
const both = (namespace: string) =>
  accessObjects({ ...given, account: account(namespace), pools: ['worker', 'canary'] });

/** As kustomize does with a name prefix, the account aside. */
function renamed(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map((object) => {
    if (!object.kind.includes('Role')) return object;
    const { roleRef } = z
      .object({ roleRef: z.object({ kind: z.string(), name: z.string() }).optional() })
      .parse(object);
    const metadata = { ...object.metadata, name: `bank-${object.metadata.name}` };
    return { ...object, metadata, ...(roleRef && { roleRef: { ...roleRef, name: `bank-${roleRef.name}` } }) };
  });
}

test.each([
  ['its role of a run in mode canary', running('pk-prod'), both('pk-dev'), 'either'],
  ['such a role alone', running('pk-prod'), dev, 'theirs'],
  ['a role that kustomize has renamed', renamed(both('pk-prod')), both('pk-dev'), 'either'],
  [
    'our own role of a run in mode canary',
    accessObjects({ ...given, account: account('pk-prod'), pools: ['x'] }),
    running('pk-dev'),
    'ours',
  ],
  ['our own of a run, and a role of theirs', both('pk-prod'), running('pk-dev'), 'either'],
] as const)(
  '[N-6] [C-13] [N-29] the right to a pool is one by whichever role: by %s',
  async (_, theirs, ours, expected) => {
    const limits = [...limitsOf('pk-prod'), ...limitsOf('pk-dev')];
    const client = {
      list: async (path: string) => limits.filter((object) => objectPath(object).startsWith(`${path}/`)),
    };
    const isRefused = await poolLimits(client, [{ name: 'canary', labels: {} }]);
    const rights = await grantedRights(serving([...theirs, ...ours]));

    for (const homes of [['pk-prod'], undefined])
      for (const refused of [isRefused, () => false])
        expect(sharesOf(rights, { namespace: 'pk-dev', homes, isRefused: refused }).pool('canary')).toBe(expected);
  },
);

/** What limits an account with a run in mode canary. */
function limitsOf(namespace: string): readonly KubeObject[] {
  return admissionLimitObjects({
    ...{ account: account(namespace), pools: ['worker'], canaries: { labels: [], selectors: ['canary'] } },
  });
}

test('[N-6] [C-13] [N-29] our own role of a run is known as ours when its binding is gone, as where disconnect is repeated', async () => {
  const unbound = running('pk-dev').filter(({ kind }) => kind !== 'ClusterRoleBinding');

  const shares = await readShares(
    serving([...both('pk-prod').filter(({ kind }) => kind !== 'ClusterRole'), ...unbound]),
    'pk-dev',
    ['pk-prod'],
  );

  expect(shares.pool('canary')).toBe('ours');
});

test('[N-6] [C-13] [N-29] guards, Jobs and records are of whoever may write there, by whichever name its roles have', async () => {
  const ours = accessObjects({ ...given, account: account('pk-dev'), pools: ['dev'], guardsIn: 'openshift-gitops' });
  const reading = accessObjects({ ...given, account: account('pk-prod'), pools: ['payments'] });
  const guards = ['guards', 'sequences'];
  const asked = async (theirs: readonly KubeObject[], homes: readonly string[] | undefined) =>
    (await readShares(serving([...renamed(theirs), ...ours]), 'pk-dev', homes)).inNamespace('openshift-gitops', guards);

  for (const homes of [['pk-prod'], undefined]) {
    expect(await asked(prod, homes)).toBe('either');
    expect(await asked(reading, homes)).toBe('ours');
  }
});

test('[C-13] [N-29] rights are looked through once for a namespace, however many Jobs are in it', async () => {
  const read = await grantedRights(serving([...prod, ...dev]));
  let looks = 0;
  const roles = read.roles.map((role) => ({
    ...role,
    get object() {
      looks += 1;
      return role.object;
    },
  }));
  const { inNamespace } = sharesOf({ ...read, roles }, { namespace: 'pk-dev', homes: ['pk-prod'] });
  inNamespace('openshift-gitops', ['runs']);
  const before = looks;

  const again = [inNamespace('openshift-gitops', ['runs']), inNamespace('openshift-gitops', ['runs'])];

  expect(again).toEqual(['nobodys', 'nobodys']);
  expect(looks).toBe(before);
  expect(inNamespace('openshift-gitops', ['applications'])).toBe('either');
});
