import { describe, expect, test } from 'vitest';
import { importGroup } from '../../../../functions/core/clustergroup/import-group.ts';
import type { Values } from '../../../../functions/core/clustergroup/values.ts';
import { imported, storage } from './group-of.ts';

/** What the framework passes on AWS. */
const parameters = {
  'global.pattern': 'shop',
  'global.repoURL': 'https://git.example.org/shop.git',
  'global.targetRevision': 'main',
  'global.clusterPlatform': 'AWS',
  'global.multiSourceRepoUrl': 'https://charts.example.org',
};

function application(entry: Values, options: Values = {}, clusterGroup: Values = {}) {
  const values = { global: { options }, clusterGroup: { name: 'hub', ...clusterGroup, applications: { a: entry } } };
  const { applications } = importGroup([{ path: 'values-hub.yaml', values }], parameters);
  return applications[0]?.manifest;
}

describe('[S2-21] Subscriptions', () => {
  test('have the defaults of the chart', () => {
    const [operator] = imported({ subscriptions: { x: { name: 'elastic' } } }).operators;

    expect(operator?.manifests).toEqual([
      {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'Subscription',
        metadata: { name: 'elastic', namespace: 'openshift-operators' },
        spec: {
          name: 'elastic',
          source: 'redhat-operators',
          sourceNamespace: 'openshift-marketplace',
          installPlanApproval: 'Automatic',
        },
      },
    ]);
  });

  test('are one for each of several namespaces, with one gate', () => {
    const { operators } = imported({
      subscriptions: {
        x: { ...storage, namespaces: ['a', 'b'], csv: 'odf.v4', config: { env: [] }, sequenceJob: { command: ['x'] } },
      },
    });

    expect(operators[0]?.manifests.map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
    expect(operators[0]?.manifests[0]).toMatchObject({ spec: { startingCSV: 'odf.v4', config: { env: [] } } });
    expect(operators.flatMap(({ gate }) => gate?.name ?? [])).toEqual(['odf-operator-sequencejob']);
  });
});

describe('[S2-21] Applications', () => {
  test('have one source with the values files of the group, or a chart beside the repository', () => {
    const shared = { sharedValueFiles: ['/overrides/values-{{ $.Values.global.clusterPlatform }}.yaml'] };

    expect(application({ name: 'a', namespace: 'x', path: 'charts/a' }, {}, shared)).toMatchObject({
      metadata: { name: 'a', namespace: 'shop-hub', labels: { 'validatedpatterns.io/pattern': 'shop' } },
      spec: {
        destination: { name: 'in-cluster', namespace: 'x' },
        project: 'default',
        source: {
          repoURL: 'https://git.example.org/shop.git',
          path: 'charts/a',
          helm: {
            valueFiles: [
              '/values-global.yaml',
              '/values-hub.yaml',
              '/values-AWS.yaml',
              '/values-AWS-hub.yaml',
              '/overrides/values-AWS.yaml',
            ],
          },
        },
      },
    });
    expect(application({ name: 'a', chart: 'acm', chartVersion: '0.1.*', extraValueFiles: ['/x.yaml'] })).toMatchObject(
      {
        spec: {
          sources: [
            { ref: 'patternref' },
            {
              repoURL: 'https://charts.example.org',
              chart: 'acm',
              targetRevision: '0.1.*',
              helm: { ignoreMissingValueFiles: true },
            },
          ],
        },
      },
    );
  });

  test.each([
    [{}, {}, { automated: {}, retry: { limit: 20 } }],
    [{ syncPolicy: 'automatic' }, { applicationRetryLimit: 7 }, { automated: {}, retry: { limit: 7 } }],
    [{}, { applicationRetryLimit: 0 }, { automated: {}, retry: { limit: 20 } }],
    [{ syncPolicy: 'Manual' }, {}, undefined],
    [{}, { syncPolicy: 'Manual' }, undefined],
    [{ syncPolicy: { automated: { prune: true } } }, { syncPolicy: 'Manual' }, { automated: { prune: true } }],
    [{}, { syncPolicy: { automated: {} } }, undefined],
  ] satisfies readonly (readonly [Values, Values, Values | undefined])[])(
    'with %j and the options %j have the sync policy %j',
    (entry, options, syncPolicy) => {
      const spec = application({ name: 'a', path: 'x', ...entry }, options)?.['spec'];

      expect(spec).toHaveProperty('project');
      expect(JSON.parse(JSON.stringify(spec)).syncPolicy).toEqual(syncPolicy);
    },
  );

  test('are left out while the pattern is being deleted, and its operators are not', () => {
    const values = { clusterGroup: { applications: { a: { name: 'a' } }, subscriptions: { odf: storage } } };
    const group = importGroup([{ path: 'a', values }], { 'global.deletePattern': 'DeleteChildApps' });

    expect([group.applications.length, group.operators.length]).toEqual([0, 1]);
  });
});

describe('[S2-21] Namespaces', () => {
  test('come with an OperatorGroup, unless that is switched off', () => {
    const { namespaces } = imported({
      namespaces: [
        'a',
        { b: { operatorGroup: false } },
        { c: { targetNamespaces: [] } },
        { d: { disabled: true } },
        'e',
      ],
      operatorgroupExcludes: ['e'],
    });

    expect(namespaces.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'Namespace a',
      'Namespace b',
      'Namespace c',
      'Namespace e',
      'OperatorGroup a-operator-group',
      'OperatorGroup c-operator-group',
    ]);
    expect(namespaces.map(({ spec }) => spec)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      { targetNamespaces: ['a'] },
      undefined,
    ]);
  });
});
