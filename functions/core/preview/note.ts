import { isSameState, type PullState } from './pull.ts';

/** What is stored about a pull request. */
export interface PreviewNote {
  /** Id of the one comment, once known. */
  readonly comment: number | undefined;
  /** State of the last preview, and when that preview began (ISO instant). */
  readonly told: (PullState & { readonly since: string }) | undefined;
}

export const emptyNote: PreviewNote = { comment: undefined, told: undefined };

/** A preview of this very state that began after the event was received already covers the event. */
export function isAlreadyPosted({ told }: PreviewNote, state: PullState, receivedAt: string): boolean {
  return told !== undefined && isSameState(told, state) && Date.parse(told.since) >= Date.parse(receivedAt);
}
