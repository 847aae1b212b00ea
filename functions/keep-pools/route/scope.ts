import type { ApplicationRef, ObservedApplication } from '../../core/argocd/application.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import type { Listed } from '../../core/findings/listed.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { Concerned } from '../../core/routing/concerned.ts';
import type { ParsedFiles } from '../../core/routing/parsed-files.ts';
import type { RoutedPush } from '../../core/routing/push.ts';
import type { SetRoute } from '../../core/routing/route.ts';
import type { Checkpoint } from '../../ports/tables.ts';

/** What one pass over one cluster is about. */
export interface Scope {
  readonly cluster: ClusterSettings;
  /** Applications that were read to find out which ones the event concerns. */
  readonly seen: readonly ObservedApplication[];
  /** Applications to read after the pools, in this order on purpose: a write by another pass in between then causes a
   *  conflict, and a finished operation cannot be mistaken for a running one. */
  readonly toRead: readonly ApplicationRef[];
  /** The push that it is about. */
  readonly push?: PushScope | undefined;
  /** The freeze that is asked for. */
  readonly freeze?: Snapshot['freeze'];
  /** May list all Applications when that is due; only ticks do. */
  readonly maySweep: boolean;
  /** Reads that were started ahead of time. */
  readonly early?: EarlyReads | undefined;
  /** A hint that must not get lost: if the cluster cannot be read, the queue redelivers it. */
  readonly mustSee: boolean;
  /** Whether this is a recheck, a few seconds after a pass that left something open. */
  readonly isRecheck: boolean;
  /** Id of the event, for the ids of decisions to do nothing. */
  readonly eventId: string;
}

/** A push, and which Applications it concerns on this cluster. */
export interface PushScope {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought; undefined: it deleted a branch or tag. */
  readonly revision: string | undefined;
  /** Commit that an annotated tag names; absent: `revision` is the commit. */
  readonly commit?: string | undefined;
  /** Login at GitHub of who pushed; empty: unknown. */
  readonly pusher: string;
  readonly concerned: readonly Concerned[];
  /** Applications it concerns on any cluster, and those of them that were read: parents that write other Applications'
   *  specs deploy to the cluster Argo CD is in. */
  readonly everywhere: readonly Concerned[];
  readonly observations: readonly ObservedApplication[];
  /** ApplicationSets that read what was pushed. */
  readonly sets: readonly SetRoute[];
  /** The files that it changes, read in the meantime; undefined: no reader is configured. Never rejects. */
  readonly files: Promise<ParsedFiles> | undefined;
  /** What was pushed, and the commit before it. */
  readonly pushed: RoutedPush;
  readonly before: string;
  /** It moved the branch to a commit that does not follow the one before. */
  readonly forced: boolean;
}

/** A tick of the clock: once a minute and cluster. */
export function isClockTick({ maySweep, isRecheck }: Pick<Scope, 'maySweep' | 'isRecheck'>): boolean {
  return maySweep && !isRecheck;
}

/** Reads started before it was known whether the event concerns the cluster. */
export interface EarlyReads {
  readonly pools: Promise<Listed<Pool>>;
  readonly checkpoint: Promise<Checkpoint | undefined>;
}
