import type { PoolSettings } from '../configuration/cluster.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Window } from '../configuration/window.ts';
import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig } from '../openshift/pool-chooser.ts';
import type { Release } from '../openshift/pool-record.ts';
import type { Evidence, EvidenceKind } from './evidence.ts';

/** Everything a gate may use. Pure data of one pass. */
export interface GateQuestion {
  readonly pool: Pool;
  readonly settings: PoolSettings;
  /** All pools of the cluster, this one included. */
  readonly pools: readonly Pool[];
  /** Pools that are there and cannot be parsed; absent: none. */
  readonly unreadablePools?: readonly UnreadablePool[] | undefined;
  readonly settingsOf: (pool: string) => PoolSettings;
  readonly release: Release | undefined;
  /** Metadata of the MachineConfigs that the release names but the pool's render does not list. */
  readonly machineConfigs: readonly LabelledMachineConfig[];
  readonly evidence: Evidence;
  /** ISO instant since when each closed gate of this pool has been closed, by name; open gates are absent. */
  readonly closedSince: Readonly<Record<string, string>>;
  readonly policy: Policy;
  /** All windows of the cluster. */
  readonly windows: readonly Window[];
  /** The emergency lane of the pool is open; absent: it is not. */
  readonly emergency?: { readonly who: string; readonly why: string } | undefined;
  readonly now: Date;
}

export interface UnreadablePool {
  readonly name: string;
  /** The last thing that Poolkeeper did with it was to resume it. */
  readonly isResumed: boolean;
}

/** A gate's answer. `lacks`: evidence that could change it and that has not been read yet. */
export type GateAnswer = OpenGate | ClosedGate;

export interface OpenGate {
  readonly open: true;
  /** What may still go wrong after the resume. */
  readonly warning?: string | undefined;
  readonly lacks?: EvidenceKind | undefined;
}

export interface ClosedGate {
  readonly open: false;
  readonly why: string;
  /** What opens it, for the person who waits. */
  readonly opens: string;
  /** ISO instant at which it opens by itself; absent: unknown. */
  readonly opensAt?: string | undefined;
  readonly lacks?: EvidenceKind | undefined;
}

/** One named condition; pure. */
export interface Gate {
  readonly name: string;
  /** While the emergency lane of the pool is open. `passed`: the gate does not count, and needs no read. `asked`: it
   *  counts as ever, because it keeps a rollout from doing harm. */
  readonly inEmergency: 'passed' | 'asked';
  readonly ask: (question: GateQuestion) => GateAnswer;
  /** How long it may stay closed, and what happens then; absent: as long as it takes. */
  readonly timeout?: ((question: GateQuestion) => GateTimeout | undefined) | undefined;
}

export interface GateTimeout {
  readonly afterSeconds: number;
  /** `wait`: it stays closed. `alert`: it stays closed and people are alerted. `resume`: it no longer counts. */
  readonly action: 'wait' | 'alert' | 'resume';
}

export const open: OpenGate = { open: true };

export function closed(why: string, opens: string): ClosedGate {
  return { open: false, why, opens };
}
