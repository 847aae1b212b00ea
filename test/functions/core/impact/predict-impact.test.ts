import { describe, expect, test } from 'vitest';
import type { ImpactCluster, ImpactPool } from '../../../../functions/core/impact/impact-cluster.ts';
import { predictImpact } from '../../../../functions/core/impact/predict-impact.ts';
import { isObject } from '../../../../functions/core/impact/same-content.ts';
import { classOfChange } from '../../../../functions/core/machine-config/class-of-change.ts';
import { classify, rank } from '../../../../functions/core/machine-config/classify.ts';
import { changedFacets } from '../../../../functions/core/machine-config/facet-change.ts';
import { machineConfigOfManifest } from '../../../../functions/core/machine-config/machine-config.ts';
import { updateKind } from '../../../../functions/core/machine-config/update-kind.ts';
import type { Change, Manifest, ManifestChange } from '../../../../functions/core/openshift/manifest.ts';
import { aPool } from '../../../fakes/builders.ts';
import { fc } from '../../../property.ts';
import { machineConfig, machineConfigObject, roleKey, type Saying } from '../machine-config/builders.ts';
import { renderPool } from '../machine-config/render-pool.ts';

function pool(name: string, roles: readonly string[], change: Partial<ImpactPool> = {}): ImpactPool {
  return {
    ...aPool({ name }),
    labels: name === 'infra' ? {} : { 'machineconfiguration.openshift.io/mco-built-in': '' },
    machineConfigSelector: { matchExpressions: [{ key: roleKey, operator: 'In', values: roles }] },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    ...change,
  };
}

const pools = [pool('master', ['master']), pool('worker', ['worker']), pool('infra', ['worker', 'infra'])];

function manifest(name: string, saying: Saying): Manifest {
  const { metadata, spec } = machineConfigObject(name, saying);
  const labels = isObject(metadata) && isObject(metadata['labels']) ? metadata['labels'] : {};
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name,
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
    annotations: saying.annotations ?? {},
    body: { spec },
  };
}

function other(group: string, kind: string, name: string, spec: Readonly<Record<string, unknown>>): Manifest {
  return { group, kind, namespace: '', name, labels: {}, annotations: {}, body: { spec } };
}

function change(...manifests: readonly Partial<ManifestChange>[]): Change {
  return {
    manifests: manifests.map((each) => ({ before: undefined, after: undefined, files: ['a.yaml'], ...each })),
    unknown: [],
  };
}

function predict(asked: Change, cluster: Partial<ImpactCluster> = {}) {
  return predictImpact({
    cluster: { name: 'prod', pools, machineConfigs: [], layeredPools: [], ...cluster },
    applications: ['nodes'],
    change: asked,
  });
}

describe('the impact of a change', () => {
  test('[N-1] [S3-2] [S1-17] is told for the pools that render anew, with class, reason, source and diff', () => {
    const before = manifest('50-chrony', { files: { '/etc/chrony.conf': 'server a\n' } });
    const after = manifest('50-chrony', { files: { '/etc/chrony.conf': 'server b\n' } });
    const live = [machineConfig('50-chrony', { files: { '/etc/chrony.conf': 'server a\n' } })];

    const impact = predict(change({ before, after }), { machineConfigs: live });

    expect(impact.pools.map((each) => [each.pool, each.class, each.update])).toEqual([
      ['worker', 'reboot', 'files'],
      ['infra', 'reboot', 'files'],
    ]);
    expect(impact.pools[0]).toMatchObject({
      machines: 3,
      maxUnavailable: '1',
      why: ['MachineConfig 50-chrony is changed: the pool selects role worker'],
      reasons: [{ what: 'file /etc/chrony.conf', class: 'reboot', source: '50-chrony' }],
      diff: [{ lines: ['@@ -1 +1 @@', '-server a', '+server b'] }],
    });
  });

  test('[N-1] [S1-16] is nothing where a later source wins, and a warning says which', () => {
    const live = [machineConfig('90-chrony', { files: { '/etc/chrony.conf': 'server z\n' } })];
    const after = manifest('50-chrony', { files: { '/etc/chrony.conf': 'server b\n' } });

    const impact = predict(change({ after }), { machineConfigs: live });

    expect(impact.pools[0]).toMatchObject({
      class: 'none',
      update: 'nothing',
      why: [expect.any(String), 'its rendered config does not change'],
      warnings: [{ code: 'overridden', text: expect.stringContaining('by 90-chrony') }],
    });
  });

  test('[N-1] is nothing where only metadata changes, and the reason is told', () => {
    const saying = { files: { '/etc/a': 'x' } };

    const impact = predict(
      change({ before: manifest('50-x', saying), after: manifest('50-x', { ...saying, annotations: { a: 'b' } }) }),
    );

    expect(impact.pools).toEqual([]);
    expect(impact.silent).toEqual([{ what: 'MachineConfig 50-x', why: expect.any(String) }]);
  });

  test('[S1-17] of a MachineConfig that goes shows who wins now', () => {
    const live = [
      machineConfig('50-a', { files: { '/etc/a': 'old\n' } }),
      machineConfig('60-a', { files: { '/etc/a': 'new\n' } }),
    ];

    const impact = predict(change({ before: manifest('60-a', { files: { '/etc/a': 'new\n' } }) }), {
      machineConfigs: live,
    });

    expect(impact.pools[0]?.diff).toMatchObject([
      { change: 'changed', source: { before: '60-a', after: '50-a' }, lines: expect.arrayContaining(['-new', '+old']) },
    ]);
  });

  test('[S1-17] without the contents of the cluster the two sides of Git decide, and it is said', () => {
    const impact = predict(change({ after: manifest('50-x', { keys: ['ssh-ed25519 AAAA a'] }) }), {
      machineConfigs: undefined,
    });

    expect(impact.pools[0]).toMatchObject({ class: 'none', update: 'files' });
    expect(impact.pools[0]?.why.join()).toContain('the other MachineConfigs of the pool are unknown');
  });

  test.each<readonly [string, Manifest, string]>([
    [
      'KubeletConfig',
      other('machineconfiguration.openshift.io', 'KubeletConfig', 'k', {
        machineConfigPoolSelector: { matchLabels: { 'machineconfiguration.openshift.io/mco-built-in': '' } },
      }),
      'reboot',
    ],
    [
      'ImageDigestMirrorSet',
      other('config.openshift.io', 'ImageDigestMirrorSet', 'm', { imageDigestMirrors: [] }),
      'drain',
    ],
    ['ClusterImagePolicy', other('config.openshift.io', 'ClusterImagePolicy', 'p', { scopes: ['a'] }), 'drain'],
    [
      'Image',
      other('config.openshift.io', 'Image', 'cluster', { registrySources: { insecureRegistries: ['a'] } }),
      'drain',
    ],
    [
      'Image with search registries',
      other('config.openshift.io', 'Image', 'cluster', {
        registrySources: { containerRuntimeSearchRegistries: ['a'] },
      }),
      'reboot',
    ],
    ['Proxy', other('config.openshift.io', 'Proxy', 'cluster', { httpProxy: 'a' }), 'reboot'],
  ])('[S1-17] of what the MCO makes files of is the worst that these files may need: %s', (_, after, expected) => {
    const impact = predict(change({ after }));

    expect(impact.pools.map((each) => each.class)).toContain(expected);
    expect(new Set(impact.pools.map((each) => each.class)).size).toBe(1);
  });

  test('[S1-17] of what cannot be read is undefined: a reboot must be assumed', () => {
    const impact = predictImpact({
      cluster: { name: 'prod', pools, machineConfigs: [] },
      applications: ['nodes'],
      change: { manifests: [], unknown: [{ path: 'helm/', why: 'rendered by Helm' }] },
      assumed: [{ pool: 'worker', why: 'it manages MachineConfig 50-x' }],
    });

    expect(impact.pools).toMatchObject([{ pool: 'worker', class: undefined, update: 'unknown' }]);
    expect(impact.unknown).toEqual([{ path: 'helm/', why: 'rendered by Helm' }]);
  });

  test('[S3-6] shows nodes and maxUnavailable, and warns where many go at once', () => {
    const wide = pool('worker', ['worker'], {
      maxUnavailable: '60%',
      counts: { machines: 10, updated: 10, ready: 10, unavailable: 0, degraded: 0 },
    });

    const impact = predict(change({ after: manifest('50-x', { files: { '/etc/a': 'x' } }) }), { pools: [wide] });

    expect(impact.pools).toMatchObject([{ machines: 10, maxUnavailable: '60%' }]);
    expect(impact.pools[0]?.warnings.map(({ code }) => code)).toContain('max-unavailable-large');
  });

  test('a MachineConfig that the cluster has with another role reaches the pool that has it now', () => {
    const live = [machineConfig('50-x', { role: 'master', files: { '/etc/a': 'x' } })];
    const after = manifest('50-x', { files: { '/etc/a': 'y' } });

    const impact = predict(change({ before: manifest('50-x', { files: { '/etc/a': 'x' } }), after }), {
      machineConfigs: live,
    });

    expect(impact.pools.map((each) => each.pool).toSorted()).toEqual(['infra', 'master', 'worker']);
  });

  test('[S1-17] agrees with the difference of the whole rendered configs, and is never above the class of its sides', () => {
    const path = fc.constantFrom('/etc/a', '/etc/b', '/etc/containers/policy.json', '/etc/nmstate/openshift/x');
    const saying = fc.record(
      {
        role: fc.constantFrom('worker', 'infra', 'master'),
        files: fc.dictionary(path, fc.constantFrom('1', '2'), { maxKeys: 2 }),
        keys: fc.array(fc.constantFrom('k1', 'k2'), { maxLength: 1 }),
        spec: fc.record(
          {
            kernelArguments: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
            odd: fc.constantFrom(undefined, 1),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(
        fc.array(saying, { maxLength: 6 }),
        fc.nat(5),
        fc.option(saying, { nil: undefined }),
        (list, at, now) => {
          const live = list.map((each, index) => machineConfig(`${10 + index}-x`, each));
          const name = `${10 + at}-x`;
          const said = list[at];
          const before = said === undefined ? undefined : manifest(name, said);
          const after = now === undefined ? undefined : manifest(name, now);

          const impact = predict(change({ before, after }), { machineConfigs: live });

          const changed = machineConfigOfManifest(after);
          const next = [...live.filter((each) => each.name !== name), ...(changed === undefined ? [] : [changed])];
          const bound = classOfChange({ before: machineConfigOfManifest(before), after: changed });
          for (const each of pools) {
            const differences = changedFacets(renderPool(each, live).facets, renderPool(each, next).facets);
            const told = impact.pools.find((one) => one.pool === each.name);
            expect(told?.update ?? 'nothing').toBe(updateKind(differences));
            expect(told?.class ?? 'none').toBe(classify(differences).class);
            expect(rank(bound.class)).toBeGreaterThanOrEqual(rank(told?.class ?? 'none'));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of thousands of files is told in a bounded diff', () => {
    const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`/etc/f${index}`, `${index}`]));

    const impact = predict(change({ after: manifest('50-x', { files }) }));

    expect(impact.pools[0]?.diff).toHaveLength(101);
    expect(impact.pools[0]?.diff.at(-1)?.what).toBe('2900 more');
    expect(impact.pools[0]?.class).toBe('reboot');
  });
});
