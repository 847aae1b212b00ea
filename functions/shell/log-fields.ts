/** Field names of log lines, so that one query follows an event from delivery to message. Values are ours or
 *  identifiers: never a body, header, signature, token, URL or environment. */
export interface LogFields {
  /** Request id in the answer to the caller. */
  readonly requestId?: string;
  /** Lambda's id of the invocation. */
  readonly invocation?: string;
  /** SQS id of the record, and how often it was received. */
  readonly messageId?: string;
  readonly receiveCount?: number;
  /** Id and type of the CloudEvent. */
  readonly event?: string;
  readonly type?: string;
  /** One key from delivery to message. */
  readonly correlation?: string;
  /** GitHub's GUID of the delivery; the same for a redelivery. */
  readonly delivery?: string;
  readonly repository?: string;
  readonly ref?: string;
  /** Name of the Argo CD instance. */
  readonly argocd?: string;
  /** `namespace/name`. */
  readonly application?: string;
  readonly phase?: string;
  readonly cluster?: string;
  readonly status?: number;
  readonly reason?: string;
  /** Pools whose sync was let go, with nodes that go on or try again under it. */
  readonly notWaitedFor?: readonly string[];
  /** Number of events queued. */
  readonly events?: number;
  /** Number of events not queued, because others stand for them. */
  readonly leftOut?: number;
  readonly error?: unknown;
}
