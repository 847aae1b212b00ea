import { cloudEvent, type PushRelayed, type WebhookDue } from '../../events/index.ts';
import { secondsSince } from '../core/text/instant.ts';
import { timelineEntry } from '../core/timeline/timeline-entry.ts';
import type { RelayPorts, RelaySend } from './relay-ports.ts';

export interface Relayed {
  readonly send: RelaySend;
  /** The cluster that the Argo CD runs in. */
  readonly cluster: string;
  readonly outcome: PushRelayed['data']['outcome'];
  readonly why: string;
  readonly at: Date;
}

/** Publishes the result of a relayed push, on the bus and the timeline, with a deterministic id. */
export async function tellRelayed(
  webhook: WebhookDue,
  { send, cluster, outcome, why, at }: Relayed,
  { timeline, bus }: Pick<RelayPorts, 'timeline' | 'bus'>,
): Promise<void> {
  const { delivery, argocd, endpoint, receivedAt } = send;
  const event: PushRelayed = cloudEvent({
    type: 'poolkeeper.push.relayed.v1',
    // A refused delivery may be redelivered, and then it is another event.
    id: `relay/${delivery}/${argocd}/${endpoint}/${outcome}/${receivedAt}`,
    source: '/poolkeeper/relay-pushes',
    subject: webhook.subject ?? delivery,
    time: at,
    correlation: delivery,
    data: {
      cluster,
      argocd,
      endpoint,
      delivery,
      outcome,
      waitedSeconds: Math.max(0, secondsSince(receivedAt, at)),
      why,
    },
  });
  await timeline.append([timelineEntry(event)]);
  await bus.publish([event]);
}
