import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { ownArgoCd } from '../../../../local/cli/connection/own-argocd.ts';
import { findArgoCd } from '../../../../local/run/find-argocd.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** What is found on a cluster with these namespaces of Applications, and with controllers that have rights on the
 *  cluster in these; undefined: nobody may ask for that. */
async function found(
  used: readonly string[],
  controllers: readonly string[] | undefined,
  existing: readonly string[] = [...used, ...(controllers ?? [])],
) {
  const subjects = (controllers ?? []).map((namespace) => ({
    kind: 'ServiceAccount',
    name: `${namespace}-argocd-application-controller`,
    namespace,
  }));
  return findArgoCd({
    get: async (path) =>
      existing.some((each) => path.endsWith(`/${each}`)) || path.includes('argoproj') ? {} : undefined,
    async list(path) {
      if (path !== rbac) return used.map((namespace) => ({ metadata: { name: 'shop', namespace } }));
      if (controllers === undefined) throw new Transient(`GET ${rbac}: 403`, { kind: 'forbidden' });
      return [{ subjects: null }, { subjects: [{ kind: 'Group', name: 'admins' }, ...subjects] }];
    },
  });
}

test.each([
  { used: ['aa-team', 'zz-gitops'], controllers: ['zz-gitops'], home: 'zz-gitops' },
  { used: ['argocd', 'openshift-gitops'], controllers: ['openshift-gitops'], home: 'openshift-gitops' },
  { used: ['aa-team'], controllers: ['zz-gitops'], home: 'zz-gitops' },
  { used: ['argocd', 'team'], controllers: ['openshift-gitops'], home: 'openshift-gitops' },
  { used: ['platform', 'team'], controllers: ['openshift-gitops', 'platform'], home: 'platform' },
  { used: ['openshift-gitops', 'platform'], controllers: ['openshift-gitops', 'platform'], home: 'openshift-gitops' },
  { used: ['argocd', 'team'], controllers: [], home: 'argocd' },
  { used: ['argocd', 'team'], controllers: undefined, home: 'argocd' },
  { used: [], controllers: ['zz-gitops'], home: 'zz-gitops' },
  { used: [], controllers: ['argocd', 'openshift-gitops'], home: 'openshift-gitops' },
])(
  "[C-13] [N-29] [N-30] Argo CD's own namespace is $home with Applications in $used and controllers of the cluster in $controllers",
  async ({ used, controllers, home }) => {
    const argocd = await found(used, controllers);

    expect(argocd?.home).toBe(home);
    expect(argocd?.namespaces).toEqual(expect.arrayContaining([...used, home]));
  },
);

test('[C-13] a controller whose namespace is gone proves nothing', async () => {
  expect((await found(['openshift-gitops'], ['gone'], []))?.home).toBe('openshift-gitops');
  expect((await found([], ['gone'], ['argocd']))?.home).toBe('argocd');
});

test.each([
  [['aa-team', 'zz-gitops'], []],
  [['aa-team'], []],
  [['aa-team'], undefined],
  [['aa-team'], ['openshift-gitops', 'platform']],
])(
  "[C-13] [N-29] [N-30] connect asks which namespace is Argo CD's own with Applications in %j and controllers of the cluster in %j",
  async (used, controllers) => {
    const argocd = await found(used, controllers);
    const wishes = { argocdNamespace: undefined, output: 'text', config: undefined, name: 'lab' } as const;
    const candidates = controllers?.length ? controllers : used;

    await expect(ownArgoCd(wishes, { argocd })).rejects.toThrow(
      `which namespace is Argo CD's own is not clear: ${candidates.join(' and ')}? Say it by --argocd-namespace`,
    );
    const told = await ownArgoCd({ ...wishes, argocdNamespace: 'own' }, { argocd });
    expect(told).toEqual({ home: 'own', namespaces: [...used, 'own'].toSorted(), doubt: undefined });
    expect(await ownArgoCd({ ...wishes, output: 'yaml' }, { argocd })).toMatchObject({ namespaces: used });
  },
);

test("[C-13] [N-29] connect says where the file has another namespace as Argo CD's own, and asks for none where it has one", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-argocd-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'poolkeeper.yaml');
  await writeFile(config, 'argocd: [{ name: lab-aa-team, cluster: lab, namespaces: [aa-team, zz-gitops] }]\n');
  const wishes = { argocdNamespace: undefined, output: 'text', config, name: 'lab' } as const;

  const clear = await ownArgoCd(wishes, { argocd: await found(['aa-team', 'zz-gitops'], ['zz-gitops']) });
  const unclear = await ownArgoCd(wishes, { argocd: await found(['aa-team', 'zz-gitops'], []) });

  expect(clear?.doubt).toMatch(/own namespace is zz-gitops, and controllerNamespace in .* is aa-team: correct it/);
  expect(unclear).toMatchObject({ home: undefined, doubt: undefined });
});
