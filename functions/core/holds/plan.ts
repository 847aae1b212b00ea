import type { Application } from '../argocd/application.ts';
import type { EvidenceKind } from '../gates/evidence.ts';
import type { GateView } from '../gates/gate-view.ts';
import type { GuardFacts, ProjectPlan } from '../guard/plan-project.ts';
import type { HealthCheckPlan } from '../openshift/health-checks.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';

/** One thing that Poolkeeper writes. To write something else (a sync window, a node, a Job), add a kind here and a case
 *  where actions are performed. */
export type Action =
  /** At most one patch of a pool. */
  | { readonly kind: 'pool'; readonly plan: PoolPlan }
  /** Retries the refused sync of this Application. */
  | { readonly kind: 'sync'; readonly application: Application }
  /** At most one patch of the windows of an AppProject. `facts`: to plan again after a conflict. */
  | { readonly kind: 'project'; readonly plan: ProjectPlan; readonly facts: GuardFacts }
  /** Asks Argo CD to look at an Application. */
  | { readonly kind: 'refresh'; readonly application: Application }
  /** One patch of a MachineHealthCheck. */
  | { readonly kind: 'health-check'; readonly plan: HealthCheckPlan };

/** What to do with one pool: at most one patch, with its reason. */
export interface PoolPlan {
  readonly pool: Pool;
  readonly action: PoolAction;
  /** Why it does not resume: closed gates. Only for pools that are ours to resume and have no hold left. */
  readonly gates: readonly GateView[];
  /** Gates that stayed closed past their timeout and no longer count; absent: none. */
  readonly skipped?: readonly GateView[] | undefined;
  /** What must be read before the pool may resume; the pool is then decided again. */
  readonly lacking?: EvidenceKind | undefined;
  /** Decisions to do nothing, for the timeline. */
  readonly notes: readonly { readonly about: string; readonly why: string }[];
  /** Ids of holds that were left out because their Applications hold as many pools as they may; absent: none. */
  readonly overLimit?: readonly string[] | undefined;
  /** Ids of holds that the record has no room for, so that they are held together as one; absent: none. */
  readonly noRoom?: readonly string[] | undefined;
}

/** `record`: only the record of holds changes, not `spec.paused`. `record` is in each case the record after the
 *  patch. */
export type PoolAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'pause'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'record'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'resume'; readonly record: PoolRecord; readonly why: string };

/** Whether the plan can wait for reads: it resumes the pool, waits for gates, or needs a read to be decided. Others are
 *  written first. */
export function canWait({ action, gates, lacking }: PoolPlan): boolean {
  return action.kind === 'resume' || gates.length > 0 || lacking !== undefined;
}
