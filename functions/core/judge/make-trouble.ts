import { isStructural, rootsOf } from '../findings/chain.ts';
import { digestOf } from '../findings/digest.ts';
import type { Finding, Trouble, TroubleClass } from '../findings/trouble.ts';

/** A trouble without what follows from its findings. */
export type TroubleDraft = Omit<Trouble, 'class' | 'digest'>;

/** Class and digest follow from the root causes. */
export function makeTrouble(draft: TroubleDraft): Trouble {
  return { ...draft, class: classOf(draft.findings), digest: digestOf(draft.severity, draft.findings) };
}

/** One cause that never heals by waiting makes the trouble `structural`, so that it is alerted at once. Otherwise the
 *  root cause that is least likely to heal by itself decides. */
export function classOf(findings: readonly Finding[]): TroubleClass {
  if (findings.some(isStructural)) return 'structural';
  const classes = findings.flatMap(rootsOf).map((root) => root.class);
  const order: readonly TroubleClass[] = ['external', 'unknown', 'self-healing'];
  return order.find((each) => classes.includes(each)) ?? 'unknown';
}
