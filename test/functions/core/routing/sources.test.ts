import { describe, expect, test } from 'vitest';
import type { PushSeen } from '../../../../events/index.ts';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { pushOf, shortRevision } from '../../../../functions/core/routing/push.ts';
import { routeOf } from '../../../../functions/core/routing/route.ts';
import { anApplication, naming } from '../../../fakes/index.ts';
import { aPush, aRoute, aSource } from './builders.ts';

describe('the sources of an Application', () => {
  test('each counts: the one that takes value files from a `$values` reference is concerned by a push to the reference', () => {
    const chart = aSource({ repoURL: 'https://charts.example.com', chart: 'web', targetRevision: '1.2.3' });
    const values = aSource({ ref: 'values' });

    expect(isConcerned(aRoute({ sources: [chart, values] }), aPush())).toEqual({
      concerned: true,
      why: 'source 2 of 2 ($values) follows main; no annotation names its files',
    });
  });

  test('a chart counts where its registry is the repository that was pushed to, as Argo CD has it', () => {
    const chart = aSource({ chart: 'web', targetRevision: 'main' });

    expect(isConcerned(aRoute({ sources: [chart] }), aPush()).concerned).toBe(true);
    expect(isConcerned(aRoute({ sources: [{ ...chart, repoURL: 'oci://ghcr.io/acme/ocp' }] }), aPush()).concerned).toBe(
      false,
    );
  });

  test('one without any is concerned by nothing', () => {
    expect(isConcerned(aRoute({ sources: [] }), aPush())).toEqual({ concerned: false, why: 'it has no source' });
  });

  test('another repository is named in the answer, without what gives access to it', () => {
    const source = aSource({ repoURL: 'https://user:hunter2@git.example.com/acme/other.git' });

    const { why } = isConcerned(aRoute({ sources: [source] }), aPush());

    expect(why).toBe('its source is git.example.com/acme/other, the push is to github.com/acme/ocp');
  });
});

describe('what the table keeps of an Application', () => {
  test('no password of a repository, and a user where SSH needs one', () => {
    const urls = [
      'https://user:hunter2@git.example.com/a/b',
      'ssh://git@git.example.com/a/b',
      'git@git.example.com:a/b',
    ];
    const application = anApplication({ sources: urls.map((repoURL) => aSource({ repoURL })) });

    const { sources } = routeOf(application, 'prod');

    expect(sources.map(({ repoURL }) => repoURL)).toEqual(['https://git.example.com/a/b', ...urls.slice(1)]);
  });

  test.each([
    ['https://ghp_hunter2@git.example.com/a/b', 'https://git.example.com/a/b'],
    ['https://{{ .token }}@git.example.com/a/b', 'https://git.example.com/a/b'],
    ['https://{{ printf "%s@%s" .a .b }}/a/b', 'https://{{ printf "%s@%s" .a .b }}/a/b'],
  ])('[S1-18] no user over HTTP, who may be a token: %s', (repoURL, kept) => {
    const { sources } = routeOf(anApplication({ sources: [aSource({ repoURL })] }), 'prod');

    expect(sources.map((source) => source.repoURL)).toEqual([kept]);
  });

  test.each<[string | undefined, boolean]>([
    [undefined, true],
    ['worker, infra', true],
    ['none', false],
    ['', false],
  ])('whether it renders, by its annotation %j before what it manages: %s', (named, expected) => {
    const annotated = named === undefined ? {} : naming(named);

    expect(routeOf(anApplication(annotated), 'prod').renders).toBe(expected);
  });

  test.each([
    ['may add', { mayRemove: false }, true, true],
    ['may take away', { mayAdd: false }, false, false],
    ['may do neither', { mayAdd: false, mayRemove: false }, false, true],
  ])('[N-30] whether it renders by an annotation that %s, and whether `none` stops it', (_, may, adds, renders) => {
    const resources = [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'Synced' }];

    expect(routeOf(anApplication({ resources, ...naming('worker', may) }), 'prod').renders).toBe(adds);
    expect(routeOf(anApplication(naming('none', may)), 'prod').renders).toBe(renders);
  });

  test('[N-1] one that Argo CD has not compared yet may render: unknown is a match', () => {
    expect(routeOf(anApplication({ resources: [] }), 'prod').renders).toBe(true);
    expect(routeOf(anApplication({ resources: [], ...naming('none') }), 'prod').renders).toBe(false);
  });

  test('its children and ApplicationSets by name and namespace', () => {
    const row = { group: 'argoproj.io', status: 'Synced' };
    const resources = [
      { ...row, kind: 'Application', namespace: 'apps', name: 'a' },
      { ...row, kind: 'Application', namespace: '', name: 'b' },
      { ...row, kind: 'ApplicationSet', namespace: 'apps', name: 's' },
      { ...row, kind: 'AppProject', namespace: 'apps', name: 'p' },
    ];

    const route = routeOf(anApplication({ namespace: 'argocd', resources, generatedBy: 'set' }), 'prod');

    expect(route.children).toEqual([
      { namespace: 'apps', name: 'a' },
      { namespace: 'argocd', name: 'b' },
    ]);
    expect(route.childSets).toEqual([{ namespace: 'apps', name: 's' }]);
    expect(route).toMatchObject({ renders: false, generatedBy: 'set' });
  });
});

describe('a push as it was seen', () => {
  const seen: PushSeen['data'] = {
    delivery: 'd-1',
    receivedAt: '2026-03-02T10:00:00Z',
    repository: { htmlUrl: 'https://github.com/acme/ocp', fullName: 'acme/ocp', defaultBranch: 'main' },
    ref: 'refs/heads/main',
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    created: false,
    deleted: false,
    forced: false,
    pusher: 'ada',
    files: { kind: 'known', paths: ['a.yaml'] },
  };

  test('is routed by the files that it lists', () => {
    expect(pushOf(seen).files).toEqual({ kind: 'known', paths: ['a.yaml'] });
  });

  test.each<[Partial<PushSeen['data']>, string]>([
    [{ forced: true }, 'it was forced: what the dropped commits changed is not listed'],
    [{ created: true }, 'the branch or tag is new'],
    [{ deleted: true }, 'the branch or tag was deleted'],
    [{ files: { kind: 'known', paths: [] } }, 'no changed file is listed'],
    [{ files: { kind: 'unknown', why: '2048 commits' } }, '2048 commits'],
  ])('[S0-12] has unknown files when it says %o', (change, why) => {
    expect(pushOf({ ...seen, ...change }).files).toEqual({ kind: 'unknown', why });
  });

  test.each([
    ['refs/heads/main', 'main'],
    ['refs/heads/a/b', 'a/b'],
    ['refs/tags/v1', 'v1'],
    ['heads/main', 'main'],
    ['main', 'main'],
    ['', ''],
    ['x/', ''],
  ])('%j is short for %j', (ref, short) => {
    expect(shortRevision(ref)).toBe(short);
  });
});
