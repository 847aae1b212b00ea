import { unlessUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { nothingListed } from '../../functions/core/findings/listed.ts';
import type { HealthChecks } from '../../functions/ports/cluster.ts';

type HealthCheck = Parameters<HealthChecks['patchHealthCheck']>[0];

/** Every MachineHealthCheck that Poolkeeper has paused for a rollout, whatever is in our record. Throws Transient. */
export async function pausedHealthChecks(checks: HealthChecks): Promise<readonly HealthCheck[]> {
  const { items } = await unlessUnserved(checks.listHealthChecks(), nothingListed);
  return items.filter(({ record }) => record.kind !== 'none');
}

/** Has it watch again: nobody else would. Returns what was done, for people. Throws Transient. */
export async function releaseHealthCheck(checks: HealthChecks, check: HealthCheck): Promise<string> {
  await checks.patchHealthCheck(check, { kind: 'release', why: 'the cluster is disconnected' });
  return `MachineHealthCheck ${check.name} watches again`;
}
