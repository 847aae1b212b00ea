import { unlessUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { nothingListed } from '../../../functions/core/findings/listed.ts';
import type { HealthCheck } from '../../../functions/core/openshift/health-checks.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { HealthChecks } from '../../../functions/ports/cluster.ts';
import { type Divided, divided, type Shares, type Whose } from './whose.ts';

/** Every MachineHealthCheck that Poolkeeper has paused for a rollout, whatever is in our record. Throws Transient. */
export async function pausedHealthChecks(checks: HealthChecks, shares: Shares): Promise<Divided<HealthCheck>> {
  const { items } = await unlessUnserved(checks.listHealthChecks(), nothingListed);
  return divided(
    items.filter(({ record }) => record.kind !== 'none'),
    {
      whoseIs: (check) => whoseIs(check, shares),
      said: ({ name }) => `MachineHealthCheck ${name}, paused for a rollout`,
      shares,
    },
  );
}

/** It belongs to whoever resumed the pools that it is paused for. */
function whoseIs({ namespace, record }: HealthCheck, shares: Shares): Whose {
  const of = shares.inNamespace(namespace, ['health-checks']);
  if (of !== 'either' || record.kind !== 'record') return of;
  const [first = of, ...more] = unique(record.record.pools.map((pool) => shares.pool(pool)));
  return more.length === 0 ? first : 'either';
}

/** Has it watch again: nobody else would. Returns what was done, for people. Throws Transient. */
export async function releaseHealthCheck(checks: HealthChecks, check: HealthCheck): Promise<string> {
  await checks.patchHealthCheck(check, { kind: 'release', why: 'the cluster is disconnected' });
  return `MachineHealthCheck ${check.name} watches again`;
}
