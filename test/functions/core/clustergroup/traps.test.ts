import { describe, expect, test } from 'vitest';
import { importGroup } from '../../../../functions/core/clustergroup/import-group.ts';
import { toSequence } from '../../../../functions/core/clustergroup/to-sequence.ts';
import { at } from '../../../../functions/core/clustergroup/values.ts';
import { gate, gatesOf, imported, said, storage, virtualization, waveKey, withGate } from './group-of.ts';

const bare = { name: 'odf-operator' };
const odf = 'clusterGroup.subscriptions.odf';

describe('gates that wait for ever, or for nothing', () => {
  test('[S2-14] [S2-24] a gate without annotations, which breaks the whole group in the chart, is taken as wave 0', () => {
    const group = withGate(gate, bare);

    expect(gatesOf(group)).toMatchObject([{ name: 'odf-operator-sequencejob', wave: 0, hookType: 'Sync' }]);
    expect(said(group, 'gate-without-annotations')).toMatchObject([{ kind: 'trap', at: `${odf}.sequenceJob` }]);
  });

  test('[S2-14] a gate without annotations has the wave that it names itself', () => {
    expect(gatesOf(withGate({ ...gate, syncWave: '7' }, bare))).toMatchObject([{ wave: 7 }]);
  });

  test('[S2-24] annotations without a wave do not break the group, and are wave 0', () => {
    const group = withGate(gate, { ...bare, annotations: {} });

    expect(gatesOf(group)).toMatchObject([{ wave: 0 }]);
    expect(said(group, 'gate-without-annotations')).toEqual([]);
  });

  test('[S2-24] the gate of a disabled Subscription, for which the chart waits all the same, is left out', () => {
    const group = withGate(gate, { ...storage, disabled: true });

    expect(gatesOf(group)).toEqual([]);
    expect(group.operators).toMatchObject([{ name: 'odf-operator', manifests: [] }]);
    expect(said(group, 'gate-of-disabled')).toHaveLength(1);
  });

  test('[S2-24] two gates of one name, of which Argo CD runs the last, have two names', () => {
    const group = imported({
      subscriptions: {
        a: { ...storage, sequenceJob: gate },
        b: { ...storage, namespace: 'other', sequenceJob: { ...gate, resourceName: 'other' } },
      },
    });

    expect(gatesOf(group).map(({ name }) => name)).toEqual(['odf-operator-sequencejob-a', 'odf-operator-sequencejob']);
    expect(said(group, 'two-gates-of-one-name')).toMatchObject([{ at: 'clusterGroup.subscriptions.a.sequenceJob' }]);
  });

  test('[S2-24] a gate of a later wave does not hold back what begins before it', () => {
    const group = imported({
      subscriptions: { odf: { ...storage, sequenceJob: { ...gate, syncWave: '12' } }, virtualization },
    });

    expect(said(group, 'gate-after-what-should-wait')[0]?.says).toContain('hco');
    expect(said(withGate({ ...gate, syncWave: '12' }), 'gate-after-what-should-wait')).toEqual([]);
  });

  test('[S2-24] a gate of an earlier wave than its own operator never ends on a new cluster', () => {
    expect(said(withGate({ ...gate, syncWave: '0' }), 'gate-before-its-operator')).toHaveLength(1);
  });

  test('[S2-3] [S2-24] a gate without a name means at least one, and says so', () => {
    const group = withGate({ resourceType: 'storagecluster', resourceNamespace: 'openshift-storage' });

    expect(gatesOf(group)).toMatchObject([
      { waitsFor: { kind: 'resource', type: 'storagecluster', name: undefined, namespace: 'openshift-storage' } },
    ]);
    expect(said(group, 'gate-of-any')).toHaveLength(1);
  });

  test('[S2-24] a gate with neither resource nor command is refused', () => {
    const group = withGate({ hookType: 'Sync' });

    expect(gatesOf(group)).toEqual([]);
    expect(said(group, 'gate-of-nothing')).toMatchObject([{ kind: 'refused' }]);
  });

  test('[S2-24] what is no name is refused instead of being handed to a shell', () => {
    const group = withGate({ resourceType: 'sc', resourceName: 'a b; reboot' });

    expect(gatesOf(group)).toEqual([]);
    expect(said(group, 'invalid-name')).toMatchObject([{ at: `${odf}.sequenceJob.resourceName` }]);
  });

  test('[S2-6] a command is taken as a list, and refused as text', () => {
    expect(gatesOf(withGate({ command: ['/bin/true'] }))).toMatchObject([
      { waitsFor: { kind: 'command', command: ['/bin/true'] } },
    ]);
    expect(said(withGate({ command: 'true' }), 'command-not-a-list')).toHaveLength(1);
  });
});

describe('hook types', () => {
  test.each([
    ['PreSync', 'hook-presync'],
    ['PostSync', 'hook-gates-nothing'],
    ['SyncFail', 'hook-gates-nothing'],
    ['PostDelete', 'hook-gates-nothing'],
    ['Skip', 'hook-gates-nothing'],
  ] as const)('[S2-5] [S2-24] %s is kept and said: %s', (hookType, code) => {
    const group = withGate({ ...gate, hookType });

    expect(gatesOf(group)).toMatchObject([{ hookType }]);
    expect(said(group, code)).toMatchObject([{ at: `${odf}.sequenceJob.hookType` }]);
  });

  test('[S2-5] [S2-24] one that Argo CD does not know, and so never runs, is taken as Sync', () => {
    const group = withGate({ ...gate, hookType: 'Presync' });

    expect(gatesOf(group)).toMatchObject([{ hookType: 'Sync' }]);
    expect(said(group, 'hook-unknown')[0]?.says).toContain('Presync');
  });

  test('[S2-5] several of which one is Sync gate', () => {
    const { remarks } = withGate({ ...gate, hookType: 'Sync,PostSync' });

    expect(remarks.filter(({ code }) => code.startsWith('hook'))).toEqual([]);
  });
});

describe('keys', () => {
  test('[S2-24] one that the chart drops in silence in the map form is named, with the key that was meant', () => {
    const group = withGate({ ...gate, resouceNamespace: 'x' });

    expect(said(group, 'key-without-effect')).toMatchObject([{ at: `${odf}.sequenceJob.resouceNamespace` }]);
    expect(said(group, 'key-without-effect')[0]?.says).toContain('resourceNamespace');
  });

  test('[S2-24] a wave that is written beside the annotations is told where it belongs', () => {
    const group = imported({ applications: { a: { name: 'a', syncWave: '5' } } });

    expect(group.applications).toMatchObject([{ wave: 0 }]);
    expect(said(group, 'key-without-effect')[0]?.says).toContain('argocd.argoproj.io/sync-wave');
  });

  test('[S2-24] the same key is refused by the chart in the list form', () => {
    const group = imported({ subscriptions: [{ ...storage, sequenceJob: { ...gate, resouceNamespace: 'x' } }] });

    expect(said(group, 'chart-refuses-key')).toMatchObject([
      { at: 'clusterGroup.subscriptions.0.sequenceJob.resouceNamespace' },
    ]);
  });

  test('[S2-24] catalogSource, targetNamespace and a gate on an Application have no effect', () => {
    const group = imported({
      subscriptions: { odf: { ...storage, catalogSource: 'x' } },
      namespaces: { a: { targetNamespace: 'b' } },
      applications: { shop: { name: 'shop', sequenceJob: gate } },
    });

    expect(said(group, 'key-without-effect').map(({ at }) => at)).toEqual([
      'clusterGroup.subscriptions.odf.catalogSource',
      'clusterGroup.applications.shop.sequenceJob',
      'clusterGroup.namespaces.a.targetNamespace',
    ]);
  });

  test('[S2-21] [S2-24] every key that makes no step is named, and one that the chart refuses as that', () => {
    const { remarks } = importGroup([
      {
        path: 'values-hub.yaml',
        values: {
          main: { clusterGroupName: 'hub' },
          shop: { replicas: 2 },
          clusterGroup: {
            name: 'hub',
            nodes: [],
            scheduler: {},
            indexImages: [],
            argoProjects: ['hub'],
            imperative: { jobs: [] },
            managedClusterGroups: {},
            autoImport: true,
          },
        },
      },
    ]);

    expect(remarks.filter(({ kind }) => kind === 'not taken').map(({ at }) => at)).toEqual([
      'clusterGroup.nodes',
      'clusterGroup.scheduler',
      'clusterGroup.indexImages',
      'clusterGroup.argoProjects',
      'clusterGroup.imperative',
      'clusterGroup.managedClusterGroups',
      'main',
      'shop',
    ]);
    expect(remarks.filter(({ code }) => code === 'chart-refuses-key').map(({ at }) => at)).toEqual([
      'clusterGroup.autoImport',
    ]);
  });

  test('[S2-24] an override for a key that no earlier file has gives nothing, and is named', () => {
    const group = imported(
      { subscriptions: { odf: storage } },
      { subscriptions: { acm: { channel: 'release-2.16' } } },
    );

    expect(group.operators.map(({ key }) => key)).toEqual(['odf']);
    expect(said(group, 'no-name')).toMatchObject([{ at: 'clusterGroup.subscriptions.acm' }]);
  });
});

describe('waves', () => {
  test('[S2-2] [S2-24] an unquoted 0 of a gate counts as not given in the chart, and so in the import', () => {
    const group = withGate({ ...gate, syncWave: 0 });

    expect(gatesOf(group)).toMatchObject([{ wave: 5 }]);
    expect(said(group, 'zero-wave')).toMatchObject([{ at: `${odf}.sequenceJob.syncWave` }]);
  });

  test('[S2-2] [S2-24] an unquoted 0 as an annotation is written as 0 instead of empty text', () => {
    const group = imported({ subscriptions: { odf: { ...storage, annotations: { [waveKey]: 0 } } } });

    expect(group.operators[0]?.manifests[0]?.metadata.annotations).toEqual({ [waveKey]: '0' });
    expect(said(group, 'zero-wave')).toHaveLength(1);
  });

  test.each(['first', ' 5', '5.0', '', '99999999999999999999', null])(
    '[S2-2] [S2-24] wave %j, which Argo CD reads as 0, is named',
    (text) => {
      const group = imported({ applications: { a: { name: 'a', annotations: { [waveKey]: text } } } });

      expect(group.applications).toMatchObject([{ wave: 0 }]);
      expect(said(group, 'wave-reads-as-0')).toHaveLength(1);
    },
  );

  test.each([
    ['+5', 5],
    ['05', 5],
    ['-0', 0],
    ['-5', -5],
    [7, 7],
  ] as const)('[S2-2] wave %j is %j, as Argo CD reads it', (text, wave) => {
    const group = imported({ applications: { a: { name: 'a', annotations: { [waveKey]: text } } } });

    expect(group.applications).toMatchObject([{ wave }]);
    expect(said(group, 'wave-reads-as-0')).toEqual([]);
  });

  test('[S2-24] waves of Applications wait for nothing without the health check, which is said once', () => {
    const group = imported({
      applications: {
        a: { name: 'a', annotations: { [waveKey]: '5' } },
        b: { name: 'b', annotations: { [waveKey]: '10' } },
      },
    });

    expect(said(group, 'application-waves-wait-for-nothing')).toHaveLength(1);
    expect(said(group, 'application-waves-wait-for-nothing')[0]?.says).toContain('a (5) and b (10)');
    expect(said(imported({ applications: { a: { name: 'a' } } }), 'application-waves-wait-for-nothing')).toEqual([]);
  });

  test('[S2-24] a wave of a Namespace is not the effective one, and its OperatorGroup has none in the map form', () => {
    const entry = { annotations: { [waveKey]: '26' } };
    const asMap = imported({ namespaces: { eso: entry } });
    const asList = imported({ namespaces: [{ eso: entry }] });

    expect(asMap.namespaces.map(({ metadata }) => metadata.annotations)).toEqual([{ [waveKey]: '26' }, undefined]);
    expect(said(asMap, 'namespace-annotations')).toHaveLength(1);
    expect(said(asMap, 'namespace-wave')).toHaveLength(1);
    expect(asList.namespaces.map(({ metadata }) => metadata.annotations)).toEqual([
      { [waveKey]: '26' },
      { [waveKey]: '26' },
    ]);
    expect(said(asList, 'namespace-annotations')).toEqual([]);
  });
});

describe('Applications as steps', () => {
  function stepsOf(group: ReturnType<typeof imported>) {
    const { sequences, remarks } = toSequence(group, { name: 'group', cluster: 'hub' });
    return { steps: at(sequences, 'group', 'steps'), remarks };
  }

  test('[S2-21] [S2-24] one without a wave is disabled where it would hold back operators that it may need', () => {
    const group = imported({
      subscriptions: { odf: { ...storage, sequenceJob: gate }, virtualization },
      applications: { instance: { name: 'odf' }, early: { name: 'early', annotations: { [waveKey]: '1' } } },
    });

    const { steps, remarks } = stepsOf(group);
    expect(steps).toMatchObject({ instance: { wave: 0, disabled: true }, early: { wave: 1 } });
    expect(at(steps, 'early')).not.toHaveProperty('disabled');
    expect(remarks.map(({ code, at: where }) => [code, where])).toEqual([
      ['application-before-operators', 'clusterGroup.applications.early'],
      ['application-without-wave', 'clusterGroup.applications.instance'],
    ]);
  });

  test('[S2-21] one without a wave is a step where all else is in wave 0 too', () => {
    const { steps, remarks } = stepsOf(
      imported({ name: 'hub', subscriptions: { a: { name: 'a' } }, applications: { b: { name: 'b' } } }),
    );

    expect(at(steps, 'b')).toEqual({
      kind: 'application',
      name: 'b',
      namespace: 'common-hub',
      project: 'default',
      wave: 0,
    });
    expect(remarks).toEqual([]);
  });

  test('[S2-24] of two entries for one Subscription or Application the last is taken, and that is said', () => {
    const group = imported({
      name: 'hub',
      subscriptions: { a: storage, b: { ...storage, channel: 'stable' } },
      applications: { a: { name: 'shop' }, b: { name: 'shop', path: 'x' } },
    });

    expect(group.operators.map(({ key, manifests }) => [key, manifests.length])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(group.applications.map(({ key }) => key)).toEqual(['b']);
    expect(said(group, 'object-twice').map(({ at: where }) => where)).toEqual([
      'clusterGroup.subscriptions.a',
      'clusterGroup.applications.a',
    ]);
  });
});

describe('values that the chart refuses', () => {
  test('[S2-24] another type in the list form is named, and not in the map form', () => {
    const entry = { ...storage, sequenceJob: { ...gate, syncWave: 7 }, disabled: 'false' };
    const refusals = (group: ReturnType<typeof imported>) =>
      said(group, 'chart-refuses-value').map(({ at: where }) => where);

    expect(refusals(imported({ subscriptions: [entry], applications: [{ name: 'a', syncPolicy: 'Manual' }] }))).toEqual(
      [
        'clusterGroup.subscriptions.0.disabled',
        'clusterGroup.subscriptions.0.sequenceJob.syncWave',
        'clusterGroup.applications.0.syncPolicy',
      ],
    );
    expect(refusals(imported({ subscriptions: { odf: entry } }))).toEqual([]);
  });

  test('[S2-24] what must not stand together, and an entry without a name, are named in the list form', () => {
    const group = imported({
      projects: ['hub'],
      argoProjects: ['hub'],
      applications: [{ name: 'a', project: 'x', argoProject: 'y' }],
      subscriptions: [{ channel: 'stable' }],
    });

    expect(said(group, 'chart-refuses-value').map(({ at: where }) => where)).toEqual([
      'clusterGroup.projects',
      'clusterGroup.subscriptions.0.name',
      'clusterGroup.applications.0.project',
    ]);
  });

  test('[S2-24] options of another type, and a null that takes one away, are named', () => {
    const { remarks } = importGroup([
      { path: 'a', values: { global: { options: { useCSV: 'no', syncPolicy: null } }, clusterGroup: { name: 'hub' } } },
    ]);

    expect(remarks.filter(({ code }) => code === 'chart-refuses-value').map(({ at: where }) => where)).toEqual([
      'global.options.useCSV',
      'global.options.syncPolicy',
    ]);
  });
});

describe('disabled, and null', () => {
  test('[S2-7] [S2-24] the text "false" disables, as in the chart, and is named', () => {
    const group = imported({
      subscriptions: { odf: { ...storage, disabled: 'false' } },
      applications: { a: { name: 'a', disabled: 'false' } },
      extraObjects: { c: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, disabled: 'false' } },
    });

    expect([group.operators[0]?.manifests, group.applications, group.objects]).toEqual([[], [], []]);
    expect(said(group, 'disabled-is-not-a-boolean')).toHaveLength(3);
  });

  test('[S2-7] [S2-24] what an earlier file disables stays so when a later one gives it again without the key', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    const sticks = imported({ extraObjects: { c: { ...object, disabled: true } } }, { extraObjects: { c: object } });
    const back = imported(
      { extraObjects: { c: { ...object, disabled: true } } },
      { extraObjects: { c: { disabled: false } } },
    );

    expect(sticks.objects).toEqual([]);
    expect(said(sticks, 'disabled-sticks')[0]?.says).toContain('values-0.yaml disables it, and values-1.yaml');
    expect(back.objects).toMatchObject([{ manifest: object }]);
    expect(said(back, 'disabled-sticks')).toEqual([]);
  });

  test('[S2-7] [S2-24] a null takes away: a gate, a Subscription, an Application, and an object, on which the chart fails', () => {
    const group = imported(
      {
        subscriptions: { odf: { ...storage, sequenceJob: gate }, virtualization },
        applications: { a: { name: 'a' } },
        extraObjects: { c: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } } },
      },
      {
        subscriptions: { odf: { sequenceJob: null }, virtualization: null },
        applications: { a: null },
        extraObjects: { c: null },
      },
    );

    expect(group.operators.map(({ name, gate: own }) => [name, own])).toEqual([['odf-operator', undefined]]);
    expect([group.applications, group.objects]).toEqual([[], []]);
    expect(said(group, 'null-removes').map(({ at, kind }) => [at, kind])).toEqual([
      ['clusterGroup.extraObjects.c', 'trap'],
      ['clusterGroup.subscriptions.odf.sequenceJob', 'hint'],
      ['clusterGroup.subscriptions.virtualization', 'hint'],
      ['clusterGroup.applications.a', 'hint'],
    ]);
  });
});

describe('operators', () => {
  test('[S2-24] Manual approval keeps a wave open until somebody approves', () => {
    const group = imported({ subscriptions: { odf: { ...storage, installPlanApproval: 'Manual' } } });

    expect(said(group, 'manual-approval')[0]?.says).toContain('somebody must approve it');
  });

  test.each([
    ['goes on by itself', 'Automatic', {}],
    ['goes on by itself, of each of two namespaces', 'Automatic', { namespaces: ['a', 'b'] }],
    ['is approved by a CronJob each time', 'Manual', {}],
  ])('[S2-21] [S2-24] the csv at which an operator begins that %s is no pin, and is named', (_how, approval, more) => {
    const odf = { ...storage, csv: 'odf.v4.17.2', installPlanApproval: approval, ...more };
    const group = importGroup([
      { path: 'a.yaml', values: { global: { pattern: 'p', options: { autoApproveManualInstallPlans: true } } } },
      { path: 'b.yaml', values: { clusterGroup: { name: 'hub', subscriptions: { odf } } } },
    ]);

    const { sequences, remarks } = toSequence(group, { name: 'group', cluster: 'hub' });

    expect(JSON.stringify(sequences)).not.toContain('odf.v4.17.2');
    expect(remarks).toMatchObject([{ kind: 'hint', code: 'csv-not-pinned', at: 'clusterGroup.subscriptions.odf.csv' }]);
    expect(remarks[0]?.says).toContain('odf.v4.17.2');
  });

  test('[S2-21] the csv of one whose every step somebody must approve is kept', () => {
    const group = imported({ subscriptions: { odf: { ...storage, csv: 'odf.v4', installPlanApproval: 'Manual' } } });

    const { sequences, remarks } = toSequence(group, { name: 'group', cluster: 'hub' });

    expect(sequences).toMatchObject({ group: { steps: { odf: { csv: 'odf.v4' } } } });
    expect(remarks).toEqual([]);
  });

  test('[S2-24] an operator of OLM v1 is a ClusterExtension, which has neither InstallPlan nor CSV', () => {
    const group = imported({ subscriptions: { quay: { name: 'quay', namespace: 'q', version: '3.12.*' } } });

    expect(group.operators[0]?.manifests).toMatchObject([{ kind: 'ClusterExtension', metadata: { name: 'quay' } }]);
    expect(said(group, 'cluster-extension')).toHaveLength(1);
  });
});

describe('extraObjects', () => {
  test('[S2-12] a manifest is unchanged but for disabled, nested keys of that name and templates included', () => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { disabled: 'true', t: '{{ x }}' },
    };
    const group = imported({ extraObjects: { c: { ...manifest, disabled: false } } });

    expect(group.objects).toMatchObject([{ key: 'c', manifest }]);
    expect(group.objects[0]?.manifest).not.toHaveProperty('disabled');
    expect(said(group, 'template-text')).toHaveLength(1);
  });

  test('[S2-12] [S2-24] what is no manifest is refused, and of two manifests of one object the last is taken', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'same' } };
    const group = imported({
      extraObjects: { a: object, b: { ...object, data: { k: 'v' } }, c: { hello: 'world' }, d: 'x' },
    });

    expect(group.objects.map(({ key }) => key)).toEqual(['b']);
    expect(said(group, 'object-twice')).toMatchObject([{ at: 'clusterGroup.extraObjects.a' }]);
    expect(said(group, 'no-manifest').map(({ at }) => at)).toEqual([
      'clusterGroup.extraObjects.c',
      'clusterGroup.extraObjects.d',
    ]);
  });

  const long = 'openshift-data-foundation-storage-cluster-for-virtualization';
  test.each([
    ['that differ in a sign', ['cluster-logging', 'cluster_logging'], ['cluster-logging', 'cluster-logging-2']],
    ['alike in their beginning', [`${long}-a`, `${long}-b`], [long, `${long.slice(0, 57)}-2`]],
    ['of which one is what another becomes', ['a-2', 'a-b', 'a.b', 'a_b'], ['a-2', 'a-b', 'a.b', 'a-b-2']],
    ['of which one is the number of another', ['a b', 'a-b', 'a-b-2', 'a_b'], ['a-b', 'a-b-2', 'a-b-2-2', 'a-b-3']],
  ])('[S2-21] objects with keys %s are each a step', (_how, keys, expected) => {
    const objects = keys.map((key) => [key, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: key } }] as const);
    const group = imported({ name: 'hub', extraObjects: Object.fromEntries(objects) });

    const { sequences } = toSequence(group, { name: 'group', cluster: 'hub' });

    const named = expected.map((key, index) => [key, { metadata: { name: keys[index] } }]);
    expect(sequences).toMatchObject({
      group: {
        extraObjects: Object.fromEntries(named),
        steps: Object.fromEntries(expected.map((key) => [key, { object: key }])),
      },
    });
  });

  test('[S2-12] a kind that an operator brings needs SkipDryRunOnMissingResource, and a served one does not', () => {
    const cluster = { apiVersion: 'ocs.openshift.io/v1', kind: 'StorageCluster', metadata: { name: 's' } };
    const skips = { 'argocd.argoproj.io/sync-options': 'SkipDryRunOnMissingResource=true' };
    const pool = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name: 'infra' },
    };
    const group = imported({
      extraObjects: { s: cluster, t: { ...cluster, metadata: { name: 't', annotations: skips } }, pool },
    });

    expect(said(group, 'missing-kind-fails-dry-run')).toMatchObject([{ at: 'clusterGroup.extraObjects.s.apiVersion' }]);
  });

  test('[S2-13] [S2-24] a hook Job that is deleted soon after it ended hangs syncs', () => {
    const job = (ttlSecondsAfterFinished: number) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'w', annotations: { 'argocd.argoproj.io/hook': 'Sync' } },
      spec: { ttlSecondsAfterFinished },
    });

    expect(said(imported({ extraObjects: { w: job(30) } }), 'short-ttl')).toHaveLength(1);
    expect(said(imported({ extraObjects: { w: job(3600) } }), 'short-ttl')).toEqual([]);
  });
});
