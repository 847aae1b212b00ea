import { expect, test } from 'vitest';
import { knownApplications } from '../../../functions/keep-pools/route/known-applications.ts';
import { anApplication } from '../../fakes/index.ts';
import { keepLab } from './keep-lab.ts';

test('[N-30] of each Application it is known whether it is in the namespace of its Argo CD', async () => {
  const lab = keepLab();
  lab.world.argocd.put(anApplication({ namespace: 'tenant', name: 'theirs', uid: 'u-theirs' }));
  await lab.pass(360);

  const known = await knownApplications('prod', lab.ports);

  expect(known.map(({ ref, isAtHome }) => [`${ref.namespace}/${ref.name}`, isAtHome]).toSorted()).toEqual([
    ['openshift-gitops/nodes', true],
    ['tenant/theirs', false],
  ]);
});
