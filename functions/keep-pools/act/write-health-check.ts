import type { HealthCheckPlan } from '../../core/openshift/health-checks.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PerformPorts } from './perform-ports.ts';

/** What became of the plan for a MachineHealthCheck. */
export interface WrittenHealthCheck {
  readonly kind: 'health-check';
  readonly plan: HealthCheckPlan;
  /** Why it was not written: it waits for the next tick. */
  readonly failure: Transient | undefined;
}

/** One merge patch of our record and the pause. */
export async function writeHealthCheck(
  plan: HealthCheckPlan,
  { cluster: { healthChecks }, logger }: PerformPorts,
): Promise<WrittenHealthCheck> {
  try {
    await healthChecks?.patchHealthCheck(plan.check, plan.action);
    return { kind: 'health-check', plan, failure: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('a MachineHealthCheck could not be written', { check: plan.check.name, why: cause.message });
    return { kind: 'health-check', plan, failure: cause };
  }
}
