import { isUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { nothingListed } from '../../functions/core/findings/listed.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { HealthChecks } from '../../functions/ports/cluster.ts';

/** Has every MachineHealthCheck watch again that Poolkeeper has paused for a rollout, whatever is in our record: nobody
 *  else would. Returns what was done, or would be, for people. Throws Transient. */
export async function releaseHealthChecks(checks: HealthChecks, isDryRun = false): Promise<readonly string[]> {
  const { items } = await checks.listHealthChecks().catch((cause: unknown) => {
    if (cause instanceof Transient && isUnserved(cause)) return nothingListed;
    throw cause;
  });
  const ours = items.filter(({ record }) => record.kind !== 'none');
  if (isDryRun) return ours.map(({ name }) => `unpause MachineHealthCheck ${name}`);
  for (const check of ours)
    await checks.patchHealthCheck(check, { kind: 'release', why: 'the cluster is disconnected' });
  return ours.map(({ name }) => `MachineHealthCheck ${name} watches again`);
}
