import type { Finding } from '../findings/trouble.ts';

/** What came out of looking into one subject. */
export interface Diagnosis {
  /** Each with its chain; may be empty when nothing was found to be wrong. */
  readonly findings: readonly Finding[];
  /** Reads that failed or were not made, in words: what was not seen is not fine. */
  readonly unanswered: readonly string[];
  /** API calls it took. */
  readonly calls: number;
}
