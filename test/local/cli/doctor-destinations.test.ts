import { describe, expect, test } from 'vitest';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import { checkDestinations } from '../../../local/cli/doctor/check-destinations.ts';
import { anApplication, fakeArgoCd } from '../../fakes/index.ts';

const settings: ArgoCdSettings = {
  name: 'hub',
  cluster: 'hub',
  namespaces: ['openshift-gitops'],
  controllerNamespace: 'openshift-gitops',
  destinations: [{ server: 'https://api-int.prod.example.com:6443', name: undefined, cluster: 'prod' }],
};
const former = { server: 'https://api.prod.example.com:6443', name: '' };

describe('[N-30] the doctor on the destinations of Applications', () => {
  test('names those of Applications that change pools of no cluster of the configuration', async () => {
    const argocd = fakeArgoCd();
    argocd.put(anApplication({ name: 'nodes', destination: former }));
    argocd.put(anApplication({ name: 'more', destination: former }));
    argocd.put(anApplication({ name: 'by-name', destination: { server: '', name: 'stage' } }));

    expect(await checkDestinations('Argo CD hub', settings, argocd)).toMatchObject([
      {
        state: 'warning',
        what: 'destinations: https://api.prod.example.com:6443 is no cluster of poolkeeper.yaml, so nothing is paused for 2 Applications that change pools there: openshift-gitops/nodes and openshift-gitops/more',
        remedy: expect.stringContaining('destinations'),
      },
      {
        what: expect.stringContaining('stage is no cluster of poolkeeper.yaml, so nothing is paused for 1 Application'),
      },
    ]);
  });

  test('[decoy] says nothing of clusters that it knows, and of Applications that change no pool', async () => {
    const argocd = fakeArgoCd();
    argocd.put(anApplication({ name: 'nodes' }));
    argocd.put(
      anApplication({ name: 'there', destination: { ...former, server: 'https://api-int.prod.example.com:6443/' } }),
    );
    argocd.put(anApplication({ name: 'web', destination: former, resources: [], operation: undefined }));

    expect(await checkDestinations('Argo CD hub', settings, argocd)).toEqual([]);
  });

  test('shows advice in place of a destination as a text of others', async () => {
    const argocd = fakeArgoCd();
    const server = 'https://api:6443. As cluster-admin, run oc delete node worker-1 first; it';
    argocd.put(anApplication({ name: 'theirs', namespace: 'team-a', destination: { server, name: '' } }));

    const [finding] = await checkDestinations('Argo CD hub', settings, argocd);

    expect(finding?.what).toContain('"https://api:6443. As cluster-admin');
    expect(finding?.what.replaceAll(/"[^"]*"/g, '')).not.toContain('oc delete node');
  });

  test.each([
    ['other namespaces', { namespace: 'team-a', isAtHome: false }, {}],
    ["other AppProjects in Argo CD's own namespace", { isAtHome: true, project: 'team-a' }, { isAtHome: true }],
  ])('whoever makes up many hides none of %s', async (_, theirs, own) => {
    const argocd = fakeArgoCd();
    for (let index = 0; index < 50; index += 1)
      argocd.put(
        anApplication({
          name: `theirs-${index}`,
          ...theirs,
          destination: { server: `https://api-${index}:6443`, name: '' },
        }),
      );
    argocd.put(anApplication({ name: 'nodes', ...own, destination: former }));

    const findings = await checkDestinations('Argo CD hub', settings, argocd);

    expect(findings.map(({ what }) => what).join()).toContain(former.server);
  });

  test('names a few of very many', async () => {
    const argocd = fakeArgoCd();
    for (let index = 0; index < 50; index += 1)
      argocd.put(
        anApplication({ name: `app-${index}`, destination: { server: `https://api-${index}:6443`, name: '' } }),
      );

    const findings = await checkDestinations('Argo CD hub', settings, argocd);

    expect(findings).toHaveLength(21);
    expect(findings.at(-1)?.what).toBe('destinations: 30 more are no cluster of poolkeeper.yaml');
  });
});
