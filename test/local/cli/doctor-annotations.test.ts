import { describe, expect, test } from 'vitest';
import { checkAnnotations } from '../../../local/cli/doctor/check-annotations.ts';
import { ok } from '../../../local/cli/doctor/finding.ts';
import { anApplication, fakeArgoCd, naming } from '../../fakes/index.ts';

describe('[N-30] the doctor on annotations that name pools', () => {
  test('says nothing where there are none', async () => {
    const argocd = fakeArgoCd();
    argocd.put(anApplication());

    expect(await checkAnnotations('Argo CD hub', argocd)).toEqual([]);
  });

  test('names those that are ignored, and the entry that would allow each', async () => {
    const argocd = fakeArgoCd();
    argocd.put(anApplication({ name: 'allowed', ...naming('worker', { mayRemove: false }) }));
    argocd.put(anApplication({ name: 'adds', ...naming('worker,infra', { mayAdd: false, mayRemove: false }) }));
    argocd.put(anApplication({ name: 'opts-out', ...naming('none', { mayRemove: false }) }));

    expect(await checkAnnotations('Argo CD hub', argocd)).toEqual([
      ok('Argo CD hub', 'annotations: poolkeeper.dev/pools counts for openshift-gitops/allowed'),
      {
        state: 'warning',
        about: 'Argo CD hub',
        what: expect.stringMatching(
          /^annotations: openshift-gitops\/adds: its annotation poolkeeper\.dev\/pools \(worker,infra\) is ignored/,
        ),
        remedy: expect.stringMatching(/argocd\[hub\]\.poolsAnnotation\.mayAdd: \{ projects: \[default\] \}$/),
      },
      {
        state: 'warning',
        about: 'Argo CD hub',
        what: expect.stringMatching(/opts-out: .*\(none\) is ignored/),
        remedy: expect.stringMatching(/poolsAnnotation\.mayRemove/),
      },
    ]);
  });

  test('names a few of very many', async () => {
    const argocd = fakeArgoCd();
    for (let index = 0; index < 50; index += 1)
      argocd.put(anApplication({ name: `app-${index}`, ...naming('worker', { mayAdd: false, mayRemove: false }) }));

    const findings = await checkAnnotations('Argo CD hub', argocd);

    expect(findings).toHaveLength(21);
    expect(findings.at(-1)?.what).toBe('annotations: ignored for 30 more Applications');
  });
});
