import type { HealthCheckPlan } from '../openshift/health-checks.ts';
import type { TimelineEntry } from './view.ts';

/** The timeline's entry for a MachineHealthCheck that was paused, or watches its machines again. */
export function healthCheckEntry(cluster: string, { check, action }: HealthCheckPlan, now: Date): TimelineEntry {
  const did = action.kind === 'pause' ? 'is paused' : 'watches its machines again';
  return {
    id: `${cluster}/health-check/${check.namespace}/${check.name}/${action.kind}/${check.resourceVersion}`,
    at: now.toISOString(),
    cluster,
    pool: action.kind === 'release' ? '' : (action.record.pools[0] ?? ''),
    type: 'decision',
    text: `MachineHealthCheck ${check.name} ${did}: ${action.why}`,
    correlation: `${cluster}/${check.name}`,
  };
}
