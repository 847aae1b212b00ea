import { describe, expect, test } from 'vitest';
import {
  applicationLink,
  commitLink,
  type LinkPlaces,
  poolLink,
} from '../../../../functions/core/configuration/links.ts';

const sha = '3f9c2a1b4d5e6f708192a3b4c5d6e7f809182736';
const hub = {
  name: 'hub',
  namespaces: ['openshift-gitops', 'tenants'],
  url: 'https://argocd.example.com',
  commitsUrl: 'https://github.com/acme/cluster-config/commit',
};
const places: LinkPlaces = {
  clusters: [{ name: 'prod', consoleUrl: 'https://console.example.com' }, { name: 'test' }],
  argocd: [hub],
};
const twice = { ...places, argocd: [hub, { ...hub, name: 'b', commitsUrl: 'https://git.example.com' }] };

describe('[N-33] [N-34] links begin with an address of the configuration', () => {
  test('to the pool in the console, the Application in Argo CD and the commit', () => {
    expect(poolLink(places, 'prod', 'worker')).toBe(
      'https://console.example.com/k8s/cluster/machineconfiguration.openshift.io~v1~MachineConfigPool/worker',
    );
    expect(applicationLink(places, 'openshift-gitops/nodes')).toBe(
      'https://argocd.example.com/applications/openshift-gitops/nodes',
    );
    expect(applicationLink(places, 'hub/tenants/web')).toBe('https://argocd.example.com/applications/tenants/web');
    expect(commitLink(places, sha)).toBe(`https://github.com/acme/cluster-config/commit/${sha}`);
  });

  test.each([
    ['a cluster without a console', poolLink(places, 'test', 'worker')],
    ['a cluster that is not configured', poolLink(places, 'other', 'worker')],
    ['what concerns a whole cluster', poolLink(places, 'prod', '*')],
    ['an unknown instance', applicationLink(places, 'spoke/tenants/web')],
    ['an unknown namespace', applicationLink(places, 'elsewhere/web')],
    ['an Application that two instances may have', applicationLink(twice, 'tenants/web')],
    ['a version that is no hash', commitLink(places, 'v1.2.3')],
    ['a hash with more behind it', commitLink(places, `${sha}/../../evil`)],
    ['commits at two addresses', commitLink(twice, sha)],
  ])('%s has none', (_, link) => {
    expect(link).toBeUndefined();
  });

  test.each(['../..', 'a?b#c', '"><script>', '|evil>', '//evil.example', 'javascript:alert(1)'])(
    '[S4-9] the name %j leads nowhere else',
    (name) => {
      const links = [poolLink(places, 'prod', name), applicationLink(places, `tenants/${name}`)];

      for (const link of links.flatMap((each) => each ?? [])) {
        expect(new URL(link).origin).toMatch(/^https:\/\/(?:console|argocd)\.example\.com$/);
        expect(link).not.toMatch(/["<>|?#\s]/);
      }
    },
  );
});
