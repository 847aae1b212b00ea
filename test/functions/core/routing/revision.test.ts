import { describe, expect, test } from 'vitest';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { shortRevision } from '../../../../functions/core/routing/push.ts';
import { routingTable } from '../../../../functions/core/routing/routing-table.ts';
import { fc } from '../../../property.ts';
import { aPush, aRoute, aSource } from './builders.ts';
import { check, parseConstraint, parseVersion } from './masterminds.ts';

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
    ['HEAD', 'refs/tags/main', false],
    ['', 'refs/tags/main', false],
    ['refs/heads/main', 'refs/tags/main', false],
    ['refs/tags/main', 'refs/heads/main', false],
    ['refs/tags/main', 'refs/tags/main', true],
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
    expect(routingTable([route]).concernedBy(aPush({ ref }))).toHaveLength(expected ? 1 : 0);
  });

  test('[N-29] of a tag that has the name of a branch it is said that it is a tag', () => {
    const route = aRoute({ sources: [aSource({ targetRevision: 'main' })] });

    const why = 'its source follows main, and tag main was pushed; no annotation names its files';
    expect(isConcerned(route, aPush({ ref: 'refs/tags/main' })).why).toBe(why);
    expect(routingTable([route]).concernedBy(aPush({ ref: 'refs/tags/main' }))).toMatchObject([{ why }]);
  });

  test.each([
    ['HEAD', 'refs/tags/main', false],
    ['refs/heads/main', 'refs/tags/main', false],
    ['refs/tags/main', 'refs/heads/main', false],
    ['main', 'refs/tags/main', true],
    ['refs/heads/main', 'refs/heads/main', true],
  ])('[N-30] a Git generator at %s and a push to %s: %s', (revision, ref, expected) => {
    const generators = [{ repoURL: 'https://github.com/acme/ocp', revision, reads: 'files' as const, paths: [] }];
    const set = { argocd: 'hub', namespace: 'argocd', name: 'set' };
    const sets = [{ ref: set, generators, readsAnyPush: false, looksEverySeconds: 180 }];

    expect(routingTable([], { sets }).setsConcernedBy(aPush({ ref }))).toHaveLength(expected ? 1 : 0);
  });

  test('is said when it rules a push out', () => {
    const route = aRoute({
      sources: [aSource({ targetRevision: '~1.2' }), aSource({ targetRevision: 'main', ref: 'values' })],
    });

    expect(isConcerned(route, aPush({ ref: 'refs/tags/v2.0.0' })).why).toBe(
      'source 1 of 2 follows versions ~1.2, the push is to tag v2.0.0; source 2 of 2 ($values) follows main, the push is to tag v2.0.0',
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

describe('a branch or tag that is deleted', () => {
  test.each<[string, string, boolean]>([
    ['feature', 'refs/heads/feature', false],
    ['refs/heads/feature', 'refs/heads/feature', false],
    ['HEAD', 'refs/heads/main', false],
    ['nightly', 'refs/tags/nightly', false],
    // The branch is still there, and may have been hidden by the tag.
    ['main', 'refs/tags/main', true],
    ['refs/tags/main', 'refs/tags/main', false],
    ['v1.2.9', 'refs/heads/v1.2.9', true],
    ['v1.2.9', 'refs/tags/v1.2.9', true],
    ['v1.2.*', 'refs/tags/v1.2.9', true],
    ['v1.2.*', 'refs/heads/v1.2.9', false],
    ['~=1.2', 'refs/tags/v1.3.0', true],
    ['~=1.2', 'refs/heads/v1.3.0', false],
  ])('[N-30] %j and %s gone: a sync can follow: %s', (targetRevision, ref, expected) => {
    const route = aRoute({ sources: [aSource({ targetRevision })] });
    const push = aPush({ ref, deleted: true });

    expect(isConcerned(route, push).concerned).toBe(expected);
    expect(routingTable([route]).concernedBy(push)).toHaveLength(expected ? 1 : 0);
  });

  test('[N-29] is said to be gone', () => {
    const route = aRoute({ sources: [aSource({ targetRevision: 'feature' })] });

    expect(isConcerned(route, aPush({ ref: 'refs/heads/feature', deleted: true })).why).toBe(
      'its source follows feature, branch feature was deleted, which no sync follows',
    );
  });

  test('[S0-12] [N-30] concerns whom Argo CD gives another commit, and nobody else it would not have concerned before', () => {
    // A name that reads like no version belongs to a branch or to a tag.
    const branches = ['main', 'feature', 'v1.2.3', '1.x', 'release/1.0.0'];
    const tags = ['nightly', 'v1.2.3', 'v1.2.9', '1.3.0', 'v2.0.0-rc.1'];
    const refs = [...branches.map((name) => `refs/heads/${name}`), ...tags.map((name) => `refs/tags/${name}`)];
    const world = fc.record({
      there: fc.subarray(refs, { minLength: 1 }),
      targetRevision: fc.oneof(
        fc.constantFrom(...refs, ...branches, ...tags),
        fc.constantFrom('HEAD', '', 'v1.2.*', '>=1.0.0', '~1.2', '1.x', '^2.0.0-0', '*'),
      ),
      gone: fc.nat(),
    });

    fc.assert(
      fc.property(world, ({ there, targetRevision, gone }) => {
        const ref = there[gone % there.length] ?? '';
        const route = aRoute({ sources: [aSource({ targetRevision })] });
        const before = resolved(targetRevision, there);
        const after = resolved(
          targetRevision,
          there.filter((each) => each !== ref),
        );

        const { concerned } = isConcerned(route, aPush({ ref, deleted: true }));

        if (after !== undefined && after !== before) expect(concerned).toBe(true);
        if (concerned) expect(isConcerned(route, aPush({ ref })).concerned).toBe(true);
      }),
    );
  });
});

/** The ref that Argo CD takes, of these; undefined: none, so that it syncs nothing. The default branch is main. */
function resolved(targetRevision: string, refs: readonly string[]): string | undefined {
  if (['HEAD', ''].includes(targetRevision)) return refs.find((ref) => ref === 'refs/heads/main');
  const range = parseConstraint(targetRevision);
  const within = refs.flatMap((ref) => {
    const version = ref.startsWith('refs/tags/') ? parseVersion(ref.slice('refs/tags/'.length)) : undefined;
    return range !== undefined && version !== undefined && check(range, version) ? [ref] : [];
  });
  // The newest one; that another takes its place is what counts here.
  const newest = within.toSorted((a, b) => bare(a).localeCompare(bare(b), 'en', { numeric: true })).at(-1);
  return newest ?? refs.toSorted().find((ref) => ref === targetRevision || shortRevision(ref) === targetRevision);
}

function bare(ref: string): string {
  return ref.replace(/^refs\/tags\/v?/, '');
}
