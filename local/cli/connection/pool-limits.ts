import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { isRequiredForUpgrade, type Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import { accountName } from '../../manifests/manifests.ts';
import { refusesAll } from '../doctor/check-limits.ts';
import { optionsAsPrinted } from '../doctor/limit-as-printed.ts';
import { listLimits } from '../doctor/look-at-admission.ts';

/** Whether the policy that limits an account refuses it a pool that its roles cover: a role for every pool covers also
 *  those that cluster upgrades wait for.
 *  @param namespace of the account */
export type IsRefused = (namespace: string, pool: string) => boolean;

/** By the policies of every account of Poolkeeper, as far as they are as printed, and bound. Where they cannot be read,
 *  only roles tell. Throws Transient. */
export async function poolLimits(
  client: Pick<KubeClient, 'list'>,
  pools: readonly Pick<Pool, 'name' | 'labels'>[],
): Promise<IsRefused> {
  const { limits, bindings } = await readLimits(client);
  const inForce = limits.filter(
    ({ limit, name }) =>
      limit === limitNames.pools && bindings.some((each) => each.policyName === name && refusesAll(each)),
  );
  const byHome = new Map(
    inForce.flatMap((limit) => {
      const { account, pools: named = [], canaries } = optionsAsPrinted(limit) ?? {};
      if (account?.name !== accountName) return [];
      // Whose node selector it may change, it may pause, too.
      return [[account.namespace, named.length === 0 ? [] : [...named, ...(canaries?.selectors ?? [])]]];
    }),
  );
  const required = new Set(pools.filter(isRequiredForUpgrade).map(({ name }) => name));
  return (namespace, pool) => {
    const admitted = byHome.get(namespace);
    if (admitted === undefined) return false;
    return admitted.length > 0 ? !admitted.includes(pool) : required.has(pool);
  };
}

async function readLimits(client: Pick<KubeClient, 'list'>): ReturnType<typeof listLimits> {
  try {
    return await listLimits(client);
  } catch (cause) {
    if (!(cause instanceof Transient) || (cause.kind !== 'forbidden' && !isUnserved(cause))) throw cause;
    return { limits: [], bindings: [] };
  }
}
