import { describe, expect, test } from 'vitest';
import { clusterOf } from '../../../../functions/core/argocd/destination.ts';
import { repositoriesOf, repositoryOf } from '../../../../functions/core/routing/repository.ts';
import { anApplication } from '../../../fakes/index.ts';

const html = 'https://github.com/acme/ocp';

/** May what an Application follows be the repository of the push? */
function isSameRepository(url: string, pushed: string): boolean {
  return repositoriesOf(url).includes(repositoryOf(pushed) ?? '');
}

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
    'git@github.com:443/acme/ocp',
    'github.com:443:acme/ocp',
    'https://user:p@ss@github.com/acme/ocp',
    'https://github.com/acme/%6Fcp',
    '  https://github.com//acme/ocp.git/ ',
    'ssh://git@ssh.ssh.github.com/acme/ocp.git.git',
  ])('is the one of %s', (url) => {
    expect(isSameRepository(url, html)).toBe(true);
  });

  test.each([
    'https://github.com/acme/./ocp',
    'https://github.com/acme/x/../ocp.git',
    'https://github.com/acme/%2e/ocp',
    'https://github.com/acme/ocp/.',
    'git@github.com:acme/x/%2E%2e/ocp',
    'https://github.com/../acme/ocp',
  ])('[N-30] is the one of %s, whose dot segments Git resolves', (url) => {
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

test('a number before the path may be a port or an owner; of the push it is a port', () => {
  expect(isSameRepository('git@git.example.com:123/ocp', 'https://git.example.com/123/ocp')).toBe(true);
  expect(isSameRepository('git@git.example.com:123/ocp', 'https://git.example.com/ocp')).toBe(true);
  expect(repositoryOf('https://git.example.com:8443/acme/ocp')).toBe('git.example.com/acme/ocp');
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
