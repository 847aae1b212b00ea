import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterConnection } from '../../../../functions/adapters/kubernetes/connect.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { listed } from '../../../../functions/core/text/phrases.ts';
import { ownArgoCd } from '../../../../local/cli/connection/own-argocd.ts';
import { type FoundArgoCd, findArgoCd } from '../../../../local/run/find-argocd.ts';
import { configurationFor } from '../../../../local/run/own-cluster.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** A cluster with these namespaces of Applications, and with controllers that have rights on the
 *  cluster in these; undefined: nobody may ask for that. */
function clusterWith(
  used: readonly string[],
  controllers: readonly string[] | undefined,
  existing: readonly string[] = [...used, ...(controllers ?? [])],
) {
  const subjects = (controllers ?? []).map((namespace) => ({
    kind: 'ServiceAccount',
    name: `${namespace}-argocd-application-controller`,
    namespace,
  }));
  return {
    get: async (path: string) =>
      existing.some((each) => path.endsWith(`/${each}`)) || path.includes('argoproj') ? {} : undefined,
    async list(path: string) {
      if (path !== rbac) return used.map((namespace) => ({ metadata: { name: 'shop', namespace } }));
      if (controllers === undefined) throw new Transient(`GET ${rbac}: 403`, { kind: 'forbidden' });
      return [{ subjects: null }, { subjects: [{ kind: 'Group', name: 'admins' }, ...subjects] }];
    },
  };
}

const found = (...cluster: Parameters<typeof clusterWith>) => findArgoCd(clusterWith(...cluster));

test.each([
  { used: ['aa-team', 'zz-gitops'], controllers: ['zz-gitops'], home: 'zz-gitops' },
  { used: ['argocd', 'openshift-gitops'], controllers: ['openshift-gitops'], home: 'openshift-gitops' },
  { used: ['platform', 'team'], controllers: ['openshift-gitops', 'platform'], home: 'platform' },
  { used: ['argocd', 'team'], controllers: [], home: 'argocd' },
  { used: ['argocd', 'team'], controllers: undefined, home: 'argocd' },
  { used: [], controllers: ['zz-gitops'], home: 'zz-gitops' },
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
  [['aa-team', 'zz-gitops'], [], ['aa-team', 'zz-gitops']],
  [['aa-team'], [], ['aa-team']],
  [['aa-team'], undefined, ['aa-team']],
  [['aa-team', 'argocd', 'openshift-gitops'], [], ['openshift-gitops', 'argocd', 'aa-team']],
  [['aa-team'], ['zz-gitops'], ['zz-gitops', 'aa-team']],
  [['aa-team', 'argocd'], ['openshift-gitops'], ['openshift-gitops', 'aa-team', 'argocd']],
  [
    ['aa-team', 'openshift-gitops', 'gitops'],
    ['gitops', 'openshift-gitops'],
    ['openshift-gitops', 'gitops'],
  ],
  [[], ['aa-gitops', 'zz-gitops'], ['aa-gitops', 'zz-gitops']],
])(
  "[C-13] [N-29] [N-30] connect asks which namespace is Argo CD's own with Applications in %j and controllers of the cluster in %j",
  async (used, controllers, candidates) => {
    const argocd = await found(used, controllers);
    const wishes = { argocdNamespace: undefined, output: 'text', config: undefined, name: 'lab' } as const;

    await expect(ownArgoCd(wishes, { argocd })).rejects.toThrow(
      `which namespace is Argo CD's own is not clear: ${listed(candidates)}? Say it by --argocd-namespace`,
    );
    const told = await ownArgoCd({ ...wishes, argocdNamespace: 'own' }, { argocd });
    const others = used.toSorted();
    expect(told).toMatchObject({ home: 'own', namespaces: [...used, 'own'].toSorted(), others, doubt: undefined });
    expect(await ownArgoCd({ ...wishes, output: 'yaml' }, { argocd })).toMatchObject({ namespaces: used.toSorted() });
  },
);

/** What connect takes for its own where the file has this one. */
async function knownWith(
  written: string,
  argocd: FoundArgoCd | undefined,
  argocdNamespace: string | undefined = undefined,
) {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-argocd-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'poolkeeper.yaml');
  await writeFile(config, `argocd: [{ name: lab-own, cluster: lab, namespaces: [${written}, shop] }]\n`);
  return ownArgoCd({ argocdNamespace, output: 'text', config, name: 'lab' }, { argocd });
}

test("[C-13] [N-29] connect says where the file has a namespace as Argo CD's own that does not seem to be it, and asks for none where it has one", async () => {
  const clear = await knownWith('aa-team', await found(['aa-team', 'zz-gitops'], ['zz-gitops']));
  const unclear = await knownWith('aa-team', await found(['aa-team', 'zz-gitops'], []));

  expect(clear?.doubt).toMatch(
    /own namespace seems to be zz-gitops, and controllerNamespace in .* is aa-team: see which it is/,
  );
  expect(unclear).toMatchObject({ home: 'aa-team', doubt: undefined });
});

test.each([
  ['one of two Argo CDs', ['openshift-gitops', 'team-gitops'], ['openshift-gitops', 'team-gitops']],
  ['one without Applications of its own', ['openshift-gitops'], ['openshift-gitops', 'team-gitops']],
  ['one without rights on the cluster, beside an idle one that has them', ['team-gitops'], ['openshift-gitops']],
])("[C-13] [N-29] Argo CD's own namespace in the file is not doubted: %s", async (_, used, controllers) => {
  const known = await knownWith('team-gitops', await found(used, controllers));

  expect(known).toMatchObject({ home: 'team-gitops', doubt: undefined });
  expect(known?.namespaces).toEqual(expect.arrayContaining(['team-gitops', ...used]));
});

test("[C-13] [N-29] no namespace that may be Argo CD's own by the file or by the cluster is one of others, which is left out where it refuses", async () => {
  const onlyInFile = await knownWith('aa-team', await found(['aa-team', 'zz-team'], []));
  const other = await knownWith('aa-team', await found(['aa-team', 'zz-gitops', 'zz-team'], ['zz-gitops']));

  expect([onlyInFile?.others, other?.others]).toEqual([['zz-team'], ['zz-team']]);
});

test('[C-13] [N-29] connect says that the file keeps its namespace where --argocd-namespace is another', async () => {
  const known = await knownWith('aa-team', await found(['aa-team', 'zz-gitops'], []), 'zz-gitops');

  expect(known?.home).toBe('zz-gitops');
  expect(known?.doubt).toMatch(/^controllerNamespace in .* is aa-team, and stays so$/);
});

test.each([
  { used: ['aa-team'], controllers: ['zz-gitops'], home: 'zz-gitops' },
  { used: ['aa-team', 'argocd', 'openshift-gitops'], controllers: [], home: 'openshift-gitops' },
])(
  "[C-13] [N-30] a kubeconfig alone takes $home for Argo CD's own with Applications in $used and controllers of the cluster in $controllers",
  async ({ used, controllers, home }) => {
    const connection = { client: clusterWith(used, controllers) } as unknown as ClusterConnection;

    const { argocd } = await configurationFor('lab', 'https://api.example.com', connection);

    expect(argocd).toMatchObject([{ controllerNamespace: home, namespaces: expect.arrayContaining([...used, home]) }]);
  },
);
