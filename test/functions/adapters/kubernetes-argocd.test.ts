import { describe, expect, onTestFinished, test } from 'vitest';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import { clusterArgoCd } from '../../../functions/adapters/kubernetes/argocd.ts';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { isParked, isRunning, waitsForRetry } from '../../../functions/core/argocd/application.ts';
import { isAllRendered } from '../../../functions/core/holds/answers.ts';
import { renderedResources } from '../../../functions/core/impact/affected-pools.ts';
import { managedBy } from '../../../functions/core/impact/managed-by.ts';
import { readRecord } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { plusSeconds } from '../../../functions/core/text/instant.ts';
import { aHold } from '../../fakes/builders.ts';
import { startStub } from './stub-server.ts';

/** The least an Application has. */
function body(spec: object = {}, more: object = {}) {
  return { metadata: { name: 'nodes', namespace: 'argocd', uid: 'u1' }, spec, ...more };
}

function operationOf(state: object) {
  const operationState = { phase: 'Succeeded', startedAt: '2026-03-02T10:00:05Z', ...state };
  return applicationOf('hub', body({}, { status: { operationState } })).operation;
}

describe('an application', () => {
  test('[S2-11] that is being deleted is read as that', () => {
    const metadata = { name: 'nodes', uid: 'u1', deletionTimestamp: '2026-03-02T10:00:05Z' };

    expect(applicationOf('hub', { metadata, spec: {} }).isBeingDeleted).toBe(true);
  });

  test('that was just made is read with empty fields', () => {
    expect(applicationOf('hub', body())).toEqual({
      argocd: 'hub',
      namespace: 'argocd',
      name: 'nodes',
      uid: 'u1',
      annotations: {},
      destination: { server: '', name: '' },
      sources: [],
      automated: false,
      selfHeal: false,
      retryLimit: 0,
      sync: { status: '', revisions: [] },
      health: '',
      resources: [],
      operationQueued: false,
      operation: undefined,
    });
  });

  test.each([
    [undefined, false],
    [{}, false],
    [{ automated: null }, false],
    [{ automated: {} }, true],
    [{ automated: { prune: true, selfHeal: true } }, true],
    [{ automated: { enabled: true } }, true],
    [{ automated: { enabled: false } }, false],
    [{ automated: { enabled: null } }, true],
  ])('with the sync policy %j is automated: %s', (syncPolicy, automated) => {
    expect(applicationOf('hub', body({ syncPolicy })).automated).toBe(automated);
  });

  const synced = { kind: 'ConfigMap', name: 'kept', status: 'Synced' };
  const extra = { kind: 'ConfigMap', name: 'gone from Git', status: 'OutOfSync', requiresPruning: true };
  const changed = { kind: 'ConfigMap', name: 'changed', status: 'OutOfSync' };
  const hook = { kind: 'Job', name: 'migrate', hook: true };

  test.each([
    ['only an extra object, which is not to be pruned', {}, [synced, extra], true],
    ['the same, also if it is switched off', { prune: false }, [extra], true],
    ['an extra object that is to be pruned', { prune: true }, [synced, extra], undefined],
    ['nothing but extra objects, and none would be left', { prune: true }, [extra, extra], true],
    ['nothing but extra objects, and none may be left', { prune: true, allowEmpty: true }, [extra], undefined],
    ['an object that has changed besides', {}, [extra, changed], undefined],
    ['a hook besides, which counts as not Synced', {}, [synced, extra, hook], undefined],
    ['a row besides that nobody understands', {}, [synced, extra, 'row'], undefined],
    ['a status without what is to be pruned, which may be cut', {}, [synced], undefined],
    ['no resources', {}, [], undefined],
    ['no list of resources', {}, undefined, undefined],
  ])('[N-6] with %s is left to prune as Argo CD has it', (_, automated, resources, expected) => {
    const application = applicationOf('hub', body({ syncPolicy: { automated } }, { status: { resources } }));

    expect(application.leftToPrune).toBe(expected);
  });

  const rule = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', jsonPointers: ['/spec/config'] };
  const overlooked = { group: rule.group, kind: rule.kind, namespace: '', name: '' };

  test.each([
    ['a rule of content', [rule], [], [overlooked]],
    ['a rule by expression', [{ ...rule, jsonPointers: [], jqPathExpressions: ['.spec'] }], [], [overlooked]],
    [
      'a rule of what no node runs',
      [{ ...rule, jsonPointers: ['/spec/paused', '/metadata/annotations'] }],
      [],
      undefined,
    ],
    ['rules that a sync respects', [rule], ['ServerSideApply=true', 'RespectIgnoreDifferences=true'], undefined],
  ])('with %s overlooks what a sync writes all the same', (_, ignoreDifferences, syncOptions, expected) => {
    const application = applicationOf('hub', body({ ignoreDifferences, syncPolicy: { syncOptions } }));

    expect(application.overlooks).toEqual(expected);
  });

  test.each([
    ['neither asks for it', [], [], undefined],
    ['its spec asks for it', ['RespectIgnoreDifferences=true'], [], 'always'],
    ['its last sync alone was asked for it', [], ['RespectIgnoreDifferences=true'], 'lately'],
    ['it is asked not to', ['RespectIgnoreDifferences=false'], [], undefined],
  ])('[S0-14] writes what is ignored as it finds it, where %s', (_, syncOptions, options, expected) => {
    const operation = { sync: { syncOptions: options } };
    const operationState = { phase: 'Succeeded', startedAt: '2026-03-02T10:00:05Z', operation };
    const application = applicationOf('hub', body({ syncPolicy: { syncOptions } }, { status: { operationState } }));

    expect(application.respectsIgnoreDifferences).toBe(expected);
  });

  const ofPause = {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfigPool',
    jsonPointers: ['/spec/paused'],
  };

  test.each<[string, readonly object[], readonly string[], readonly string[] | undefined]>([
    ['by a rule for all pools', [ofPause], ['RespectIgnoreDifferences=true'], ['']],
    ['by one for a pool', [{ ...ofPause, name: 'worker' }], ['RespectIgnoreDifferences=true'], ['worker']],
    [
      'by an expression',
      [{ ...ofPause, group: '*', jsonPointers: [], jqPathExpressions: ['.spec.paused'] }],
      ['RespectIgnoreDifferences=true'],
      [''],
    ],
    ['by none, where syncs write it all the same', [ofPause], [], undefined],
    [
      'by none, with rules for other fields and kinds',
      [
        { ...ofPause, jsonPointers: ['/spec/maxUnavailable'] },
        { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/paused'] },
      ],
      ['RespectIgnoreDifferences=true'],
      undefined,
    ],
  ])('[S0-14] leaves the pause of pools as it finds it %s', (_, ignoreDifferences, syncOptions, expected) => {
    const application = applicationOf('hub', body({ ignoreDifferences, syncPolicy: { syncOptions } }));

    expect(application.leavesPauseOf).toEqual(expected);
  });

  test.each<[string, object, true | undefined]>([
    ['as it is asked to', { automated: { prune: true } }, true],
    ['not unless it is asked to', { automated: {} }, undefined],
    ['not by a person, who says so or not', {}, undefined],
    ['not while automated syncs are off', { automated: { enabled: false, prune: true } }, undefined],
    ['not before all else', { automated: { prune: true }, syncOptions: ['PruneLast=true'] }, undefined],
    ['not before a person confirms it', { automated: { prune: true }, syncOptions: ['Prune=confirm'] }, undefined],
  ])('[N-14] deletes what Git no longer has %s', (_, syncPolicy, expected) => {
    expect(applicationOf('hub', body({ syncPolicy })).prunes).toBe(expected);
  });

  test('[N-30] is at home in the namespace of its Argo CD alone', () => {
    const rules = { controllerNamespace: 'argocd', poolsAnnotation: undefined };
    const elsewhere = { metadata: { name: 'nodes', namespace: 'team' }, spec: {} };

    expect(applicationOf('hub', body(), rules).isAtHome).toBe(true);
    expect(applicationOf('hub', elsewhere, rules).isAtHome).toBe(false);
    expect(applicationOf('hub', body()).isAtHome).toBeUndefined();
  });

  test('[N-30] with thousands of rules overlooks anything, and each resource is compared with one', () => {
    const rules = Array.from({ length: 2_000 }, (_, index) => ({
      ...rule,
      name: `m${index}`,
      jqPathExpressions: ['.'],
    }));
    const application = applicationOf('hub', body({ ignoreDifferences: rules }));
    expect(application.overlooks).toEqual([{ group: '*', kind: '*', namespace: '', name: '' }]);
  });

  test('[N-30] with hundreds of sources cannot be read, and says why', () => {
    const sources = Array.from({ length: 201 }, (_, index) => ({ repoURL: `https://github.com/acme/${index}` }));
    expect(() => applicationOf('hub', body({ sources }))).toThrow(/spec\.sources/);
  });

  test('has its several sources where both forms are set, as in Argo CD', () => {
    const source = { repoURL: 'https://github.com/acme/one.git' };
    const sources = [{ repoURL: 'https://github.com/acme/two.git', path: 'a' }];

    expect(applicationOf('hub', body({ source, sources })).sources).toEqual([
      { repoURL: 'https://github.com/acme/two.git', path: 'a', targetRevision: '', chart: '' },
    ]);
  });

  test('[N-1] with the empty setting that Argo CD writes beside recurse is no one of Jsonnet', () => {
    const toolOf = (jsonnet: object) =>
      applicationOf('hub', body({ source: { repoURL: 'x', directory: { recurse: true, jsonnet } } })).sources[0]?.tool;

    expect(toolOf({})).toBeUndefined();
    expect(toolOf({ tlas: [{ name: 'a', value: 'b' }] })).toBe('jsonnet');
  });

  test('[N-17] says what its syncs have brought by its history, each source in its place', () => {
    const history = [
      { id: 3, deployStartedAt: '2026-03-02T09:00:00Z', revision: 'sha-1', source: {} },
      { id: 4, revision: 'of nobody knows when' },
      { id: 5, deployStartedAt: '2026-03-02T10:00:00Z', revisions: ['sha-2', '1.0.0'], sources: [] },
    ];

    expect(applicationOf('hub', body({}, { status: { history } })).succeeded).toEqual([
      { startedAt: '2026-03-02T09:00:00Z', revisions: ['sha-1'] },
      { startedAt: '2026-03-02T10:00:00Z', revisions: ['sha-2', '1.0.0'] },
    ]);
  });

  test('with hydrated sources has the dry and the hydrated one', () => {
    const sourceHydrator = {
      drySource: { repoURL: 'https://github.com/acme/one.git', path: 'dry', targetRevision: 'main' },
      syncSource: { targetBranch: 'env/prod', path: 'wet' },
    };

    expect(applicationOf('hub', body({ sourceHydrator })).sources).toMatchObject([
      { repoURL: 'https://github.com/acme/one.git', path: 'dry', targetRevision: 'main' },
      { repoURL: 'https://github.com/acme/one.git', path: 'wet', targetRevision: 'env/prod' },
    ]);
  });

  test.each([
    [{ revision: 'a' }, ['a']],
    [{ revision: '', revisions: ['a', 'b'] }, ['a', 'b']],
    [{ revision: '', revisions: null }, []],
    [{}, []],
  ])('synced at %j has the revisions %j', (sync, revisions) => {
    expect(applicationOf('hub', body({}, { status: { sync } })).sync.revisions).toEqual(revisions);
  });

  test('with an operation that is queued or runs says so', () => {
    expect(applicationOf('hub', body({}, { operation: { sync: {} } })).operationQueued).toBe(true);
    expect(applicationOf('hub', body({}, { operation: null })).operationQueued).toBe(false);
  });

  test.each([
    ['no spec', { metadata: { name: 'x' } }],
    ['an unknown phase', body({}, { status: { operationState: { phase: 'Odd' } } })],
  ])('with %s is not guessed at', (_, odd) => {
    expect(() => applicationOf('hub', odd)).toThrow(Transient);
  });
});

describe('an operation', () => {
  test('that has just begun says the revision that was asked for', () => {
    const operation = operationOf({ phase: 'Running', operation: { sync: { revision: 'asked' } } });

    expect(operation).toMatchObject({ revisions: ['asked'], results: [], finishedAt: undefined, retryCount: 0 });
    expect(isRunning(operation)).toBe(true);
  });

  describe('[N-30] may apply something else than what was compared', () => {
    const git = { repoURL: 'https://github.com/acme/platform.git', path: 'nodes' };
    const helm = (valuesObject: object) => ({ source: { ...git, helm: { valuesObject } } });
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);

    function appliesOther(spec: object, comparedTo: object, sync: object = {}) {
      const operationState = { phase: 'Running', startedAt: '2026-03-02T10:00:05Z', operation: { sync } };
      const status = { sync: { status: 'Synced', revision: 'sha', comparedTo }, operationState };
      return applicationOf('hub', body(spec, { status })).operation?.appliesOther === true;
    }

    test.each<[string, object, object, object?]>([
      ['one source', { source: git }, { source: git }],
      ['what Go leaves out', { source: { ...git, chart: '', directory: { jsonnet: {} } } }, { source: git }],
      ['several sources', { source: git, sources: [git, git] }, { source: { repoURL: '' }, sources: [git, git] }],
      ['values with null', helm({ a: 1, b: null }), helm({ a: 1 })],
      ['a hydrated source', { sourceHydrator: { drySource: git } }, { source: git }, { source: git }],
    ])('not of %s that it was compared with', (_which, spec, comparedTo, sync) => {
      expect(appliesOther(spec, comparedTo, sync)).toBe(false);
    });

    test.each<[string, object, object, object?]>([
      ['another path', { source: git }, { source: { ...git, path: 'old' } }],
      ['one source more', { sources: [git, git] }, { sources: [git] }],
      ['another value', helm({ a: false }), helm({})],
      ['values too deep to compare', helm(deep), helm(deep)],
      [
        'a hydrated source of its own',
        { sourceHydrator: { drySource: git } },
        { source: git },
        { source: { path: 'x' } },
      ],
    ])('where it is of %s', (_which, spec, comparedTo, sync) => {
      expect(appliesOther(spec, comparedTo, sync)).toBe(true);
    });
  });

  test('that failed before anything was synced says the revision that was asked for', () => {
    const operation = operationOf({
      phase: 'Error',
      operation: { sync: { revisions: ['asked-1', 'asked-2'] } },
      syncResult: { revision: '' },
    });

    expect(operation?.revisions).toEqual(['asked-1', 'asked-2']);
  });

  test.each([
    [{ revision: 'sha' }, ['sha']],
    [{ revision: '', revisions: ['sha-1', 'sha-2'] }, ['sha-1', 'sha-2']],
  ])('that synced %j says the commits', (syncResult, revisions) => {
    expect(operationOf({ operation: { sync: { revision: 'HEAD' } }, syncResult })?.revisions).toEqual(revisions);
  });

  test.each([
    [undefined, false],
    [{}, false],
    [{ resources: [] }, false],
    [{ resources: [{ kind: 'MachineConfig', name: 'a' }] }, true],
    [{ syncStrategy: { hook: {} } }, false],
    [{ syncStrategy: { apply: {} } }, true],
    [{ syncStrategy: { apply: { force: true } } }, true],
    [{ manifests: ['kind: ConfigMap'] }, true],
    [{ manifests: [] }, false],
  ])('asked for as %j is partial: %s', (sync, partial) => {
    expect(operationOf({ operation: { sync } })?.partial).toBe(partial);
  });

  test('[S0-9] that brings manifests of its own asks for no object of the Application, whatever it selects', () => {
    const resources = [{ kind: 'ConfigMap', name: 'a' }];

    expect(operationOf({ operation: { sync: { manifests: ['kind: ConfigMap'], resources } } })?.asked).toEqual([]);
    expect(operationOf({ operation: { sync: { manifests: [] } } })?.asked).toBeUndefined();
  });

  test('[S0-9] that is selective says which objects it was asked for, as they were named', () => {
    const long = 'x'.repeat(5_000);
    const resources = [
      { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: 'a' },
      { kind: 'ConfigMap', namespace: 'web', name: long },
      null,
    ];

    const asked = operationOf({ operation: { sync: { resources } } })?.asked;

    expect(asked).toEqual([
      { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', name: 'a' },
      { group: '', kind: 'ConfigMap', namespace: 'web', name: long.slice(0, 320) },
    ]);
    expect(operationOf({ operation: { sync: { resources: [] } } })?.asked).toBeUndefined();
    expect(operationOf({ operation: { sync: { syncStrategy: { apply: {} } } } })?.asked).toBeUndefined();
  });

  test('between two attempts waits for its retry, and one held back by a window is parked', () => {
    const waiting = operationOf({ phase: 'Running', finishedAt: '2026-03-02T10:00:09Z', retryCount: 2 });
    const parked = operationOf({ phase: 'Running', message: 'Sync operation blocked by sync window' });

    expect(waiting && waitsForRetry(waiting)).toBe(true);
    expect(parked && isParked(parked)).toBe(true);
  });

  test.each<[string, number, object | null | undefined, string | undefined]>([
    ['by default', 1, undefined, '10:00:10.000'],
    ['by default, as Argo CD writes no back-off', 2, { limit: 5 }, '10:00:20.000'],
    ['by default for at most 3 min', 9, null, '10:03:00.000'],
    ['for a time of its own', 1, { backoff: { duration: '10m', factor: 3, maxDuration: '2h' } }, '10:30:00.000'],
    ['for at most a time of its own', 4, { backoff: { duration: '10m', maxDuration: '1h30m' } }, '11:30:00.000'],
    ['for seconds without a unit', 1, { backoff: { duration: '90', factor: 1 } }, '10:01:30.000'],
    ['with parts of a unit', 1, { backoff: { duration: '1.5m500ms', factor: 1 } }, '10:01:30.500'],
    ['without a limit', 1, { backoff: { duration: '2h', factor: 1, maxDuration: '0' } }, '12:00:00.000'],
    ['for less than nothing', 1, { backoff: { duration: '-5m' } }, '10:00:00.000'],
    ['for what is no duration', 1, { backoff: { duration: '5 minutes' } }, undefined],
    ['for what has two points', 1, { backoff: { duration: '1.2.3s' } }, undefined],
    ['for a unit without a number', 1, { backoff: { duration: 'm5' } }, undefined],
    ['for a unit that there is not', 1, { backoff: { maxDuration: '1d' } }, undefined],
    ['for a number of digits', 1, { backoff: { duration: '9'.repeat(200) } }, undefined],
    ['for no time times infinity', 9e9, { backoff: { duration: '0s', maxDuration: '0' } }, undefined],
    ['for something else', 1, { backoff: 'soon' }, undefined],
  ])('[N-30] waits for its retry %s', (_, retryCount, retry, at) => {
    const state = { phase: 'Running', finishedAt: '2026-03-02T10:00:00Z', retryCount };

    const operation = operationOf({ ...state, operation: { retry } });

    expect(operation?.retryAt).toBe(at && `2026-03-02T${at}Z`);
  });

  test('[N-30] waits for a retry in no year that a record could not have', () => {
    const retry = { backoff: { duration: '9999999h', factor: 99, maxDuration: '0' } };
    const state = { phase: 'Running', finishedAt: '2026-03-02T10:00:00Z', retryCount: 99, operation: { retry } };

    expect(operationOf(state)?.retryAt).toBe('9999-12-31T23:59:59.999Z');
  });

  test.each([
    ['runs', { phase: 'Running' }],
    ['is being terminated', { phase: 'Terminating', finishedAt: '2026-03-02T10:00:00Z' }],
    ['has failed', { phase: 'Failed', finishedAt: '2026-03-02T10:00:00Z' }],
  ])('[decoy] waits for no retry if it %s', (_, state) => {
    expect(operationOf({ ...state, operation: { retry: { limit: 5 } } })).not.toHaveProperty('retryAt');
  });

  test('says what became of each resource, hooks among them', () => {
    const config = { group: 'machineconfiguration.openshift.io', version: 'v1', kind: 'MachineConfig', namespace: '' };
    const resources = [
      { ...config, name: 'a', status: 'Synced' },
      {
        group: 'batch',
        version: 'v1',
        kind: 'Job',
        namespace: 'x',
        name: 'pre',
        hookType: 'PreSync',
        hookPhase: 'Running',
      },
      { ...config, name: 'h', hookType: 'PreSync', hookPhase: 'Succeeded' },
      { ...config, name: 'f', hookType: 'PostSync', hookPhase: 'Failed' },
    ];

    expect(operationOf({ syncResult: { revision: 'sha', resources } })?.results).toMatchObject([
      { kind: 'MachineConfig', name: 'a', status: 'Synced', hookType: '' },
      { kind: 'Job', namespace: 'x', name: 'pre', status: '', hookType: 'PreSync' },
      { name: 'h', status: 'Synced', hookType: 'PreSync' },
      { name: 'f', status: '', hookType: 'PostSync' },
    ]);
  });
});

describe('what an operation did with an object that has no namespace, at a destination that has one', () => {
  const row = { group: 'machineconfiguration.openshift.io', version: 'v1', kind: 'MachineConfig', name: '99-ssh' };
  const policy = { group: 'config.openshift.io', version: 'v1', kind: 'ImagePolicy', namespace: 'web', name: 'signed' };
  const others = { ...policy, namespace: 'shop' };
  const [startedAt, finishedAt] = ['2026-03-02T10:00:05Z', '2026-03-02T10:00:09Z'];
  const read = () =>
    applicationOf(
      'hub',
      body(
        { destination: { namespace: 'web' } },
        {
          status: {
            sync: { status: 'OutOfSync', revision: 'sha' },
            resources: [
              { ...row, status: 'OutOfSync' },
              { ...others, status: 'Synced' },
            ],
            operationState: {
              ...{ phase: 'Failed', startedAt, finishedAt },
              syncResult: {
                revision: 'sha',
                resources: [
                  { ...row, namespace: 'web', status: 'Synced' },
                  { ...policy, status: 'Synced' },
                ],
              },
            },
          },
        },
      ),
    );

  test('[S0-9] is read without one, and what has one keeps its own', () => {
    expect(read().operation?.results).toMatchObject([
      { kind: 'MachineConfig', namespace: '', name: '99-ssh', status: 'Synced' },
      { kind: 'ImagePolicy', namespace: 'web', name: 'signed' },
    ]);
  });

  test('[S0-9] counts for the object that the Application manages', () => {
    const application = read();
    const { operation } = application;

    expect(renderedResources(application).map(({ kind }) => kind)).toEqual([
      'MachineConfig',
      'ImagePolicy',
      'ImagePolicy',
    ]);
    expect(managedBy(application).resources[0]).toMatchObject({ name: '99-ssh', differs: false });
    expect(operation && isAllRendered(application, operation)).toBe(true);
  });
});

test('[S0-3] [N-30] a time of thousands of digits is cut: our table refuses keys that are made from it', () => {
  const startedAt = `2026-03-02T10:00:05.${'1'.repeat(2000)}Z`;

  expect(operationOf({ startedAt })?.startedAt).toBe('2026-03-02T10:00:05.111Z');
});

describe('the instance', () => {
  async function instanceOf(items: readonly object[], namespaces: readonly string[] = ['argocd']) {
    const stub = await startStub(() => ({ body: { items } }));
    const client = createKubeClient({
      ...systemRuntime,
      server: stub.url,
      token: async () => 't',
      userAgent: 'poolkeeper/test',
    });
    onTestFinished(() => client.close());
    const argocd = clusterArgoCd(client, { name: 'hub', namespaces, controllerNamespace: 'gitops' });
    return { argocd, seen: stub.seen };
  }

  test('is read in pages of 250, one list a namespace', async () => {
    const { argocd, seen } = await instanceOf([], ['a', 'b']);

    await argocd.listApplications();

    expect(seen.map(({ path, query }) => [path, query['limit']])).toEqual([
      ['/apis/argoproj.io/v1alpha1/namespaces/a/applications', '250'],
      ['/apis/argoproj.io/v1alpha1/namespaces/b/applications', '250'],
    ]);
  });

  describe('in a namespace of a team, which was deleted with our rights there', () => {
    async function refusing(namespaces: readonly string[], refused: (path: string) => boolean) {
      const items = [body(), { metadata: { name: 'others', namespace: 'argocd' } }];
      const stub = await startStub(({ path }) =>
        refused(path)
          ? { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'is forbidden' } }
          : { body: { items, metadata: {} } },
      );
      const client = createKubeClient({
        ...systemRuntime,
        server: stub.url,
        token: async () => 't',
        userAgent: 'poolkeeper/test',
      });
      onTestFinished(() => client.close());
      return clusterArgoCd(client, { name: 'hub', namespaces, controllerNamespace: 'argocd' });
    }

    test('[S0-12] [N-30] is named, and hides no other', async () => {
      const argocd = await refusing(['argocd', 'gone'], (path) => path.includes('/gone/'));

      const { items, unreadable } = await argocd.listApplications();

      expect(items.map(({ name }) => name)).toEqual(['nodes']);
      expect(unreadable.map(({ kind, namespace, name }) => [kind, namespace, name])).toContainEqual([
        'Application',
        'gone',
        '*',
      ]);
      expect((await argocd.listApplicationSets()).unreadable).toContainEqual(
        expect.objectContaining({ kind: 'ApplicationSet', namespace: 'gone', name: '*' }),
      );
      expect(await argocd.countApplications()).toEqual(
        new Map([
          ['argocd', 2],
          ['gone', undefined],
        ]),
      );
    });

    test.each([
      ["Argo CD's own", ['argocd', 'team'], '/argocd/'],
      ['each of them', ['a', 'b'], '/'],
    ])('[N-30] is not meant where that of %s is refused', async (_, namespaces, part) => {
      const argocd = await refusing(namespaces, (path) => path.includes(part));

      await expect(argocd.listApplications()).rejects.toMatchObject({ kind: 'forbidden' });
    });
  });

  test('has its controller where a pod of it was placed and lives', async () => {
    const pod = (app: string, nodeName: string | undefined, phase = 'Running') => ({
      metadata: { name: 'p', labels: { 'app.kubernetes.io/name': app } },
      spec: { nodeName },
      status: { phase },
    });
    const { argocd, seen } = await instanceOf([
      pod('team-b-application-controller', 'n2'),
      pod('team-b-application-controller', 'n1'),
      pod('argocd-application-controller', 'n2'),
      pod('argocd-application-controller', 'n3', 'Succeeded'),
      pod('argocd-application-controller', undefined, 'Pending'),
      pod('argocd-applicationset-controller', 'n4'),
    ]);

    expect(await argocd.controllerNodes()).toEqual(['n1', 'n2']);
    expect(seen[0]).toMatchObject({
      path: '/api/v1/namespaces/gitops/pods',
      query: { labelSelector: 'app.kubernetes.io/name' },
    });
  });

  test('[S0-26] says since when each of these pods runs: not before its last container', async () => {
    const running = (startedAt: unknown) => ({ state: { running: { startedAt } } });
    const pod = (name: string, nodeName: string | undefined, containerStatuses: unknown) => ({
      metadata: { name, namespace: 'gitops', labels: { 'app.kubernetes.io/name': 'argocd-application-controller' } },
      spec: { nodeName },
      status: { phase: 'Running', containerStatuses },
    });
    const { argocd } = await instanceOf([
      pod('a', 'n1', [running('2026-03-02T10:00:00Z'), running('2026-03-02T10:04:00Z')]),
      pod('b', 'n2', [running('2026-03-02T10:00:00Z'), { state: { waiting: {} } }]),
      pod('c', 'n3', [running('yesterday')]),
      pod('d', undefined, 'none'),
    ]);

    const pods = await argocd.controllerPods();

    expect(pods.map(({ name, node, runningSince }) => [name, node, runningSince])).toEqual([
      ['a', 'n1', '2026-03-02T10:04:00Z'],
      ['b', 'n2', undefined],
      ['c', 'n3', undefined],
      ['d', undefined, undefined],
    ]);
  });
});

describe('the annotation that names pools', () => {
  const annotated = (namespace: string, project: string) => ({
    ...body({ project }),
    metadata: { ...body().metadata, namespace, annotations: { 'poolkeeper.dev/pools': 'infra' } },
  });
  const rules = {
    controllerNamespace: 'argocd',
    poolsAnnotation: { mayAdd: { namespaces: ['team-a'], projects: ['platform'] } },
  };

  test.each([
    ['argocd', 'platform', true],
    ['argocd', 'shop', false],
    ['team-a', 'shop', true],
    ['team-b', 'platform', false],
  ])('[N-30] of an Application in %s of project %s may add pools: %s', (namespace, project, mayAdd) => {
    const application = applicationOf('hub', annotated(namespace, project), rules);

    expect(application.named).toMatchObject({ pools: ['infra'], mayAdd, mayRemove: false });
  });

  test('[N-30] may do nothing without rules', () => {
    expect(applicationOf('hub', annotated('argocd', 'platform')).named).toMatchObject({ mayAdd: false });
  });
});

describe('times in a status, which whoever may write the Application may write', () => {
  // What kube-apiserver 1.34 accepts for format date-time is wider than RFC 3339 as records have it.
  test.each([
    ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00Z'],
    ['2026-03-02T10:00:00.123456789Z', '2026-03-02T10:00:00.123456789Z'],
    ['2026-03-02t10:00:00z', '2026-03-02T10:00:00.000Z'],
    ['2026-03-02T10:00:00+14:00', '2026-03-02T10:00:00+14:00'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('[N-30] %s is read as %s', (written, read) => {
    const operation = operationOf({ startedAt: written, finishedAt: written });

    expect(operation).toMatchObject({ startedAt: read, finishedAt: read });
    const record = {
      v: 1,
      holds: [{ ...aHold(), startedAt: operation?.startedAt, until: plusSeconds(new Date(read), 3600) }],
    };
    expect(readRecord(JSON.stringify(record)).kind).toBe('record');
  });

  test('[N-30] what is no time is none, and an operation without a beginning cannot be parsed', () => {
    expect(operationOf({ finishedAt: 'soon' })?.finishedAt).toBeUndefined();
    expect(applicationOf('hub', body({}, { status: { reconciledAt: 'x' } })).reconciledAt).toBeUndefined();
    expect(() => operationOf({ startedAt: 'soon' })).toThrow(Transient);
  });
});
