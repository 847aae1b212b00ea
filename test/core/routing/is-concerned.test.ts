import { describe, expect, test } from 'vitest';
import { clusterOf } from '../../../functions/core/destination.ts';
import { isConcerned } from '../../../functions/core/routing/is-concerned.ts';
import { isSameRepository } from '../../../functions/core/routing/repository.ts';
import { routeOf } from '../../../functions/core/routing/route.ts';
import { anApplication } from '../../fakes/index.ts';

const html = 'https://github.com/acme/ocp';

describe('the repository of a push', () => {
  test.each([
    'https://github.com/acme/ocp',
    'https://github.com/acme/ocp.git',
    'https://github.com/acme/ocp/',
    'https://user:token@github.com/acme/ocp.git',
    'git@github.com:acme/ocp.git',
    'org-1@github.com:acme/ocp',
    'ssh://git@ssh.github.com:443/acme/ocp.git',
    'ssh://git@altssh.github.com/acme/ocp',
    'github.com/acme/ocp',
    'https://github.com:443/acme/ocp',
    'HTTPS://GitHub.com/Acme/OCP.git',
    'git://github.com/acme/ocp',
    'https://www.github.com/acme/ocp',
  ])('is the one of %s', (url) => {
    expect(isSameRepository(url, html)).toBe(true);
  });

  test.each([
    'https://github.com/acme/ocp2',
    'https://gitlab.com/acme/ocp',
    'https://github.com/other/ocp',
    'oci://registry.example.com/ocp',
    '',
  ])('is not the one of %s', (url) => {
    expect(isSameRepository(url, html)).toBe(false);
  });
});

describe('the revision of a push', () => {
  const files = { kind: 'unknown', why: 'the test does not say' } as const;
  const push = { htmlUrl: html, defaultBranch: 'main', ref: 'refs/heads/main', files };
  const following = (targetRevision: string) =>
    anApplication({ sources: [{ repoURL: `${html}.git`, path: 'x', targetRevision, chart: '' }] });

  test.each([
    ['HEAD', 'refs/heads/main', true],
    ['', 'refs/heads/main', true],
    ['HEAD', 'refs/heads/feature', false],
    ['main', 'refs/heads/main', true],
    ['refs/heads/main', 'refs/heads/main', true],
    ['team/a', 'refs/heads/team/a', true],
    ['v1', 'refs/tags/v1', true],
    ['refs/tags/v1', 'refs/tags/v1', true],
    ['v1.2.*', 'refs/tags/v1.2.9', true],
    ['>= 1.2.0', 'refs/tags/1.4.0', true],
    ['>= 1.2.0', 'refs/heads/main', false],
    ['0123456789012345678901234567890123456789', 'refs/heads/main', false],
  ])('target %s and ref %s: %s', (target, ref, expected) => {
    expect(isConcerned(routeOf(following(target), 'prod'), { ...push, ref }).concerned).toBe(expected);
  });

  test('concerns an Application by any of its sources', () => {
    const sources = [
      { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.2.3', chart: 'web' },
      { repoURL: 'git@github.com:acme/ocp.git', path: 'values', targetRevision: 'main', chart: '' },
    ];

    expect(isConcerned(routeOf(anApplication({ sources }), 'prod'), push).concerned).toBe(true);
  });
});

describe('the cluster of an Application', () => {
  const argocd = {
    name: 'hub',
    cluster: 'hub-cluster',
    namespaces: ['argocd'],
    controllerNamespace: 'argocd',
    destinations: [
      { server: 'https://api.prod.example.com:6443/', cluster: 'prod' },
      { name: 'edge-7', cluster: 'edge' },
    ],
  };

  test.each([
    [{ server: 'https://api.prod.example.com:6443', name: '' }, 'prod'],
    [{ server: '', name: 'edge-7' }, 'edge'],
    [{ server: 'https://kubernetes.default.svc', name: '' }, 'hub-cluster'],
    [{ server: '', name: 'in-cluster' }, 'hub-cluster'],
    [{ server: 'https://unknown.example.com', name: '' }, undefined],
    [{ server: '', name: '' }, undefined],
  ])('%o is %s', (destination, expected) => {
    expect(clusterOf(anApplication({ destination }), argocd)).toBe(expected);
  });
});
