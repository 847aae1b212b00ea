import type { Application } from '../argocd/application.ts';
import type { Pool } from '../openshift/pool.ts';
import type { Guard } from './guard-record.ts';

/** What decides about one guard. Pure data of one pass. */
export interface GuardQuestion {
  readonly application: Application;
  readonly cluster: string;
  /** As its AppProject has it; undefined: it is not guarded yet. */
  readonly guard: Guard | undefined;
  /** Its window stands; absent: it does not. */
  readonly isHeldBack?: boolean | undefined;
  /** Pools of the cluster, by name, as they were read last. */
  readonly pools: ReadonlyMap<string, Pool>;
  /** Pools that it affects by what it manages, or that a push of it adds, and that Poolkeeper may pause. */
  readonly affected: readonly string[];
  /** Pools that other Applications of its name and project affect: one window is for all of them. */
  readonly alsoAffected: readonly AlsoAffected[];
  /** One of the pools that it affects has the protection level. */
  readonly isGuarded: boolean;
  /** Its turn in a sequence has not come, for people: why. Undefined: it has, or it is in none. */
  readonly notItsTurn?: string | undefined;
  /** That is the turn of another one of its name; absent: its own. */
  readonly isTurnOfNamesake?: boolean | undefined;
  /** A push of this pass that it will sync; undefined: none. */
  readonly push: GuardedPush | undefined;
  readonly expectSyncWithinSeconds: number;
  readonly now: Date;
}

export interface AlsoAffected {
  readonly application: string;
  readonly cluster: string;
  /** That is another cluster of this name; absent: it is not. */
  readonly isOfNamesake?: boolean | undefined;
  readonly pools: readonly string[];
}

export interface GuardedPush {
  readonly at: string;
  readonly revision: string | undefined;
  /** All that it changes is known and affects no pool: why. Undefined: it may affect one. */
  readonly harmless: string | undefined;
}
