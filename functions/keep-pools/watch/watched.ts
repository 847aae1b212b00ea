import type { PublishedEvent } from '../../../events/index.ts';
import type { GateView } from '../../core/gates/gate-view.ts';
import type { OwnPace } from '../../core/impact/node-pace.ts';
import type { UnreadableObject } from '../../core/judge/unreadable-objects.ts';
import type { Followed } from '../../core/node-rollouts/follow.ts';
import type { PoolMark } from '../../core/node-rollouts/pool-mark.ts';
import type { Node } from '../../core/openshift/node.ts';
import type { OperatorParts } from '../../core/openshift/operator-parts.ts';
import type { PausedPool } from '../../core/openshift/paused-pool.ts';
import type { Transient } from '../../core/text/errors.ts';
import type { Pending } from '../read/read-pending.ts';

/** What a pass found out by watching its cluster. */
export interface Watched {
  readonly events: readonly PublishedEvent[];
  readonly toldIncidents: Readonly<Record<string, string>>;
  /** Why an incident could not be kept; the others were. */
  readonly failure: Transient | undefined;
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Objects that cannot be parsed. */
  readonly unreadable: readonly UnreadableObject[];
  /** Undefined: no nodes were read in this pass. */
  readonly followed: Followed | undefined;
  /** Of the pools whose pace is known, by name; undefined: it was never read. */
  readonly paces: Readonly<Record<string, OwnPace>> | undefined;
  /** Of the pools whose nodes are as known, or will be once what was followed is stored. */
  readonly marks: Readonly<Record<string, PoolMark>>;
  /** Of the pools that are paused. */
  readonly pauses: Readonly<Record<string, PausedPool>>;
  /** Changes that are pending or rolling out, by pool. */
  readonly pending: Pending;
  /** Members of the pools whose nodes were read, by pool. */
  readonly nodes: ReadonlyMap<string, readonly Node[]>;
  /** Gates that will keep a pool paused once its holds have ended, by pool. */
  readonly gatesAhead: ReadonlyMap<string, readonly GateView[]>;
  /** As the last sweep found them; undefined: never read, or the cluster has none. */
  readonly operatorParts: OperatorParts | undefined;
  /** Pools whose nodes could not be read. */
  readonly unread: ReadonlySet<string>;
}
