import { fingerprint } from '../text/fingerprint.ts';
import { unique } from '../text/unique.ts';
import { digestPart } from './cause-key.ts';
import { rootsOf } from './chain.ts';
import type { Finding, Severity } from './trouble.ts';

/** Sorted identity of the causes: node, code and blocker of every root cause, and the severity. Never message text,
 *  counts, ages or pod hashes: a thread reply is sent only when this changes. */
export function digestOf(severity: Severity, findings: readonly Finding[]): string {
  const causes = findings.flatMap((found) => rootsOf(found).map((root) => digestPart(found, root)));
  return joined([...unique(causes).toSorted(), severity]);
}

/** Characters. An incident keeps two digests, and its row has room for 390 KiB. */
const longest = 64 * 1024;

/** One text of the parts. Whoever can make up any number of objects can make up any number of parts: of those without
 *  room a fingerprint stands for all. */
export function joined(parts: readonly string[]): string {
  const text = parts.join(';');
  if (text.length <= longest) return text;
  const beginning = text.slice(0, longest);
  const kept = beginning.slice(0, Math.max(0, beginning.lastIndexOf(';')));
  return `${kept};${fingerprint(text.slice(kept.length))}`;
}
