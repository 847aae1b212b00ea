import type { ObservedApplication } from '../argocd/application.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Diagnosis } from '../diagnose/diagnosis.ts';
import type { KnownApplication } from '../diagnose/managed-by.ts';
import type { Obstacle } from '../diagnose/preflight.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { ClusterRollouts } from '../node-rollouts/follow.ts';
import type { Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import type { Race } from '../races/race.ts';
import type { BreakGlassExemption } from './break-glass.ts';

/** What one pass observed of a cluster. */
export interface ObservedCluster {
  readonly cluster: string;
  readonly now: Date;
  readonly policy: Policy;
  /** All pools of the cluster, or why they could not be read. */
  readonly pools:
    | { readonly kind: 'seen'; readonly pools: readonly ObservedPool[] }
    | { readonly kind: 'unreadable'; readonly why: string };
  /** Every node of the cluster; undefined: not read in this pass. */
  readonly everyNode?: readonly Node[] | undefined;
  /** Since when each condition has been observed, by the keys that the last judgement returned; empty at first. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Node rollouts and the usual pace of the pools; undefined: no node was followed. */
  readonly rollouts?: ClusterRollouts | undefined;
  /** Argo CD Applications that deploy to this cluster, from the routing tables; undefined: not read. */
  readonly known?: readonly KnownApplication[] | undefined;
}

export interface ObservedPool {
  readonly pool: Pool;
  readonly nodes: ObservedNodes;
  /** The change that is pending or rolling out; undefined: none, or not read. */
  readonly change?: PendingChange | undefined;
  /** Gate `rendered` is closed: what a sync applied is not in the pool's render yet. */
  readonly waitsForRender?: boolean | undefined;
  /** Obstacles for which the gate `drainable` keeps it paused; `not looked at` if it was not asked in this pass. */
  readonly undrainable?: readonly Obstacle[] | 'not looked at' | undefined;
  /** Gate `health` keeps it paused: another pool became degraded after Poolkeeper resumed it. */
  readonly waitsForHealth?: boolean | undefined;
}

/** `not asked`: the pool is at rest and its nodes were not read. May contain nodes of other pools that its selector
 *  matches too; the judgement removes them. */
export type ObservedNodes =
  | { readonly kind: 'seen'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not asked' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The whole input of the judgement. */
export interface JudgeInput extends ObservedCluster {
  /** Diagnoses by `subjectKey`. A subject without an entry was not diagnosed. */
  readonly diagnoses: ReadonlyMap<string, Diagnosis>;
  /** Applications of the holds on these pools. */
  readonly applications: readonly ObservedApplication[];
  readonly races: readonly Race[];
  /** Objects exempt from the admission level; absent: not used here. */
  readonly breakGlass?: readonly BreakGlassExemption[] | 'not looked at' | undefined;
  /** Consecutive failed reads of the pools, including this pass. */
  readonly misses: number;
  /** ISO instant of the last successful read before this pass. */
  readonly lastGoodReadAt: string | undefined;
}
