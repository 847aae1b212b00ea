import type { PlaceAnswer } from '../budget/places.ts';
import type { Obstacle } from '../diagnose/preflight.ts';
import type { NodePace } from '../impact/node-pace.ts';
import type { PoolImages } from '../openshift/image-build.ts';
import type { VersionUpdate } from '../openshift/version-update.ts';
import type { Turn } from '../sequences/order.ts';
import { notAsked, type Observed } from '../text/observed.ts';
import type { KeptCalendar } from '../windows/kept-calendars.ts';
import type { Approval } from './approvals.ts';

/** What gates need but a pass does not read for every pool. A gate names what it lacks; the pass gathers it and asks
 *  again. */
export interface Evidence {
  /** What people have said about the rendered config of this pool. */
  readonly approvals: Observed<readonly Approval[]>;
  /** Nodes that the MCO has not taken to the config or image of this pool yet, though no change is pending. */
  readonly nodesBehind: Observed<readonly NodeBehind[]>;
  /** Where the application controllers of the Argo CD instances of this cluster run, and what they sync. */
  readonly controllers: Observed<readonly ControllerPlacement[]>;
  /** What will stop the drains of this pool, before they begin. */
  readonly drains: Observed<DrainForecast>;
  /** An update of the cluster's version. */
  readonly versionUpdate: Observed<VersionUpdateSeen>;
  /** The images that are built for pools of this cluster. */
  readonly images: Observed<ImagesSeen>;
  /** How long nodes of this pool take; undefined: too few were updated so far. */
  readonly pace: Observed<NodePace | undefined>;
  /** What the budget said when this pool asked for a place. */
  readonly place: Observed<PlaceAnswer>;
  /** What is kept of the calendars that windows of this cluster read by their addresses. */
  readonly calendars: Observed<readonly KeptCalendar[]>;
  /** The Applications whose guard is open while this pool has to stay paused. */
  readonly openGuards: Observed<readonly OpenGuard[]>;
  /** What the ticket of this pool says. */
  readonly ticket: Observed<TicketAnswer>;
  /** Whether its turn in its sequence has come. */
  readonly turn: Observed<Turn>;
  /** Of the nodes of a run that are in this pool for their turn: those that may not go now. */
  readonly guests: Observed<readonly WaitingGuests[]>;
}

export type EvidenceKind = keyof Evidence;

/** Cheapest first: approvals, kept calendars and the pace are one read of our own table, the version, images, nodes,
 *  guards and drains take a few reads, a ticket is one request to others, controllers a list of all Applications. A
 *  place is last: to ask for it is to take it, so nothing else may keep the pool paused then. */
export const evidenceByCost: readonly EvidenceKind[] = [
  'approvals',
  'calendars',
  'pace',
  'versionUpdate',
  'images',
  'nodesBehind',
  'openGuards',
  'ticket',
  'turn',
  'drains',
  'controllers',
  'guests',
  'place',
];

/** What is read even while another gate is closed, because people act on it ahead of time; what says whether anything
 *  is to be approved comes first. */
export const evidenceReadAhead: readonly EvidenceKind[] = ['nodesBehind', 'approvals'];

export const noEvidence: Evidence = {
  approvals: notAsked,
  calendars: notAsked,
  controllers: notAsked,
  drains: notAsked,
  guests: notAsked,
  images: notAsked,
  nodesBehind: notAsked,
  openGuards: notAsked,
  pace: notAsked,
  place: notAsked,
  versionUpdate: notAsked,
  ticket: notAsked,
  turn: notAsked,
};

export type VersionUpdateSeen =
  | { readonly kind: 'none' }
  | { readonly kind: 'under way'; readonly update: VersionUpdate }
  /** We may not read it: a cluster with the rights of an earlier version of Poolkeeper. */
  | { readonly kind: 'forbidden'; readonly why: string };

export type ImagesSeen =
  | ({ readonly kind: 'listed' } & PoolImages)
  /** We may not list them: a cluster with the rights of an earlier version of Poolkeeper. */
  | { readonly kind: 'forbidden'; readonly why: string };

export interface NodeBehind {
  readonly name: string;
  /** It comes from another pool, as every new node of a pool whose machines boot as workers: no rollout of this pool
   *  has taken it anywhere. */
  readonly hasJustJoined: boolean;
}

/** Nodes of one pool that are in the canary of their run. */
export interface WaitingGuests {
  /** Their own. */
  readonly pool: string;
  readonly nodes: readonly string[];
  /** What keeps nodes of their own pool from going, in words. */
  readonly why: string;
}

export interface OpenGuard {
  readonly argocd: string;
  /** `<namespace>/<name>`. */
  readonly application: string;
}

export interface ControllerPlacement {
  readonly argocd: string;
  /** Pools whose nodes carry the application controller of this instance. */
  readonly pools: readonly string[];
  /** Applications of this instance that are syncing now and are waited for by policy (`waitForSyncs`):
   *  `<namespace>/<name>`. */
  readonly syncing: readonly string[];
}

/** What a ticket system answered. */
export interface TicketAnswer {
  readonly status: number;
  /** The text, number or truth value at the place that was asked for; undefined: none was asked for, or there is
   *  none. */
  readonly value: string | undefined;
}

/** The drains of one pool, predicted before they begin. */
export interface DrainForecast {
  /** Nodes that a resume would drain. */
  readonly touched: number;
  /** What will stop them, the worst first. */
  readonly obstacles: readonly Obstacle[];
  /** What could not be read, in words: there may be more obstacles. */
  readonly unread: readonly string[];
}
