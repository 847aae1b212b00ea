import { unlessUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { nothingListed } from '../../functions/core/findings/listed.ts';
import type { HealthChecks } from '../../functions/ports/cluster.ts';

/** Has every MachineHealthCheck watch again that Poolkeeper has paused for a rollout, whatever is in our record: nobody
 *  else would. Returns what was done, or would be, for people. Throws Transient. */
export async function releaseHealthChecks(checks: HealthChecks, isDryRun = false): Promise<readonly string[]> {
  const { items } = await unlessUnserved(checks.listHealthChecks(), nothingListed);
  const ours = items.filter(({ record }) => record.kind !== 'none');
  if (isDryRun) return ours.map(({ name }) => `unpause MachineHealthCheck ${name}`);
  for (const check of ours)
    await checks.patchHealthCheck(check, { kind: 'release', why: 'the cluster is disconnected' });
  return ours.map(({ name }) => `MachineHealthCheck ${name} watches again`);
}
