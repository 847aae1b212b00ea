/** A closed gate, as people see it. */
export interface GateView {
  readonly gate: string;
  readonly why: string;
  /** ISO instant since when this gate is closed. */
  readonly since: string | undefined;
  /** What opens it, in words. */
  readonly opens: string;
  /** ISO instant at which it opens by itself; absent: unknown. */
  readonly opensAt?: string | undefined;
  /** Nothing is known against it: it waits for a read, which is made once the other gates are open. */
  readonly unread?: true | undefined;
  /** It has been closed past its timeout, and the action is `alert`. */
  readonly overdue?: true | undefined;
}
