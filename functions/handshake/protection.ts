/** State of an Application's pools after a pass. */
export type Protection =
  /** Every affected pool is paused and the MCO has observed it. */
  | {
      readonly kind: 'protected';
      readonly pools: readonly string[];
      /** Absent: every node of them rests. */
      readonly notWaitedFor?: readonly WaitingPool[] | undefined;
    }
  /** Some are not, yet. */
  | { readonly kind: 'waiting'; readonly pools: readonly WaitingPool[] }
  /** Policy `whenRolling: refuse`, and an earlier rollout is not over: asking again at once changes nothing. */
  | { readonly kind: 'refused'; readonly pools: readonly WaitingPool[] }
  /** It touches no pool, or only such as Poolkeeper must leave alone. */
  | { readonly kind: 'nothing-to-protect'; readonly why: string }
  /** The cluster or Argo CD cannot be seen: nothing is known, so nothing is confirmed. `lasts`: until somebody mends an
   *  object or a right, so that nobody is kept waiting for it. */
  | { readonly kind: 'blind'; readonly why: string; readonly lasts?: true | undefined };

export interface WaitingPool {
  readonly name: string;
  readonly why: string;
  /** Waiting does not help. */
  readonly isRefused?: true | undefined;
  /** Nobody waits for it: the sync begins all the same, and is told. */
  readonly isNotWaitedFor?: true | undefined;
  /** It ends within seconds: the caller is kept waiting for it. Anything else is answered at once, because whoever has
   *  the token could take every execution of the handshake by asking for what takes minutes. */
  readonly isBrief?: true | undefined;
}
