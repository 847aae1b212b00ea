import { expect, test } from 'vitest';
import { inPlace, typedCluster } from '../../../local/cli/in-place.ts';

test.each([
  ['oc get mcp worker -o yaml', 'oc --context prod get mcp worker -o yaml'],
  [`oc patch mcp 'a b' -p '{"spec":{}}'`, `oc --context prod patch mcp 'a b' -p '{"spec":{}}'`],
  [
    'poolkeeper emergency --pool w --for 1h --reason "..." && poolkeeper resume --pool w --reason "..."',
    'poolkeeper emergency --context prod --pool w --for 1h --reason "..." && poolkeeper resume --context prod --pool w --reason "..."',
  ],
  ['poolkeeper why worker', 'poolkeeper why --context prod worker'],
  // These name their cluster themselves, or have none.
  ['poolkeeper approve --cluster prod --pool w', 'poolkeeper approve --cluster prod --pool w'],
  ['argocd app sync a/b', 'argocd app sync a/b'],
  ['oc logs $(oc get pods -o name)', 'oc --context prod logs $(oc --context prod get pods -o name)'],
  ['oc get node a --show-labels; oc get mcp', 'oc --context prod get node a --show-labels; oc --context prod get mcp'],
  ['for csr in a b; do oc get csr "$csr"; done', 'for csr in a b; do oc --context prod get csr "$csr"; done'],
  // In quotes they are words of others.
  ["oc debug node/a -- stat '/etc/x; oc get y'", "oc --context prod debug node/a -- stat '/etc/x; oc get y'"],
  ["oc debug a -- stat '/x'\\''; oc get y'", "oc --context prod debug a -- stat '/x'\\''; oc get y'"],
])('[N-16] [N-29] %s acts on the cluster that was looked at', (command, placed) => {
  expect(inPlace(command, { context: 'prod' })).toBe(placed);
  expect(inPlace(command, {})).toBe(command);
});

test.each([
  [
    'poolkeeper thaw --cluster prod --pool w',
    'poolkeeper thaw --context prod --config /team/p.yaml --cluster prod --pool w',
  ],
  ['poolkeeper why worker', 'poolkeeper why --context prod --config /team/p.yaml worker'],
  // The file says where their records are; that may be another cluster.
  ['poolkeeper run retry upgrade a', 'poolkeeper run retry --config /team/p.yaml upgrade a'],
  ['poolkeeper sequence status virt', 'poolkeeper sequence status --config /team/p.yaml virt'],
  ['poolkeeper doctor', 'poolkeeper doctor --config /team/p.yaml'],
  // These have no such flag, or another one of that name.
  ['oc get mcp', 'oc --context prod get mcp'],
  ['poolkeeper approve --cluster prod --pool w --config c', 'poolkeeper approve --cluster prod --pool w --config c'],
  ['poolkeeper manifests --only access', 'poolkeeper manifests --only access'],
])('[N-16] [C-8] %s goes by the file that was typed', (command, placed) => {
  expect(inPlace(command, { context: 'prod', config: '/team/p.yaml' })).toBe(placed);
});

test('[N-16] [C-8] a file that was typed is named so that it is the same in every folder, and no other one is', () => {
  const folders = { own: '/opt/poolkeeper', current: '/home/ann' };

  expect(typedCluster({ config: 'team/p.yaml', context: 'prod' }, { folders })).toEqual({
    config: '/home/ann/team/p.yaml',
    context: 'prod',
  });
  expect(typedCluster({}, { folders })).toEqual({});
});
