import type {
  ApprovalAsked,
  AttentionAsked,
  IncidentDue,
  PullSeen,
  RequestAsked,
  WebhookDue,
  WorkEvent,
} from '../../../events/index.ts';

/** Whatever one of our queues carries. */
export type QueuedEvent =
  | WorkEvent
  | IncidentDue
  | AttentionAsked
  | ApprovalAsked
  | RequestAsked
  | PullSeen
  | WebhookDue;

/** Characters. Source: SQS, SendMessage, MessageGroupId. */
const longestGroup = 128;

/** Whose message this is: a standard queue of SQS delivers what others sent first while one takes more than its share
 *  of the consumers, because it sends much or because its messages take long. Undefined: a message of its own, which
 *  waits behind nobody's; what a person asks for is one. Source: Amazon SQS, "Fair queues". */
export function messageGroup(event: QueuedEvent): string | undefined {
  const group = ownerOf(event)
    ?.replace(/[^\x21-\x7e]/g, '-')
    .slice(0, longestGroup);
  return group === '' ? undefined : group;
}

function ownerOf(event: QueuedEvent): string | undefined {
  switch (event.type) {
    case 'poolkeeper.push.seen.v1':
    case 'poolkeeper.pull.seen.v1':
      return event.data.repository.fullName;
    // Who may write Applications into one namespace shares nothing with those of another.
    case 'poolkeeper.operation.seen.v1':
      return `${event.data.argocd}/${event.data.namespace}`;
    case 'poolkeeper.cluster.seen.v1':
    case 'poolkeeper.incident.due.v1':
      return event.data.cluster;
    case 'poolkeeper.tick.v1':
      return event.data.why === 'person' ? undefined : event.data.cluster;
    case 'poolkeeper.webhook.due.v1':
      return [event.data.to?.argocd, event.data.repository].filter((each) => each !== undefined).join('/');
    case 'poolkeeper.freeze.asked.v1':
    case 'poolkeeper.request.asked.v1':
    case 'poolkeeper.attention.asked.v1':
    case 'poolkeeper.approval.asked.v1':
      return undefined;
  }
}
