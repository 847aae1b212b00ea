import type { Application } from '../argocd/application.ts';
import type { EvidenceKind } from '../gates/evidence.ts';
import type { GateView } from '../gates/gate-view.ts';
import type { HealthCheckPlan } from '../openshift/health-checks.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';

/** One thing that Poolkeeper writes. Whatever else it is to write one day (a sync window, a node, a Job) is one more
 *  kind here and one more case where actions are performed. */
export type Action =
  /** At most one patch of a pool. */
  | { readonly kind: 'pool'; readonly plan: PoolPlan }
  /** The refused sync of this Application is started again. */
  | { readonly kind: 'sync'; readonly application: Application }
  /** One patch of a MachineHealthCheck. */
  | { readonly kind: 'health-check'; readonly plan: HealthCheckPlan };

/** What shall become of one pool: at most one patch, with its reason. */
export interface PoolPlan {
  readonly pool: Pool;
  readonly action: PoolAction;
  /** Why it does not resume: closed gates. Only of pools that are ours to resume and have no hold left. */
  readonly gates: readonly GateView[];
  /** What must be read before the pool may resume; it is decided again then. */
  readonly lacking?: EvidenceKind | undefined;
  /** Decisions to do nothing, for the timeline. */
  readonly notes: readonly { readonly about: string; readonly why: string }[];
}

export type PoolAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'pause'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'record'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'resume'; readonly record: PoolRecord; readonly why: string };

/** Whether the plan waits for gates: such a pool is paused already, and nothing is lost by writing others first. */
export function mayResume({ action, gates }: PoolPlan): boolean {
  return action.kind === 'resume' || gates.length > 0;
}
