import type { PoolSettings } from '../configuration/configuration.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Obstacle } from '../diagnose/preflight.ts';
import type { LabelledMachineConfig } from '../impact/affected-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { Release } from '../openshift/pool-record.ts';

/** Everything a gate may look at. Pure data of one pass. */
export interface GateQuestion {
  readonly pool: Pool;
  readonly settings: PoolSettings;
  /** All pools of the cluster, this one included. */
  readonly pools: readonly Pool[];
  readonly settingsOf: (pool: string) => PoolSettings;
  readonly release: Release | undefined;
  /** Metadata of the MachineConfigs that the release names and the pool's render does not list. */
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** Where the application controllers of the Argo CD instances of this cluster run. Looked at last, because it
   *  costs the most. */
  readonly controllers: ObservedControllers;
  /** What will block the drains that follow, by pool. A pool that is not in it was not looked at. */
  readonly drains?: DrainForecasts | undefined;
  readonly policy: Policy;
  readonly now: Date;
}

export type ObservedControllers =
  | { readonly kind: 'not asked' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'seen'; readonly controllers: readonly ControllerPlacement[] };

export interface ControllerPlacement {
  readonly argocd: string;
  /** Pools whose nodes carry the application controller of this instance. */
  readonly pools: readonly string[];
  /** Applications of this instance that manage machine configuration and are syncing now: `<namespace>/<name>`. */
  readonly syncing: readonly string[];
}

export type DrainForecasts = ReadonlyMap<string, DrainForecast>;

/** The drains of one pool, thought through before they begin. */
export interface DrainForecast {
  /** Nodes that a resume would drain. */
  readonly touched: number;
  /** What will stop them, the worst first. */
  readonly obstacles: readonly Obstacle[];
  /** What could not be read, in words: it may hide more. */
  readonly unread: readonly string[];
}

/** A gate's answer. `opens` says what opens it, for the person who waits; `warning` what is to be expected all the
 *  same. */
export type GateAnswer =
  | { readonly open: true; readonly warning?: string | undefined }
  | { readonly open: false; readonly why: string; readonly opens: string };

/** One named condition; pure. */
export interface Gate {
  readonly name: string;
  readonly ask: (question: GateQuestion) => GateAnswer;
}

export const open: GateAnswer = { open: true };

export function closed(why: string, opens: string): GateAnswer {
  return { open: false, why, opens };
}
