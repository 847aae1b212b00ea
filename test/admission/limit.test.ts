import { type AdmissionLimitOptions, admissionLimitObjects } from '../../local/manifests/admission-limit.ts';
import { specOf } from './evaluate-policy.ts';
import { guardHome, guardLimitContract } from './guard-limit.contract.ts';
import { home, type LimitLab, limitContract } from './limit.contract.ts';
import { policedStore } from './policed-store.ts';

limitContract('their expressions under an evaluator', async () =>
  limitedStore(home, { restartsSyncs: true, pausesHealthChecks: true, guardsSyncs: true }),
);
guardLimitContract('their expressions under an evaluator', async () => limitedStore(guardHome, { guardsSyncs: true }));

function limitedStore(namespace: string, rights: Partial<AdmissionLimitOptions>): LimitLab {
  const policies = admissionLimitObjects({
    account: { namespace, name: 'poolkeeper' },
    pools: [],
    ...rights,
  }).filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const store = policedStore(
    policies.map((each) => ({ name: each.metadata.name, spec: specOf(each) })),
    new Date('2026-11-22T10:00:00Z'),
  );
  const by = { user: `system:serviceaccount:${namespace}:poolkeeper` };
  return {
    create: async (object) => store.create(object, by),
    patch: async (object, change, subResource) =>
      store.patch(object, change, { ...by, ...(subResource === undefined ? {} : { subResource }) }),
    delete: async (object) => store.delete(object, by),
    mint: async (account, spec) =>
      store.post(
        account,
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          // As the API server shows what is absent.
          spec: { audiences: null, boundObjectRef: null, ...spec },
        },
        { ...by, subResource: 'token' },
      ),
    place: async (object) => {
      store.create(object, { user: 'admin' });
    },
  };
}
