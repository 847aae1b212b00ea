import { expect, test } from 'vitest';
import { parseDrainText } from '../../../../functions/core/diagnose/text/drain-text.ts';
import { fc } from '../../../property.ts';

test.each([
  [
    'a refused eviction',
    'error when evicting pods/"web-a" -n "shop": global timeout reached: 1m30s',
    [{ how: 'refused', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'its log form',
    'error when evicting pods/"web-a" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.',
    [{ how: 'refused', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'an accepted eviction whose pod does not die',
    'error when waiting for pod "db-0" in namespace "data" to terminate: global timeout reached: 1m30s',
    [{ how: 'accepted', namespace: 'data', pod: 'db-0' }],
  ],
  [
    'the older words for it',
    'error when waiting for pod "db-0" terminating: global timeout reached: 1m30s',
    [{ how: 'accepted', namespace: '', pod: 'db-0' }],
  ],
  [
    'a webhook',
    'error when evicting pods/"web-a" -n "shop": admission webhook "guard.acme.io" denied the request: no',
    [{ how: 'webhook', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'a webhook that nobody answers',
    'error when evicting pods/"web-a" -n "shop": Internal error occurred: failed calling webhook "guard.acme.io": failed to call webhook: Post "https://guard.acme.svc:443/": no endpoints available',
    [{ how: 'webhook', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    '[decoy] a refusal of a pod that is called webhook',
    'error when evicting pods/"cert-manager-webhook-7c9" -n "webhook": pods "cert-manager-webhook-7c9" is forbidden: User "system:serviceaccount:openshift-machine-config-operator:machine-config-controller" cannot create resource "pods/eviction" in API group "" in the namespace "webhook"',
    [{ how: 'other', namespace: 'webhook', pod: 'cert-manager-webhook-7c9' }],
  ],
  [
    '[decoy] a refusal of a pod that is called after a budget',
    'error when evicting pods/"poddisruptionbudget-7c9" -n "shop": pods "poddisruptionbudget-7c9" is forbidden: exceeded quota',
    [{ how: 'other', namespace: 'shop', pod: 'poddisruptionbudget-7c9' }],
  ],
  [
    'several budgets',
    'error when evicting pods/"web-a" -n "shop": This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    [{ how: 'refused', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'a namespace that is being deleted',
    'error when evicting pod "old" from terminating namespace: still there',
    [{ how: 'namespace', namespace: '', pod: 'old' }],
  ],
  [
    'a namespace that is being deleted, in the words of the API server',
    'error when evicting pods/"old" -n "shop": pods "old" is forbidden: unable to create new content in namespace shop because it is being terminated.',
    [{ how: 'namespace', namespace: 'shop', pod: 'old' }],
  ],
  [
    'another error',
    'error when evicting pods/"web-a" -n "shop": Internal error occurred: etcd is tired',
    [{ how: 'other', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'several, joined, behind the words of the MachineConfigNode',
    'Error: Node Drain has not succeeded. Error is: [error when evicting pods/"web-a" -n "shop": global timeout reached: 1m30s, error when waiting for pod "db-0" in namespace "data" to terminate: global timeout reached: 1m30s]',
    [
      { how: 'refused', namespace: 'shop', pod: 'web-a' },
      { how: 'accepted', namespace: 'data', pod: 'db-0' },
    ],
  ],
  [
    'a pod named twice, with escaped quotes',
    'error when evicting pods/\\"web-a\\" -n \\"shop\\": global timeout reached: 1m30s, error when evicting pods/"web-a" -n "shop": global timeout reached: 1m30s',
    [{ how: 'refused', namespace: 'shop', pod: 'web-a' }],
  ],
  [
    'nothing that a webhook says of further pods, which are only named',
    '[error when evicting pods/"own-1" -n "t": admission webhook "w" denied the request: no, error when evicting pods/"web-a" -n "shop" from terminating namespace "shop", error when waiting for pod "x" terminating: y]',
    [
      { how: 'webhook', namespace: 't', pod: 'own-1' },
      { how: 'refused', namespace: 'shop', pod: 'web-a' },
    ],
  ],
  [
    'nothing that a webhook which fails says of further pods, which are only named',
    '[error when evicting pods/"own-1" -n "t": Internal error occurred: failed calling webhook "w": failed to call webhook: an error on the server ("no, error when evicting pods/\\"web-a\\" -n \\"shop\\": forbidden: x") has prevented the request from succeeding, error when waiting for pod "x" terminating: y]',
    [
      { how: 'webhook', namespace: 't', pod: 'own-1' },
      { how: 'refused', namespace: 'shop', pod: 'web-a' },
    ],
  ],
  [
    'no namespace of a webhook as the one that is being deleted',
    'error when evicting pods/"own-1" -n "t": admission webhook "w" denied the request: unable to create new content in namespace shop because it is being terminated',
    [{ how: 'webhook', namespace: 't', pod: 'own-1' }],
  ],
  [
    'no namespace of a webhook that fails as the one that is being deleted',
    'error when evicting pod "own-1": Internal error occurred: failed calling webhook "w": failed to call webhook: unable to create new content in namespace shop because it is being terminated',
    [{ how: 'webhook', namespace: '', pod: 'own-1' }],
  ],
  [
    'errors behind a webhook that says what the MCO adds behind all of them',
    '[error when evicting pods/"own-1" -n "t": admission webhook "w" denied the request: The drain will not be complete until desired drainer x, error when evicting pods/"db-0" -n "db": global timeout reached: 1m30s]. The drain will not be complete until desired drainer a matches b',
    [
      { how: 'webhook', namespace: 't', pod: 'own-1' },
      { how: 'refused', namespace: 'db', pod: 'db-0' },
    ],
  ],
  ['words that name no pod', 'failed to drain node: worker-2 after 1 hour', []],
])('reads %s', (_what, text, expected) => {
  const blockers = parseDrainText(text).map(({ how, namespace, pod }) => ({ how, namespace, pod }));

  expect(blockers).toEqual(expected);
});

test('takes any text without failing, and never makes up a pod', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      for (const { pod } of parseDrainText(text)) expect(text).toContain(pod);
    }),
  );
});
