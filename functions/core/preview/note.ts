import { isSameState, type PullState } from './pull.ts';

/** What is remembered of a pull request. */
export interface PreviewNote {
  /** The one comment, once it is known. */
  readonly comment: number | undefined;
  /** State that was last told, and when the look at it began (ISO instant). */
  readonly told: (PullState & { readonly since: string }) | undefined;
}

export const emptyNote: PreviewNote = { comment: undefined, told: undefined };

/** A look at this very state that began after the event came has already said what the event asks for. */
export function isAlreadyPosted({ told }: PreviewNote, state: PullState, receivedAt: string): boolean {
  return told !== undefined && isSameState(told, state) && Date.parse(told.since) >= Date.parse(receivedAt);
}
