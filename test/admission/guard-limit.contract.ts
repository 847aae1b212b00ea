import { beforeAll, describe, expect, test } from 'vitest';
import { guardsAnnotation } from '../../functions/core/guard/guard-record.ts';
import { windowsAfter } from '../../functions/core/guard/sync-windows.ts';
import { windowsHolding } from '../../functions/core/sequences/sync-window.ts';
import type { Draft } from '../cluster/harness/kube.ts';
import type { LimitLab } from './limit.contract.ts';

/** Namespace of our account. The policies are those of level guard, without restarts of syncs. */
export const guardHome = 'poolkeeper-guards';

const foreign = {
  kind: 'deny',
  schedule: '0 22 * * 2',
  duration: '4h',
  applications: ['*'],
  manualSync: true,
  timeZone: 'Europe/Berlin',
};
const [ours] = windowsAfter([], { closed: new Set(['nodes']), open: new Set() });
const [ofSequence] = windowsHolding({}, 'nodes', 'openshift-gitops') ?? [];
const refresh = 'argocd.argoproj.io/refresh';

function project(name: string, syncWindows?: readonly unknown[]): Draft {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: guardHome, annotations: { 'example.com/owner': 'team' }, labels: { team: 'a' } },
    spec: {
      sourceRepos: ['https://git.example.com/*'],
      destinations: [{ server: '*', namespace: '*' }],
      ...(syncWindows === undefined ? {} : { syncWindows }),
    },
  };
}

const plain = project('plain');
const mixed = project('mixed', [foreign, ours]);
const record = { metadata: { annotations: { [guardsAnnotation]: '{"v":1,"guards":[]}' } } };
const windows = (...syncWindows: readonly unknown[]) => ({ spec: { syncWindows } });
const annotated = (annotations: Readonly<Record<string, string | null>>) => ({ metadata: { annotations } });

const nodes: Draft = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'nodes', namespace: guardHome },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example.com/acme/infra', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
};

const onlyWindows = 'may change only spec.syncWindows of an AppProject';
const onlyRefresh = 'may only ask for a refresh of an Application';

/** What the policies let the account of a cluster with guards do to AppProjects and Applications. */
export function guardLimitContract(name: string, makeLab: () => Promise<LimitLab>): void {
  describe(`limits of an account that guards: ${name}`, () => {
    let lab: LimitLab;

    beforeAll(async () => {
      lab = await makeLab();
      for (const each of [plain, mixed, nodes]) await lab.place(each);
    });

    function expectAnswer(answer: string | undefined, words: string | undefined): void {
      if (words === undefined) expect(answer).toBeUndefined();
      else expect(answer).toContain(words);
    }

    test.each<[string, Draft, unknown, string | undefined]>([
      ['the first window and its record', plain, { ...record, ...windows(ours) }, undefined],
      [
        'no window any more',
        plain,
        { ...annotated({ [guardsAnnotation]: null }), spec: { syncWindows: null } },
        undefined,
      ],
      ['ours goes, another stays', mixed, { ...record, ...windows(foreign) }, undefined],
      ['ours comes back behind another', mixed, windows(foreign, ours), undefined],
      ['one of a sequence beside them', mixed, windows(foreign, ours, ofSequence), undefined],
      ['a window of others is taken away', mixed, windows(ours), 'sync windows of others'],
      ['all windows are taken away', mixed, { spec: { syncWindows: null } }, 'sync windows of others'],
      [
        'a window of others is changed',
        mixed,
        windows({ ...foreign, manualSync: false }, ours),
        'sync windows of others',
      ],
      [
        'a window of others is made ours',
        mixed,
        windows({ ...foreign, description: ours?.['description'] }, ours),
        'sync windows of others',
      ],
      [
        'a window without our description',
        mixed,
        windows(foreign, ours, { ...foreign, applications: ['a'] }),
        'sync windows of others',
      ],
      ['a window that allows', mixed, windows(foreign, { ...ours, kind: 'allow' }), 'sync windows of others'],
      ['sources', plain, { spec: { sourceRepos: ['*'] } }, onlyWindows],
      ['a destination taken away', plain, { spec: { destinations: null } }, onlyWindows],
      ['what it may create', plain, { spec: { clusterResourceWhitelist: [{ group: '*', kind: '*' }] } }, onlyWindows],
      ['a role', plain, { spec: { roles: [{ name: 'all', policies: [] }] } }, onlyWindows],
      [
        "somebody's annotation",
        plain,
        annotated({ 'example.com/owner': null }),
        'annotations that begin with poolkeeper.dev/',
      ],
      ['a label', plain, { metadata: { labels: { team: null } } }, 'labels, finalizers or owners'],
      [
        'a finalizer',
        plain,
        { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } },
        'labels, finalizers or owners',
      ],
    ])('[C-11] [N-6] an AppProject: %s', async (_what, object, change, words) => {
      expectAnswer(await lab.patch(object, change), words);
    });

    test('[C-11] [N-6] no AppProject is made or deleted', async () => {
      expectAnswer(await lab.create(project('new')), 'does not create or delete AppProjects');
      expectAnswer(await lab.delete(plain), 'does not create or delete AppProjects');
    });

    test.each<[string, unknown, string | undefined]>([
      ['a refresh', annotated({ [refresh]: 'normal' }), undefined],
      ['a hard refresh, which has Argo CD render everything anew', annotated({ [refresh]: 'hard' }), onlyRefresh],
      ['another annotation beside it', annotated({ [refresh]: 'normal', note: 'x' }), onlyRefresh],
      ['an annotation of ours', annotated({ [refresh]: 'normal', 'poolkeeper.dev/pools': 'worker' }), onlyRefresh],
      ['an operation beside it', { ...annotated({ [refresh]: 'normal' }), operation: { sync: {} } }, onlyRefresh],
      ['another commit beside it', { ...annotated({ [refresh]: 'normal' }), spec: { project: 'other' } }, onlyRefresh],
      ['a state', { status: { sync: { status: 'Synced' } } }, onlyRefresh],
      ['a label', { metadata: { labels: { a: 'b' } } }, onlyRefresh],
    ])('[C-11] [N-6] an Application: %s', async (_what, change, words) => {
      expectAnswer(await lab.patch(nodes, change), words);
    });

    test('[C-11] [N-6] no Application is made or deleted', async () => {
      const other = { ...nodes, metadata: { ...nodes.metadata, name: 'other' } };
      expectAnswer(await lab.create(other), 'does not create or delete Applications');
      expectAnswer(await lab.delete(nodes), 'does not create or delete Applications');
    });
  });
}
