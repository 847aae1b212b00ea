import { describe, expect, test } from 'vitest';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { aPush, aRoute, aSource } from './builders.ts';

describe('the revision that a source follows', () => {
  /** Target revision, pushed ref, concerned. The default branch is main. */
  test.each<[string, string, boolean]>([
    ['HEAD', 'refs/heads/main', true],
    ['', 'refs/heads/main', true],
    ['HEAD', 'refs/heads/feature', false],
    ['x/HEAD', 'refs/heads/main', true],
    ['origin/HEAD', 'refs/heads/main', true],
    ['a/b/HEAD', 'refs/heads/main', true],
    ['a/b/c/HEAD', 'refs/heads/main', false],
    ['x/', 'refs/heads/main', true],
    ['refs/heads/', 'refs/heads/main', true],
    ['main', 'refs/heads/main', true],
    ['main', 'refs/tags/main', true],
    ['refs/heads/main', 'refs/heads/main', true],
    ['refs/heads/main', 'refs/tags/main', true],
    ['refs/tags/main', 'refs/heads/main', true],
    ['team/a', 'refs/heads/team/a', true],
    ['refs/heads/team/a', 'refs/heads/team/a', true],
    ['team/a', 'refs/heads/a', false],
    ['team/b/c', 'refs/heads/team/b/c', true],
    ['v1', 'refs/tags/v1', true],
    ['refs/tags/v1', 'refs/tags/v1', true],
    ['Main', 'refs/heads/main', false],
    ['origin/main', 'refs/heads/main', false],
    ['heads/main', 'refs/heads/main', false],
    ['0123456789012345678901234567890123456789', 'refs/heads/main', false],
    ['v1.2.*', 'refs/tags/v1.2.9', true],
    ['v1.2.*', 'refs/tags/v1.3.0', false],
    ['refs/tags/v1.2.*', 'refs/tags/v1.2.9', true],
    ['>= 1.2.0', 'refs/tags/1.4.0', true],
    ['>= 1.2.0', 'refs/heads/1.4.0', true],
    ['>= 1.2.0', 'refs/heads/main', false],
    ['1', 'refs/tags/v1.9.9', true],
    ['1.x', 'refs/heads/1.x', true],
    // Not what Masterminds 3.4 reads; a later one might.
    ['>= 1.2.0; < 2', 'refs/tags/v1.3.0', true],
    ['~=1.2', 'refs/tags/v1.3.0', true],
    ['~=1.2', 'refs/heads/main', false],
    ['a~1', 'refs/tags/v1.3.0', false],
  ])('[S0-12] %j and a push to %s: %s', (targetRevision, ref, expected) => {
    const route = aRoute({ sources: [aSource({ targetRevision })] });

    expect(isConcerned(route, aPush({ ref })).concerned).toBe(expected);
  });

  test('is said when it rules a push out', () => {
    const route = aRoute({
      sources: [aSource({ targetRevision: '~1.2' }), aSource({ targetRevision: 'main', ref: 'values' })],
    });

    expect(isConcerned(route, aPush({ ref: 'refs/tags/v2.0.0' })).why).toBe(
      'source 1 of 2 follows versions ~1.2, the push is to v2.0.0; source 2 of 2 ($values) follows main, the push is to v2.0.0',
    );
  });

  test('the default branch is the one that the push names, whatever it is called', () => {
    const route = aRoute({ sources: [aSource({ targetRevision: 'HEAD' })] });
    const toTrunk = aPush({ ref: 'refs/heads/trunk', defaultBranch: 'trunk' });

    expect(isConcerned(route, toTrunk)).toEqual({
      concerned: true,
      why: 'its source follows the default branch; no annotation names its files',
    });
    expect(isConcerned(route, aPush({ defaultBranch: 'trunk' })).concerned).toBe(false);
  });
});
