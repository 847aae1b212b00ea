/** A named condition that must be open before a pool without holds may resume. */
export interface GateView {
  readonly gate: string;
  readonly why: string;
  readonly since: string | undefined;
  /** What opens it, in words. */
  readonly opens: string;
}
