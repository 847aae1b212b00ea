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

/** What one pass saw of a cluster. */
export interface ObservedCluster {
  readonly cluster: string;
  readonly now: Date;
  readonly policy: Policy;
  /** All pools of the cluster, or why they could not be read. */
  readonly pools:
    | { readonly kind: 'seen'; readonly pools: readonly ObservedPool[] }
    | { readonly kind: 'unreadable'; readonly why: string };
  /** Every node of the cluster; undefined: not looked at in this pass. */
  readonly everyNode?: readonly Node[] | undefined;
  /** First evidence of what is wrong, by the keys that the last judgement returned; empty at first. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** What is known of the updates of its nodes and of how long its pools usually take; undefined: no node was
   *  followed. */
  readonly rollouts?: ClusterRollouts | undefined;
  /** Argo CD Applications that deploy to this cluster, from the routing tables; undefined: not asked. */
  readonly known?: readonly KnownApplication[] | undefined;
}

export interface ObservedPool {
  readonly pool: Pool;
  readonly nodes: ObservedNodes;
  /** What waits or rolls; undefined: nothing does, or it was not read. */
  readonly change?: PendingChange | undefined;
  /** The gate `rendered` is closed: what a sync applied is not in the pool's render yet. */
  readonly waitsForRender?: boolean | undefined;
  /** The gate `drainable` keeps it paused: by these obstacles, or `not looked at` when it was not asked in this
   *  pass. */
  readonly undrainable?: readonly Obstacle[] | 'not looked at' | undefined;
  /** The gate `health` keeps it paused: another pool is degraded since Poolkeeper resumed it. */
  readonly waitsForHealth?: boolean | undefined;
}

/** `not asked`: the pool is at rest and its nodes were not read. Nodes of other pools that its selector also
 *  matches may be among them; they are left out by the judgement. */
export type ObservedNodes =
  | { readonly kind: 'seen'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not asked' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Everything the judgement weighs. */
export interface JudgeInput extends ObservedCluster {
  /** What was found about the subjects, by `subjectKey`. A subject without an entry was not looked into. */
  readonly diagnoses: ReadonlyMap<string, Diagnosis>;
  /** Applications of the holds on these pools. */
  readonly applications: readonly ObservedApplication[];
  readonly races: readonly Race[];
  /** Objects that the admission level lets through; absent: nobody asks for them here. */
  readonly breakGlass?: readonly BreakGlassExemption[] | 'not looked at' | undefined;
  /** Failed reads of the pools in a row, this pass included. */
  readonly misses: number;
  /** ISO instant of the last good read before this pass. */
  readonly lastGoodReadAt: string | undefined;
}
