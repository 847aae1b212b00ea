import { expect, test } from 'vitest';
import { appProjectOf } from '../../../functions/adapters/kubernetes/app-project-of.ts';
import { accepts } from '../../../functions/core/guard/app-project.ts';

function projectWith(sourceNamespaces: readonly string[]) {
  return appProjectOf('hub', {
    metadata: { name: 'nodes', namespace: 'openshift-gitops', uid: 'u', resourceVersion: '1' },
    spec: { sourceNamespaces },
  });
}

test('[N-6] a list of namespaces that is too long to be read may name any', () => {
  const teams = Array.from({ length: 60 }, (_, index) => `team-${index}`).join('|');

  expect(accepts(projectWith([`/^(${teams})$/`]), 'team-59')).toBe(true);
  expect(accepts(projectWith(['x'.repeat(5_000)]), 'team-59')).toBe(true);
  expect(accepts(projectWith(Array.from({ length: 3_000 }, (_, index) => `other-${index}`)), 'team-59')).toBe(true);
  expect(accepts(projectWith(['team-5']), 'team-59')).toBe(false);
});
