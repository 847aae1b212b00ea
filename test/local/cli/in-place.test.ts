import { expect, test } from 'vitest';
import { inPlace } from '../../../local/cli/in-place.ts';

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
