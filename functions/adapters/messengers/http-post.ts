import type { Deadline } from '../../ports/time.ts';

/** The outcome of one HTTP request, as far as its sender can know. */
export type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterSeconds: number | undefined;
      readonly body: string;
    }
  /** No connection was made: nothing was sent. */
  | { readonly kind: 'unreached'; readonly why: string }
  /** Something may have been sent; no whole answer came. */
  | { readonly kind: 'cut off'; readonly why: string };

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** How a request is sent; the simulation of storms has its own. */
export type Post = (request: PostRequest) => Promise<Posted>;

/** Failures before the first byte of a request was sent. Source: Node's and undici's error codes. */
const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_INVALID_URL',
]);

/** One POST, made once: no retry, no redirect, a hard time limit. Never throws; never reveals more of the address than
 *  its host. */
export function httpPost(deadline: Deadline): Post {
  return ({ timeoutMs, ...request }) => post(request, deadline(timeoutMs));
}

async function post({ url, headers, body }: Omit<PostRequest, 'timeoutMs'>, signal: AbortSignal): Promise<Posted> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    const text = await response.text();
    const { status } = response;
    return { kind: 'answered', status, retryAfterSeconds: secondsOf(response.headers.get('retry-after')), body: text };
  } catch (error) {
    const code = codeOf(error);
    // Without a cause the request itself was invalid: a token with a line break is not a header value.
    const isRefused = error instanceof TypeError && error.cause === undefined;
    return { kind: isRefused || unreached.has(code) ? 'unreached' : 'cut off', why: code };
  }
}

/** Only the number form: Slack sends no other. */
function secondsOf(header: string | null): number | undefined {
  const seconds = header === null ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** The innermost code: fetch wraps the actual error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (inner instanceof Error) return codeOf(inner);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}
