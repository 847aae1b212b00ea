import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { noteUnmanaged } from '../../../local/cli/note-unmanaged.ts';
import { accessObjects } from '../../../local/manifests/access.ts';

const account = { namespace: 'poolkeeper', name: 'poolkeeper' };

/** What is said of pools gpu and worker, paused by a person on a cluster with these roles of Poolkeeper. */
async function noted(list: () => Promise<readonly object[]>): Promise<readonly string[]> {
  const said: string[] = [];
  const note = (text: string) => {
    said.push(text);
  };
  await noteUnmanaged({ client: { list: list as never }, name: 'prod', pools: ['gpu', 'worker'] }, { note });
  return said;
}

const rolesFor = (pools: readonly string[], pauses = true) =>
  accessObjects({ account, pauses, pools, argocdNamespaces: [] }).filter(({ kind }) => kind === 'ClusterRole');

test.each<[string, readonly object[], RegExp | undefined]>([
  [
    'nothing of Poolkeeper is installed',
    [],
    /^No account of Poolkeeper in prod may change gpu and worker\. .* nobody resumes them at the end/,
  ],
  ['it only observes', rolesFor([], false), /may change gpu and worker\./],
  ['it may pause another pool only', rolesFor(['worker']), /may change gpu\. .* nobody resumes it at the end/],
  ['it may pause both', rolesFor(['gpu', 'worker']), undefined],
  ['it may pause every pool', rolesFor([]), undefined],
])('[S0-21] [N-8] a hold or freeze says that nobody will end it where %s', async (_, roles, words) => {
  expect(await noted(async () => roles)).toEqual(words === undefined ? [] : [expect.stringMatching(words)]);
});

test('[S0-21] a hold says nothing of that where one may not see it', async () => {
  const refused = async () => {
    throw new Transient('403', { kind: 'forbidden' });
  };

  expect(await noted(refused)).toEqual([]);
});
