/** Names of the fields that shell and receivers put on log lines, so that one query finds a happening from delivery to
 *  message. Values are ours or identifiers: never a body, header, signature, token, URL or environment. */
export interface LogFields {
  /** Id the caller got with its answer. */
  readonly requestId?: string;
  /** Lambda's id of the invocation. */
  readonly invocation?: string;
  /** SQS id of the record, and how often it came already. */
  readonly messageId?: string;
  readonly receiveCount?: number;
  /** Id and type of the CloudEvent. */
  readonly event?: string;
  readonly type?: string;
  /** One key from delivery to message. */
  readonly correlation?: string;
  /** GitHub's GUID of the delivery; the same when it is delivered again. */
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
  /** Number of events passed on. */
  readonly events?: number;
  readonly error?: unknown;
}
