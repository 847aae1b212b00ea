import type { WebhookDue } from '../../events/index.ts';
import type { RelaySettings } from '../core/configuration/argocd.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import type { Endpoint } from '../core/relay/endpoints.ts';
import type { AnswerMeaning } from '../core/relay/read-answer.ts';
import type { EventBus } from '../ports/messages.ts';
import type { RelayQueue } from '../ports/queues.ts';
import type { Checkpoints, PushOutcomes, Races, Timeline } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** The dependencies of relay-pushes. It calls no cluster: pauses, and whether they have ended, are read from the
 *  table. */
export interface RelayPorts {
  readonly configuration: Configuration;
  readonly outcomes: Pick<PushOutcomes, 'load'>;
  readonly races: Pick<Races, 'find'>;
  readonly checkpoints: Pick<Checkpoints, 'load'>;
  readonly notes: RelayNotes;
  readonly webhooks: Webhooks;
  readonly relays: RelayQueue;
  readonly timeline: Pick<Timeline, 'append'>;
  readonly bus: EventBus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Argo CD's webhook servers. */
export interface Webhooks {
  /** One POST of these very bytes with these headers; no redirect is followed. Throws Transient if no answer came. */
  post(webhook: Webhook): Promise<AnswerMeaning>;
}

export interface Webhook {
  readonly relay: RelaySettings;
  readonly endpoint: Endpoint;
  readonly headers: WebhookDue['data']['headers'];
  readonly body: Uint8Array;
}

/** One POST to be made: for one reception of a delivery, to one server, the first or the second time. */
export interface RelaySend {
  readonly delivery: string;
  readonly receivedAt: string;
  readonly argocd: string;
  readonly endpoint: Endpoint;
  readonly round: 1 | 2;
}

/** Claims on POSTs, so that duplicates of a message make only one. */
export interface RelayNotes {
  /** Claims the POST. With `mine` the caller has `leaseSeconds` for it. */
  claim(send: RelaySend, leaseSeconds: number): Promise<RelayClaim>;
  /** Stores the outcome and returns the resulting claim. A claim that ended meanwhile is left alone. */
  settle(claim: HeldClaim, outcome: RelayOutcome): Promise<HeldClaim>;
}

export type RelayClaim =
  | HeldClaim
  /** Another worker has the claim, for so many seconds. */
  | { readonly kind: 'taken'; readonly untilSeconds: number }
  /** It was accepted or refused, and that was published. */
  | { readonly kind: 'done' };

/** `accepted`: the POST was made, but the steps after it may be missing. */
export interface HeldClaim {
  readonly kind: 'mine';
  readonly send: RelaySend;
  readonly version: number;
  readonly accepted: Accepted | undefined;
}

/** The result, kept so that it is published once and unchanged. */
export interface Accepted {
  readonly at: string;
  /** When the delivery that was accepted was received: an earlier one of it may have been refused. */
  readonly receivedAt: string;
  readonly isLate: boolean;
  readonly why: string;
}

export type RelayOutcome =
  | { readonly kind: 'accepted'; readonly accepted: Accepted }
  /** Everything that follows was done. */
  | { readonly kind: 'done' }
  /** For this reception: delivered again later, it may be tried again. */
  | { readonly kind: 'refused' }
  /** Nothing came of it: the next may try. */
  | { readonly kind: 'free' };
