import { clipped } from '../text/phrases.ts';
import type { RecordRead } from './pool-record.ts';

/** Who resumed a pool in spite of its holds, in words: `a person`, or the program by its name. */
export function whoResumed({ record }: { readonly record: RecordRead }): string {
  const letGo = record.kind === 'record' ? record.record.letGo : undefined;
  return letGo?.program === undefined ? 'a person' : clipped(letGo.by, 80);
}
