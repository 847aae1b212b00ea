import { rootsOf } from '../../../functions/core/findings/chain.ts';
import type { Confidence, Finding } from '../../../functions/core/findings/trouble.ts';
import { look } from '../../functions/core/diagnose/look.ts';
import type { FieldReport } from './field-report.ts';
import { troubleOf } from './field-trouble.ts';

/** `right`: says the confirmed cause. `close`: says what failed, or what follows from the cause. `unknown`: says itself
 *  that it does not know. `wrong`: another cause. */
export type FieldVerdict = 'right' | 'close' | 'unknown' | 'wrong';
export const fieldVerdicts: readonly FieldVerdict[] = ['right', 'close', 'unknown', 'wrong'];

export interface Scored {
  readonly report: FieldReport;
  readonly verdict: FieldVerdict;
  readonly code: string;
  readonly confidence: Confidence;
  /** Titles of remedies that do harm here. */
  readonly harmful: readonly string[];
  readonly finding: Finding;
}

/** Explained as the service does it. */
export async function score(report: FieldReport): Promise<Scored> {
  const { world, subject } = troubleOf(report);
  const { findings } = await look(world, subject);
  const [finding] = findings;
  if (finding === undefined) throw new Error('each of these comes to one finding');
  const root = rootsOf(finding)[0] ?? finding;
  return {
    report,
    verdict: verdictOf(report, root),
    code: root.code,
    confidence: root.confidence,
    harmful: harmfulOf(finding),
    finding,
  };
}

function verdictOf({ right, close }: FieldReport, { code, class: kind }: Finding): FieldVerdict {
  if (right.includes(code)) return 'right';
  if (kind === 'unknown') return 'unknown';
  return close.includes(code) ? 'close' : 'wrong';
}

/** Harmful is what drains, reboots or loses data before anything gentler is offered, or has no gentler way at all. */
function harmfulOf({ remedies }: Finding): readonly string[] {
  const [first] = remedies;
  return first === undefined || first.risk === 'none' || first.risk === 'low' ? [] : [first.title];
}

export function isSure({ confidence }: Pick<Scored, 'confidence'>): boolean {
  return confidence === 'certain' || confidence === 'strong';
}
