import { textAt } from '../openshift/member.ts';
import { quoted } from '../text/phrases.ts';
import type { WorkSeen } from './judge-turn.ts';

/** What invoking a function came to. */
export type Invocation =
  /** `returned`: the JSON text that it returned; `threw`: it ended with an error, which is that text. Not redacted yet:
   *  it is read first, and what is shown of it is redacted by `quoted`. */
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'threw'; readonly text: string }
  /** Lambda did not run it, which may pass; or nobody answered in time. */
  | { readonly kind: 'silent'; readonly why: string }
  /** It may not be invoked, or is not there, as while it is deployed: it did not run. */
  | { readonly kind: 'denied'; readonly why: string }
  /** It ran, and its answer cannot be read. */
  | { readonly kind: 'refused'; readonly why: string };

/** What an invocation says of a rule. */
export function judgeInvocation(invocation: Invocation): WorkSeen {
  switch (invocation.kind) {
    case 'refused':
      return { kind: 'refused', why: invocation.why };
    case 'denied':
      return { kind: 'unseen', why: invocation.why, isRefused: true };
    case 'silent':
      return { kind: 'running', note: invocation.why };
    case 'threw': {
      const said = parsed(invocation.text);
      return { kind: 'failed', why: `the function failed: ${quoted(textAt(said, 'errorMessage') ?? invocation.text)}` };
    }
    case 'returned':
      return judgeReturned(invocation.text);
    default:
      return invocation satisfies never;
  }
}

function judgeReturned(text: string): WorkSeen {
  const said = parsed(text);
  const message = quoted(textAt(said, 'message') ?? '');
  switch (textAt(said, 'status')) {
    case 'pending':
      return { kind: 'running', note: message === '' ? 'the function says: not yet' : `not yet: ${message}` };
    case 'failed':
      return { kind: 'failed', why: message === '' ? 'the function says that it failed' : message };
    default:
      return { kind: 'complete', said: message };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
