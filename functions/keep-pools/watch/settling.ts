import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import type { SyncsSeen } from '../../core/judge/ended-syncs.ts';
import type { Judgement } from '../../core/judge/judge.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

/** What the incidents of a cluster are settled by. */
export interface Settling {
  readonly settings: Pick<ClusterSettings, 'name'> & { readonly policy: Pick<ClusterSettings['policy'], 'alerting'> };
  readonly judgement: Judgement;
  /** What was published of each incident so far: `<number>/<seq of its last note>` by key. */
  readonly told: Readonly<Record<string, string>>;
  /** Why nobody looks at the cluster any more, which ends them; absent: it is looked at. */
  readonly removed?: string;
  readonly now: Date;
  /** Finds out what ended an incident; undefined: no reason is given. */
  readonly reader?: ObjectReader | undefined;
  /** The pools as the pass left them, and the Applications that it read; absent: nothing is said of how syncs ended. */
  readonly seen?: Pick<SyncsSeen, 'applications' | 'refusing'> & { readonly pools: readonly Pool[] };
}
