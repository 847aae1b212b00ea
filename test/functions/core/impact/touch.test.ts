import { describe, expect, test } from 'vitest';
import { affectedPools } from '../../../../functions/core/impact/affected-pools.ts';
import type { Change, ManifestChange } from '../../../../functions/core/openshift/manifest.ts';
import { roleLabel } from '../../../../functions/core/openshift/role-label.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { anApplication, anOperation, naming } from '../../../fakes/builders.ts';
import { fc } from '../../../property.ts';
import { added, aManifest, changed, poolOfRoles, usualPools } from './live.ts';

const live = { pools: usualPools, machineConfigs: [], choosers: notAsked };
const group = 'machineconfiguration.openshift.io';

function managing(...names: readonly string[]) {
  return anApplication({
    resources: names.map((name) => ({ group, kind: 'MachineConfig', namespace: '', name, status: 'Synced' })),
  });
}

function changeOf(...manifests: readonly ManifestChange[]): Change {
  return { manifests, unknown: [] };
}

const ofInfra = added(aManifest({ name: '99-infra', labels: { [roleLabel]: 'infra' } }));
const deployment = added(aManifest({ group: 'apps', kind: 'Deployment', name: 'web', labels: {} }));

describe('pools that an Application touches', () => {
  test('[S0-2] [N-1] a known change of a Deployment touches none, whatever else the Application manages', () => {
    const touch = affectedPools(managing('00-worker', '00-master'), live, changeOf(deployment));

    expect(touch).toMatchObject({ pools: [], isExact: true });
    expect(touch.why).toMatch(/nothing in it that the Machine Config Operator renders/);
  });

  test('[S0-3] [N-1] a known change touches exactly its own pools', () => {
    const touch = affectedPools(managing('00-worker', '00-master'), live, changeOf(ofInfra, deployment));

    expect(touch).toMatchObject({ pools: ['infra'], isExact: true });
    expect(touch.why).toBe('MachineConfig 99-infra is added: the pool selects role infra');
  });

  test.each([
    ['adds and takes away', {}, ['edge']],
    ['only adds', { mayRemove: false }, ['infra', 'edge']],
    ['only takes away', { mayAdd: false }, []],
    ['does nothing', { mayAdd: false, mayRemove: false }, ['infra']],
  ])('[S0-3] [N-30] the annotation %s where the configuration lets it do no more', (_, may, expected) => {
    const application = { ...managing('00-worker'), ...naming('edge', may) };

    expect(affectedPools(application, live, changeOf(ofInfra)).pools).toEqual(expected);
  });

  test('[N-30] an annotation that is ignored is said', () => {
    const application = { ...managing('00-worker'), ...naming('edge', { mayAdd: false, mayRemove: false }) };

    expect(affectedPools(application, live).why).toMatch(
      /; its annotation poolkeeper\.dev\/pools \(edge\) is ignored: the configuration does not let it add pools \(argocd\[\]\.poolsAnnotation\.mayAdd\)$/,
    );
  });

  test('[N-30] property: nobody who is not trusted changes what is paused by what the annotation says', () => {
    const pools = fc.subarray(['master', 'worker', 'infra', 'edge', 'none', '', 'nowhere', ' worker ']);
    const names = fc.subarray(['00-worker', '00-master', '99-infra', '99-elsewhere']);
    const may = fc.record({ mayAdd: fc.boolean(), mayRemove: fc.boolean() });
    fc.assert(
      fc.property(pools, names, may, fc.boolean(), (said, managed, allowed, isKnown) => {
        const change = isKnown ? changeOf(ofInfra) : undefined;
        const plain = affectedPools(managing(...managed), live, change).pools;
        const found = affectedPools({ ...managing(...managed), ...naming(said.join(), allowed) }, live, change).pools;

        const named = said.map((each) => each.trim());
        const added = found.filter((pool) => !plain.includes(pool));
        const left = plain.filter((pool) => !found.includes(pool));

        expect(added.filter((pool) => !(allowed.mayAdd && named.includes(pool)))).toEqual([]);
        expect(left.filter((pool) => !allowed.mayRemove || named.includes(pool))).toEqual([]);
      }),
    );
  });

  test('[S0-3] where a tool renders something, what is managed counts beside what is known, and it is said', () => {
    const change = { ...changeOf(ofInfra), unknown: [{ path: 'nodes/values.yaml', why: 'helm renders it' }] };

    const touch = affectedPools(managing('00-master'), live, change);

    expect(touch).toMatchObject({ pools: ['master', 'infra'], isExact: false });
    expect(touch.why).toMatch(
      /^nodes\/values\.yaml cannot be evaluated \(helm renders it\); it manages MachineConfig 00-master/,
    );
  });

  test('[S0-3] what was out of sync before the push is written by the same sync', () => {
    const application = managing('00-master', '00-worker');
    const drifted = {
      ...application,
      resources: application.resources.map((each) =>
        each.name === '00-master' ? { ...each, status: 'OutOfSync' } : each,
      ),
    };

    expect(affectedPools(drifted, live, changeOf(ofInfra)).pools).toEqual(['master', 'infra']);
  });

  test('[S0-3] an Application that stands elsewhere than the push began, or syncs something else, is judged by all it manages', () => {
    const [at, older, after] = ['a', 'b', 'c'].map((letter) => letter.repeat(40));
    const change = { ...changeOf(ofInfra), from: [at ?? ''], to: after };
    const standing = { ...managing('00-master'), sync: { status: 'Synced' as const, revisions: [at ?? ''] } };
    const behind = { ...standing, sync: { status: 'Synced' as const, revisions: [older ?? ''] } };
    const running = {
      ...standing,
      operation: anOperation({ phase: 'Running', revisions: [older ?? ''], results: [] }),
    };
    const own = { ...standing, operation: anOperation({ phase: 'Running', revisions: [after ?? ''], results: [] }) };

    expect(affectedPools(standing, live, change).pools).toEqual(['infra']);
    expect(affectedPools(behind, live, change).pools).toEqual(['master', 'infra']);
    expect(affectedPools(running, live, change).pools).toEqual(['master', 'infra']);
    expect(affectedPools(own, live, change).pools).toEqual(['infra']);
  });

  test('[S0-3] a MachineConfig to which a tool gave another role counts for the pools that are made of it', () => {
    const base = aManifest({ name: '00-edge', labels: { [roleLabel]: 'worker' } });
    const change = changeOf(changed(base, { ...base, body: { spec: { kernelArguments: ['b=1'] } } }));

    expect(affectedPools(managing('00-edge'), live, change).pools).toEqual(['worker', 'infra', 'edge']);
  });

  test('[S3-2] without a known change, KubeletConfigs reach the pools that they are known to choose, else every pool', () => {
    const application = anApplication({
      resources: [{ group, kind: 'KubeletConfig', namespace: '', name: 'max-pods', status: 'Synced' }],
    });
    const selector = { matchLabels: { [`pools.operator.${group}/worker`]: '' } };
    const choosers = [{ kind: 'KubeletConfig', name: 'max-pods', selector }];

    expect(affectedPools(application, live).pools).toEqual(['master', 'worker', 'infra', 'edge']);
    expect(affectedPools(application, { ...live, choosers: seen(choosers) }).pools).toEqual(['worker', 'infra']);
  });

  test('[S0-3] mirror sets reach the built-in pools and those that inherit them, and no other', () => {
    const application = anApplication({
      resources: [
        { group: 'config.openshift.io', kind: 'ImageTagMirrorSet', namespace: '', name: 'm', status: 'Synced' },
      ],
    });

    expect(affectedPools(application, live).pools).toEqual(['master', 'worker', 'infra']);
  });

  test('more that is known or unknown of a change never takes a pool away', () => {
    const role = fc.constantFrom('master', 'worker', 'infra', 'edge', 'nobody');
    const one = fc.record({ role, kind: fc.constantFrom('MachineConfig', 'Deployment', 'ImageTagMirrorSet') });
    const object = one.map(({ role: of, kind }) =>
      added(
        aManifest({
          kind,
          group: kind === 'Deployment' ? 'apps' : kind === 'MachineConfig' ? group : 'config.openshift.io',
          labels: { [roleLabel]: of },
        }),
      ),
    );
    const unknown = fc.array(fc.constant({ path: 'x', why: 'y' }), { maxLength: 1 });
    fc.assert(
      fc.property(fc.array(object), fc.array(object), unknown, (manifests, more, unsure) => {
        const application = managing('00-worker');

        const few = affectedPools(application, live, changeOf(...manifests)).pools;
        const many = affectedPools(application, live, { manifests: [...manifests, ...more], unknown: unsure }).pools;

        expect(many).toEqual(expect.arrayContaining([...few]));
      }),
    );
  });

  test('pools come in the order of the cluster, each once', () => {
    const pools = [poolOfRoles('worker'), poolOfRoles('infra', ['worker', 'infra'])];
    const two = changeOf(ofInfra, added(aManifest()), added(aManifest({ name: '98' })));

    expect(affectedPools(managing(), { pools, machineConfigs: [], choosers: notAsked }, two).pools).toEqual([
      'worker',
      'infra',
    ]);
  });
});
