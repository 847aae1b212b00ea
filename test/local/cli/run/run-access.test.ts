import { describe, expect, it } from 'vitest';
import { NodeTurns } from '../../../../functions/core/configuration/node-turns.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import { manifestsYaml } from '../../../../local/manifests/manifests.ts';
import { canaryLimits, runRights } from '../../../../local/manifests/run-access.ts';

type Data = Readonly<Record<string, unknown>>;

const rule = (apiGroup: string, resource: string, verbs: readonly string[], ...resourceNames: readonly string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
  verbs,
});

const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };

function turnsWith(run: Data = {}) {
  return NodeTurns.parse({
    rules: {
      'shop/move': { jobNamespace: 'databases', jobSpec },
      'shop/silence': { cleanUpJobSpec: jobSpec },
      'shop/quorum': {
        type: 'gate',
        gate: { resourceType: 'deployment', resourceName: 'db', resourceNamespace: 'shop' },
      },
    },
    targets: { all: { machineConfigPools: ['worker', 'storage'] } },
    runs: {
      upgrade: {
        cluster: 'prod',
        mode: 'turns',
        mutexRules: ['move', 'silence', 'quorum'].map((name) => ({ name, namespace: 'shop' })),
        mutexTargets: [{ name: 'all' }],
        ...run,
      },
    },
  });
}

describe('the rights of runs', () => {
  it('[S4-26] [C-11] are Jobs in the namespaces of the rules, nodes, and the record; no secrets, exec or delete', () => {
    const { everywhere, byNamespace } = runRights(turnsWith(), 'prod');
    const jobs = [rule('batch', 'jobs', ['create', 'get', 'list']), rule('', 'pods/log', ['get'])];

    expect(everywhere).toEqual([rule('', 'nodes', ['patch'])]);
    expect(Object.fromEntries(byNamespace)).toEqual({
      databases: jobs,
      poolkeeper: [
        rule('', 'configmaps', ['get', 'patch'], 'poolkeeper-run-upgrade'),
        rule('', 'configmaps', ['create']),
      ],
      shop: [...jobs, rule('apps', 'deployments', ['get', 'list'], 'db')],
    });
    expect(JSON.stringify([everywhere, [...byNamespace]])).not.toMatch(/secrets|exec|delete|\*/);
  });

  it('[S4-33] [S4-26] of a rule that stands in the cluster are its object by name, and Jobs where the configuration says', () => {
    const turns = NodeTurns.parse({
      rules: { 'shop/move': { jobNamespace: 'databases', fromCluster: true } },
      targets: { all: { machineConfigPools: ['worker'] } },
      runs: {
        upgrade: {
          cluster: 'prod',
          mode: 'turns',
          mutexRules: [{ name: 'move', namespace: 'shop' }],
          mutexTargets: [{ name: 'all' }],
        },
      },
    });

    expect(Object.fromEntries(runRights(turns, 'prod').byNamespace)).toMatchObject({
      databases: [rule('batch', 'jobs', ['create', 'get', 'list']), rule('', 'pods/log', ['get'])],
      shop: [rule('openshift-optional.skrzypek.io', 'mutexrules', ['get'], 'move')],
    });
  });

  it('[S4-26] [S4-36] of mode canary are the selectors of custom pools besides, never that of worker', () => {
    const ofCanary = (canary: Data) => runRights(turnsWith({ mode: 'canary', canary }), 'prod').everywhere;
    const pools = (...names: readonly string[]) =>
      names.map((name) => rule('machineconfiguration.openshift.io', 'machineconfigpools', ['patch'], name));

    expect(ofCanary({ name: 'canary' })).toEqual([rule('', 'nodes', ['patch']), ...pools('storage')]);
    expect(ofCanary({ name: 'canary', exclude: true })).toEqual([
      rule('', 'nodes', ['patch']),
      ...pools('storage', 'canary'),
    ]);
  });

  it('[S4-26] [N-30] of the record are in one namespace; where an earlier version kept it, it is only read', () => {
    const { byNamespace } = runRights(turnsWith({ namespace: 'shop' }), 'prod');
    const records = (namespace: string) =>
      byNamespace.get(namespace)?.filter(({ resources }) => resources.includes('configmaps'));

    expect(records('poolkeeper')).toEqual([
      rule('', 'configmaps', ['get', 'patch'], 'poolkeeper-run-upgrade'),
      rule('', 'configmaps', ['create']),
    ]);
    expect(records('shop')).toEqual([rule('', 'configmaps', ['get'], 'poolkeeper-run-upgrade')]);
  });

  it('[S4-27] need nothing that reboots a node or stays on it: no MachineConfig, no pod of ours, no right to make either', () => {
    const modes = [{}, { mode: 'canary', canary: { name: 'canary' } }];
    const made = modes.map((run) => {
      const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
      const runs = runRights(turnsWith(run), 'prod');
      return accessObjects({ account, pauses: true, pools: [], argocdNamespaces: [], runs });
    });

    const kinds = made.flat().map(({ kind }) => kind);
    expect(kinds).toContain('ClusterRole');
    expect(
      kinds.filter(
        (kind) => !/^(Namespace|ServiceAccount|Secret|(Cluster)?Role(Binding)?|ValidatingAdmission\w+)$/.test(kind),
      ),
    ).toEqual([]);
    for (const run of modes) {
      const { everywhere, byNamespace } = runRights(turnsWith(run), 'prod');
      const all = [...everywhere, ...[...byNamespace.values()].flat()];
      const creating = all.filter(({ verbs }) => verbs.includes('create')).flatMap(({ resources }) => resources);

      expect([...new Set(creating)].toSorted()).toEqual(['configmaps', 'jobs']);
      expect(all.flatMap(({ resources }) => resources)).not.toContain('machineconfigs');
    }
  });

  it('[S4-6] [S4-26] of mode canary are limited to its labels and to the selectors of its pools', () => {
    const limitsOf = (canary: Data) => canaryLimits(turnsWith({ mode: 'canary', canary }), 'prod');

    expect(limitsOf({ name: 'canary', label: 'ring' })).toEqual({ labels: ['ring'], selectors: ['storage'] });
    expect(limitsOf({ name: 'canary', exclude: true })).toEqual({
      labels: [
        ...['move', 'silence', 'quorum'].map((name) => `rule.poolkeeper.dev/${name}.shop`),
        'run.poolkeeper.dev/upgrade',
      ],
      selectors: ['storage', 'canary'],
    });
    expect(canaryLimits(turnsWith(), 'prod')).toEqual({ labels: [], selectors: [] });
  });

  it('[S4-26] are none for runs that are left out, and on other clusters', () => {
    const none = { everywhere: [], byNamespace: new Map() };

    expect(runRights(turnsWith({ disabled: true }), 'prod')).toEqual(none);
    expect(runRights(turnsWith(), 'edge')).toEqual(none);
    expect(runRights(undefined, 'prod')).toEqual(none);
  });

  it.each([
    { parts: ['access'] as const, run: {}, times: 1 },
    { parts: ['access', 'admission-limit'] as const, run: {}, times: 1 },
    { parts: ['access'] as const, run: { disabled: true }, times: 0 },
  ])(
    '[S4-26] [C-11] are printed with the policy that limits them, once, also by --only $parts',
    ({ parts, run, times }) => {
      const text = manifestsYaml({
        level: 'react',
        pauses: true,
        parts,
        pools: [],
        namespace: 'poolkeeper',
        argocdNamespace: undefined,
        applicationNamespaces: [],
        form: 'operator',
        argocdResource: 'argocd',
        instance: 'hub',
        cluster: 'prod',
        application: 'APPLICATION',
        url: 'https://poolkeeper.example.com',
        image: 'image',
        except: [],
        restartsSyncs: false,
        readsLogs: false,
        pausesHealthChecks: false,
        runs: runRights(turnsWith(run), 'prod'),
        tokenHours: 24,
        audience: undefined,
        shippedNotifications: '',
      });

      expect(text.split('policyName: poolkeeper-may-only-let-go')).toHaveLength(times + 1);
    },
  );

  it('[S4-26] are printed as roles of their own, bound to the account', () => {
    const objects = accessObjects({
      account: { namespace: 'poolkeeper', name: 'poolkeeper' },
      pauses: true,
      pools: [],
      argocdNamespaces: [],
      runs: runRights(turnsWith(), 'prod'),
    });
    const named = objects.filter(({ metadata }) => String(metadata['name']).endsWith('-runs'));

    expect(named.map(({ kind, metadata }) => [kind, metadata['namespace']])).toEqual([
      ['ClusterRole', undefined],
      ['ClusterRoleBinding', undefined],
      ...['databases', 'poolkeeper', 'shop'].flatMap((namespace) => [
        ['Role', namespace],
        ['RoleBinding', namespace],
      ]),
    ]);
  });
});
