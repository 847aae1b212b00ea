import type { ApplicationRef, ObservedApplication } from '../../core/argocd/application.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { Concerned } from '../../core/routing/concerned.ts';
import type { ParsedFiles } from '../../core/routing/parsed-files.ts';
import type { RoutedPush } from '../../core/routing/push.ts';
import type { SetRoute } from '../../core/routing/route.ts';
import type { Checkpoint } from '../../ports/tables.ts';

/** What one pass over one cluster is about. */
export interface Scope {
  readonly cluster: ClusterSettings;
  /** Applications that were read to find out whom the event concerns. */
  readonly seen: readonly ObservedApplication[];
  /** Applications to be read after the pools. In this order on purpose: what another pass writes meanwhile is then a
   *  conflict, and an operation that has ended cannot be taken for one that runs. */
  readonly toRead: readonly ApplicationRef[];
  /** The push that it is about. */
  readonly push?: PushScope | undefined;
  /** May list all Applications when it is time for it; only ticks do. */
  readonly maySweep: boolean;
  /** What was asked for ahead of time. */
  readonly early?: EarlyReads | undefined;
  /** A hint that must not get lost: when the cluster cannot be seen, the queue shall bring it again. */
  readonly mustSee: boolean;
  /** Whether this pass follows up on what it leaves open a few seconds later. */
  readonly isRecheck: boolean;
  /** Id of the event, for the ids of decisions to do nothing. */
  readonly eventId: string;
}

/** A push, and whom it concerns on this cluster. */
export interface PushScope {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought; undefined: it deleted a branch or tag. */
  readonly revision: string | undefined;
  readonly concerned: readonly Concerned[];
  /** Whom it concerns on any cluster, and those of them that were read: Applications that write others' specs live
   *  where Argo CD does. */
  readonly everywhere: readonly Concerned[];
  readonly observations: readonly ObservedApplication[];
  /** ApplicationSets that read what was pushed. */
  readonly sets: readonly SetRoute[];
  /** The files that it changes, read meanwhile; undefined: nobody is there to ask. Never rejects. */
  readonly files: Promise<ParsedFiles> | undefined;
  /** What was pushed, and the commit before it. */
  readonly pushed: RoutedPush;
  readonly before: string;
}

/** A tick of the clock: once a minute and cluster. */
export function isClockTick({ maySweep, isRecheck }: Pick<Scope, 'maySweep' | 'isRecheck'>): boolean {
  return maySweep && !isRecheck;
}

/** Reads that were begun before it was known whether the event concerns the cluster. */
export interface EarlyReads {
  readonly pools: Promise<readonly Pool[]>;
  readonly memory: Promise<Checkpoint | undefined>;
}
