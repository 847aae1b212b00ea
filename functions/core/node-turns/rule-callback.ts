import { isPast, plusSeconds } from '../text/instant.ts';
import { quoted } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import type { WorkSeen } from './judge-turn.ts';
import { graceSeconds } from './run-record.ts';

/** What is known of one event that is answered by a callback: of one attempt of one rule at one node. */
export interface RuleCallback {
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  /** Id of the event. */
  readonly id: string;
  /** Whoever has it may answer: it stands in the event and nowhere else. */
  readonly token: string;
  /** ISO instant after which no answer counts: its attempt is over. */
  readonly until: string;
  /** ISO instant at which somebody took the event, which is not posted again; absent: nobody has. */
  readonly received?: string | undefined;
  /** The first answer; absent: none yet. */
  readonly answer?: CallbackAnswer | undefined;
}

export interface CallbackAnswer {
  readonly status: 'succeeded' | 'failed';
  readonly message: string;
  /** ISO instant. */
  readonly at: string;
}

export function newCallback(id: string, token: string, timeoutSeconds: number, now: Date): RuleCallback {
  return { version: 0, id, token, until: plusSeconds(now, timeoutSeconds + graceSeconds) };
}

export type TakenAnswer =
  | { readonly kind: 'taken'; readonly callback: RuleCallback }
  /** Nothing changes. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'late' };

/** What becomes of an answer of somebody who has the token: the first one counts, within its time. */
export function takeAnswer(
  callback: RuleCallback,
  { status, message }: Omit<CallbackAnswer, 'at'>,
  now: Date,
): TakenAnswer {
  if (callback.answer !== undefined) return { kind: 'repeated' };
  if (isPast(callback.until, now)) return { kind: 'late' };
  const answer = { status, message: safeLine(message, messageAtMost), at: now.toISOString() };
  return { kind: 'taken', callback: { ...callback, answer } };
}

/** Characters of a message that are kept. */
const messageAtMost = 500;

/** What is known of a rule by its callback; undefined: its event is to be posted. */
export function judgeCallback({ received, answer }: RuleCallback): WorkSeen | undefined {
  if (answer === undefined)
    return received === undefined
      ? undefined
      : { kind: 'running', note: `its callback has not come since ${received}` };
  const message = quoted(answer.message);
  if (answer.status === 'succeeded') return { kind: 'complete', said: message };
  return { kind: 'failed', why: message === '' ? 'its callback says that it failed' : `its callback says: ${message}` };
}
