import { describe, expect, test } from 'vitest';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { aPush, aRoute, aSource } from './builders.ts';

describe('manifest-generate-paths', () => {
  /** Annotation, path of the source, changed file, concerned. */
  test.each<[string | undefined, string, string, boolean]>([
    [undefined, 'apps/web', 'README.md', true],
    ['', 'apps/web', 'README.md', true],
    [';;', 'apps/web', 'README.md', true],
    [' ; ', 'apps/web', 'README.md', true],
    ['.', 'apps/web', 'apps/web/a.yaml', true],
    ['.', 'apps/web', 'apps/web/deep/er/a.yaml', true],
    ['.', 'apps/web', 'apps/website/a.yaml', false],
    ['.', 'apps/web', 'apps/a.yaml', false],
    ['.', '', 'anything', true],
    ['..', 'apps/web', 'apps/db/a.yaml', true],
    ['../shared', 'apps', 'shared/k.yaml', true],
    ['../../../shared', 'apps', 'shared/k.yaml', true],
    ['/shared', 'apps/web', 'shared/k.yaml', true],
    ['/shared', 'apps/web', 'apps/web/a.yaml', false],
    ['/shared/', 'apps/web', 'shared/k.yaml', true],
    ['/', 'apps/web', 'anything', true],
    ['/a/../shared', 'apps/web', 'shared/k.yaml', true],
    ['.;/shared', 'apps/web', 'shared/k.yaml', true],
    ['. ; /shared ', 'apps/web', 'shared/k.yaml', true],
    ['values.yaml', 'apps/web', 'apps/web/values.yaml', true],
    ['/apps/*/a.yaml', 'x', 'apps/web/a.yaml', true],
    ['/apps/*/a.yaml', 'x', 'apps/web/deep/a.yaml', false],
    ['/apps/**/a.yaml', 'x', 'apps/web/deep/a.yaml', false],
    ['*.yaml', 'apps/web', 'apps/web/a.yaml', true],
    ['*.yaml', 'apps/web', 'apps/web/deep/a.yaml', false],
    ['a.y?ml', 'apps/web', 'apps/web/a.yaml', true],
    ['/[a-c]pps/[^x]*', 'x', 'apps/web', true],
    ['/[b-c]pps', 'x', 'apps/web', false],
    ['/apps[!-~]web', 'x', 'apps/web', true],
    ['/\\*', 'x', '*', true],
    ['/\\*', 'x', 'a', false],
    ['/apps/[x', 'x', 'apps/x', false],
    ['/apps/[x', 'x', 'apps/[x/a.yaml', true],
    ['/?', 'x', 'é', true],
    ['/*??', 'x', '€', true],
    ['/[à-ü]', 'x', 'é', true],
  ])('%j of a source in %j, %j changed: %s', (generatePaths, path, file, expected) => {
    const route = aRoute({ sources: [aSource({ path })], generatePaths });

    const answer = isConcerned(route, aPush({ files: [file] }));

    expect(answer.concerned).toBe(expected);
  });

  test('an absolute and a relative path each stand for themselves, and the words name the one that changed', () => {
    const route = aRoute({ sources: [aSource({ path: 'apps/web' })], generatePaths: '.;/shared' });

    expect(isConcerned(route, aPush({ files: ['shared/k.yaml'] })).why).toBe(
      'its source follows main; its annotation names shared, where files changed',
    );
    expect(isConcerned(route, aPush({ files: ['README.md', 'LICENSE'] })).why).toBe(
      'its source: its annotation names apps/web, shared, and none of 2 changed files is there',
    );
  });

  test('is relative to every source, as it was before Argo CD 3.2.11, and to the one at hand, as it is since', () => {
    const sources = [
      aSource({ path: 'apps/web' }),
      aSource({ path: 'values', repoURL: 'https://github.com/acme/values' }),
    ];
    const route = aRoute({ sources, generatePaths: '.' });

    expect(isConcerned(route, aPush({ files: ['apps/web/a.yaml'] })).concerned).toBe(true);
    expect(isConcerned(route, aPush({ files: ['values/a.yaml'] })).concerned).toBe(true);
    expect(isConcerned(route, aPush({ files: ['other/a.yaml'] })).concerned).toBe(false);
  });

  test('the hydrated source goes by its own path, whatever the annotation says; the dry one by the annotation', () => {
    const dry = aSource({ path: 'dry/web', targetRevision: 'main', hydration: 'dry' });
    const hydrated = aSource({ path: 'hydrated/web', targetRevision: 'env/prod', hydration: 'hydrated' });
    const route = aRoute({ sources: [dry, hydrated], generatePaths: '/only/this' });
    const toDry = (file: string) => isConcerned(route, aPush({ files: [file] })).concerned;
    const toHydrated = (file: string) =>
      isConcerned(route, aPush({ ref: 'refs/heads/env/prod', files: [file] })).concerned;

    expect([toDry('only/this/a.yaml'), toDry('dry/web/a.yaml'), toDry('hydrated/web/a.yaml')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([toHydrated('hydrated/web/a.yaml'), toHydrated('only/this/a.yaml')]).toEqual([true, false]);
  });

  test('[S0-12] does not count when it is not known which files changed', () => {
    const route = aRoute({ sources: [aSource({ path: 'apps' })], generatePaths: '.' });

    const answer = isConcerned(route, aPush({ files: { kind: 'unknown', why: 'more than 2,048 commits' } }));

    expect(answer).toEqual({
      concerned: true,
      why: 'its source follows main, and which files changed is not known: more than 2,048 commits',
    });
  });
});
