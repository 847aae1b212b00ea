import type { Confidence, Evidence, Finding, ObjectRef, TroubleClass } from './trouble.ts';
import type { Unread } from './unread.ts';

export type Draft = Pick<Finding, 'code' | 'subject' | 'sentence' | 'confidence' | 'class'> &
  Partial<Pick<Finding, 'evidence' | 'because' | 'remedies'>>;

export function finding(draft: Draft): Finding {
  return { evidence: [], because: [], remedies: [], ...draft };
}

export function ref(kind: string, name: string, namespace = ''): ObjectRef {
  return { kind, namespace, name };
}

export function evidence(of: ObjectRef, path: string, value: string | number | boolean, readAt: string): Evidence {
  return { ref: of, path, value: String(value), readAt };
}

const ladder: readonly Confidence[] = ['certain', 'strong', 'likely', 'possible'];

/** One step down per reason for doubt. */
export function lower(confidence: Confidence, steps = 1): Confidence {
  return ladder[Math.min(ladder.indexOf(confidence) + steps, ladder.length - 1)] ?? 'possible';
}

/** The same finding with lower confidence for every missing read, and with the names of these reads. */
export function without(found: Finding, unread: readonly Unread[]): Finding {
  if (unread.length === 0) return found;
  const missing = unread.map((each) => `${each.what} could not be read (${each.why})`).join('; ');
  return {
    ...found,
    sentence: `${found.sentence} Not read: ${missing}.`,
    confidence: lower(found.confidence, unread.length),
    evidence: [
      ...found.evidence,
      ...unread.map((each) => evidence(ref('Read', each.what), 'failed', each.why, each.readAt)),
    ],
  };
}

/** No rule matched, or too little could be read: lists what was checked, so that people look elsewhere. */
export function notKnown(draft: {
  readonly code: string;
  readonly subject: ObjectRef;
  readonly sentence: string;
  readonly looked: readonly string[];
  readonly evidence?: readonly Evidence[];
}): Finding {
  const { code, subject, sentence, looked } = draft;
  return finding({
    code,
    subject,
    sentence: `${sentence} Checked ${looked.join(', ')}.`,
    confidence: 'possible',
    class: 'unknown' satisfies TroubleClass,
    evidence: draft.evidence ?? [],
  });
}
