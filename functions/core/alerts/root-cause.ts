import type { Finding } from '../findings/trouble.ts';

/** The deepest finding of the first chain. */
export function rootCause(finding: Finding): Finding {
  const [first] = finding.because;
  return first === undefined ? finding : rootCause(first);
}
