import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connect } from '../../../../local/cli/connection/connect.ts';
import {
  keptPools,
  lostPools,
  patchesApplications,
  requireNoPausing,
} from '../../../../local/cli/connection/kept-rights.ts';
import { objectPath } from '../../../../local/cli/connection/object-path.ts';
import { hold } from '../../../../local/cli/hold.ts';
import { pickCluster } from '../../../../local/cli/pick-cluster.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import { admissionLimitObjects } from '../../../../local/manifests/admission-limit.ts';
import type { KubeObject } from '../../../../local/manifests/kube-object.ts';
import { pauseFirstObjects } from '../../../../local/manifests/pause-first.ts';
import { machineConfigPools } from '../../../../local/openshift/api-server/resource-types.ts';
import { startStub } from '../../../functions/adapters/stub-server.ts';
import { demoCluster } from '../demo-cluster.ts';

const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
const given = { account, pauses: true, pools: ['worker'], argocdNamespaces: ['openshift-gitops'] };
const guardsIn = 'openshift-gitops';

/** Whether connecting again keeps the right on a cluster with these objects. */
function keeps(stored: readonly KubeObject[]): Promise<boolean> {
  const byPath = new Map(stored.map((object) => [objectPath(object), object]));
  const client = { get: async (path: string) => byPath.get(path) };
  return patchesApplications(client, { objects: accessObjects(given), namespace: 'poolkeeper', limits: true });
}

test('[C-13] connecting again keeps the right that level guard and retried syncs need, where a policy limits it', async () => {
  const limits = admissionLimitObjects({ account, pools: [], guardsSyncs: true });

  expect(await keeps([])).toBe(false);
  expect(await keeps([...accessObjects(given), ...limits])).toBe(false);
  expect(await keeps(accessObjects({ ...given, guardsIn }))).toBe(false);
  expect(await keeps([...accessObjects({ ...given, guardsIn }), ...limits])).toBe(true);
  expect(await keeps([...accessObjects({ ...given, restartsSyncs: true }), ...limits])).toBe(true);
});

test('[C-13] [N-29] connecting to read only is refused where the account may pause, which that would not take away', async () => {
  const asked = (stored: readonly KubeObject[]) => {
    const byPath = new Map(stored.map((object) => [objectPath(object), object]));
    return requireNoPausing({ get: async (path: string) => byPath.get(path) }, account);
  };

  await expect(asked(accessObjects(given))).rejects.toThrow(/the account may pause pools here.* disconnect/);
  await expect(asked(accessObjects({ ...given, pauses: false }))).resolves.toBeUndefined();
});

test('[C-13] connecting again without naming pools finds those that the account may pause by name', async () => {
  const found = (pools: readonly string[]) => {
    const byPath = new Map(accessObjects({ ...given, pools }).map((object) => [objectPath(object), object]));
    return keptPools({ get: async (path: string) => byPath.get(path) }, account);
  };

  expect(await found(['worker', 'master'])).toEqual(['worker', 'master']);
  expect(await found([])).toEqual([]);
});

test('[C-13] [N-29] connecting again finds the pools that are held and that the account could not resume any more', async () => {
  const demo = await demoCluster();
  onTestFinished(() => demo.close());
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
  const { connection } = await pickCluster({ kubeconfig: demo.kubeconfig }, demo.surroundings);
  onTestFinished(() => connection.close());
  const pools = (await connection.pools.listPools()).items;
  const lostAnyhow = (granted: readonly string[], chosen: readonly string[], others: readonly KubeObject[] = []) => {
    const roles = [...accessObjects({ ...given, pools: granted }), ...others];
    const byPath = new Map(roles.map((object) => [objectPath(object), object]));
    const client = {
      get: async (path: string) => byPath.get(path),
      list: async (path: string) => roles.filter(({ kind }) => path.endsWith(`/${kind.toLowerCase()}s`)),
    };
    return lostPools(client, { account, pools, chosen });
  };
  const lost = async (...asked: Parameters<typeof lostAnyhow>) => (await lostAnyhow(...asked)).held;

  expect(await lost(['worker', 'master'], ['master'])).toEqual(['worker']);
  expect(await lost([], ['master'])).toEqual(['worker']);
  expect(await lost(['worker', 'master'], ['worker'])).toEqual([]);
  expect(await lost(['master'], ['master'])).toEqual([]);
  const elsewhere = { ...given, account: { ...account, namespace: 'pk-prod' } };
  expect(await lost(['worker', 'master'], ['master'], accessObjects(elsewhere))).toEqual([]);
});

test('[C-13] [N-29] connecting again takes no right to a held pool away that the policy of the account refuses it anyway', async () => {
  const demo = await demoCluster();
  onTestFinished(() => demo.close());
  for (const pool of ['worker', 'master'])
    await demo.run(hold, '--pool', pool, '--for', '1h', '--reason', 'a while', '--required');
  const { connection } = await pickCluster({ kubeconfig: demo.kubeconfig }, demo.surroundings);
  onTestFinished(() => connection.close());
  const pools = (await connection.pools.listPools()).items;
  const lost = async (limits: readonly KubeObject[]) => {
    const objects = [...accessObjects({ ...given, pools: [] }), ...limits];
    const byPath = new Map(objects.map((object) => [objectPath(object), object]));
    const client = {
      get: async (path: string) => byPath.get(path),
      list: async (path: string) =>
        objects.filter((object) =>
          objectPath(object)
            .replace(/\/namespaces\/[^/]+/, '')
            .startsWith(`${path}/`),
        ),
    };
    return (await lostPools(client, { account, pools, chosen: ['infra'] })).held;
  };
  const limits = admissionLimitObjects({ account, pools: [] });
  const unbound = limits.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');

  expect(await lost(limits)).toEqual(['worker']);
  expect(await lost(admissionLimitObjects({ account, pools: ['master'] }))).toEqual(['master']);
  for (const none of [[], unbound]) expect((await lost(none)).toSorted()).toEqual(['master', 'worker']);
});

test('[C-13] [N-29] connecting again finds the pools whose changes level admission would refuse for good', async () => {
  const demo = await demoCluster();
  onTestFinished(() => demo.close());
  const { connection } = await pickCluster({ kubeconfig: demo.kubeconfig }, demo.surroundings);
  onTestFinished(() => connection.close());
  const pools = (await connection.pools.listPools()).items;
  const refused = async (covered: readonly string[], granted: readonly string[], more: readonly KubeObject[] = []) => {
    const first = pauseFirstObjects({ namespace: 'poolkeeper', pools: covered, except: [] });
    const all = [...accessObjects({ ...given, pools: granted }), ...first, ...more];
    const byPath = new Map(all.map((object) => [objectPath(object), object]));
    const client = {
      get: async (path: string) => byPath.get(path),
      list: async (path: string) =>
        all.filter((object) => objectPath(object).split('/').at(-2) === path.split('/').at(-1)),
    };
    return (await lostPools(client, { account, pools, chosen: ['master'] })).refused;
  };
  const elsewhere = accessObjects({ ...given, account: { ...account, namespace: 'pk-prod' } });

  expect(await refused(['worker', 'master'], ['worker', 'master'])).toEqual(['worker']);
  expect(await refused([], [])).toEqual(['worker']);
  expect(await refused(['master'], ['worker', 'master'])).toEqual([]);
  expect(await refused(['worker'], ['master'])).toEqual([]);
  expect(await refused(['worker'], ['worker'], elsewhere)).toEqual([]);
});

test('[C-13] connecting again without naming pools keeps one that upgrades wait for, as it was named before', async () => {
  const demo = await demoCluster();
  onTestFinished(() => demo.close());
  const role = accessObjects({ ...given, pools: ['worker', 'master'] }).find(
    ({ metadata }) => metadata.name === 'poolkeeper-pause',
  );
  const answers: Readonly<Record<string, unknown>> = {
    '/version': { gitVersion: 'v1.31.0' },
    '/apis/machineconfiguration.openshift.io/v1': {},
    '/apis/machineconfiguration.openshift.io/v1/machineconfigpools': {
      metadata: {},
      items: demo.world.openshift.registry.list(machineConfigPools),
    },
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/poolkeeper-pause': role,
  };
  const before = await startStub(({ path }) => (path in answers ? { body: answers[path] } : { status: 404, body: {} }));
  const file = join(demo.folder, 'before');
  await writeFile(file, (await readFile(demo.kubeconfig, 'utf8')).replaceAll(demo.world.openshift.url, before.url));

  const { text } = await demo.run(connect, '--name', 'demo', '--kubeconfig', file, '--output', 'yaml');

  const granted = parseAllDocuments(text)
    .map((each) => each.toJS())
    .find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'poolkeeper-pause');
  expect(granted.rules[0].resourceNames).toEqual(['master', 'worker']);
});

test('[C-13] what connecting makes is printed for the simulated cluster, too, which has no roles', async () => {
  const demo = await demoCluster();
  onTestFinished(() => demo.close());

  const { status, text } = await demo.run(connect, '--name', 'demo', '--output', 'yaml');

  expect([status, text]).toEqual([0, expect.stringContaining('name: poolkeeper-pause')]);
});
