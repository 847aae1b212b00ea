import type {
  ApprovalAsked,
  AttentionAsked,
  IncidentDue,
  PullSeen,
  RequestAsked,
  WebhookDue,
  WorkEvent,
} from '../../events/index.ts';

/** Work for keep-pools. At least once, in no order. */
export interface WorkQueue {
  send(event: WorkEvent, delaySeconds?: number): Promise<void>;
}

/** Work for send-alerts. At least once, in no order. */
export interface AlertQueue {
  send(event: IncidentDue, delaySeconds?: number): Promise<void>;
}

/** Requests of people about incidents, for send-alerts. At least once, in no order. */
export interface AttentionQueue {
  send(event: AttentionAsked, delaySeconds?: number): Promise<void>;
}

/** Requests of people by commands in Slack, for send-alerts. At least once, in no order. */
export interface RequestQueue {
  send(event: RequestAsked): Promise<void>;
}

/** Requests of people to approve a rendered config, for send-alerts, in the name of who sends the message. */
export interface ApprovalQueue {
  send(event: ApprovalAsked): Promise<void>;
}

/** Work for preview-changes. At least once, in no order. */
export interface PreviewQueue {
  send(event: PullSeen, delaySeconds?: number): Promise<void>;
}

/** Work for relay-pushes. At least once, in no order. */
export interface RelayQueue {
  send(event: WebhookDue, delaySeconds?: number): Promise<void>;
}
