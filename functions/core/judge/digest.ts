import { rootsOf } from '../findings/chain.ts';
import { type Finding, type ObjectRef, refText, type Severity } from '../findings/trouble.ts';

/** Sorted identity of the causes: node, code and blocker of every root, and the severity. Never message text,
 *  counts, ages or pod hashes: an edit is worth a thread reply only when this changes. */
export function digestOf(severity: Severity, findings: readonly Finding[]): string {
  const causes = findings.flatMap((found) =>
    rootsOf(found).map((root) => `${found.subject.name}:${root.code}:${stableRef(root.subject)}`),
  );
  return [...new Set(causes)].toSorted().concat(severity).join(';');
}

/** A pod by what keeps it alive: its own name changes whenever it is made again. */
function stableRef(ref: ObjectRef): string {
  return refText(ref.kind === 'Pod' ? { ...ref, name: withoutHash(ref.name) } : ref);
}

/** Kubernetes' generated suffixes use consonants and digits only, so that words are not taken for them.
 *  Source: apimachinery util/rand, alphanums. */
function withoutHash(name: string): string {
  return name.replace(/(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/, '');
}
