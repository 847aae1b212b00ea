import { describe, expect, test } from 'vitest';
import { poolsOf } from '../../../../functions/core/impact/pools-of.ts';
import type { Manifest, ManifestChange } from '../../../../functions/core/openshift/manifest.ts';
import { roleLabel } from '../../../../functions/core/openshift/role-label.ts';
import type { LabelSelector } from '../../../../functions/core/openshift/selector.ts';
import { fc } from '../../../property.ts';
import { added, aManifest, changed, poolOfRoles, removed, usualPools } from './live.ts';

const mco = 'machineconfiguration.openshift.io';
const config = 'config.openshift.io';

function names(change: ManifestChange, pools = usualPools): readonly string[] {
  return poolsOf(change, { pools }).pools.map(({ pool }) => pool);
}

function spec(manifest: Manifest, content: Readonly<Record<string, unknown>>): Manifest {
  return { ...manifest, body: { spec: content } };
}

describe('a MachineConfig', () => {
  test('[S0-3] [S3-2] of worker reaches worker and every custom pool that inherits it, and of a custom pool only that one', () => {
    const ofWorker = names(added(aManifest()));
    const ofInfra = names(added(aManifest({ labels: { [roleLabel]: 'infra' } })));

    expect(ofWorker).toEqual(['worker', 'infra']);
    expect(ofInfra).toEqual(['infra']);
  });

  test('[S0-3] that is removed reaches the pools that selected it', () => {
    expect(names(removed(aManifest({ labels: { [roleLabel]: 'edge' } })))).toEqual(['edge']);
  });

  test('[S0-3] that changes its role reaches the pools that lose it and those that gain it, and no pool that selects it as before in the same place', () => {
    const before = aManifest({ labels: { [roleLabel]: 'worker' } });
    const after = aManifest({ labels: { [roleLabel]: 'infra' } });
    const both = [...usualPools, poolOfRoles('both', ['edge', 'infra'])];

    expect(names(changed(after, aManifest({ labels: { [roleLabel]: 'edge' } })), both)).toEqual(['infra', 'edge']);
    // Role worker is merged before all others: infra has it in another place.
    expect(names(changed(before, after))).toEqual(['worker', 'infra']);
    expect(names(changed(before, spec(after, { kernelArguments: ['a=2'] })))).toEqual(['worker', 'infra']);
  });

  test('[N-1] of which only annotations, status or the order of keys change, renders nothing and says so', () => {
    const before = aManifest({ body: { spec: { a: 1, b: 2 } } });
    const after = aManifest({ annotations: { a: 'b' }, body: { spec: { b: 2, a: 1 }, status: { x: 1 } } });

    expect(poolsOf(changed(before, after), { pools: usualPools })).toEqual({
      pools: [],
      silent: 'MachineConfig 99-worker-chrony: neither its spec nor its labels change',
      isSame: true,
    });
  });

  test('[S3-3] without labels reaches no pool and says so', () => {
    const answer = poolsOf(added(aManifest({ labels: {} })), { pools: usualPools });

    expect(answer).toEqual({ pools: [], silent: 'MachineConfig 99-worker-chrony has no labels that a pool selects' });
  });

  test.each([
    ['rendered-worker-0123', {}],
    ['99-worker-generated-registries', { [`${mco}/generated-by-controller-version`]: 'abc' }],
    ['rendered-worker-0123', { [`${mco}/generated-by-controller-version`]: 'abc' }],
  ])(
    '[S0-3] [C-11] that only looks as if the MCO had made it (%s, %o) reaches its pools like any other',
    (name, annotations) => {
      expect(names(added(aManifest({ name, annotations })))).toEqual(['worker', 'infra']);
      expect(names(removed(aManifest({ name, annotations })))).toEqual(['worker', 'infra']);
    },
  );

  test.each(['generated-by-controller-version', 'anything-that-it-may-read'])(
    '[S0-3] [C-11] of which an annotation of the MCO comes, goes or changes reaches its pools: %s',
    (key) => {
      const [plain, marked, other] = [{}, { [`${mco}/${key}`]: 'a' }, { [`${mco}/${key}`]: 'b' }].map((annotations) =>
        aManifest({ annotations }),
      ) as [Manifest, Manifest, Manifest];

      expect(names(changed(plain, marked))).toEqual(['worker', 'infra']);
      expect(names(changed(marked, plain))).toEqual(['worker', 'infra']);
      expect(names(changed(marked, other))).toEqual(['worker', 'infra']);
      expect(names(changed(marked, marked))).toEqual([]);
    },
  );
});

describe('two hops', () => {
  const kubelet = (selector: unknown): Manifest =>
    aManifest({
      kind: 'KubeletConfig',
      name: 'max-pods',
      labels: {},
      body: { spec: { machineConfigPoolSelector: selector } },
    });
  const byPool = (name: string) => ({ matchLabels: { [`pools.operator.${mco}/${name}`]: '' } });

  test('[S3-2] a KubeletConfig for worker reaches worker and the pools that inherit its role', () => {
    expect(names(added(kubelet(byPool('worker'))))).toEqual(['worker', 'infra']);
    expect(names(added(kubelet(byPool('edge'))))).toEqual(['edge']);
  });

  test('[S0-3] one that moves to another pool reaches both', () => {
    expect(names(changed(kubelet(byPool('edge')), kubelet(byPool('infra'))))).toEqual(['infra', 'edge']);
  });

  test('without a selector it reaches none, and with one that cannot be read every pool', () => {
    expect(names(added(kubelet(undefined)))).toEqual([]);
    expect(names(added(kubelet({ matchLabels: ['?'] })))).toEqual(['master', 'worker', 'infra', 'edge']);
  });
});

describe('the rest of the table', () => {
  const all = ['master', 'worker', 'infra', 'edge'];

  test.each<[string, Partial<Manifest>, readonly string[]]>([
    ['mirrors', { group: config, kind: 'ImageDigestMirrorSet', name: 'm' }, ['master', 'worker', 'infra']],
    [
      'old mirrors',
      { group: 'operator.openshift.io', kind: 'ImageContentSourcePolicy', name: 'm' },
      ['master', 'worker', 'infra'],
    ],
    ['signatures', { group: config, kind: 'ClusterImagePolicy', name: 'm' }, ['master', 'worker', 'infra']],
    ['registries', { group: config, kind: 'Image', name: 'cluster' }, ['master', 'worker', 'infra']],
    ['another Image', { group: config, kind: 'Image', name: 'other' }, []],
    ['node defaults', { group: config, kind: 'Node', name: 'cluster' }, all],
    ['features', { group: config, kind: 'FeatureGate', name: 'cluster' }, all],
    ['proxy', { group: config, kind: 'Proxy', name: 'cluster' }, all],
    ['pull secret', { group: '', kind: 'Secret', name: 'pull-secret', namespace: 'openshift-config' }, all],
    ['another pull secret', { group: '', kind: 'Secret', name: 'pull-secret', namespace: 'apps' }, []],
    ['pinned images', { kind: 'PinnedImageSet', name: 'p' }, []],
    ['disruption policy', { group: 'operator.openshift.io', kind: 'MachineConfiguration', name: 'cluster' }, []],
    ['a kind of tomorrow', { kind: 'MachineWhatever', name: 'x' }, all],
    ['a controller config', { kind: 'ControllerConfig', name: 'machine-config-controller' }, all],
    ['tuning', { group: 'tuned.openshift.io', kind: 'Tuned', name: 't' }, ['worker', 'infra', 'edge']],
    ['[S0-2] a Deployment', { group: 'apps', kind: 'Deployment', name: 'web' }, []],
  ])('[S0-3] %s', (_, change, expected) => {
    expect(names(added(aManifest({ labels: {}, ...change })))).toEqual(expected);
  });

  test('another operator that names the control plane reaches it too', () => {
    const profile = aManifest({
      group: 'performance.openshift.io',
      kind: 'PerformanceProfile',
      body: { spec: { nodeSelector: { 'node-role.kubernetes.io/master': '' } } },
    });

    expect(names(added(profile))).toEqual(['master', 'worker', 'infra', 'edge']);
  });

  test('an image for a pool reaches the pool that it names, before and after', () => {
    const build = (pool: string) =>
      aManifest({ kind: 'MachineOSConfig', name: 'layered', body: { spec: { machineConfigPool: { name: pool } } } });

    expect(names(changed(build('infra'), build('edge')))).toEqual(['infra', 'edge']);
  });

  test('[S0-3] a build reaches the pool of its rendered config, and whatever else it may be counted for', () => {
    const hash = '0123456789abcdef0123456789abcdef';
    const build = (config: string, of = 'infra', label = 'infra') =>
      aManifest({
        kind: 'MachineOSBuild',
        name: 'infra-1a2b',
        labels: { [`${mco}/target-machine-config-pool`]: label },
        body: { spec: { machineConfig: { name: config }, machineOSConfig: { name: of } } },
      });
    const own = build(`rendered-infra-${hash}`);

    expect(names(added(own))).toEqual(['infra']);
    expect(names(removed(own))).toEqual(['infra']);
    expect(names(added(build(`rendered-edge-${hash}`)))).toEqual(['infra', 'edge']);
    expect(names(added(build(`rendered-edge-${hash}`, 'worker')))).toEqual(['worker', 'infra', 'edge']);
    const taken = { ...own, labels: { [`${mco}/machine-os-config`]: 'edge' } };
    expect(names(added(taken))).toEqual(['infra', 'edge']);
    expect(names(added(build('99-infra')))).toEqual(all);
    expect(names(added(build('rendered-infra-1')))).toEqual(all);
    expect(names(added(spec(own, {})))).toEqual(all);
    // The MCO does not find it any more, and builds again.
    expect(names(changed(own, { ...own, labels: {} }))).toEqual(['infra']);
    expect(names(changed(own, { ...own, annotations: { note: 'x' } }))).toEqual([]);
    expect(poolsOf(added(build(`rendered-gone-${hash}`, 'gone', 'gone')), { pools: usualPools }).silent).toBe(
      'MachineOSBuild infra-1a2b belongs to no existing pool',
    );
  });

  test('[N-1] of APIServer and ClusterVersion only the fields that are rendered count', () => {
    const server = aManifest({ group: config, kind: 'APIServer', name: 'cluster', labels: {} });
    const audit = changed(spec(server, { audit: { profile: 'A' } }), spec(server, { audit: { profile: 'B' } }));
    const tls = changed(spec(server, {}), spec(server, { tlsSecurityProfile: { type: 'Modern' } }));

    expect(poolsOf(audit, { pools: usualPools }).silent).toMatch(/only fields change that are not rendered/);
    expect(names(tls)).toEqual(['master', 'worker', 'infra', 'edge']);
  });

  test('of a pool its selectors count, and paused and maxUnavailable do not', () => {
    const pool = aManifest({ kind: 'MachineConfigPool', name: 'infra', labels: {} });
    const base = { machineConfigSelector: { matchLabels: { a: 'b' } }, nodeSelector: { matchLabels: { c: 'd' } } };
    const selector = { ...base, machineConfigSelector: { matchLabels: { a: 'x' } } };
    const nodes = { ...base, nodeSelector: { matchLabels: { c: 'x' } } };

    expect(names(changed(spec(pool, base), spec(pool, { ...base, paused: true, maxUnavailable: 3 })))).toEqual([]);
    expect(names(changed(spec(pool, base), spec(pool, selector)))).toEqual(['infra']);
    expect(names(changed(spec(pool, base), spec(pool, nodes)))).toEqual(['worker', 'infra']);
    expect(names(removed(spec(pool, base)))).toEqual(['worker', 'infra']);
  });

  test('[S1-15] a live pool that Git takes in as it is renders nothing; with another selector, stream or label it may', () => {
    const labels = { 'pools.operator.machineconfiguration.openshift.io/edge': '' };
    const pool = aManifest({ kind: 'MachineConfigPool', name: 'edge', labels });
    const asLive = {
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'edge' } },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/edge': '' }, matchExpressions: null },
      maxUnavailable: 2,
    };
    const other = { ...asLive, nodeSelector: { matchLabels: { 'node-role.kubernetes.io/far': '' } } };

    expect(names(added(spec(pool, asLive)))).toEqual([]);
    expect(names(added(spec(pool, other)))).toEqual(['edge']);
    expect(names(added(spec(pool, { ...asLive, machineConfigSelector: {} })))).toEqual(['edge']);
    expect(names(added(spec(pool, { ...asLive, osImageStream: { name: 'rhel-10' } })))).toEqual(['edge']);
    expect(names(added({ ...spec(pool, asLive), labels: { ...labels, 'custom-kubelet': 'large' } }))).toEqual(['edge']);
  });

  test('a node that gets the label of a pool may move into it', () => {
    const node = aManifest({ group: '', kind: 'Node', name: 'n1', labels: {}, body: {} });

    expect(names(changed(node, { ...node, labels: { 'node-role.kubernetes.io/edge': '' } }))).toEqual(['edge']);
    expect(names(changed(node, { ...node, labels: { rack: '7' } }))).toEqual([]);
  });
});

const key = fc.constantFrom(roleLabel, 'a', 'b');
const value = fc.constantFrom('worker', 'infra', 'x', '');
const labels = fc.dictionary(key, value, { maxKeys: 3 });
const requirement = fc.record({
  key,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(value, { maxLength: 3 }),
});
const selector: fc.Arbitrary<LabelSelector | undefined> = fc.option(
  fc.record({ matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 3 }) }),
  { nil: undefined },
);

/** The rules of a label selector, written down once more and as plainly as can be. */
function holds(wanted: LabelSelector | undefined, given: Readonly<Record<string, string>>): boolean {
  const all = [
    ...Object.entries(wanted?.matchLabels ?? {}).map(([name, text]) => given[name] === text),
    ...(wanted?.matchExpressions ?? []).map(({ key: name, operator, values = [] }) => {
      const has = Object.keys(given).includes(name);
      if (operator === 'Exists') return has;
      if (operator === 'DoesNotExist') return !has;
      const isIn = has && values.includes(given[name] ?? '');
      return operator === 'In' ? isIn : !isIn;
    }),
  ];
  return all.length > 0 && !all.includes(false);
}

describe('whatever the selectors', () => {
  test('[S0-3] a MachineConfig reaches exactly the pools whose selector holds for its labels, before or after', () => {
    fc.assert(
      fc.property(fc.array(selector, { maxLength: 6 }), labels, labels, (selectors, before, after) => {
        const pools = selectors.map((each, index) => poolOfRoles(`p${index}`, [], { machineConfigSelector: each }));
        const change = changed(
          aManifest({ labels: before, body: { spec: 1 } }),
          aManifest({ labels: after, body: { spec: 2 } }),
        );

        const expected = selectors.flatMap((each, index) =>
          holds(each, before) || holds(each, after) ? [`p${index}`] : [],
        );

        expect(names(change, pools)).toEqual(expected);
      }),
    );
  });

  test('[S0-3] a KubeletConfig reaches exactly the pools that select the role of a pool that it chooses', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ selector, labels }), { maxLength: 5 }), selector, (parts, wanted) => {
        const roles = ['worker', 'infra', 'x', 'y', 'z'];
        const pools = parts.map((part, index) =>
          poolOfRoles(roles[index] ?? '', [], { machineConfigSelector: part.selector, labels: part.labels }),
        );
        const body = { spec: { machineConfigPoolSelector: wanted } };

        const chosen = pools.filter((pool) => holds(wanted, pool.labels)).map((pool) => pool.name);
        const expected = pools
          .filter((pool) => chosen.some((role) => holds(pool.machineConfigSelector, { [roleLabel]: role })))
          .map((pool) => pool.name);

        expect(names(added(aManifest({ kind: 'KubeletConfig', body })), pools)).toEqual(expected);
      }),
    );
  });

  test('every change has pools or a reason, and names only pools that exist', () => {
    const kind = fc.constantFrom('MachineConfig', 'KubeletConfig', 'MachineConfigPool', 'MachineOSConfig', 'Other');
    const side = fc.option(fc.record({ kind, labels, body: fc.dictionary(fc.string(), fc.anything()) }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(side, side, (before, after) => {
        const change = {
          before: before && aManifest(before),
          after: after && aManifest(after),
          files: [],
        };

        const { pools, silent } = poolsOf(change, { pools: usualPools });

        expect(pools.length > 0).toBe(silent === undefined);
        expect(usualPools.map(({ name }) => name)).toEqual(expect.arrayContaining(pools.map(({ pool }) => pool)));
      }),
    );
  });
});
