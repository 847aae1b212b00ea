import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { ourLabels } from '../manifests/kube-object.ts';
import type { Surroundings } from './command.ts';
import { GrantedRules } from './connection/granted-rules.ts';

const Roles = z.array(z.object({ rules: GrantedRules.nullish() }));

interface PausedPools {
  readonly client: Pick<KubeClient, 'list'>;
  /** Of the cluster, for people. */
  readonly name: string;
  readonly pools: readonly string[];
}

/** Says of which pools, just paused for a time, no Poolkeeper that is installed there may end the pause: in a cluster
 *  that was meant to be another one, they would stay paused unnoticed. Says nothing to whoever may not see that. */
export async function noteUnmanaged({ client, name, pools }: PausedPools, { note }: Pick<Surroundings, 'note'>) {
  const rules = await rulesOfOurs(client);
  if (rules === undefined) return;
  const names = rules.filter(
    ({ resources, verbs }) => resources.includes('machineconfigpools') && verbs.includes('patch'),
  );
  const left = pools.filter(
    (pool) => !names.some(({ resourceNames }) => resourceNames.length === 0 || resourceNames.includes(pool)),
  );
  if (left.length === 0) return;
  const them = left.length === 1 ? 'it' : 'them';
  note(
    `No account of Poolkeeper in ${name} may change ${listed(left, 5)}. Unless a Poolkeeper with rights of its own looks at ${them}, nobody resumes ${them} at the end.`,
  );
}

async function rulesOfOurs(client: PausedPools['client']) {
  try {
    const labelSelector = Object.entries(ourLabels)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const roles = Roles.safeParse(await client.list(path, { query: { labelSelector }, pageSize: 100 }));
    return roles.data?.flatMap(({ rules }) => rules ?? []);
  } catch (cause) {
    // The pools are paused already.
    if (cause instanceof Transient) return undefined;
    throw cause;
  }
}
