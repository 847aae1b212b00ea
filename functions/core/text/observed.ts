/** A value that a pass may not have observed: neither unreadable nor not asked means fine. */
export type Observed<T> =
  | {
      readonly kind: 'seen';
      readonly value: T;
      /** ISO instant of the read; absent: the reader does not report it. */
      readonly at?: string | undefined;
    }
  | { readonly kind: 'not-asked' }
  | Unreadable;

/** It was requested but could not be read. */
export interface Unreadable {
  readonly kind: 'unreadable';
  /** In words for people. */
  readonly why: string;
}

export const notAsked: { readonly kind: 'not-asked' } = { kind: 'not-asked' };

export function seen<T>(value: T, at?: Date): Observed<T> {
  return at === undefined ? { kind: 'seen', value } : { kind: 'seen', value, at: at.toISOString() };
}

export function unreadable(why: string): Unreadable {
  return { kind: 'unreadable', why };
}

/** Undefined if not observed, for callers that treat both reasons alike. */
export function seenValue<T>(observed: Observed<T>): T | undefined {
  return observed.kind === 'seen' ? observed.value : undefined;
}
