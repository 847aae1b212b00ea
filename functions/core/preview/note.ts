import { isSameState, type PullState } from './pull.ts';

/** What is stored about a pull request. */
export interface PreviewNote {
  /** Id of the one comment, once known. */
  readonly comment: string | undefined;
  /** The state of the pull request that was last previewed, and when that preview began (ISO instant). Undefined: none
   *  was. */
  readonly told: (PullState & { readonly since: string }) | undefined;
  /** What the comment says, while not all could be told: the next attempt need not say the same. Absent: unknown. */
  readonly said?: SaidInComment | undefined;
}

interface SaidInComment {
  /** SHA-256 of the text. */
  readonly digest: string;
  /** Address of the comment. */
  readonly url: string;
}

/** Of a pull request that was not previewed yet. */
export const emptyNote: PreviewNote = { comment: undefined, told: undefined };

/** Whether an event needs no new preview: one of this very state began after the event was received. */
export function isAlreadyPosted({ told }: PreviewNote, state: PullState, receivedAt: string): boolean {
  return told !== undefined && isSameState(told, state) && Date.parse(told.since) >= Date.parse(receivedAt);
}
