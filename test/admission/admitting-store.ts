import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { specOf } from './evaluate-policy.ts';
import { type AdmissionLab, poolsOfLab, protectedPools } from './pause-first.contract.ts';
import { policedStore } from './policed-store.ts';

const requiredLabel = 'operator.machineconfiguration.openshift.io/required-for-upgrade';
const operator = 'system:serviceaccount:openshift-machine-config-operator:machine-config-controller';

/** The laboratory of the contract under an evaluator: the policy for every pool that its binding selects. */
export function admittingStore(): AdmissionLab {
  const now = new Date('2026-11-22T10:00:00Z');
  let paused: readonly string[] = [];
  const store = policedStore(
    [
      {
        name: 'poolkeeper-pause-first',
        spec: specOf(pauseFirstObjects({ namespace: 'poolkeeper', pools: [], except: [] })[0]),
        params: () =>
          poolsOfLab
            .filter(({ metadata }) => !(requiredLabel in (metadata.labels ?? {})))
            .map((each) => ({ ...each, spec: { ...each.spec, paused: paused.includes(each.metadata.name ?? '') } })),
      },
    ],
    now,
  );

  return {
    as: ({ user, mayBreakGlass = false }) => {
      const by = { user, isAllowed: (verb: string) => verb === 'break-glass' && mayBreakGlass };
      return {
        create: async (object, options) => store.create(object, { ...by, ...options }),
        patch: async (object, change, options) => store.patch(object, change, { ...by, ...options }),
        delete: async (object) => store.delete(object, by),
      };
    },
    place: async (object) => {
      const answer = store.create(object, { user: operator });
      if (answer !== undefined) throw new Error(answer);
    },
    isThere: async (object) => store.isThere(object),
    pauseAllBut: async (...names) => {
      paused = protectedPools.filter((each) => !names.includes(each));
    },
    now: () => now,
  };
}
