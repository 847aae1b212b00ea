import type { SequenceRecord } from '../../core/sequences/record.ts';
import type { SequenceProblem } from '../../core/sequences/sequence-problems.ts';
import { sequenceView } from '../../core/sequences/sequence-view.ts';
import { shownSequence } from '../../core/sequences/shown-sequence.ts';
import { Transient } from '../../core/text/errors.ts';
import type { LookedAtSequence } from './look-at-sequence.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';

export interface SequenceShown {
  readonly look: LookedAtSequence;
  /** As it is stored now. */
  readonly record: SequenceRecord;
  readonly problems: readonly SequenceProblem[];
}

/** Stores what the status page shows of a sequence. That it cannot be stored holds nothing up. */
export async function showSequence(
  { look, record, problems }: SequenceShown,
  { sequenceViews, clock, logger }: SequenceKeepPorts,
): Promise<void> {
  if (sequenceViews === undefined) return;
  const { plan, sequence, waitsForSequences } = look;
  const now = clock();
  const fingerprint = record.done?.of ?? '';
  const question = { plan, rules: sequence, record, readings: new Map(), waitsForSequences, fingerprint, now };
  const { description, clusters } = sequence;
  const shown = shownSequence(sequenceView(question), { description, cluster: clusters[0] ?? '', problems, now });
  try {
    await sequenceViews.save(shown);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('sequence could not be shown', { sequence: look.name, why: cause.message });
  }
}
