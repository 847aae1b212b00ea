import { Transient } from '../../core/text/errors.ts';
import { redact } from '../../core/text/safe-text.ts';

const busy = new Set([
  'LimitExceededException',
  'OverLimit',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const forbidden = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'UnrecognizedClientException',
]);

/** Translates an error of an AWS client. `call` names service and operation, e.g. `DynamoDB PutItem`. */
export function awsFailure(call: string, cause: unknown): Transient {
  if (cause instanceof Transient) return cause;
  if (!(cause instanceof Error)) return new Transient(`${call} failed`, { cause });
  return new Transient(`${call}: ${cause.name}: ${redact(cause.message).slice(0, 500)}`, {
    kind: kindOf(cause),
    cause,
  });
}

function kindOf(cause: Error): Transient['kind'] {
  if (busy.has(cause.name)) return 'busy';
  if (forbidden.has(cause.name)) return 'forbidden';
  const status = statusOf(cause);
  return status === undefined || status >= 500 ? 'unreachable' : 'unknown';
}

/** HTTP status of the answer; undefined if there was none. */
function statusOf(cause: Error): number | undefined {
  if (!('$metadata' in cause)) return undefined;
  const metadata = cause.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
