import { expect, test } from 'vitest';
import { ignoredAnnotations } from '../../../../functions/core/argocd/ignored-annotations.ts';
import { anApplication, naming } from '../../../fakes/index.ts';

const nothing = { mayAdd: false, mayRemove: false };

function ignored(namespace: string, name: string) {
  return { kind: 'seen', application: anApplication({ namespace, name, ...naming('worker', nothing) }) } as const;
}

test('[N-30] whoever has many annotations without effect hides none of others, and the rest is counted', () => {
  const own = Array.from({ length: 200 }, (_, at) => ignored('aaa', `x${at}`));

  const shown = ignoredAnnotations([...own, ignored('platform', 'nodes')]).map(({ application }) => application);

  expect(shown).toHaveLength(51);
  expect([shown[1], shown.at(-1)]).toEqual(['platform/nodes', '151 more']);
});

test('[decoy] those that have room are all shown, by name', () => {
  const shown = ignoredAnnotations([ignored('b', 'x'), ignored('a', 'y'), ignored('b', 'a'), ignored('b', 'z')]);

  expect(shown.map(({ application }) => application)).toEqual(['a/y', 'b/a', 'b/x', 'b/z']);
});
