/** One entry of the catalogue: what a finding's code stands for, for people. The rules decide; this tells. */
export interface Cause {
  /** As findings carry it: `P1`, `self-deadlock`. */
  readonly code: string;
  /** Two to five words, for headlines and tables of contents. */
  readonly title: string;
  /** What is going on, in one or two sentences. */
  readonly meaning: string;
  /** By which fields or texts it is recognised, and against what; left out where the meaning says it. */
  readonly knownBy?: string;
  /** What people do about it, the gentlest first. */
  readonly remedy: string;
  /** Where the usual remedy does not help, or does harm. */
  readonly notFor?: string;
  /** Who says so: addresses of documentation, source or threads in which it was confirmed. */
  readonly sources?: readonly string[];
}

export interface CauseFamily {
  readonly name: string;
  /** Where such findings stand in a chain. */
  readonly about: string;
  readonly causes: readonly Cause[];
}
