import { describe, expect, it } from 'vitest';
import { discoveryOf, resolveResource } from '../../../../functions/core/sequences/discovery.ts';

interface Version {
  readonly group: string;
  readonly version?: string;
  /** Plurals. */
  readonly kinds?: readonly string[];
  readonly freshness?: string;
}

/** As the API server lists it in its own order. */
function served(...versions: readonly Version[]) {
  const items = versions.map(({ group, version = 'v1', kinds, freshness = 'Current' }) => ({
    metadata: { name: group },
    versions: [
      {
        version,
        freshness,
        ...(kinds && {
          resources: kinds.map((resource) => ({
            resource,
            singularResource: resource.replace(/s$/, ''),
            responseKind: { group: '', version: '', kind: resource },
            scope: 'Namespaced',
          })),
        }),
      },
    ],
  }));
  const discovery = discoveryOf({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });
  if (discovery === undefined) throw new Error('it is no discovery');
  return discovery;
}

const config = { group: 'config.openshift.io', kinds: ['builds', 'images'] };
const builds = { group: 'build.openshift.io', kinds: ['builds'] };
/** Its server is away, and nothing of it is known from before. */
const lost = { group: 'build.openshift.io', freshness: 'Stale' };

describe('a group whose server is away', () => {
  it.each([
    ['by its group', 'builds.build.openshift.io', [config, lost]],
    ['by its version', 'builds.v1.build.openshift.io', [config, lost]],
    ['beside another version', 'builds.build.openshift.io', [{ ...builds, version: 'v2', kinds: [] }, lost]],
    ['by what was known before', 'builds.build.openshift.io', [{ ...builds, kinds: ['others'], freshness: 'Stale' }]],
  ])('[S2-19] its kinds are not unknown, but nobody knows them: %s', (_, written, versions) => {
    expect(resolveResource(written, served(...versions))).toEqual({ staleIn: 'build.openshift.io/v1' });
  });

  it('[S2-19] a kind that is named without its group may be one of them', () => {
    expect(resolveResource('routes', served(config, lost))).toEqual({ staleIn: 'build.openshift.io/v1' });
  });

  it('[S2-3] [S2-19] a name that it would have before others does not mean theirs', () => {
    expect(resolveResource('builds', served(builds, config))).toMatchObject({ group: 'build.openshift.io' });
    expect(resolveResource('builds', served(lost, config))).toEqual({ staleIn: 'build.openshift.io/v1' });
    expect(resolveResource('builds.config.openshift.io', served(lost, config))).toMatchObject({
      group: 'config.openshift.io',
    });
  });

  it('[S2-19] what is known of its kinds from before counts, and so does what other groups have', () => {
    const before = { ...builds, freshness: 'Stale' };

    expect(resolveResource('builds', served(before, config))).toMatchObject({ group: 'build.openshift.io' });
    expect(resolveResource('images', served(before, config))).toMatchObject({ group: 'config.openshift.io' });
    expect(resolveResource('images', served(config, lost))).toMatchObject({ group: 'config.openshift.io' });
  });

  it('[S2-19] says nothing about kinds of other groups that are not served', () => {
    expect(resolveResource('routes.config.openshift.io', served(config, lost))).toBeUndefined();
    expect(resolveResource('routes', served(config, builds))).toBeUndefined();
  });
});
