import { redact } from '../../core/text/safe-text.ts';
import type { RuleFunctions } from '../../ports/node-turns.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { type Credentials, signedHeaders } from './signed-headers.ts';

export interface RuleFunctionsOptions {
  /** Of the function that this runs in, as the clients of AWS find them. */
  readonly credentials: () => Promise<Credentials>;
  /** For functions that are named without one. */
  readonly region: () => Promise<string>;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Default: that of Lambda in the region. */
  readonly endpoint?: ((region: string) => string) | undefined;
}

/** Characters of an answer that are read. */
const answerAtMost = 256 * 1024;

/** Rules of type lambda: one synchronous Invoke each, by its plain API. A client of the SDK for this one call would be
 *  a dependency more. */
export function ruleFunctions({
  credentials,
  region,
  clock,
  deadline,
  ...options
}: RuleFunctionsOptions): RuleFunctions {
  const { endpoint = (of: string) => `https://lambda.${of}.amazonaws.com` } = options;
  return {
    async invoke(name, timeoutSeconds, event) {
      const of = regionIn(name) ?? (await region());
      const url = new URL(`${endpoint(of)}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`);
      const body = JSON.stringify(event);
      const headers = signedHeaders({
        url,
        headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' },
        body,
        region: of,
        service: 'lambda',
        credentials: await credentials(),
        at: clock(),
      });
      let answer: Response;
      let text: string;
      try {
        const signal = deadline(timeoutSeconds * 1000);
        answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
        text = await answer.text();
      } catch {
        return { kind: 'silent', why: `Lambda ${name} has not answered within ${timeoutSeconds} s` };
      }
      // Cut or redacted, what it says could not be read any more, or read as something else.
      if (text.length > answerAtMost)
        return { kind: 'refused', why: `Lambda ${name} answered more than ${answerAtMost / 1024} KiB` };
      if (answer.status === 200)
        return answer.headers.has('x-amz-function-error') ? { kind: 'threw', text } : { kind: 'returned', text };
      const why = `Lambda ${name} answered ${answer.status}: ${redact(text).slice(0, 300)}`;
      return { kind: answer.status === 429 || answer.status >= 500 ? 'silent' : 'denied', why };
    },
  };
}

function regionIn(name: string): string | undefined {
  return name.startsWith('arn:') ? name.split(':')[3] : undefined;
}
