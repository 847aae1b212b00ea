import { expect, test } from 'vitest';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import { ignoredAnnotations } from '../../../../functions/core/argocd/ignored-annotations.ts';
import { anApplication, naming } from '../../../fakes/index.ts';

const nothing = { mayAdd: false, mayRemove: false };

function ignored(namespace: string, name: string, change: Partial<Application> = {}) {
  const application = anApplication({ namespace, name, ...naming('worker', nothing), ...change });
  return { kind: 'seen', application } as const;
}

test('[N-30] whoever has many annotations without effect hides none of others, and the rest is counted', () => {
  const own = Array.from({ length: 200 }, (_, at) => ignored('aaa', `x${at}`));

  const shown = ignoredAnnotations([...own, ignored('platform', 'nodes')]).map(({ application }) => application);

  expect(shown).toHaveLength(51);
  expect([shown[1], shown.at(-1)]).toEqual(['platform/nodes', '151 more']);
});

test("[N-30] in Argo CD's own namespace those of one AppProject hide none of another", () => {
  const ofProject = (project: string, name: string) => ignored('openshift-gitops', name, { isAtHome: true, project });
  const own = Array.from({ length: 200 }, (_, at) => ofProject('team-a', `a${at}`));

  const shown = ignoredAnnotations([...own, ofProject('team-b', 'nodes')]);

  expect(shown[1]).toEqual({ application: 'openshift-gitops/nodes', why: shown[0]?.why });
});

test('[decoy] those that have room are all shown, by name', () => {
  const shown = ignoredAnnotations([ignored('b', 'x'), ignored('a', 'y'), ignored('b', 'a'), ignored('b', 'z')]);

  expect(shown.map(({ application }) => application)).toEqual(['a/y', 'b/a', 'b/x', 'b/z']);
});
