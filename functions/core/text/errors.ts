/** The caller's fault: answered with a 4xx and a short reason, never retried. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(message: string, options: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status ?? 400;
  }
}

/** An outside failure that may pass: network, 409, 429, 5xx. The queue retries. */
export class Transient extends Error {
  override readonly name = 'Transient';
  /** Seconds that the other side asked us to wait (Retry-After), if it did. */
  readonly retryAfterSeconds: number | undefined;
  /** What failed, for callers that react to it; `conflict`: another writer was faster (409); `invalid`: the answer
   *  cannot be parsed, and will not be until somebody corrects the object. */
  readonly kind: 'conflict' | 'unreachable' | 'busy' | 'forbidden' | 'invalid' | 'unknown';
  /** Somebody answered (a 5xx): this call failed, and another one to the same server may not. */
  readonly isAnswered: boolean;

  constructor(
    message: string,
    options: {
      readonly kind?: Transient['kind'];
      readonly isAnswered?: boolean;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = options.kind ?? 'unknown';
    this.isAnswered = options.isAnswered ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether nothing answered at all, or not in time. */
export function isSilence(cause: unknown): boolean {
  return cause instanceof Transient && cause.kind === 'unreachable' && !cause.isAnswered;
}

/** Whether nobody knows if what was asked for was done: nothing answered, a server failed, or its answer cannot be
 *  read. */
export function isInDoubt({ kind, isAnswered, message }: Transient): boolean {
  if (isAnswered && message.includes(': 500, ') && beforeWrite.some((each) => message.includes(each))) return false;
  return kind === 'unreachable' || (!isAnswered && (kind === 'invalid' || kind === 'unknown'));
}

/** An API server whose admission failed, or whose etcd takes nothing more, has written nothing.
 *  Source: apiserver pkg/admission/plugin/webhook/errors; etcd api/v3rpc/rpctypes, ErrNoSpace. */
const beforeWrite: readonly string[] = ['failed calling webhook', 'admission webhook "', 'database space exceeded'];

/** Whether the API server knows the account, which lacks the right (403). Not 401: a token that counts no longer is
 *  followed by another one, and what was asked for is read then. */
export function isWithoutRights(cause: unknown): cause is Transient {
  return cause instanceof Transient && cause.kind === 'forbidden' && /: 403\b/.test(cause.message);
}

/** Our own configuration is wrong: the cold start fails and lists every problem. Names keys, never values. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: { readonly cause?: unknown } = {}) {
    super(problems.join('\n'), { cause: options.cause });
    this.problems = problems;
  }
}
