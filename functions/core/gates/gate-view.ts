/** A closed gate, as people see it. */
export interface GateView {
  readonly gate: string;
  readonly why: string;
  /** ISO instant since when this gate is closed. */
  readonly since: string | undefined;
  /** What opens it, in words. */
  readonly opens: string;
  /** ISO instant at which it opens by itself; absent: nobody knows. */
  readonly opensAt?: string | undefined;
  /** It is closed for longer than it may be, and people want to know. */
  readonly overdue?: true | undefined;
}
